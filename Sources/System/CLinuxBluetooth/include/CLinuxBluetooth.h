#ifndef CLINUXBLUETOOTH_H
#define CLINUXBLUETOOTH_H

// The part of Linux's Bluetooth interface that this package uses. The kernel keeps the interface stable, so it is declared here, and
// compiling needs no header of BlueZ or of the kernel (net/bluetooth/hci_sock.c, net/bluetooth/mgmt.c,
// net/bluetooth/l2cap_sock.c).

#include <stddef.h>
#include <stdint.h>

/// The information about an adapter that HCIGETDEVINFO returns.
typedef struct {
    uint16_t index;
    /// Bit 0: HCI_UP; bit 1: HCI_INIT, the kernel sets it up; bit 2: HCI_RUNNING.
    uint32_t flags;
    /// Bits 0 to 3: the bus; bits 4 and 5: 0 for a primary controller.
    uint8_t type;
    /// The least significant octet first.
    uint8_t address[6];
} clb_device_info;

// All functions return 0 or more on success, and the negative of an error number otherwise.

/// Opens a pipe; the first end is for reading. Both ends are non-blocking and close on exec. (Swift does not import pipe2.)
int clb_open_pipe(int numbers[2]);
/// Replaces the action of a signal: its handler writes the number of the signal, as one octet, to the descriptor. All signals of the
/// process use the descriptor of the last call.
int clb_write_signals(int signal, int descriptor);
/// Writes to a stream socket and passes descriptors with the first octet (SCM_RIGHTS), at most 253. Never raises SIGPIPE. Returns the
/// number of octets written.
int64_t clb_send_descriptors(int number, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
/// Reads from a stream socket, with the descriptors that come with the octets; they close on exec. `descriptor_count` is the capacity, and
/// afterwards their number; -1 if the system dropped some. Returns the number of octets read.
int64_t clb_receive_descriptors(int number, void *bytes, size_t count, int *descriptors, int *descriptor_count);
/// Opens an HCI socket without an adapter, for ioctl requests. Needs no privileges for reading.
int clb_open_control(void);
/// Opens the user channel of an adapter as a non-blocking socket: each read and each write is one packet. The adapter must be down.
int clb_open_user_channel(uint16_t index);
/// Opens an epoll descriptor that is readable when the socket is readable, has an error, or was closed by the other side. libdispatch
/// does not report the last two for a socket of this kind.
int clb_open_readiness(int number);
/// Brings the adapter down (HCIDEVDOWN), which ends its links.
int clb_bring_down(int control, uint16_t index);
int clb_read_device_info(int control, uint16_t index, clb_device_info *info);
/// A link of an adapter.
typedef struct {
    /// The least significant octet first. That of LE is the identity address if the kernel knows it.
    uint8_t address[6];
    uint8_t is_low_energy;
} clb_link;

/// Lists the links of LE and of BR/EDR that are up (HCIGETCONNLIST), at most 64. Returns their number.
int clb_list_links(int control, uint16_t index, clb_link *links, int capacity);
/// Lists the adapters that the kernel manages (Read Controller Index List). An adapter whose user channel is open is not among them.
/// Returns the number of indices written.
int clb_list_managed_devices(uint16_t *indices, int capacity);

/// An address of LE.
typedef struct {
    /// The least significant octet first.
    uint8_t octets[6];
    uint8_t is_random;
} clb_le_address;

/// Opens a non-blocking socket for LE credit-based channels (Vol 3, Part A, 10.1) of the adapter with this address. Each read and each
/// write is one SDU. Needs no privileges. `receive_mtu` is the longest SDU that is accepted, in octets. With `is_encrypted`, only over an
/// encrypted link.
int clb_open_channel_socket(clb_le_address local, uint16_t receive_mtu, int is_encrypted);
/// Begins to connect to a service. The socket is writable when it has succeeded, and has an error when it has failed.
int clb_connect_channel(int number, clb_le_address peer, uint16_t psm);
/// Accepts channels for a service with a free dynamic number. Returns that number (SPSM).
int clb_listen_for_channels(int number, int backlog);
/// Takes a channel that a peer opened. Returns its non-blocking descriptor.
int clb_accept_channel(int number, clb_le_address *peer);
/// Returns the longest SDU that the peer accepts, in octets; -ENOTCONN if the socket is not connected.
int clb_read_channel_mtu(int number);
/// Sends one packet, whole or not at all. Never raises SIGPIPE. Returns the number of octets.
int64_t clb_send_packet(int number, const void *bytes, size_t count);
/// Receives one packet; octets beyond `count` are lost. Returns the number of octets, 0 at the end.
int64_t clb_receive_packet(int number, void *bytes, size_t count);
/// Returns 0, or the negative of the error of the socket, and clears it.
int clb_take_socket_error(int number);

/// The operations that a descriptor of a set supports without waiting.
typedef struct {
    uint64_t tag;
    /// Nonzero also after an error and at the end of a stream.
    uint8_t is_readable;
    uint8_t is_writable;
} clb_readiness;

/// Opens an epoll descriptor that watches other descriptors. Level-triggered: it reports a descriptor as long as it is ready.
int clb_open_set(void);
/// Watches a descriptor. Errors and hang-ups are always reported.
int clb_add_to_set(int set, int number, uint64_t tag, int is_reading, int is_writing);
int clb_change_in_set(int set, int number, uint64_t tag, int is_reading, int is_writing);
int clb_remove_from_set(int set, int number);
/// Waits until a descriptor of the set is ready, at most this many nanoseconds; a negative number is no limit. Returns the number of
/// descriptors written to `ready`, at most 64; 0 after the time and after a signal.
int clb_wait_for_set(int set, int64_t nanoseconds, clb_readiness *ready, int capacity);

#endif
