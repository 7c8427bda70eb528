"""The packets on the air for EDTT, from a capture that `bluelab radio` still writes. EDTT has them from files of the simulator BabbleSim."""

import collections
import struct

# What EDTT's parser reads, by these names: the device, the start of the preamble in microseconds, the frequency in MHz above 2400, BabbleSim's number of
# the modulation, and the octets of the packet with its CRC. The parser takes the name of the type as the direction.
Tx = collections.namedtuple("Tx", "idx ts aa freq mod packet")
MODULATIONS = {0: 16, 1: 32}  # LE 1M, LE 2M.
UPPER, LOWER = 0, 1
ENHANCED_PACKET = 6


class Air:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.octets = b""  # A block whose rest is not written yet.

    def close(self):
        self.file.close()

    def flush(self):
        for _ in self.fetch():
            pass

    def fetch(self):
        """Yields the packets since the last one."""
        self.octets += self.file.read()
        while len(self.octets) >= 8:
            kind, length = struct.unpack_from("<II", self.octets)
            if len(self.octets) < length:
                return
            block, self.octets = self.octets[:length], self.octets[length:]
            if kind == ENHANCED_PACKET:
                yield self.packet(block)

    @staticmethod
    def packet(block):
        high, low, length = struct.unpack_from("<III", block, 12)
        # LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR: the RF channel, 7 octets of power and the reference address, flags, and the packet from its access address.
        channel, flags, address = struct.unpack_from("<B7xHI", block, 28)
        # In the cases that look at data, the lower tester is the central.
        is_central = flags >> 7 & 7 == 2
        return Tx(
            LOWER if is_central else UPPER, (high << 32 | low) / 1000, address, 2 + 2 * channel, MODULATIONS.get(flags >> 14),
            memoryview(block[42 : 28 + length]))
