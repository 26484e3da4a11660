#pragma once
// No header here may define _GNU_SOURCE: it changes structures such as `fd_set`, which Swift's own
// module of the C library would then contradict. What needs it stands in CLinux.c.
#include "locks_and_wakes.h"
#include "network.h"
#include "processes.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pwd.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// `errno` is a macro over a function call, which Swift does not import.
static inline int durable_errno(void) { return errno; }
