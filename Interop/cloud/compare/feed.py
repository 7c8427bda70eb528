"""Hands advertisements to a gateway at a constant rate: python feed.py hci|numbers SOCKET RATE COUNT TIMES

`hci` is a controller over H4: it answers commands, and its events are LE Advertising Reports (Vol 4, Part E, 7.7.65.2) once the host scans. `numbers` sends the
number of each advertisement in four octets, because the other gateway's part for the operating system is replaced (theengs.py)."""

import select
import socket
import struct
import sys
import time

from crowd import DEVICES, VARIANTS, Times, address, event, sections


def report(device, variant):
    """The packet without its last octet, the signal strength."""
    data = b"".join(bytes([len(value) + 1, kind]) + value for kind, value in sections(device, variant))
    body = bytes([2, 1, 3, 0]) + address(device)[::-1] + bytes([len(data)]) + data
    return bytes([4, 0x3E, len(body) + 1]) + body


# The supported commands (6.27): an octet and its value.
SUPPORTED = {0: 0x20, 2: 0x80, 5: 0xC0, 14: 0xA8, 25: 0xF7, 26: 0xFF, 27: 0xB7, 28: 0x05, 33: 0x70, 34: 0x08}

# What the controller returns after the status, by command (7.4 and 7.8). Other commands return nothing more.
ANSWERS = {
    0x1001: struct.pack("<BHBHH", 12, 0, 12, 0xFFFF, 0),
    0x1002: bytes(SUPPORTED.get(index, 0) for index in range(64)),
    0x1003: bytes([0, 0, 0, 0, 0x60, 0, 0, 0]),
    0x1005: struct.pack("<HBHH", 251, 0, 16, 0),
    0x1009: bytes([1, 2, 3, 4, 5, 6]),
    0x2002: struct.pack("<HB", 251, 16),
    0x2003: bytes([0x21, 0, 0, 0, 0, 0, 0, 0]),
    0x200F: b"\x10",
    0x2018: bytes(range(8)),
    0x201C: b"\xff\xff\xff\xff\xff\x03\0\0",
    0x2023: struct.pack("<HH", 251, 2120),
    0x202A: b"\x10",
    0x202F: struct.pack("<HHHH", 251, 2120, 251, 2120),
    0x204B: b"\0\0",
}


# The cryptographic commands are unknown (Vol 1, Part F, 2.1).
UNKNOWN = {0x2017, 0x2025, 0x2026}


class Controller:
    """One thread reads and writes: a reader that sleeps at the socket would be woken whenever the host takes a packet, at the host's cost."""

    def __init__(self, connection):
        self.connection, self.octets = connection, b""
        self.reports = [[report(device, variant) for variant in range(VARIANTS)] for device in range(DEVICES)]
        self.scans = False
        while not self.scans:
            self._answer(60)

    def _answer(self, pause):
        """Answers the commands that arrive within `pause` seconds."""
        end = time.monotonic() + pause
        while select.select([self.connection], [], [], max(0, end - time.monotonic()))[0]:
            self.octets += self.connection.recv(4096)
            while len(self.octets) >= 4 and len(self.octets) >= 4 + self.octets[3]:
                number, parameters = struct.unpack_from("<H", self.octets, 1)[0], self.octets[4:4 + self.octets[3]]
                self.octets = self.octets[4 + len(parameters):]
                result = b"\1" if number in UNKNOWN else b"\0" + ANSWERS.get(number, b"")
                self.connection.sendall(bytes([4, 0x0E, 3 + len(result), 1]) + struct.pack("<H", number) + result)
                # LE Set Scan Enable.
                if number == 0x200C and parameters[0] == 1:
                    self.scans = True
                    return

    def wait(self, pause):
        self._answer(pause)

    def send(self, index):
        device, variant, strength = event(index)
        self.connection.sendall(self.reports[device][variant] + struct.pack("b", strength))


class Numbers:
    def __init__(self, connection):
        self.connection = connection

    def wait(self, pause):
        time.sleep(pause)  # check-tests: wait: the pace of the advertisements.

    def send(self, index):
        self.connection.sendall(struct.pack("<I", index))


def main():
    kind, path, rate, count, times = sys.argv[1:]
    rate, count, times = int(rate), int(count), Times(times)
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen()
    print("ready", flush=True)
    peer = (Controller if kind == "hci" else Numbers)(server.accept()[0])
    start = time.monotonic()
    for index in range(count):
        pause = start + index / rate - time.monotonic()
        if pause > 0:
            peer.wait(pause)
        times.add(index)
        peer.send(index)
    # The gateway keeps its connection until it is ended.
    sys.stdin.read()


main()
