#!/usr/bin/env python3
"""A controller (HCI over a Unix socket, H4) in a room with many advertisers, and a measurement of `bluelab scan` against it.

    advertisers.py BLUELAB [--devices 2000] [--rate 10000] [--seconds 10] [--lines]

prints the processor time, the peak memory and the redraws of a scan on a pseudo-terminal, or with --lines of a scan whose output is a
file. The exit code is 1 if the scan takes more than 10 % of a core or more than 40 MB. The limits apply to a release build.
"""

import argparse
import os
import pathlib
import pty
import re
import select
import signal
import socket
import struct
import sys
import tempfile
import threading
import time

# Return parameters of commands by opcode (Vol 4, Part E, 7). Others have a status alone.
ANSWERS = {
    0x1001: bytes([0, 12, 0, 0, 12, 0xFF, 0xFF, 0, 0]),
    0x1002: bytes([0, 0x20, 0, 0x80, 0, 0, 0xC0] + [0] * 8 + [0xA8] + [0] * 10 + [0xF7, 0xFF, 0xB7, 0x05, 0, 0, 0, 0, 0x70, 8] + [0] * 29),
    0x1003: bytes([0, 0, 0, 0, 0, 0x60, 0, 0, 0]),
    0x1005: struct.pack("<BHBHH", 0, 251, 0, 16, 0),
    0x1009: bytes([0, 1, 2, 3, 4, 5, 6]),
    0x2002: struct.pack("<BHB", 0, 251, 16),
    0x2003: bytes([0, 0x21] + [0] * 7),
    0x200F: bytes([0, 16]), 0x202A: bytes([0, 16]),
    0x2007: bytes([0, 0]),
    0x201C: bytes([0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0]),
    0x2018: bytes([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    0x2023: struct.pack("<BHH", 0, 251, 0x0848),
    0x202F: struct.pack("<BHHHH", 0, 251, 0x0848, 251, 0x0848),
}
SET_SCAN_ENABLE = 0x200C


def structure(kind, octets):
    return bytes([len(octets) + 1, kind]) + octets


def advertisement(number):
    """The advertising data of a device. Every fourth is an iBeacon, every second has a name."""
    if number % 4 == 3:
        uuid = bytes.fromhex("E2C56DB5DFFB48D2B060D0F5A71096E0")
        return structure(1, b"\x06") + structure(0xFF, b"\x4C\x00\x02\x15" + uuid + struct.pack(">HHb", 1, number, -59))
    services = structure(3, struct.pack("<H", [0x180D, 0x180F, 0x1809][number % 3]))
    name = structure(9, f"Sensor {number}".encode()) if number % 4 < 2 else structure(0xFF, struct.pack("<HH", 0x0059, number))
    return structure(1, b"\x06") + services + name


def report(number, turn):
    """An LE Advertising Report (7.7.65.2). The content of each tenth device changes with each of its reports."""
    data = advertisement(number)
    if number % 10 == 9:
        data = structure(1, b"\x06") + structure(0xFF, struct.pack("<HI", 0x0059, turn))
    address = struct.pack("<IH", number, 0xC0DE)
    rssi = (-40 - number % 60 + turn % 5) & 0xFF
    kind = 3 if number % 4 == 3 else 0
    parameters = bytes([2, 1, kind, 1]) + address + bytes([len(data)]) + data + bytes([rssi])
    return bytes([4, 0x3E, len(parameters)]) + parameters


class Room:
    """The controller. It reports `rate` packets a second, one write each, from when the host scans."""

    def __init__(self, path, devices=2000, rate=10000):
        self.devices, self.rate, self.sent = devices, rate, 0
        self._isScanning, self._isClosed = threading.Event(), False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(4)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while not self._isClosed:
            try:
                stream, _ = self._listener.accept()
            except OSError:
                return
            self._isScanning.clear()
            lock = threading.Lock()
            threading.Thread(target=self._answer, args=(stream, lock), daemon=True).start()
            threading.Thread(target=self._report, args=(stream, lock), daemon=True).start()

    def _answer(self, stream, lock):
        rest = b""
        while True:
            try:
                octets = stream.recv(4096)
            except OSError:
                return
            if not octets:
                return
            rest += octets
            while len(rest) >= 4 and len(rest) >= 4 + rest[3]:
                opcode, length = struct.unpack_from("<HB", rest, 1)
                parameters, rest = rest[4:4 + length], rest[4 + length:]
                answer = ANSWERS.get(opcode, b"\0")
                try:
                    with lock:
                        stream.sendall(bytes([4, 0x0E, 3 + len(answer), 1]) + struct.pack("<H", opcode) + answer)
                except OSError:
                    return
                if opcode == SET_SCAN_ENABLE:
                    (self._isScanning.set if parameters[0] else self._isScanning.clear)()

    def _report(self, stream, lock):
        self._isScanning.wait()
        step = 1 / self.rate
        next_time = time.monotonic()
        reports = [report(number, 0) for number in range(self.devices)]
        while not self._isClosed:
            number, turn = self.sent % self.devices, self.sent // self.devices
            octets = reports[number] if number % 10 != 9 and turn % 5 == 0 else report(number, turn)
            try:
                with lock:
                    if self._isScanning.is_set():
                        stream.sendall(octets)
                        self.sent += 1
            except OSError:
                return
            next_time += step
            # A sleep would be too coarse for one packet: the thread waits for about a millisecond at most.
            while (left := next_time - time.monotonic()) > 0:
                time.sleep(left if left < 0.001 else 0.001)

    def close(self):
        self._isClosed = True
        self._listener.close()


def measure(tool, devices, rate, seconds, is_terminal=True):
    """Runs a scan. Returns its processor time per second, its peak memory in MB, its redraws per second, the reports, and its output."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "controller"
        room = Room(path, devices, rate)
        environment = os.environ | {
            "BLUETOOTH_CONTROLLER": f"unix:{path}", "XDG_STATE_HOME": folder, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        command = [str(tool), "scan"] + ([] if is_terminal else ["--duration", str(seconds)])
        start = time.monotonic()
        child, terminal = pty.fork() if is_terminal else (os.fork(), None)
        if child == 0:
            if not is_terminal:
                os.dup2(os.open(f"{folder}/output", os.O_WRONLY | os.O_CREAT), 1)
            os.execve(command[0], command, environment)
        output = b""
        if is_terminal:
            while time.monotonic() - start < seconds:
                if select.select([terminal], [], [], 0.1)[0]:
                    output += os.read(terminal, 65536)
            os.kill(child, signal.SIGINT)
            while True:
                try:
                    octets = os.read(terminal, 65536)
                except OSError:
                    break
                if not octets:
                    break
                output += octets
        _, _, usage = os.wait4(child, 0)
        duration = time.monotonic() - start
        room.close()
        if not is_terminal:
            output = pathlib.Path(f"{folder}/output").read_bytes()
        draws = len(re.findall(rb"\x1b\[\?2026h", output))
        return {
            "processor": (usage.ru_utime + usage.ru_stime) / duration, "user": usage.ru_utime, "system": usage.ru_stime,
            "memory": usage.ru_maxrss / 1024, "draws": draws / duration, "reports": room.sent, "seconds": duration,
            "output": output}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--devices", type=int, default=2000)
    parser.add_argument("--rate", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--lines", action="store_true")
    arguments = parser.parse_args()
    result = measure(arguments.tool, arguments.devices, arguments.rate, arguments.seconds, not arguments.lines)
    print(
        f"{100 * result['processor']:.1f} % of a core (user {result['user']:.2f} s, system {result['system']:.2f} s in "
        f"{result['seconds']:.1f} s), {result['memory']:.1f} MB, {result['draws']:.1f} redraws a second, "
        f"{result['reports'] / result['seconds']:.0f} reports a second")
    sys.exit(0 if result["processor"] <= 0.1 and result["memory"] <= 40 else 1)


if __name__ == "__main__":
    main()
