#ifdef __linux__
#define _GNU_SOURCE  // accept4
#endif

#include "CLinuxBluetooth.h"

#include <errno.h>

#ifdef __linux__

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    family_bluetooth = 31,
    protocol_l2cap = 0,
    level_bluetooth = 274,
    option_security = 4,
    option_send_mtu = 12,
    option_receive_mtu = 13,
    security_medium = 2,
    type_le_public = 1,
    type_le_random = 2,
};

// The numbers are in the order of the air: the least significant octet first.
struct l2cap_address {
    uint16_t family;
    uint8_t psm[2];
    uint8_t address[6];
    uint8_t channel[2];
    uint8_t type;
};

struct security {
    uint8_t level;
    uint8_t key_size;
};

static struct l2cap_address make_address(clb_le_address address, uint16_t psm) {
    struct l2cap_address result;
    memset(&result, 0, sizeof result);
    result.family = family_bluetooth;
    result.psm[0] = (uint8_t)psm;
    result.psm[1] = (uint8_t)(psm >> 8);
    memcpy(result.address, address.octets, sizeof result.address);
    result.type = address.is_random ? type_le_random : type_le_public;
    return result;
}

static int fail(int number) {
    int code = errno;
    close(number);
    return -code;
}

int clb_open_channel_socket(clb_le_address local, uint16_t receive_mtu, int is_encrypted) {
    int number = socket(family_bluetooth, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol_l2cap);
    if (number < 0) return -errno;
    // The kernel chooses the credit-based mode when a socket is bound to an address of LE, and a free number for psm 0.
    struct l2cap_address address = make_address(local, 0);
    if (bind(number, (struct sockaddr *)&address, sizeof address) < 0) return fail(number);
    if (setsockopt(number, level_bluetooth, option_receive_mtu, &receive_mtu, sizeof receive_mtu) < 0) return fail(number);
    struct security security = { .level = security_medium };
    if (is_encrypted && setsockopt(number, level_bluetooth, option_security, &security, sizeof security) < 0) return fail(number);
    return number;
}

int clb_connect_channel(int number, clb_le_address peer, uint16_t psm) {
    struct l2cap_address address = make_address(peer, psm);
    if (connect(number, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS || errno == EINTR) return 0;
    return -errno;
}

int clb_listen_for_channels(int number, int backlog) {
    struct l2cap_address address;
    socklen_t length = sizeof address;
    if (listen(number, backlog) < 0 || getsockname(number, (struct sockaddr *)&address, &length) < 0) return -errno;
    return address.psm[0] | address.psm[1] << 8;
}

int clb_accept_channel(int number, clb_le_address *peer) {
    struct l2cap_address address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    int accepted = accept4(number, (struct sockaddr *)&address, &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) return -errno;
    memcpy(peer->octets, address.address, sizeof peer->octets);
    peer->is_random = address.type == type_le_random;
    return accepted;
}

int clb_read_channel_mtu(int number) {
    uint16_t mtu = 0;
    socklen_t length = sizeof mtu;
    return getsockopt(number, level_bluetooth, option_send_mtu, &mtu, &length) < 0 ? -errno : mtu;
}

int64_t clb_send_packet(int number, const void *bytes, size_t count) {
    while (1) {
        ssize_t sent = send(number, bytes, count, MSG_NOSIGNAL);
        if (sent >= 0) return sent;
        if (errno != EINTR) return -errno;
    }
}

int64_t clb_receive_packet(int number, void *bytes, size_t count) {
    while (1) {
        ssize_t received = recv(number, bytes, count, 0);
        if (received >= 0) return received;
        if (errno != EINTR) return -errno;
    }
}

int clb_take_socket_error(int number) {
    int code = 0;
    socklen_t length = sizeof code;
    if (getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) < 0) return -errno;
    return -code;
}

#else

int clb_open_channel_socket(clb_le_address local, uint16_t receive_mtu, int is_encrypted) { return -EAFNOSUPPORT; }
int clb_connect_channel(int number, clb_le_address peer, uint16_t psm) { return -EAFNOSUPPORT; }
int clb_listen_for_channels(int number, int backlog) { return -EAFNOSUPPORT; }
int clb_accept_channel(int number, clb_le_address *peer) { return -EAFNOSUPPORT; }
int clb_read_channel_mtu(int number) { return -EAFNOSUPPORT; }
int64_t clb_send_packet(int number, const void *bytes, size_t count) { return -EAFNOSUPPORT; }
int64_t clb_receive_packet(int number, void *bytes, size_t count) { return -EAFNOSUPPORT; }
int clb_take_socket_error(int number) { return -EAFNOSUPPORT; }

#endif
