#ifdef __linux__
#define _GNU_SOURCE  // MSG_CMSG_CLOEXEC
#endif

#include "CLinuxBluetooth.h"

#include <errno.h>

#ifdef __linux__

#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

// SCM_MAX_FD: the kernel passes at most this number with one call.
enum { most = 253 };

// Aligned for the header.
union control {
    struct cmsghdr header;
    char octets[CMSG_SPACE(most * sizeof(int))];
};

int64_t clb_send_descriptors(int number, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    if (descriptor_count < 0 || descriptor_count > most) return -EINVAL;
    struct iovec part = { .iov_base = (void *)bytes, .iov_len = count };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
    union control control;
    if (descriptor_count > 0) {
        size_t length = descriptor_count * sizeof(int);
        memset(&control, 0, sizeof control);
        message.msg_control = control.octets;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(header), descriptors, length);
    }
    while (1) {
        ssize_t written = sendmsg(number, &message, MSG_NOSIGNAL);
        if (written >= 0) return written;
        if (errno != EINTR) return -errno;
    }
}

int64_t clb_receive_descriptors(int number, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
    struct iovec part = { .iov_base = bytes, .iov_len = count };
    union control control;
    struct msghdr message;
    ssize_t received;
    do {
        memset(&message, 0, sizeof message);
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.octets;
        message.msg_controllen = sizeof control.octets;
        received = recvmsg(number, &message, MSG_CMSG_CLOEXEC);
    } while (received < 0 && errno == EINTR);
    int capacity = *descriptor_count;
    *descriptor_count = 0;
    if (received < 0) return -errno;
    int lost = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t arrived = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < arrived; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
            if (!lost && *descriptor_count < capacity) {
                descriptors[(*descriptor_count)++] = descriptor;
            } else {
                close(descriptor);
                lost = 1;
            }
        }
    }
    if (lost) {
        for (int i = 0; i < *descriptor_count; i++) close(descriptors[i]);
        *descriptor_count = -1;
    }
    return received;
}

#else

int64_t clb_send_descriptors(int number, const void *bytes, size_t count, const int *descriptors, int descriptor_count) { return -EAFNOSUPPORT; }
int64_t clb_receive_descriptors(int number, void *bytes, size_t count, int *descriptors, int *descriptor_count) { return -EAFNOSUPPORT; }

#endif
