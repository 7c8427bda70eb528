"""Records the kernel's monitor channel, which carries the packets of all adapters, as btsnoop. usage: monitor.py FILE
btmon 5.66 crashes on the first Read By Type Request for characteristics, and its recording ends there."""

import ctypes
import os
import socket
import struct
import sys
import time

HCI_DEV_NONE, HCI_CHANNEL_MONITOR = 0xFFFF, 2
FORMAT_MONITOR = 2001
# btsnoop counts microseconds from the year 0.
EPOCH = 0x00DCDDB30F2F8000


def main():
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as monitor, open(sys.argv[1], "wb", buffering=0) as file:
        address = struct.pack("<HHH", socket.AF_BLUETOOTH, HCI_DEV_NONE, HCI_CHANNEL_MONITOR)
        if ctypes.CDLL(None, use_errno=True).bind(monitor.fileno(), address, len(address)):
            sys.exit(f"monitor: {os.strerror(ctypes.get_errno())}")
        file.write(struct.pack(">8sII", b"btsnoop\0", 1, FORMAT_MONITOR))
        while True:
            packet = monitor.recv(4096)
            opcode, adapter, length = struct.unpack_from("<HHH", packet)
            header = struct.pack(">IIIIQ", length, length, adapter << 16 | opcode, 0, EPOCH + time.time_ns() // 1000)
            file.write(header + packet[6 : 6 + length])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
