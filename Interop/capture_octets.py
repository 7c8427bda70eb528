"""Reads the octets of captures without tshark, which replaces values that it decodes by others: the PDUs of pcapng and btsnoop files, and the text of ATT
PDUs as the trace of bluelab has it. See Interop/captures."""

import struct

ATT_CHANNEL = 4
ATT_OPCODES = {
    "Error Response": 0x01, "Exchange MTU Request": 0x02, "Exchange MTU Response": 0x03,
    "Find Information Request": 0x04, "Find Information Response": 0x05, "Find By Type Value Request": 0x06,
    "Find By Type Value Response": 0x07, "Read By Type Request": 0x08, "Read By Type Response": 0x09,
    "Read Request": 0x0A, "Read Response": 0x0B, "Read Blob Request": 0x0C, "Read Blob Response": 0x0D, "Read Multiple Request": 0x0E,
    "Read Multiple Response": 0x0F,
    "Read By Group Type Request": 0x10, "Read By Group Type Response": 0x11, "Write Request": 0x12,
    "Write Response": 0x13, "Prepare Write Request": 0x16, "Prepare Write Response": 0x17, "Execute Write Request": 0x18,
    "Execute Write Response": 0x19, "Handle Value Notification": 0x1B, "Handle Value Indication": 0x1D,
    "Handle Value Confirmation": 0x1E, "Read Multiple Variable Request": 0x20, "Read Multiple Variable Response": 0x21,
    "Multiple Handle Value Notification": 0x23, "Write Command": 0x52, "Signed Write Command": 0xD2,
}
NAMES = {code: name for name, code in ATT_OPCODES.items()}
ERRORS = {
    0x01: "Invalid Handle", 0x02: "Read Not Permitted", 0x03: "Write Not Permitted", 0x05: "Insufficient Authentication", 0x06: "Request Not Supported",
    0x07: "Invalid Offset", 0x0A: "Attribute Not Found", 0x0D: "Invalid Attribute Value Length",
}
# The trace shows this many octets of a value, then their number.
SHOWN = 24


def enhanced_packets(octets):
    """Yields the offset of each packet (its pseudo header) in a pcapng file, and its length."""
    offset = 0
    while offset < len(octets):
        kind, length = struct.unpack_from("<II", octets, offset)
        if kind == 6:
            yield offset + 28, struct.unpack_from("<I", octets, offset + 20)[0]
        offset += length


def btsnoop_records(octets):
    offset = 16
    while offset < len(octets):
        end = offset + 24 + struct.unpack_from(">I", octets, offset + 4)[0]
        yield octets[offset:end]
        offset = end


class Reassembly:
    """Joins the fragments of L2CAP frames (Vol 3, Part A, 7.2). `add` returns the ATT PDU that a fragment completes, or None."""

    def __init__(self):
        self.parts = {}

    def add(self, key, is_start, fragment):
        if is_start:
            self.parts[key] = b""
        elif key not in self.parts:
            return None
        frame = self.parts[key] + bytes(fragment)
        if len(frame) < 4 or len(frame) < 4 + struct.unpack_from("<H", frame)[0]:
            self.parts[key] = frame
            return None
        del self.parts[key]
        length, channel = struct.unpack_from("<HH", frame)
        return frame[4 : 4 + length] if channel == ATT_CHANNEL else None


def air_att(octets):
    """Returns the ATT PDUs of a capture of the air by the number of the packet that completes them, from 1. A packet that is sent again counts once."""
    found, reassembly, last = {}, Reassembly(), {}
    for row, (start, length) in enumerate(enhanced_packets(octets), 1):
        kind = struct.unpack_from("<H", octets, start + 8)[0] >> 7 & 7
        address = struct.unpack_from("<I", octets, start + 10)[0]
        if kind not in (2, 3):
            continue
        # A data PDU of a central or of a peripheral. The same sequence number (bit 3) as before is the same packet again (Vol 6, Part B, 4.5.9).
        header, size = octets[start + 14], octets[start + 15]
        payload = bytes(octets[start + 16 : start + 16 + size])
        assert start + 16 + size + 3 == start + length, f"packet {row}: its length is not that of its header"
        again = last.get((address, kind)) == (header & 8, payload)
        last[address, kind] = header & 8, payload
        # LLID 2 starts an L2CAP frame, 1 continues one and is empty otherwise, 3 is a control PDU (Vol 6, Part B, 2.4).
        if again or size == 0 or header & 3 not in (1, 2):
            continue
        if (pdu := reassembly.add((address, kind), header & 3 == 2, payload)) is not None:
            found[row] = pdu
    return found


def host_att(octets):
    """Returns the ATT PDUs of a capture of one host, in order."""
    found, reassembly = [], Reassembly()
    for record in btsnoop_records(octets):
        flags, packet = struct.unpack_from(">I", record, 8)[0], record[24:]
        if packet[:1] != b"\x02":
            continue
        handle = struct.unpack_from("<H", packet, 1)[0]
        # The flags tell a start from a continuation (Vol 4, Part E, 5.4.2).
        pdu = reassembly.add((flags & 1, handle & 0xFFF), handle >> 12 & 3 != 1, packet[5:])
        if pdu is not None:
            found.append(pdu)
    return found


def octet_text(octets):
    text = " ".join(f"{octet:02X}" for octet in octets[:SHOWN])
    return text if len(octets) <= SHOWN else f"{text} ... ({len(octets)} octets)"


def uuid_text(octets):
    return octets[::-1].hex().upper() if len(octets) == 2 else "-".join(
        octets[::-1].hex().upper()[start:end] for start, end in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))


def att_text(pdu):
    """The line of the trace for an ATT PDU (Vol 3, Part F, 3.4)."""
    name = NAMES.get(pdu[0])
    if name is None:
        return f"ATT unknown opcode {pdu[0]:02X}"
    rest = pdu[1:]

    def number(offset):
        return struct.unpack_from("<H", rest, offset)[0]

    def handle(offset=0):
        return f"handle {number(offset):04X}"

    match name:
        case "Error Response":
            detail = f"{NAMES.get(rest[0])}, {handle(1)}: {ERRORS.get(rest[3])}"
        case "Exchange MTU Request" | "Exchange MTU Response":
            detail = str(number(0))
        case "Find Information Request":
            detail = f"handles {number(0):04X} to {number(2):04X}"
        case "Find Information Response":
            detail = octet_text(rest[1:])
        case "Find By Type Value Request":
            detail = f"handles {number(0):04X} to {number(2):04X}, type {number(4):04X} = {octet_text(rest[6:])}"
        case "Read By Type Request" | "Read By Group Type Request":
            detail = f"handles {number(0):04X} to {number(2):04X}, type {uuid_text(rest[4:])}"
        case "Read By Type Response" | "Read By Group Type Response":
            detail = f"{rest[0]} octets each: {octet_text(rest[1:])}"
        case "Read Request":
            detail = handle()
        case "Read Blob Request":
            detail = f"{handle()} from {number(2)}"
        case "Write Request" | "Write Command" | "Handle Value Notification" | "Handle Value Indication":
            detail = f"{handle()} = {octet_text(rest[2:])}"
        case "Prepare Write Request" | "Prepare Write Response":
            detail = f"{handle()} from {number(2)} = {octet_text(rest[4:])}"
        case _:
            detail = octet_text(rest)
    return f"ATT {name}  {detail}" if detail else f"ATT {name}"


def value_of(pdu):
    """The octets of a value, or of attribute data, in a PDU; empty if it has none."""
    name = NAMES.get(pdu[0])
    end = -SIGNATURE if name == "Signed Write Command" else None
    return pdu[VALUE_STARTS[name] : end] if name in VALUE_STARTS else b""


# The first octet of the value, or of the list of handles.
VALUE_STARTS = {
    "Find Information Response": 2, "Find By Type Value Request": 7, "Find By Type Value Response": 1, "Read By Type Response": 2, "Read Response": 1,
    "Read Blob Response": 1, "Read Multiple Request": 1, "Read Multiple Response": 1, "Read By Group Type Response": 2, "Write Request": 3,
    "Write Command": 3, "Signed Write Command": 3, "Prepare Write Request": 5, "Prepare Write Response": 5, "Handle Value Notification": 3,
    "Handle Value Indication": 3, "Read Multiple Variable Request": 1, "Read Multiple Variable Response": 1, "Multiple Handle Value Notification": 1,
}
# The octets of the signature after the value (Vol 3, Part F, 3.4.5.4).
SIGNATURE = 12
