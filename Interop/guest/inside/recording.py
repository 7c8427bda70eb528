"""What a recording of the kernel's monitor (monitor.py) contains: the commands of a host, and its L2CAP frames."""

import pathlib
import struct

# The kinds of packets in the recording.
COMMAND, ACL_SENT, ACL_RECEIVED = 2, 4, 5
SIGNALS, FIRST_DYNAMIC = 0x0005, 0x0040
HEADER, RECORD = 16, 24


def packets(path, adapter=0):
    """Yields the kind and the octets of each packet of an adapter."""
    content, position = pathlib.Path(path).read_bytes(), HEADER
    while position + RECORD <= len(content):
        _, length, flags = struct.unpack_from(">III", content, position)
        position += RECORD
        if flags >> 16 == adapter:
            yield flags & 0xFFFF, content[position : position + length]
        position += length


def commands(path):
    """The opcode and the parameters of each command."""
    return [(struct.unpack_from("<H", octets)[0], octets[3:]) for kind, octets in packets(path) if kind == COMMAND]


def frames(path):
    """Yields the direction, the channel and the first fragment of each L2CAP frame."""
    for kind, octets in packets(path):
        if kind in (ACL_SENT, ACL_RECEIVED) and len(octets) >= 8 and octets[1] >> 4 & 3 != 1:
            yield kind, struct.unpack_from("<H", octets, 6)[0], octets[8:]


def signals(path, code):
    """The direction and the parameters of each L2CAP signal with this code."""
    return [(kind, octets[4:]) for kind, channel, octets in frames(path) if channel == SIGNALS and octets[:1] == bytes([code])]


def enhanced(path):
    """The direction of each frame on channels other than the fixed ones."""
    return [kind for kind, channel, _ in frames(path) if channel >= FIRST_DYNAMIC]
