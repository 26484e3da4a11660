#pragma once
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// open(2) is variadic.
static inline int durable_open(const char *_Nonnull path, int flags, mode_t mode) {
    return open(path, flags | O_CLOEXEC, mode);
}

// A folder as a place to name files in, not to read.
int durable_open_place(const char *_Nonnull path);

// fcntl(2) is variadic.
int durable_ofd_lock(int descriptor, short type, off_t byte);

// 1 where another open file description holds the byte's lock, 0 where none does, -1 with errno.
int durable_ofd_is_held(int descriptor, off_t byte);

// SOCK_DGRAM is an enumeration that Swift cannot combine with flags.
static inline int durable_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

// The path goes into an array inside a structure. ENAMETOOLONG where it does not fit.
static inline int durable_unix_address(
    struct sockaddr_un *_Nonnull address, const char *_Nonnull path
) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return 0;
}

static inline int durable_bind_unix(int descriptor, const char *_Nonnull path) {
    struct sockaddr_un address;
    if (durable_unix_address(&address, path) != 0) return -1;
    return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

static inline ssize_t durable_send_wake(int descriptor, const char *_Nonnull path) {
    struct sockaddr_un address;
    if (durable_unix_address(&address, path) != 0) return -1;
    return sendto(
        descriptor, "w", 1, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address,
        sizeof address);
}

// Waits for one datagram and drains the others; 0 or less once the socket is shut down.
static inline ssize_t durable_receive_wake(int descriptor) {
    char byte;
    ssize_t count;
    do {
        count = recv(descriptor, &byte, 1, 0);
    } while (count < 0 && errno == EINTR);
    if (count > 0) {
        while (recv(descriptor, &byte, 1, MSG_DONTWAIT) > 0) {
        }
    }
    return count;
}
