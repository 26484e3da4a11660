#pragma once
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Variadic functions and macros, which Swift cannot call.

static inline int durable_duplicate_above(int descriptor, int lowest) {
    return fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
}

static inline int durable_set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 ? flags : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

static inline int durable_adopt_orphans(void) {
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static inline int durable_new_signal_descriptor(const sigset_t *_Nonnull signals) {
    return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static inline int durable_new_wake_descriptor(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline void durable_wake(int descriptor) {
    eventfd_write(descriptor, 1);
}

static inline void durable_clear_wake(int descriptor) {
    eventfd_t count;
    eventfd_read(descriptor, &count);
}

static inline int durable_new_stream_pair(int descriptors[_Nonnull 2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors);
}

static inline int durable_exit_code(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int durable_end_signal(int status) {
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// These stand in CLinux.c.

char *_Nullable *_Nullable durable_environment(void);

int durable_new_pipe(int descriptors[_Nonnull 2]);

int durable_new_memory_file(const char *_Nonnull name);

int durable_name_thread(const char *_Nonnull name);

int durable_spawn_closing_from(posix_spawn_file_actions_t *_Nonnull actions, int lowest);

// Makes the process the leader of a session of its own, with no signal blocked or ignored.
int durable_spawn_afresh(posix_spawnattr_t *_Nonnull attributes);
