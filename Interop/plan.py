"""What both sides of an interoperability run agree on. Interop/Peer/Plan.swift says the same in Swift."""

import os

NAME = "ocb-interop"

SERVICE = "7E570000-0C0B-4B1E-8000-0123456789AB"
LONG = "7E570001-0C0B-4B1E-8000-0123456789AB"  # read, write
COMMAND = "7E570002-0C0B-4B1E-8000-0123456789AB"  # write without response
ACCOUNT = "7E570003-0C0B-4B1E-8000-0123456789AB"  # read: all write commands that came, one after another
NOTIFY = "7E570004-0C0B-4B1E-8000-0123456789AB"
INDICATE = "7E570005-0C0B-4B1E-8000-0123456789AB"
NOTEPAD = "7E5700D1-0C0B-4B1E-8000-0123456789AB"  # a writable descriptor of LONG; only Bumble's server has one

READ, WRITE_COMMAND, WRITE, NOTIFIES, INDICATES = 0x02, 0x04, 0x08, 0x10, 0x20
PROPERTIES = {
    LONG: READ | WRITE,
    COMMAND: WRITE_COMMAND,
    ACCOUNT: READ,
    NOTIFY: NOTIFIES,
    INDICATE: INDICATES,
}
DESCRIPTION = "a long value"

# Longer than any ATT_MTU that is negotiated here, so that each is read and written in parts.
READ_VALUE = bytes((7 * i + 3) & 0xFF for i in range(512))
WRITE_VALUE = bytes((13 * i + 5) & 0xFF for i in range(512))
DESCRIPTOR_VALUE = b"written"
COMMANDS = [bytes((31 * n + i) & 0xFF for i in range(16)) for n in range(8)]
NOTIFICATIONS = [bytes((17 * n + i) & 0xFF for i in range(20)) for n in range(20)]
INDICATIONS = [bytes((29 * n + i) & 0xFF for i in range(20)) for n in range(5)]

# Why a link ends (Vol 1, Part F, 2.16 and 2.19): seen from the side that did not end it, and from the side that did.
# INTEROP_LOCAL_END is for controllers that say something else to the latter.
REMOTE_USER_TERMINATED = 0x13
TERMINATED_BY_LOCAL_HOST = int(os.environ.get("INTEROP_LOCAL_END", "0x16"), 0)

# A run about the database: an included service, the smallest ATT_MTU, and a service that comes while a client is connected.
INCLUDED_SERVICE, INCLUDED_CHARACTERISTIC, INCLUDED_VALUE = "181A", "2A6E", b"\x55\x08"
LATE_SERVICE = "7E570010-0C0B-4B1E-8000-0123456789AB"
LATE_CHARACTERISTIC = "7E570011-0C0B-4B1E-8000-0123456789AB"
LATE_VALUE = b"late"
SMALLEST_MTU = 23
CHANGE = b"change"  # written to COMMAND, makes the server add the late service

CLIENT_CHECKS = [
    "discovery",
    "user description",
    "long read",
    "long write",
    "write command",
    "notify",
    "indicate",
    "disconnection",
]
SERVER_CHECKS = ["long write", "write command", "notify", "indicate", "disconnection"]
# What is added if the server is a foreign stack: a CBPeripheralManager has no writable descriptors.
FOREIGN_CLIENT_CHECKS = ["descriptor write"]
FOREIGN_SERVER_CHECKS = ["descriptor write", "subscriptions"]
DATABASE_CLIENT_CHECKS = [
    "ATT_MTU 23", "long read with ATT_MTU 23", "long write with ATT_MTU 23", "notify with ATT_MTU 23", "included service", "Service Changed",
    "disconnection",
]
# Of a client that can pair, against our server, which cannot.
PAIRING_CHECKS = ["pairing is refused"]
PAIRING_NOT_SUPPORTED = 5  # Vol 3, Part H, 3.5.5
DATABASE_SERVER_CHECKS = ["ATT_MTU 23", "long write with ATT_MTU 23", "Service Changed", "disconnection"]


class Report:
    """Prints one line for each check, for the person who reads and for the script that counts."""

    def __init__(self):
        self.failed = False

    def note(self, text):
        print(text, flush=True)

    def check(self, name, good, detail=""):
        self.failed = self.failed or not good
        print(f"{'PASS' if good else 'FAIL'} {name}: {detail}", flush=True)

    def compare(self, name, got, expected, detail):
        """Passes if both are equal, and says what came if they are not."""
        good = got == expected
        self.check(name, good, detail if good else f"{detail}, but came: {shown(got)}; expected: {shown(expected)}")


def shown(value):
    if isinstance(value, (bytes, bytearray)):
        text = f"{len(value)} octets {bytes(value[:24]).hex(' ')}"
        return text + (" ..." if len(value) > 24 else "")
    if isinstance(value, list):
        return f"{len(value)} values [" + ", ".join(shown(item) for item in value[:3]) + (", ...]" if len(value) > 3 else "]")
    return repr(value)
