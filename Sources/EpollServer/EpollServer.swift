// EpollServer
