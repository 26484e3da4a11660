// What the C library shows only with _GNU_SOURCE.
#define _GNU_SOURCE
#include "CLinux.h"

char **durable_environment(void) { return environ; }

int durable_new_pipe(int descriptors[2]) { return pipe2(descriptors, O_CLOEXEC); }

int durable_new_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int durable_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int durable_spawn_closing_from(posix_spawn_file_actions_t *actions, int lowest) {
    return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

int durable_spawn_afresh(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    return posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

int durable_open_place(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int durable_ofd_lock(int descriptor, short type, off_t byte) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

int durable_ofd_is_held(int descriptor, off_t byte) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

int durable_accept(int descriptor, struct sockaddr_storage *address, socklen_t *length) {
    return accept4(
        descriptor, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
