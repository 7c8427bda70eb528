#ifdef __linux__
#define _GNU_SOURCE  // ppoll
#endif

#include "CLinuxBluetooth.h"

#include <errno.h>

#ifdef __linux__

#include <poll.h>
#include <sys/epoll.h>
#include <time.h>

int clb_open_set(void) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    return set < 0 ? -errno : set;
}

static int change(int set, int operation, int number, uint64_t tag, int is_reading, int is_writing) {
    struct epoll_event event = { .events = (is_reading ? EPOLLIN : 0) | (is_writing ? EPOLLOUT : 0), .data.u64 = tag };
    return epoll_ctl(set, operation, number, &event) == 0 ? 0 : -errno;
}

int clb_add_to_set(int set, int number, uint64_t tag, int is_reading, int is_writing) {
    return change(set, EPOLL_CTL_ADD, number, tag, is_reading, is_writing);
}

int clb_change_in_set(int set, int number, uint64_t tag, int is_reading, int is_writing) {
    return change(set, EPOLL_CTL_MOD, number, tag, is_reading, is_writing);
}

int clb_remove_from_set(int set, int number) {
    struct epoll_event unused;
    return epoll_ctl(set, EPOLL_CTL_DEL, number, &unused) == 0 ? 0 : -errno;
}

int clb_wait_for_set(int set, int64_t nanoseconds, clb_readiness *ready, int capacity) {
    enum { most = 64 };
    if (nanoseconds > 0) {
        // ppoll has a timeout in nanoseconds, that of epoll_wait is in milliseconds.
        struct pollfd entry = { .fd = set, .events = POLLIN };
        struct timespec timeout = { .tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000 };
        int count = ppoll(&entry, 1, &timeout, 0);
        if (count <= 0) return count == 0 || errno == EINTR ? 0 : -errno;
    }
    struct epoll_event events[most];
    int count = epoll_wait(set, events, capacity < most ? capacity : most, nanoseconds < 0 ? -1 : 0);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int index = 0; index < count; index++) {
        ready[index].tag = events[index].data.u64;
        // A read reports errors and the end of the stream.
        ready[index].is_readable = (events[index].events & ~(uint32_t)EPOLLOUT) != 0;
        ready[index].is_writable = (events[index].events & EPOLLOUT) != 0;
    }
    return count;
}

#else

int clb_open_set(void) { return -ENOSYS; }
int clb_add_to_set(int set, int number, uint64_t tag, int is_reading, int is_writing) { return -ENOSYS; }
int clb_change_in_set(int set, int number, uint64_t tag, int is_reading, int is_writing) { return -ENOSYS; }
int clb_remove_from_set(int set, int number) { return -ENOSYS; }
int clb_wait_for_set(int set, int64_t nanoseconds, clb_readiness *ready, int capacity) { return -ENOSYS; }

#endif
