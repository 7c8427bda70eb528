"""Fixtures for tests of the built tool. Each test has its own runtime folder, store and radio. The fixtures validate each JSON line that the tool
prints against Documentation/Schemas.

    run("read", "wrist", "2A38")         runs a command to its end: code, output, errors, lines, records
    begin("notify", "wrist", "2A37")     starts a command: line(), interrupt(), finish()
    screen("scan", rows=24, columns=80)  starts a command on a pseudo-terminal: expect(text), send(keys), text(), finish()
    serve("wristband")                   starts a program, or `bluelab serve PROFILE`, and waits until it advertises
    bumble(services, name="Scale")       starts a GATT server on Bumble's host, and waits until it advertises
    radio                                devices(), wait_for(condition), drop(device), move(device, x, y)
"""

import asyncio
import concurrent.futures
import contextlib
import json
import pathlib
import re
import socket
import sys
import threading
import time

import pexpect
import pyte
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from commands import (  # noqa: E402, F401
    LIMIT, PROGRAMS, ROOT, SCHEMAS, TOOL, Running, begin, record_of, run, schemas,
    wait_for, workplace,
)


# MARK: The radio


class Radio:
    """A running `bluelab radio`."""

    def __init__(self, workplace, *options):
        self.workplace = workplace
        self.process = Running([TOOL, "radio", *options], workplace.environment(), workplace.path)
        workplace.programs.append(self.process)
        self.process.line("Ctrl-C")
        self.path = workplace.path / "opencorebluetooth" / "radio"
        self._control = socket.socket(socket.AF_UNIX)
        self._control.connect(f"{self.path}.control")
        self._control.settimeout(LIMIT)
        self._answers = self._control.makefile("r")

    def ask(self, request):
        """Sends a request to the control socket and returns its answer."""
        self._control.sendall(request.encode() + b"\n")
        answer = json.loads(self._answers.readline())
        assert answer["ok"], answer
        return answer

    def devices(self):
        """The devices, as Documentation/Radio.md describes them: name, number, address, x, y, advertising, scanning, connecting, links."""
        return self.ask("list")["devices"]

    def wait_for(self, condition, timeout=LIMIT):
        """Waits until a device fulfils `condition`, and returns the device."""
        return wait_for(
            lambda: next((device for device in self.devices() if condition(device)), None), timeout,
            lambda: f"no such device among {self.devices()}")

    def move(self, device, x, y=0):
        self.ask(f"move {device} {x} {y}")

    def loss(self, device, percent):
        self.ask(f"loss {device} {percent}")

    def drop(self, device):
        self.ask(f"drop {device}")


@pytest.fixture
def radio(workplace):
    return Radio(workplace)


@pytest.fixture
def run_without_adapter(run):
    """Runs the tool without the choice of a controller, on a machine that has no adapter."""
    environment = {"BLUETOOTH_CONTROLLER": ""}
    if run("doctor", environment=environment).code == 0:
        # check-tests: skip: some machines have an adapter. Interop/expected-counts has lines for it.
        pytest.skip("this machine has an adapter")
    return lambda *words: run(*words, environment=environment)


@pytest.fixture
def serve(workplace, radio):
    """Starts an example program by its name, or `bluelab serve` with a profile, and waits until it advertises."""

    def serve(what, *arguments, name=None, position="2,0", environment=None):
        program = PROGRAMS / str(what)
        is_program = "/" not in str(what) and not str(what).endswith((".yaml", ".yml")) and program.exists()
        command = [program, *arguments] if is_program else [TOOL, "serve", what, *arguments]
        name = name or re.sub(r"\W+", "-", pathlib.Path(str(what)).stem)
        state = workplace.path / f"state-{name}"
        # A store of its own, as on another machine.
        variables = {"BLUETOOTH_RADIO_NAME": name, "BLUETOOTH_RADIO_POSITION": position, "XDG_STATE_HOME": state} | (environment or {})
        running = Running(command, workplace.environment(**variables), workplace.path, "--json" in arguments)
        workplace.programs.append(running)

        def is_ready():
            assert running.child.poll() is None, f"{what} ended: {running.finish()}"
            return any(device["name"] == name and device["advertising"] for device in radio.devices())

        wait_for(is_ready, LIMIT, lambda: f"{what} does not advertise: {running.errors}")
        running.name = name
        return running

    return serve


# MARK: Pseudo-terminals


class Screen:
    """A command on a pseudo-terminal, and what its user sees."""

    def __init__(self, arguments, environment, folder, rows, columns):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        # All that the command wrote, with control sequences.
        self.octets = b""
        self.child = pexpect.spawn(
            str(TOOL), [str(argument) for argument in arguments], env=environment, cwd=str(folder), dimensions=(rows, columns),
            timeout=LIMIT)
        self.child.delaybeforesend = None

    def _read(self, timeout):
        """Reads what is there, or waits up to `timeout` for it. Returns whether the command is still connected."""
        try:
            octets = self.child.read_nonblocking(65536, timeout)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.octets += octets
        self.stream.feed(octets)
        return True

    def text(self):
        """The text on the screen, without spaces at the ends of lines and empty lines at the end."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip("\n")

    def lines(self):
        return self.text().split("\n")

    def expect(self, text, timeout=LIMIT):
        """Waits until the screen contains `text`: a string, a compiled pattern, or a function of the text. Returns the screen."""
        def is_there():
            # A terminal shows no half of a synchronized update.
            if self.octets.rfind(b"\x1b[?2026h") > self.octets.rfind(b"\x1b[?2026l"):
                return False
            if isinstance(text, str):
                return text in self.text()
            return text.search(self.text()) if isinstance(text, re.Pattern) else text(self.text())

        end = time.monotonic() + timeout
        is_connected = True
        while not is_there():
            left = end - time.monotonic()
            assert is_connected, f"the command ended without {text!r}:\n{self.text()}"
            assert left > 0, f"no {text!r} in {timeout} s:\n{self.text()}"
            is_connected = self._read(min(left, 1))
        return self.text()

    def send(self, keys):
        """Types keys, such as "q", "\\r", "\\t", "\\x1b[A" (up) or "\\x03" (Ctrl-C)."""
        self.child.send(keys)

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def finish(self, timeout=LIMIT):
        """Waits for the end of the command and returns its exit code; 128 and more for a signal."""
        end = time.monotonic() + timeout
        while self._read(max(0.01, min(1, end - time.monotonic()))):
            assert time.monotonic() < end, f"the command did not end in {timeout} s:\n{self.text()}"
        self.child.wait()
        return self.child.exitstatus if self.child.exitstatus is not None else 128 + self.child.signalstatus

    def stop(self):
        self.child.close(force=True)


@pytest.fixture
def screen(workplace):
    def screen(*arguments, rows=24, columns=80, environment=None):
        started = Screen(arguments, workplace.environment(**(environment or {})), workplace.path, rows, columns)
        workplace.programs.append(started)
        return started

    return screen


# MARK: Bumble


class Loop:
    """The thread on which the Bumble devices of a test run."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def call(self, work, timeout=LIMIT):
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result(timeout)
        except concurrent.futures.TimeoutError:
            future.cancel()
            raise AssertionError(f"Bumble did not answer in {timeout} s") from None

    def end(self):
        async def cancel():
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        with contextlib.suppress(Exception):
            self.call(cancel(), 5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)


class BumbleDevice:
    """A GATT server on Bumble's host. Bumble's callbacks run on the thread of the loop."""

    def __init__(self, loop, radio, services, name, address, advertisement, scan_response, interval, max_mtu):
        self.loop, self.radio, self.name, self.address = loop, radio, name, address
        self.connections = []
        self.device, self.number = None, None
        self._transport = None
        loop.call(self._start(services, advertisement, scan_response, interval, max_mtu))
        radio.wait_for(lambda device: device["number"] == self.number and device["advertising"])

    async def _start(self, services, advertisement, scan_response, interval, max_mtu):
        from bumble.core import AdvertisingData
        from bumble.device import Device
        from bumble.hci import Address, OwnAddressType
        from bumble.transport import open_transport

        before = {device["number"] for device in self.radio.devices()}
        self._transport = await open_transport(f"unix:{self.radio.path}")
        self.device = Device.with_hci(self.name, Address(self.address), self._transport.source, self._transport.sink)
        if max_mtu:
            self.device.gatt_server.max_mtu = max_mtu
        self.device.add_services(services)
        self.device.on("connection", self.connections.append)
        await asyncio.wait_for(self.device.power_on(), 10)
        self.number = next(device["number"] for device in self.radio.devices() if device["number"] not in before)
        types = AdvertisingData.Type
        if advertisement is None:
            advertisement = [(types.FLAGS, b"\x06"), (types.COMPLETE_LOCAL_NAME, self.name.encode())]
        # `advertisement` is a list of AD structures: pairs of a type and octets.
        await self.device.start_advertising(
            auto_restart=True, own_address_type=OwnAddressType.RANDOM, advertising_data=bytes(AdvertisingData(advertisement)),
            scan_response_data=bytes(AdvertisingData(scan_response)), advertising_interval_min=interval,
            advertising_interval_max=interval)

    def call(self, work, timeout=LIMIT):
        """Runs a coroutine on Bumble's thread and returns its result."""
        return self.loop.call(work, timeout)

    def notify(self, characteristic, value):
        """Sends a notification or an indication to all subscribers."""
        self.call(self.device.notify_subscribers(characteristic, value))

    def disconnect(self):
        """Ends the current link from this side."""
        self.call(self.connections[-1].disconnect())

    def vanish(self):
        """Removes the device from the radio, as if its battery were empty."""
        self.radio.drop(self.number)

    def stop(self):
        async def close():
            await self._transport.close()

        with contextlib.suppress(Exception):
            self.call(close(), 5)


@pytest.fixture
def bumble(radio, workplace):
    """Starts a GATT server on Bumble's host with the services of a list of `bumble.gatt.Service`."""
    loop = Loop()
    started = []

    def bumble(services=(), name="Bumble", address=None, advertisement=None, scan_response=(), interval=50, max_mtu=None):
        address = address or f"F0:F1:F2:F3:F4:{len(started) + 1:02X}"
        started.append(BumbleDevice(
            loop, radio, list(services), name, address, advertisement, list(scan_response), interval, max_mtu))
        return started[-1]

    yield bumble
    for device in started:
        device.stop()
    loop.end()
