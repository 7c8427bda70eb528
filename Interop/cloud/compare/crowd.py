"""The advertisements that both gateways get: 200 devices in turn, of five kinds. A sensor's octets change each time, as a real one's do. The signal strength
counts the rounds, so that a message shows which advertisement it came from."""

import mmap
import struct
import time

DEVICES = 200
ROUNDS = 64  # of signal strengths, -30 to -93 dBm
VARIANTS = 4
KINDS = ["thermometer (ATC)", "RuuviTag", "iBeacon", "BTHome sensor", "unknown maker with a name"]


def address(device):
    """Of a device, as six octets with the most significant first. All addresses are public."""
    return bytes([0xA4, 0xC1, 0x38, 0x10, device >> 8, device & 0xFF])


def is_changing(device):
    return device % 5 not in (2, 4)


def sections(device, variant):
    """The AD structures: (type, octets)."""
    kind = device % 5
    if kind == 0:
        value = struct.pack(">hBBHB", 200 + device + variant, 40 + variant, 90, 2900, variant)
        return [(1, b"\x06"), (0x16, b"\x1a\x18" + address(device) + value)]
    if kind == 1:
        value = struct.pack(">BhHHhhhHBH", 5, 4000 + device, 20000 + variant, 51000, 10, 20, 1000, 0xAC36, variant, 100 + variant)
        return [(1, b"\x06"), (0xFF, b"\x99\x04" + value + address(device))]
    if kind == 2:
        return [(1, b"\x1a"), (0xFF, b"\x4c\x00\x02\x15" + bytes(range(16)) + struct.pack(">HHb", 7, device, -59))]
    if kind == 3:
        value = struct.pack("<BBBBBBhBH", 0x40, 0, variant, 1, 97, 2, 2100 + device + variant, 3, 5050)
        return [(1, b"\x06"), (0x16, b"\xd2\xfc" + value)]
    return [(1, b"\x06"), (0xFF, b"\xff\xff" + struct.pack(">HI", device, 0xC0FFEE)), (9, f"Tag-{device:03}".encode())]


def event(index):
    """The device, the variant and the signal strength of an advertisement."""
    device, turn = index % DEVICES, index // DEVICES
    return device, turn % VARIANTS if is_changing(device) else 0, -30 - turn % ROUNDS


class Times:
    """The moments at which advertisements were handed over, in a file that processes share: their number, then nanoseconds of the monotonic clock."""

    def __init__(self, path, capacity=None):
        if capacity:
            with open(path, "wb") as file:
                file.truncate(8 * (1 + capacity))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 0)

    @property
    def count(self):
        return struct.unpack_from("<q", self.memory, 0)[0]

    def add(self, index):
        struct.pack_into("<q", self.memory, 8 * (1 + index), time.monotonic_ns())
        struct.pack_into("<q", self.memory, 0, index + 1)

    def __getitem__(self, index):
        return struct.unpack_from("<q", self.memory, 8 * (1 + index))[0]
