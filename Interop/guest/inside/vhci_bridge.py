"""Gives the kernel a controller that a program serves at a Unix socket. usage: vhci_bridge.py PATH"""

import os
import socket
import struct
import sys
import threading

# The length of the header of a packet from the controller, and the format of the length at its end (Vol 4, Part A, 2; Part E, 5.4).
HEADERS = {2: (4, "<H"), 3: (3, "<B"), 4: (2, "<B"), 5: (4, "<H")}
DRIVER_PACKET, PRIMARY = 0xFF, 0


def forward(stream, device):
    """Gives the driver whole packets, one for each call."""
    while kind := stream.read(1):
        size, form = HEADERS[kind[0]]
        header = stream.read(size)
        (length,) = struct.unpack_from(form, header, size - struct.calcsize(form))
        os.write(device, kind + header + stream.read(length))


def main(path):
    device = os.open("/dev/vhci", os.O_RDWR)
    os.write(device, bytes([DRIVER_PACKET, PRIMARY]))
    with socket.socket(socket.AF_UNIX) as controller:
        controller.connect(path)
        threading.Thread(target=forward, args=(controller.makefile("rb"), device), daemon=True).start()
        while True:
            packet = os.read(device, 4096)
            if packet[0] == DRIVER_PACKET:
                print(f"READY hci{packet[2]}", flush=True)
            else:
                controller.sendall(packet)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:
        pass
