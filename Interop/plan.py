"""The values that both sides of an interoperability run expect. Interop/interop-peer/Plan.swift is the Swift version."""

import os

NAME = "ocb-interop"

SERVICE = "7E570000-0C0B-4B1E-8000-0123456789AB"
LONG = "7E570001-0C0B-4B1E-8000-0123456789AB"  # read, write
COMMAND = "7E570002-0C0B-4B1E-8000-0123456789AB"  # write without response
ACCOUNT = "7E570003-0C0B-4B1E-8000-0123456789AB"  # read: the concatenation of all received write commands
NOTIFY = "7E570004-0C0B-4B1E-8000-0123456789AB"
INDICATE = "7E570005-0C0B-4B1E-8000-0123456789AB"
NOTEPAD = "7E5700D1-0C0B-4B1E-8000-0123456789AB"  # a writable descriptor of LONG, on Bumble's server only

READ, WRITE_COMMAND, WRITE, NOTIFIES, INDICATES = 0x02, 0x04, 0x08, 0x10, 0x20
PROPERTIES = {
    LONG: READ | WRITE,
    COMMAND: WRITE_COMMAND,
    ACCOUNT: READ,
    NOTIFY: NOTIFIES,
    INDICATE: INDICATES,
}
DESCRIPTION = "a long value"

# Longer than every negotiated ATT_MTU, so that the peers read and write them in parts.
READ_VALUE = bytes((7 * i + 3) & 0xFF for i in range(512))
WRITE_VALUE = bytes((13 * i + 5) & 0xFF for i in range(512))
DESCRIPTOR_VALUE = b"written"
COMMANDS = [bytes((31 * n + i) & 0xFF for i in range(16)) for n in range(8)]
NOTIFICATIONS = [bytes((17 * n + i) & 0xFF for i in range(20)) for n in range(20)]
INDICATIONS = [bytes((29 * n + i) & 0xFF for i in range(20)) for n in range(5)]

# The reasons of a disconnection (Vol 1, Part F, 2.16 and 2.19), for the side that did not end the link and for the side that did.
# INTEROP_LOCAL_END overrides the latter for controllers that report another reason.
REMOTE_USER_TERMINATED = 0x13
TERMINATED_BY_LOCAL_HOST = int(os.environ.get("INTEROP_LOCAL_END", "0x16"), 0)

# The topic database: an included service, the smallest ATT_MTU, and a service that the server adds during a connection.
INCLUDED_SERVICE, INCLUDED_CHARACTERISTIC, INCLUDED_VALUE = "181A", "2A6E", b"\x55\x08"
LATE_SERVICE = "7E570010-0C0B-4B1E-8000-0123456789AB"
LATE_CHARACTERISTIC = "7E570011-0C0B-4B1E-8000-0123456789AB"
LATE_VALUE = b"late"
SMALLEST_MTU = 23
CHANGE = b"change"  # the server adds the late service when a client writes this to COMMAND

# The topic figures: see Plan.swift.
FIGURES = "7E570040-0C0B-4B1E-8000-0123456789AB"
FIGURES_SAMPLE = "7E570041-0C0B-4B1E-8000-0123456789AB"
FIGURES_COUNTED = "7E570042-0C0B-4B1E-8000-0123456789AB"
FIGURES_TALLY = "7E570043-0C0B-4B1E-8000-0123456789AB"
FIGURES_STREAM = "7E570044-0C0B-4B1E-8000-0123456789AB"
FIGURES_DEMAND = "7E570045-0C0B-4B1E-8000-0123456789AB"

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
# Additional checks with another stack as server: a CBPeripheralManager has no writable descriptors.
FOREIGN_CLIENT_CHECKS = ["descriptor write"]
FOREIGN_SERVER_CHECKS = ["descriptor write", "subscriptions"]
DATABASE_CLIENT_CHECKS = [
    "ATT_MTU 23", "long read with ATT_MTU 23", "long write with ATT_MTU 23", "notify with ATT_MTU 23", "included service", "Service Changed",
    "disconnection",
]
# For Bumble's client.
HASH_CHECKS = ["Database Hash"]
# For Bumble's client with a CBPeripheralManager.
CACHING_CHECKS = ["pairing", "robust caching"]
VALUE_NOT_ALLOWED = 0x13  # Vol 3, Part F, 3.4.1.1
DATABASE_SERVER_CHECKS = ["ATT_MTU 23", "long write with ATT_MTU 23", "Service Changed", "disconnection"]


class Report:
    """Prints one line for each check; interop.py counts these lines."""

    def __init__(self):
        self.failed = False

    def note(self, text):
        print(text, flush=True)

    def check(self, name, good, detail=""):
        self.failed = self.failed or not good
        print(f"{'PASS' if good else 'FAIL'} {name}: {detail}", flush=True)

    def compare(self, name, got, expected, detail):
        """Passes if both values are equal, and prints both if they are not."""
        good = got == expected
        self.check(name, good, detail if good else f"{detail}, but received {shown(got)}, expected {shown(expected)}")


def shown(value):
    if isinstance(value, (bytes, bytearray)):
        text = f"{len(value)} octets {bytes(value[:24]).hex(' ')}"
        return text + (" ..." if len(value) > 24 else "")
    if isinstance(value, list):
        return f"{len(value)} values [" + ", ".join(shown(item) for item in value[:3]) + (", ...]" if len(value) > 3 else "]")
    return repr(value)
