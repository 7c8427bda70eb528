"""Fixtures for tests of `bluelab gateway` with foreign clients. Each test has its own radio.

    serve("heart-rate")             starts a device on the radio
    gateway("--slots", "1")         starts the gateway on the radio: host, port, key, process
    api(gateway)                    an aioesphomeapi client, for `async with`
    home_assistant(gateway, key)    Bleak's classes of habluetooth over the gateway, for `async with`
"""

import asyncio
import contextlib
import importlib.util
import pathlib
import sys

import pytest

INTEROP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(INTEROP))

from commands import LIMIT, TOOL, Running  # noqa: E402, F401

# The fixtures of the tool: workplace, radio, serve, run, begin.
spec = importlib.util.spec_from_file_location("tool_fixtures", INTEROP / "tool" / "conftest.py")
tool_fixtures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool_fixtures)
workplace, radio, serve = tool_fixtures.workplace, tool_fixtures.radio, tool_fixtures.serve
run, begin = tool_fixtures.run, tool_fixtures.begin

import habluetooth  # noqa: E402
from aioesphomeapi import APIClient  # noqa: E402
from bleak_esphome import connect_scanner  # noqa: E402
from bleak_retry_connector import BleakSlotManager  # noqa: E402


class Gateway:
    """A running `bluelab gateway`."""

    def __init__(self, workplace, *arguments, key=None):
        variables = {"BLUETOOTH_GATEWAY_KEY": key, "BLUETOOTH_RADIO_NAME": "gateway"}
        self.process = Running(
            [TOOL, "gateway", "--listen", "tcp:127.0.0.1:0", "--name", "hall", "--json", *arguments],
            workplace.environment(**variables), workplace.path, True)
        workplace.programs.append(self.process)
        self.record = self.process.record()
        self.host, self.port, self.key = "127.0.0.1", int(self.record["address"].rsplit(":", 1)[1]), key


@pytest.fixture
def gateway(workplace, radio):
    def gateway(*arguments, key=None):
        return Gateway(workplace, *map(str, arguments), key=key)

    return gateway


@contextlib.asynccontextmanager
async def api(gateway, key="the gateway's", **options):
    """A client that is connected to the gateway."""
    client = APIClient(
        gateway.host, gateway.port, None, client_info="test", noise_psk=gateway.key if key == "the gateway's" else key, **options)
    await client.connect(login=False)
    try:
        yield client
    finally:
        await client.disconnect(force=True)


async def first(subscribe, condition, timeout=LIMIT):
    """The first value that a subscription delivers and that fulfils `condition`."""
    found = asyncio.get_running_loop().create_future()

    def take(value):
        if not found.done() and condition(value):
            found.set_result(value)

    cancel = subscribe(take)
    try:
        return await asyncio.wait_for(found, timeout)
    finally:
        if cancel:
            cancel()


async def advertiser(client, name, timeout=LIMIT):
    """The raw advertisement of the device with a name."""
    needle = name.encode()
    batch = await first(
        client.subscribe_bluetooth_le_raw_advertisements,
        lambda batch: any(needle in item.data for item in batch.advertisements), timeout)
    return next(item for item in batch.advertisements if needle in item.data)


async def connect(client, item, features):
    """Connects to the device of an advertisement, and returns the states that followed, the last one first awaited."""
    states = asyncio.Queue()
    cancel = await client.bluetooth_device_connect(
        item.address, lambda connected, mtu, error: states.put_nowait((connected, mtu, error)), timeout=LIMIT, feature_flags=features,
        address_type=item.address_type)
    return states, cancel


class NoAdapters:
    """habluetooth looks for adapters of the machine. The tests use the gateway alone."""

    adapters = {}
    history = {}
    default_adapter = ""

    async def refresh(self):
        pass


class Manager(habluetooth.BluetoothManager):
    def _discover_service_info(self, service_info):
        pass


@contextlib.asynccontextmanager
async def home_assistant(gateway, key):
    """habluetooth with the gateway as its only scanner, as Home Assistant sets it up."""
    manager = Manager(NoAdapters(), BleakSlotManager())
    habluetooth.set_manager(manager)
    client = APIClient(gateway.host, gateway.port, None, noise_psk=key)
    await client.connect(login=False)
    data = connect_scanner(client, await client.device_info(), True)
    unsetup = data.scanner.async_setup()
    unregister = manager.async_register_scanner(data.scanner, connection_slots=3)
    try:
        yield
    finally:
        unregister()
        unsetup()
        await client.disconnect(force=True)
