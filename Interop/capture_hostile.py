"""Records a host that violates the protocol, and reads the captures with tshark. The host advertises malformed data, then connects to the
wristband and sends malformed packets. See Interop/captures."""

import os
import struct
import subprocess
import time

import h4
import processes
from processes import Process

ADDRESS = "c0:ff:ee:00:00:01"
ATT, SIGNALS, SECURITY = 4, 5, 6
ERROR, READ_RESPONSE, COMMAND_REJECT = 0x01, 0x0B, 0x01
DEVICE_NAME = 3  # The handle of the first value in the database, the device name.


def l2cap(channel, payload, length=None):
    return struct.pack("<HH", len(payload) if length is None else length, channel) + payload


def error(request, handle, code):
    return struct.pack("<BBHB", ERROR, request, handle, code)


# Title, channel, packet, and the required answer on the same channel; None if there must be no answer (Vol 3, Part F, 3.3 and 3.4.1.1;
# Part A, 4.1; Part H, 3.5.5).
RULES_BROKEN = [
    ("a Read Request without its handle", ATT, "0a", error(0x0A, 0, 0x04)),
    ("half an Exchange MTU Request", ATT, "0205", error(0x02, 0, 0x04)),
    ("a range that starts at handle 0", ATT, "040000ffff", error(0x04, 0, 0x01)),
    ("a range whose end is before its start", ATT, "04050004 00", error(0x04, 5, 0x01)),
    ("an unknown request", ATT, "3f0102", error(0x3F, 0, 0x06)),
    ("half a Write Command", ATT, "5201", None),
    ("a confirmation without an indication", ATT, "1e", None),
    ("an unknown signal", SIGNALS, "ff010000", bytes.fromhex("010102000000")),
    ("half a Connection Parameter Update Request", SIGNALS, "120208000600", None),
    ("half a Pairing Request", SECURITY, "0103", bytes.fromhex("050a")),
    ("data for an unknown channel", 0x77, "00112233", None),
]
# A length octet that reaches beyond the end, a UUID list of three octets, and a name that is not UTF-8.
BROKEN_ADVERTISEMENT = bytes.fromhex("020106 04030d180f 0309fffe 1e16")


class NotEstablished(RuntimeError):
    """The link has ended before the peer's first packet. Another device's packet may have collided with CONNECT_IND (Vol 6, Part B, 4.5)."""


class Attacker:
    def __init__(self, address):
        self.host = h4.Host(address)
        self.host.command(0x0C03)
        self.host.command(0x0C01, struct.pack("<Q", 0x3DBFF807FFFBFFFF))  # Set Event Mask, with LE events.
        self.host.command(0x2005, bytes.fromhex(ADDRESS.replace(":", ""))[::-1])
        self.handle = None

    def advertise(self, seconds):
        self.host.command(0x2006, struct.pack("<HHBBB6sBB", 0x20, 0x20, 0, 1, 0, bytes(6), 7, 0))
        self.host.command(0x2008, bytes([len(BROKEN_ADVERTISEMENT)]) + BROKEN_ADVERTISEMENT.ljust(31, b"\0"))
        self.host.command(0x200A, b"\x01")
        time.sleep(seconds)  # check-tests: wait: the time for which it advertises.
        self.host.command(0x200A, b"\0")

    def connect(self, kind, peer):
        self.host.command(0x200D, struct.pack("<HHBB6sBHHHHHH", 0x60, 0x60, 0, kind, peer, 1, 6, 6, 0, 400, 0, 0))
        while True:
            code, parameters = self.host.event()
            if code == 0x3E and parameters[0] == 0x01:
                if parameters[1] != 0:
                    raise RuntimeError(f"no link, error 0x{parameters[1]:02X}")
                self.handle = struct.unpack_from("<H", parameters, 2)[0]
                return

    def answer(self, channel, seconds):
        """Returns the next packet on this channel, or None after `seconds`. Raises an error if the link ends."""
        end = time.monotonic() + seconds
        while True:
            while self.host.data:
                packet = self.host.data.pop(0)
                length, where = struct.unpack_from("<HH", packet)
                while len(packet) < length + 4:
                    packet += self._more()
                if where == channel:
                    return packet[4:]
            self.host.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                code, octets = self.host.packet()
            except TimeoutError:
                return None
            finally:
                self.host.socket.settimeout(5)
            if code is None:
                self.host.data.append(octets)
            elif code == 0x05:
                failure = NotEstablished if octets[3] == 0x3E else RuntimeError
                raise failure(f"the link ended, reason 0x{octets[3]:02X}")

    def _more(self):
        while not self.host.data:
            code, octets = self.host.packet()
            if code is None:
                self.host.data.append(octets)
        return self.host.data.pop(0)

    def ask_for_name(self):
        self.host.send_data(self.handle, l2cap(ATT, struct.pack("<BH", 0x0A, DEVICE_NAME)))
        return self.answer(ATT, 5)

    def leave(self):
        self.host.command(0x0406, struct.pack("<HB", self.handle, 0x13))
        while self.host.event()[0] != 0x05:
            pass
        self.host.close()


def attack(attacker):
    """Sends the malformed packets and returns the wrong answers."""
    problems = []
    for title, channel, octets, expected in RULES_BROKEN:
        attacker.host.send_data(attacker.handle, l2cap(channel, bytes.fromhex(octets)))
        got = attacker.answer(channel, 5 if expected else 0.1)
        if got != expected:
            problems.append(f"{title}: received {got and got.hex(' ')}, expected {expected and expected.hex(' ')}")
    # A packet whose length exceeds its data, then a continuation without a start.
    attacker.host.send_data(attacker.handle, l2cap(ATT, b"\x0a\x03", length=3))
    attacker.host.send_data(attacker.handle, l2cap(ATT, b""))
    attacker.host.send_data(attacker.handle, b"\x00\x01\x02", is_start=False)
    name = attacker.ask_for_name()
    if not name or name[0] != READ_RESPONSE or len(name) < 2:
        problems.append(f"the device name after the attack is {name}")
    return problems


def records(path, bench_records):
    with open(path, "rb") as file:
        return len(list(bench_records(file.read())))


def run(product, folder):
    """Returns the problems of the run."""
    path = os.path.join(folder, "hostile")

    def start(name, *arguments):
        return Process(
            [product(name), *arguments], BLUETOOTH_CONTROLLER="unix:" + path, XDG_STATE_HOME=os.path.join(folder, name),
            BLUETOOTH_CAPTURE=os.path.join(folder, f"hostile-{name}.btsnoop"))

    with processes.stopped_at_end():
        radio = Process(
            [product("bluelab"), "radio", "--listen", "unix:" + path, "--capture", os.path.join(folder, "hostile-air.pcapng")],
            XDG_RUNTIME_DIR=folder)
        if not radio.wait_until(lambda: os.path.exists(path), 20):
            return ["the radio does not start", *radio.lines[-5:]]
        # No device has the name Nobody, so the walkthrough scans until its end.
        started = [radio, start("wristband"), start("walkthrough", "Nobody")]
        try:
            attacker = Attacker("unix:" + path)
            attacker.host.command(0x200B, struct.pack("<BHHBB", 0, 0x60, 0x60, 1, 0))
            attacker.host.command(0x200C, b"\x01\x00")
            peer = None
            while peer is None:
                code, parameters = attacker.host.event()
                if code == 0x3E and parameters[0] == 0x02 and b"Wristband" in parameters:
                    peer = (parameters[3], parameters[4:10])  # The type of the address, and the address.
            attacker.host.command(0x200C, b"\0\0")
            attacker.advertise(1)
            # The scanner sends its SCAN_REQ at the time of our CONNECT_IND if both listen on the same channel, so one attempt may fail, and many
            # may if the scanner begins its turn on a channel whenever we do. A host goes on until it has the link.
            end = time.monotonic() + 20
            while True:
                attacker.connect(*peer)
                try:
                    problems = attack(attacker)
                    break
                except NotEstablished:
                    if time.monotonic() > end:
                        raise
            attacker.leave()
        except (OSError, EOFError, RuntimeError, ValueError) as failure:
            return [f"{type(failure).__name__} {failure}"]
        return problems + [
            f"{process.arguments[0]} ended with exit code {process.exit_code}" for process in started if process.exit_code is not None]


def frames(path, fields, condition):
    return [tuple(row.values()) for row in fields(path, ["frame.number"], condition)]


def check(bench, product, folder, fields, readers, hard):
    """`readers` split a capture into packets, by file name extension. `hard` is the tshark filter for malformed packets."""
    problems = run(product, folder)
    bench.check("a peer that violates the protocol receives the specified answers, and the link stays", problems)
    # The filters for packets of the attacker: by address and direction on the air, by direction in the capture of a host.
    sides = {
        "hostile-air.pcapng": f"(btle.advertising_address == {ADDRESS} || btle_rf.pdu_type == 2)",
        "hostile-wristband.btsnoop": "hci_h4.direction == 1",
        "hostile-walkthrough.btsnoop": "hci_h4.direction == 1",
    }
    for name, theirs in sides.items():
        path = os.path.join(folder, name)
        try:
            seen, written = len(fields(path, ["frame.number"])), records(path, readers[name.rpartition(".")[2]])
            problems = [] if seen == written and seen > 20 else [f"tshark reads {seen} packets of {written}"]
            if not frames(path, fields, f"({hard}) && {theirs}"):
                problems.append("tshark reports nothing malformed, so the capture contains no attack")
            problems += [f"packet {number} is malformed and not from the attacker" for (number,) in frames(path, fields, f"({hard}) && !{theirs}")]
        except (OSError, RuntimeError, subprocess.TimeoutExpired) as failure:
            problems = [str(failure)]
        bench.check(f"a peer that violates the protocol, {name}: tshark reads every packet, and only that peer's packets are malformed", problems)
