#ifdef __linux__
#define _GNU_SOURCE  // pipe2
#endif

#include "CLinuxBluetooth.h"

#include <errno.h>

#ifdef __linux__

#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    family_bluetooth = 31,
    protocol_hci = 1,
    channel_user = 1,
    channel_control = 3,
    no_device = 0xFFFF,
};

struct hci_address {
    uint16_t family;
    uint16_t device;
    uint16_t channel;
};

struct hci_device_info {
    uint16_t index;
    char name[8];
    uint8_t address[6];
    uint32_t flags;
    uint8_t type;
    uint8_t features[8];
    uint32_t packet_type, link_policy, link_mode;
    uint16_t acl_mtu, acl_packets, sco_mtu, sco_packets;
    uint32_t statistics[10];
};

struct hci_link_list {
    uint16_t index;
    uint16_t count;
    struct {
        uint16_t handle;
        uint8_t address[6];
        uint8_t type;
        uint8_t is_outgoing;
        uint16_t state;
        uint32_t mode;
    } links[64];
};

#define HCI_GET_LINKS _IOR('H', 212, int)
#define HCI_DEVICE_DOWN _IOW('H', 202, int)
#define HCI_GET_DEVICE_INFO _IOR('H', 211, int)

static int open_socket(int flags) {
    int number = socket(family_bluetooth, SOCK_RAW | SOCK_CLOEXEC | flags, protocol_hci);
    return number < 0 ? -errno : number;
}

static int bind_socket(int number, uint16_t device, uint16_t channel) {
    struct hci_address address = { .family = family_bluetooth, .device = device, .channel = channel };
    if (bind(number, (struct sockaddr *)&address, sizeof address) == 0) return number;
    int code = errno;
    close(number);
    return -code;
}

int clb_open_pipe(int numbers[2]) { return pipe2(numbers, O_NONBLOCK | O_CLOEXEC) == 0 ? 0 : -errno; }

int clb_open_control(void) { return open_socket(0); }

int clb_open_user_channel(uint16_t index) {
    int number = open_socket(SOCK_NONBLOCK);
    return number < 0 ? number : bind_socket(number, index, channel_user);
}

int clb_open_readiness(int number) {
    int set = epoll_create1(EPOLL_CLOEXEC);
    if (set < 0) return -errno;
    struct epoll_event event = { .events = EPOLLIN };  // errors and hang-ups are always reported
    if (epoll_ctl(set, EPOLL_CTL_ADD, number, &event) == 0) return set;
    int code = errno;
    close(set);
    return -code;
}

int clb_bring_down(int control, uint16_t index) { return ioctl(control, HCI_DEVICE_DOWN, (long)index) < 0 ? -errno : 0; }

int clb_read_device_info(int control, uint16_t index, clb_device_info *info) {
    struct hci_device_info answer;
    memset(&answer, 0, sizeof answer);
    answer.index = index;
    if (ioctl(control, HCI_GET_DEVICE_INFO, &answer) < 0) return -errno;
    info->index = index;
    info->flags = answer.flags;
    info->type = answer.type;
    memcpy(info->address, answer.address, sizeof info->address);
    return 0;
}

int clb_list_links(int control, uint16_t index, clb_link *links, int capacity) {
    enum { classic = 0x01, low_energy = 0x80, connected = 1 };
    struct hci_link_list list;
    memset(&list, 0, sizeof list);
    list.index = index;
    list.count = sizeof list.links / sizeof list.links[0];
    if (ioctl(control, HCI_GET_LINKS, &list) < 0) return -errno;
    int count = 0;
    for (int number = 0; number < list.count && count < capacity; number++) {
        int type = list.links[number].type;
        if ((type != classic && type != low_energy) || list.links[number].state != connected) continue;
        memcpy(links[count].address, list.links[number].address, sizeof links[count].address);
        links[count++].is_low_energy = type == low_energy;
    }
    return count;
}

int clb_list_managed_devices(uint16_t *indices, int capacity) {
    int number = open_socket(0);
    if (number < 0) return number;
    number = bind_socket(number, no_device, channel_control);
    if (number < 0) return number;
    // Read Controller Index List. Other events may arrive before its Command Complete.
    static const uint8_t request[6] = { 0x03, 0x00, 0xFF, 0xFF, 0x00, 0x00 };
    struct timeval limit = { .tv_usec = 200000 };
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    int result = -ETIMEDOUT;
    if (send(number, request, sizeof request, 0) < 0) {
        result = -errno;
    } else {
        for (int tries = 0; tries < 16; tries++) {
            uint8_t answer[512];
            long count = recv(number, answer, sizeof answer, 0);
            if (count < 0) {
                if (errno == EINTR) continue;
                result = -errno;
                break;
            }
            if (count < 9 || answer[0] != 0x01 || answer[1] != 0 || answer[6] != 0x03 || answer[7] != 0) continue;
            if (answer[8] != 0 || count < 11) {
                result = -EPERM;
                break;
            }
            int devices = answer[9] | answer[10] << 8;
            for (result = 0; result < devices && result < capacity && 13 + 2 * result <= count; result++)
                indices[result] = (uint16_t)(answer[11 + 2 * result] | answer[12 + 2 * result] << 8);
            break;
        }
    }
    close(number);
    return result;
}

#else

#include <fcntl.h>
#include <unistd.h>

int clb_open_pipe(int numbers[2]) {
    if (pipe(numbers) < 0) return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(numbers[i], F_SETFL, O_NONBLOCK);
        fcntl(numbers[i], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}
int clb_open_control(void) { return -EAFNOSUPPORT; }
int clb_open_user_channel(uint16_t index) { return -EAFNOSUPPORT; }
int clb_open_readiness(int number) { return -EAFNOSUPPORT; }
int clb_bring_down(int control, uint16_t index) { return -EAFNOSUPPORT; }
int clb_read_device_info(int control, uint16_t index, clb_device_info *info) { return -EAFNOSUPPORT; }
int clb_list_links(int control, uint16_t index, clb_link *links, int capacity) { return -EAFNOSUPPORT; }
int clb_list_managed_devices(uint16_t *indices, int capacity) { return -EAFNOSUPPORT; }

#endif

#include <signal.h>
#include <stdatomic.h>

// The descriptor changes before the first handler is installed, and no more after that.
static atomic_int signal_descriptor = -1;

static void write_signal(int number) {
    int error = errno;
    uint8_t octet = (uint8_t)number;
    // A full pipe already holds signals that the process has not read.
    ssize_t written = write(atomic_load(&signal_descriptor), &octet, 1);
    (void)written;
    errno = error;
}

int clb_write_signals(int number, int descriptor) {
    atomic_store(&signal_descriptor, descriptor);
    struct sigaction action = {.sa_handler = write_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0 ? 0 : -errno;
}
