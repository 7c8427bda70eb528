"""Networks and programs that fail between a program of this library and `bluelab gateway`, with real processes."""

import queue
import re
import socket
import threading

import pytest
from commands import LIMIT, PROGRAMS, Running, wait_for
from test_controller import KEY, over


class Cable:
    """A TCP connection between programs and the gateway, which a test cuts and mends."""

    def __init__(self, port):
        self.target = port
        self.listener = None
        self.streams = set()
        self.port = 0
        self.mend()

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        # A thread in accept keeps the socket listening until it is shut down.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for stream in list(self.streams):
            self._end(stream)

    def _end(self, stream):
        self.streams.discard(stream)
        try:
            stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        stream.close()

    def _accept(self, listener):
        while True:
            try:
                program, _ = listener.accept()
            except OSError:
                return
            try:
                gateway = socket.create_connection(("127.0.0.1", self.target), timeout=LIMIT)
                gateway.settimeout(None)
            except OSError:
                program.close()
                continue
            self.streams |= {program, gateway}
            for source, sink in ((program, gateway), (gateway, program)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    def _copy(self, source, sink):
        try:
            while octets := source.recv(65536):
                sink.sendall(octets)
        except OSError:
            pass
        self._end(source)
        self._end(sink)


class Follower(Running):
    """A program of this library that keeps a subscription to a heart rate, over a gateway."""

    def __init__(self, workplace, port, name):
        variables = {
            "BLUETOOTH_CONTROLLER": f"gateway:127.0.0.1:{port}", "BLUETOOTH_GATEWAY_KEY": KEY,
            "XDG_STATE_HOME": workplace.path / f"state-{name}"}
        super().__init__([PROGRAMS / "interop-peer", "follower"], workplace.environment(**variables), workplace.path)
        workplace.programs.append(self)

    def wait_for_new_value(self):
        """Waits for a value that arrives after this call."""
        try:
            while True:
                self._new.get_nowait()
        except queue.Empty:
            pass
        self.line("VALUE")


@pytest.fixture
def cable():
    cables = []

    def cable(port):
        cables.append(Cable(port))
        return cables[-1]

    yield cable
    for one in cables:
        try:
            one.cut()
        except OSError:
            pass


def is_linked(count):
    return lambda device: device["name"] == "heart-rate" and device["links"] == count


def test_a_lost_network_is_resetting_and_the_connection_comes_back(gateway, serve, radio, workplace, cable):
    serve("heart-rate")
    wire = cable(gateway(key=KEY).port)
    follower = Follower(workplace, wire.port, "one")
    follower.line("STATE poweredOn")
    follower.line("CONNECTED")
    follower.line("VALUE")
    for _ in range(2):
        wire.cut()
        follower.line("STATE resetting")
        # The gateway ends the links of a program that is gone.
        radio.wait_for(is_linked(0))
        wire.mend()
        follower.line("STATE poweredOn")
        follower.line("CONNECTED")
        follower.line("VALUE")


def test_a_gateway_that_is_killed_and_starts_again_is_used_again(gateway, serve, radio, workplace, cable):
    serve("heart-rate")
    served = gateway(key=KEY)
    wire = cable(served.port)
    follower = Follower(workplace, wire.port, "one")
    follower.line("VALUE")
    served.process.kill()
    follower.line("STATE resetting")
    radio.wait_for(is_linked(0))
    wire.target = gateway(key=KEY).port
    # The adapter tries again after 1, 2, 5, 10 and 30 s.
    follower.line("STATE poweredOn", timeout=60)
    follower.line("VALUE")


def test_commands_of_the_tool_wait_for_a_gateway_that_restarts(gateway, serve, begin, cable):
    serve("heart-rate")
    served = gateway(key=KEY)
    wire = cable(served.port)
    environment = {"BLUETOOTH_CONTROLLER": f"gateway:127.0.0.1:{wire.port}", "BLUETOOTH_GATEWAY_KEY": KEY}
    notify = begin("notify", "Pulse", "2A37", "--json", environment=environment)
    scan = begin("scan", "--json", "--duplicates", environment=environment)
    notify.record(type="notification")
    scan.record(type="sighting")
    served.process.kill()
    for command in (notify, scan):
        command.wait_for_error("Waiting for the controller.")
    wire.target = gateway(key=KEY).port
    for command in (notify, scan):
        command.wait_for_error("is back.", timeout=60)
    # Records from before the loss are older than the connection.
    notify.wait_for_error("Connected again after ")
    again = float(re.search(r"Connected again after ([\d.]+) s", notify.errors)[1])
    while notify.record(type="notification")["time"] < again:
        pass
    for command in (notify, scan):
        command.interrupt()
        assert command.finish().code == 130


def test_programs_share_a_gateway_and_the_death_of_one_leaves_the_other(gateway, serve, radio, workplace):
    serve("heart-rate")
    served = gateway("--slots", 2, key=KEY)
    one, other = (Follower(workplace, served.port, name) for name in ("one", "other"))
    one.line("VALUE")
    other.line("VALUE")
    radio.wait_for(is_linked(1))
    one.kill()
    wait_for(lambda: any("Ended" in line for line in served.process.errors.splitlines()), LIMIT, lambda: served.process.errors)
    other.wait_for_new_value()
    radio.wait_for(is_linked(1))
    other.kill()
    radio.wait_for(is_linked(0))


def test_silent_strangers_lock_no_program_out(gateway, serve, run):
    serve("heart-rate")
    served = gateway(key=KEY)
    strangers = [socket.create_connection(("127.0.0.1", served.port), timeout=LIMIT) for _ in range(64)]
    try:
        found = run("scan", "--duration", "2", "--json", environment=over(served))
        assert [record["name"] for record in found.records] == ["Pulse"], found
    finally:
        for stranger in strangers:
            stranger.close()
