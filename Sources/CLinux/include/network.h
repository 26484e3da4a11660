#pragma once
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

// `epoll_event` is packed and holds a union; Swift sees neither well.
struct durable_epoll_event {
    uint32_t readiness;
    uint64_t token;
};

static inline int durable_epoll_control(
    int epoll, int operation, int descriptor, uint32_t interest, uint64_t token
) {
    struct epoll_event event = {.events = interest, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

// Waits for at most 256 events.
static inline int durable_epoll_wait(
    int epoll, struct durable_epoll_event *_Nonnull events, int capacity, int milliseconds
) {
    struct epoll_event ready[256];
    int count = epoll_wait(epoll, ready, capacity < 256 ? capacity : 256, milliseconds);
    for (int index = 0; index < count; index++) {
        events[index].readiness = ready[index].events;
        events[index].token = ready[index].data.u64;
    }
    return count;
}

// The socket calls take a generic address that the real ones are cast to.
static inline int durable_bind(
    int descriptor, const struct sockaddr_storage *_Nonnull address, socklen_t length
) {
    return bind(descriptor, (const struct sockaddr *)address, length);
}

static inline int durable_connect(
    int descriptor, const struct sockaddr_storage *_Nonnull address, socklen_t length
) {
    return connect(descriptor, (const struct sockaddr *)address, length);
}

static inline int durable_getsockname(
    int descriptor, struct sockaddr_storage *_Nonnull address, socklen_t *_Nonnull length
) {
    return getsockname(descriptor, (struct sockaddr *)address, length);
}

int durable_accept(
    int descriptor, struct sockaddr_storage *_Nonnull address, socklen_t *_Nonnull length
);

static inline int durable_stream_socket(int family, int nonblocking) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

// The kinds of limits are an enumeration in C++ and in Swift, but not for setrlimit(2).
static inline int durable_limit_descriptors(rlim_t count) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_cur = count;
    return setrlimit(RLIMIT_NOFILE, &limit);
}
