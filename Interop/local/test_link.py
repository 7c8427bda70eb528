"""`bluelab link` over real sockets: as root in two network namespaces with a link between them."""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

import jsonschema
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from commands import TOOL  # noqa: E402
from conftest import Place  # noqa: E402

LIMIT = 30
ROOT = pathlib.Path(__file__).resolve().parents[2]


def checked(line):
    record = json.loads(line)
    schema = json.loads((ROOT / "Documentation" / "Schemas" / f"{record['type']}.json").read_text())
    jsonschema.validate(record, schema)
    return record


class Program:
    """A command with --json that runs until it is interrupted."""

    def __init__(self, command):
        self.lines, self.seen = queue.Queue(), []
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(line)

    def wait(self, kind, **fields):
        end = time.monotonic() + LIMIT
        while True:
            try:
                record = checked(self.lines.get(timeout=max(0.01, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no {kind} {fields} after {self.seen}") from None
            self.seen.append(record)
            if record["type"] == kind and all(record.get(key) == value for key, value in fields.items()):
                return record

    def end(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
            self.child.wait(LIMIT)


@pytest.fixture
def key(tmp_path):
    subprocess.run([TOOL, "gateway", "key", "--file", tmp_path / "key"], check=True)
    return tmp_path / "key"


@pytest.fixture
def start(places, key):
    running = []

    def begin(place, *arguments):
        running.append(Program([*places[place].prefix, TOOL, "link", *arguments, "--key-file", key, "--json"]))
        return running[-1]

    yield begin
    for program in running:
        program.end()


@pytest.fixture
def ask(places, key):
    def run(*arguments, code=0):
        command = [*places[1].prefix, TOOL, "link", "ask", *arguments, "--key-file", key, "--json"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT * 2)
        assert result.returncode == code, result.stderr
        return checked(result.stdout) if code == 0 else result.stderr

    return run


def serve(start, places, *arguments):
    device = start(0, "serve", "lamp-1", "--interface", places[0].interface, *arguments)
    return device, device.wait("link-serving")["at"].rsplit(":", 1)[1]


def test_a_device_is_found_and_asked(start, ask, places):
    device, _ = serve(start, places, "--way", "network")
    found = ("lamp-1", "--way", "network", "--interface", places[1].interface)
    reply = ask(found[0], "set", '{"on":true}', *found[1:])
    assert (reply["way"], reply["result"]) == ("network", {"on": True})
    device.wait("link-request", op="set", args={"on": True})
    assert ask(found[0], "get", *found[1:])["result"] == {"on": True}
    assert "unknownOperation" in ask(found[0], "other", *found[1:], code=6)


def test_an_address_by_hand_needs_no_search(start, ask, places):
    _, port = serve(start, places, "--way", "network", "--no-announce")
    reply = ask("lamp-1", "echo", "[1,2]", "--way", "network", "--at", f"{places[0].address}:{port}")
    assert reply["result"] == [1, 2]


def test_datagrams_to_an_address_carry_requests(start, ask, places):
    _, port = serve(start, places, "--way", "direct", "--direct", f"{places[0].address}:0")
    reply = ask("lamp-1", "echo", '"x"', "--way", "direct", "--direct", f"{places[0].address}:{port}")
    assert (reply["way"], reply["result"]) == ("direct", "x")


def test_requests_over_http_carry_requests_and_events(start, ask, places):
    _, port = serve(start, places, "--way", "http", "--http", f"{places[0].address}:0")
    place = ("--way", "http", "--http", f"{places[0].address}:{port}")
    reply = ask("lamp-1", "echo", '"x"', *place)
    assert (reply["way"], reply["result"]) == ("http", "x")
    watch = start(1, "watch", "lamp-1", *place)
    watch.wait("link-way", way="http")
    ask("lamp-1", "set", '{"level":5}', *place)
    watch.wait("link-event", op="changed", args={"level": 5})


@pytest.mark.parametrize("way", ["direct", "http"])
def test_the_gateway_of_the_default_route_is_the_device(start, ask, places, way):
    """A program that has joined the access point of a device needs no address."""
    device = start(0, "serve", "lamp-1", "--way", way)
    assert device.wait("link-serving")["at"].endswith(":0.0.0.0:7463")
    if not places[0].prefix:
        # check-tests: skip: the default route of the machine stays as it is. Interop/expected-counts has a line for it.
        pytest.skip("the places are not network namespaces")
    route = ["default", "via", places[0].address]
    subprocess.run([*places[1].prefix, "ip", "route", "add", *route], check=True)
    try:
        reply = ask("lamp-1", "echo", "4", "--way", way)
        assert (reply["way"], reply["result"]) == (way, 4)
    finally:
        subprocess.run([*places[1].prefix, "ip", "route", "delete", *route], check=True)


def curl(places, *arguments, data=b""):
    """Runs curl in the place of a client, and returns the status and the body of the response."""
    command = [*places[1].prefix, "curl", "--silent", "--show-error", "--max-time", str(LIMIT), "--noproxy", "*", "-o", "-", "-w", "%{stderr}%{http_code}"]
    result = subprocess.run([*command, *arguments], input=data, capture_output=True, timeout=LIMIT * 2)
    assert result.returncode == 0, result.stderr
    return int(result.stderr), result.stdout


def posted(*datagrams):
    return b"".join(len(datagram).to_bytes(2, "big") + datagram for datagram in datagrams)


def test_a_foreign_client_of_http_gets_the_documented_statuses(start, ask, places):
    _, port = serve(start, places, "--way", "http", "--http", f"{places[0].address}:0")
    base = f"http://{places[0].address}:{port}"
    url = f"{base}/device-link/1"
    post = ("-H", "Content-Type: application/octet-stream", "-H", "Expect:", "--data-binary", "@-")
    greeting = bytes([1]) + bytes(8) + bytes(48)

    def status(*arguments, data=b""):
        code, body = curl(places, *arguments, data=data)
        assert body == b"", "a client without the key gets no octet of a body"
        return code

    # Octets of a client without the key.
    assert status(*post, url, data=posted(greeting)) == 403
    assert status(*post, url, data=posted(bytes([3]) + bytes(40), b"")) == 403
    assert status(*post, url) == 400
    assert status(*post, url, data=b"\x00\x09x") == 400
    # Requests that no client sends.
    assert status(url) == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert status("-X", method, url) == 405, method
    assert status(*post, base, data=b"x") == 404
    assert status(*post, f"{base}/device-link/2", data=b"x") == 404
    assert status("--data-binary", "@-", url, data=b"x") == 415
    assert status(*post, "-H", "Transfer-Encoding: chunked", url, data=b"x") == 411
    assert status(*post, url, data=bytes(16_385)) == 413
    assert status(*post, "-H", "X: " + "x" * 8192, url, data=b"x") == 431
    assert status("--http1.0", *post, url, data=b"x") == 505
    # A page in a browser: its name, or its origin.
    assert status(*post, "-H", f"Host: lamp.example:{port}", url, data=posted(greeting)) == 421
    assert status(*post, "-H", "Origin: http://lamp.example", url, data=posted(greeting)) == 403
    # curl asks for permission to send a longer body.
    assert status("-H", "Content-Type: application/octet-stream", "-H", "Expect: 100-continue", "--data-binary", "@-", url,
                  data=posted(bytes(16_000))) == 403
    assert ask("lamp-1", "echo", "1", "--way", "http", "--http", f"{places[0].address}:{port}")["result"] == 1


def test_slow_and_many_connections_leave_the_device_to_its_clients(start, ask, places):
    """Connections that send nothing, half a request, or the same octets of another client."""
    _, port = serve(start, places, "--way", "http", "--http", f"{places[0].address}:0")
    program = (
        "import socket, sys\n"
        "sockets = [socket.create_connection((sys.argv[1], int(sys.argv[2]))) for _ in range(200)]\n"
        "for number, client in enumerate(sockets):\n"
        "    try:\n"
        "        client.sendall(b'POST /device-link/1 HTTP/1.1\\r\\nHost: 192.0.2.1\\r\\n'[:number % 60])\n"
        "    except OSError:\n"
        "        pass\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n")
    flood = subprocess.Popen(
        [*places[1].prefix, sys.executable, "-c", program, places[0].address, port], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert flood.stdout.readline() == "ready\n"
        reply = ask("lamp-1", "echo", "2", "--way", "http", "--http", f"{places[0].address}:{port}")
        assert (reply["way"], reply["result"]) == ("http", 2)
    finally:
        flood.communicate()


@pytest.fixture
def without_multicast(places):
    """Two places on a bridge that passes broadcasts and drops multicasts, as some access points do. Without root, the places with multicast."""
    if not places[0].prefix:
        yield places
        return
    names = [f"bridged-{os.getpid()}-{name}" for name in ("a", "b", "bridge")]

    def ip(*arguments):
        subprocess.run(["ip", *arguments], check=True)

    try:
        for name in names:
            ip("netns", "add", name)
        ip("-n", names[2], "link", "add", "br0", "type", "bridge", "mcast_snooping", "1")
        for number, name in enumerate(names[:2], 1):
            ip("link", "add", "near0", "netns", name, "type", "veth", "peer", "name", f"port{number}", "netns", names[2])
            ip("-n", names[2], "link", "set", f"port{number}", "master", "br0", "up")
            ip("-n", names[2], "link", "set", f"port{number}", "type", "bridge_slave", "mcast_flood", "off")
            ip("-n", name, "address", "add", f"192.0.2.{number}/24", "dev", "near0")
            ip("-n", name, "link", "set", "near0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        ip("-n", names[2], "link", "set", "br0", "up")
        yield [Place("near0", f"192.0.2.{number}", ["ip", "netns", "exec", name]) for number, name in enumerate(names[:2], 1)]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def test_a_network_without_multicast_is_searched_by_broadcast(without_multicast, key):
    near, far = without_multicast
    device = Program([
        *near.prefix, TOOL, "link", "serve", "lamp-1", "--way", "network", "--interface", near.interface, "--key-file", key, "--json"])
    try:
        device.wait("link-serving")
        result = subprocess.run(
            [*far.prefix, TOOL, "link", "ask", "lamp-1", "echo", "3", "--way", "network", "--interface", far.interface, "--key-file",
             key, "--json"], capture_output=True, text=True, timeout=LIMIT * 2)
        assert result.returncode == 0, result.stderr
        assert checked(result.stdout)["result"] == 3
    finally:
        device.end()


def test_the_next_way_takes_over(start, ask, places):
    _, port = serve(start, places, "--way", "direct", "--direct", f"{places[0].address}:0")
    reply = ask(
        "lamp-1", "echo", "1", "--way", "network", "--at", f"{places[0].address}:1", "--way", "direct", "--direct",
        f"{places[0].address}:{port}")
    assert (reply["way"], reply["result"]) == ("direct", 1)


def test_events_reach_a_program_that_watches(start, ask, places):
    _, port = serve(start, places, "--way", "network", "--no-announce")
    place = ("--way", "network", "--at", f"{places[0].address}:{port}")
    watch = start(1, "watch", "lamp-1", *place)
    watch.wait("link-way", way="network")
    ask("lamp-1", "set", '{"level":5}', *place)
    watch.wait("link-event", op="changed", args={"level": 5})


def test_another_key_gets_no_answer(start, places, tmp_path):
    device, port = serve(start, places, "--way", "network", "--no-announce")
    other = tmp_path / "other"
    subprocess.run([TOOL, "gateway", "key", "--file", other], check=True)
    result = subprocess.run(
        [*places[1].prefix, TOOL, "link", "ask", "lamp-1", "get", "--key-file", other, "--way", "network", "--at",
         f"{places[0].address}:{port}", "--timeout", "2"], capture_output=True, text=True, timeout=LIMIT)
    assert result.returncode == 5
    assert "Compare the keys" in result.stderr and "safe to send it again" in result.stderr
    assert other.read_text().strip() not in result.stderr
    assert [record["type"] for record in device.seen] == ["link-serving"]


def test_each_envelope_of_the_schema_is_json(places):
    schema = json.loads((ROOT / "Documentation" / "Schemas" / "DeviceLink" / "envelope.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = (ROOT / "Documentation" / "DeviceLink.md").read_text()
    example = json.loads(document.split("```json\n")[1].split("\n```")[0])
    jsonschema.validate(example, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**example, "id": -1}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: value for key, value in example.items() if key != "session"}, schema)
