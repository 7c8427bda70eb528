"""Two places on one link: network namespaces for root, otherwise an interface of this machine that both share.

    ours("publish", ...)       starts local-peer: wait(event, **fields), send(line), end()
    foreign("publish", ...)    starts zeroconf_peer.py
"""

import json
import os
import pathlib
import queue
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

LIMIT = 20  # seconds, for each wait
PEER = pathlib.Path(os.environ["BLUELAB_PROGRAMS"]) / "local-peer"


class Place:
    def __init__(self, interface, address, prefix=()):
        self.interface, self.address, self.prefix = interface, address, list(prefix)


def own_address():
    """The address of the interface with the default route, and the interface's name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        address = probe.getsockname()[0]
    lines = subprocess.run(["ip", "-o", "-4", "address"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next((line.split()[1], address) for line in lines if f" {address}/" in line)


@pytest.fixture(scope="session")
def places():
    if os.geteuid() != 0 or not shutil.which("ip"):
        interface, address = own_address()
        yield Place(interface, address), Place(interface, address)
        return
    names = [f"near-{os.getpid()}-a", f"near-{os.getpid()}-b"]

    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True)

    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", "near0", "netns", names[0], "type", "veth", "peer", "name", "near0", "netns", names[1])
        for number, name in enumerate(names, 1):
            ip("-n", name, "address", "add", f"192.0.2.{number}/24", "dev", "near0")
            ip("-n", name, "address", "add", f"fd00:6e:1::{number}/64", "dev", "near0", "nodad")
            ip("-n", name, "link", "set", "near0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield tuple(
            Place("near0", f"192.0.2.{number}", ["ip", "netns", "exec", name]) for number, name in enumerate(names, 1))
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


class Running:
    def __init__(self, command):
        self.command = command
        self.seen = []
        self.lines = queue.Queue()
        self.child = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(json.loads(line))

    def wait(self, event, **fields):
        """Returns the first event, from the last one waited for on, that has the fields."""
        end = time.monotonic() + LIMIT
        while True:
            try:
                record = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {event} {fields} after {self.seen}") from None
            self.seen.append(record)
            if record["event"] == event and all(record.get(key) == value for key, value in fields.items()):
                return record

    def send(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()

    def end(self):
        if self.child.poll() is None:
            self.child.stdin.close()
            try:
                self.child.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
                raise AssertionError(f"{self.command} does not end") from None


@pytest.fixture
def programs():
    running = []
    yield running
    for program in running:
        program.end()


@pytest.fixture
def ours(places, programs):
    def start(*arguments, host="near", place=0):
        programs.append(Running([*places[place].prefix, PEER, host, places[place].interface, *arguments]))
        return programs[-1]

    return start


@pytest.fixture
def foreign(places, programs):
    script = pathlib.Path(__file__).with_name("zeroconf_peer.py")

    def start(*arguments):
        programs.append(Running([*places[1].prefix, sys.executable, "-B", script, places[1].address, *arguments]))
        return programs[-1]

    return start
