#ifndef CLINUXBLUETOOTH_H
#define CLINUXBLUETOOTH_H

// What Linux offers for Bluetooth, as far as we use it. The kernel's interface to programs is fixed, so it is written down here:
// no header of BlueZ and none of the kernel has to be there when this is compiled.

#include <stdint.h>

/// An adapter, as HCIGETDEVINFO tells of it.
typedef struct {
    uint16_t index;
    /// Bits: 0 up, 1 being set up, 2 running.
    uint32_t flags;
    /// Bits 0 to 3: the bus; 4 and 5: 0 for a controller of the usual kind.
    uint8_t type;
    /// The lowest octet first.
    uint8_t address[6];
} clb_device_info;

// All of these return 0 or more on success, and the negative of an error number otherwise.

/// A pipe whose ends, first the one to read, do not block and are closed on exec: Swift sees no pipe2.
int clb_open_pipe(int numbers[2]);
/// An HCI socket bound to nothing, for questions. Needs no rights.
int clb_open_control(void);
/// An HCI socket, not blocking, that has this adapter for itself: one packet a read or write. The adapter has to be down.
int clb_open_user_channel(uint16_t index);
/// A descriptor that is readable when the socket is, or has an error, or an end behind what it has to read: libdispatch passes none of
/// these on.
int clb_open_readiness(int number);
/// Takes the adapter down; its links are lost.
int clb_bring_down(int control, uint16_t index);
int clb_read_device_info(int control, uint16_t index, clb_device_info *info);
/// The indices of the adapters that the kernel's own Bluetooth and its daemon may use: those that a program has for itself are not among
/// them. Returns how many were written.
int clb_list_managed_devices(uint16_t *indices, int capacity);

#endif
