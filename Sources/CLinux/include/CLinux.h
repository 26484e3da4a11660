#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
// With `_GNU_SOURCE` the member of `fd_set` has another name than in Swift's own module of the
// C library, and a program that sees both does not always compile.
#define fds_bits __fds_bits
#include <sys/select.h>
#undef fds_bits
#include "locks_and_wakes.h"
#include "network.h"
#include "processes.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
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
