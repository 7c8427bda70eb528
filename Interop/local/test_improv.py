"""py-improv-ble-client, whose connections are Bumble's, against our Improv service on a virtual radio."""

import asyncio
import contextlib
import json
import pathlib
import subprocess
import sys
from types import SimpleNamespace

import jsonschema
import pytest
from bumble.core import UUID
from bumble.device import Device, Peer
from bumble.hci import Address
from bumble.transport import open_transport
from improv_ble_client import client as improv
from improv_ble_client import protocol
from improv_ble_client.errors import ProvisioningFailed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from commands import PROGRAMS, SCHEMAS, TOOL, Workplace  # noqa: E402

LIMIT = 30
SERVICE = "00467768-6228-2272-4663-277478268000"


class BumbleClient:
    """The part of a BleakClient that py-improv-ble-client uses, on Bumble's GATT client."""

    def __init__(self, connection):
        self.connection, self.is_connected, self.found, self.octets = connection, True, {}, []
        connection.on("disconnection", self._ended)

    def _ended(self, reason):
        self.is_connected = False

    async def discover(self, mtu):
        peer = Peer(self.connection)
        await peer.request_mtu(mtu)
        for service in await peer.discover_service(UUID(SERVICE)):
            for characteristic in await service.discover_characteristics():
                self.found[str(characteristic.uuid).lower()] = characteristic
                await characteristic.discover_descriptors()
        self.services = SimpleNamespace(get_characteristic=self.found.get)

    async def start_notify(self, uuid, handler):
        def received(value):
            asyncio.ensure_future(handler(SimpleNamespace(uuid=uuid), bytes(value)))

        await self.found[uuid].subscribe(received)

    async def read_gatt_char(self, uuid):
        return await self.found[uuid].read_value()

    async def write_gatt_char(self, uuid, data, response):
        self.octets.append(bytes(data))
        await self.found[uuid].write_value(data, with_response=response)

    async def disconnect(self):
        await self.connection.disconnect()

    async def clear_cache(self):
        pass


class Lamp:
    def __init__(self, workplace, *arguments, **variables):
        self.child = subprocess.Popen(
            [str(PROGRAMS / "improv-peer"), "Lamp", *arguments],
            env=workplace.environment(BLUETOOTH_RADIO_NAME="lamp", **variables),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seen = []
        self.wait("advertising")

    def wait(self, event, **fields):
        while line := self.child.stdout.readline():
            record = json.loads(line)
            self.seen.append(record)
            if record["event"] == event and all(record.get(key) == value for key, value in fields.items()):
                return record
        raise AssertionError(f"no {event} after {self.seen}")

    def authorize(self):
        self.child.stdin.write("authorize\n")
        self.child.stdin.flush()
        self.wait("state", value=2)

    def end(self):
        self.child.stdin.close()
        self.child.wait(LIMIT)


@pytest.fixture
def workplace():
    place = Workplace()
    radio = subprocess.Popen([str(TOOL), "radio"], env=place.environment(), stdout=subprocess.PIPE, text=True)
    assert radio.stdout.readline()
    place.radio = place.path / "opencorebluetooth" / "radio"
    yield place
    radio.terminate()
    radio.wait(LIMIT)
    place.end()


@pytest.fixture
def lamp(workplace):
    lamps = []

    def start(*arguments, **variables):
        lamps.append(Lamp(workplace, *arguments, **variables))
        return lamps[-1]

    yield start
    for lamp in lamps:
        lamp.end()


async def disconnected(connections):
    """Waits for the client to end its link, as it does after each failure."""
    async with asyncio.timeout(LIMIT):
        while connections[-1].is_connected:
            await asyncio.sleep(0.02)


def run(workplace, monkeypatch, work, mtu=247):
    """Runs `work(client, connection)` with py-improv-ble-client's own client."""

    async def main():
        async with await open_transport(f"unix:{workplace.radio}") as hci:
            device = Device.with_hci("Phone", Address("F0:F1:F2:F3:F4:21"), hci.source, hci.sink)
            await device.power_on()
            target = asyncio.get_running_loop().create_future()

            def seen(advertisement):
                # The service's UUID is in the advertisement itself, as the specification requires.
                uuids = advertisement.data.get_all(0x07) + advertisement.data.get_all(0x06)
                if any(UUID(SERVICE) in found for found in uuids) and not target.done():
                    target.set_result(advertisement.address)

            device.on("advertisement", seen)
            await device.start_scanning(filter_duplicates=False)
            address = await target
            await device.stop_scanning()
            connections = []

            async def establish(*_, **__):
                client = BumbleClient(await device.connect(address))
                await client.discover(mtu)
                connections.append(client)
                return client

            monkeypatch.setattr(improv, "establish_connection", establish)
            client = improv.ImprovBLEClient(SimpleNamespace(address=str(address), name="Lamp"))
            try:
                await work(client, connections)
            finally:
                with contextlib.suppress(Exception):
                    for connection in connections:
                        await connection.disconnect()

    asyncio.run(asyncio.wait_for(main(), LIMIT))


def test_a_foreign_client_provisions_our_device(workplace, lamp, monkeypatch):
    device = lamp()
    states = []

    async def work(client, connections):
        assert not await client.need_authorization()
        assert client.can_identify and client.can_get_device_info and client.can_scan_wifi and not client.can_set_hostname
        await client.identify()
        information = await client.get_device_info()
        networks = await client.scan_wifi()
        url = await client.provision("home", "correct horse", states.append)
        assert url == "http://192.0.2.7/"
        assert b"lamp" in str(information).encode() and "1.2" in str(information)
        assert "home" in str(networks) and "-40" in str(networks)
        written = connections[0].octets
        assert written[:3] == [b"\x02\x00\x02", b"\x03\x00\x03", b"\x04\x00\x04"]
        assert written[3] == protocol.WiFiSettingsCmd(b"home", b"correct horse").as_bytes()

    run(workplace, monkeypatch, work)
    device.wait("identify")
    device.wait("state", value=4)
    assert states[:2] == [protocol.State.PROVISIONING, protocol.State.PROVISIONED]


def test_a_wrong_password_is_unable_to_connect(workplace, lamp, monkeypatch):
    lamp()

    async def work(client, connections):
        with pytest.raises(ProvisioningFailed) as failure:
            await client.provision("home", "wrong", None)
        assert failure.value.error == protocol.Error.UNABLE_TO_CONNECT

    run(workplace, monkeypatch, work)


def test_a_device_that_is_not_authorized_says_so(workplace, lamp, monkeypatch):
    device = lamp("authorization")

    async def work(client, connections):
        assert await client.need_authorization()
        with pytest.raises(ProvisioningFailed) as failure:
            await client.provision("home", "correct horse", None)
        assert failure.value.error == protocol.Error.NOT_AUTHORIZED
        await disconnected(connections)
        device.authorize()
        assert not await client.need_authorization()
        assert await client.provision("home", "correct horse", None) == "http://192.0.2.7/"

    run(workplace, monkeypatch, work)


def test_a_long_command_over_the_smallest_mtu_arrives(workplace, lamp, monkeypatch):
    """35 octets in prepared writes."""
    device = lamp()

    async def work(client, connections):
        await client.ensure_connected()
        await client.send_cmd(protocol.WiFiSettingsCmd(b"home", b"correct horse"))
        await asyncio.to_thread(device.wait, "state", value=4)

    run(workplace, monkeypatch, work, mtu=23)


class Manager:
    """A bus and a stand-in for NetworkManager on it."""

    def __init__(self, folder):
        self.address = f"unix:path={folder}/bus"
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address", f"--address={self.address}"],
            stdout=subprocess.PIPE, text=True)
        assert self.bus.stdout.readline()
        script = pathlib.Path(__file__).with_name("network_manager.py")
        self.child = subprocess.Popen(
            [sys.executable, "-B", str(script), self.address], stdout=subprocess.PIPE, text=True)
        assert self.next()["event"] == "ready"

    def next(self):
        return json.loads(self.child.stdout.readline())

    def end(self):
        for child in (self.child, self.bus):
            child.terminate()
            child.wait(LIMIT)


@pytest.fixture
def manager(workplace):
    manager = Manager(workplace.path)
    yield manager
    manager.end()


def test_network_manager_joins_the_network_of_a_foreign_client(workplace, lamp, manager, monkeypatch):
    lamp("networkmanager", DBUS_SYSTEM_BUS_ADDRESS=manager.address)

    async def work(client, connections):
        await client.ensure_connected()
        networks = str(await client.scan_wifi())
        assert "home" in networks and "-60" in networks and "WPA2" in networks and "open" in networks
        with pytest.raises(ProvisioningFailed):
            await client.provision("home", "wrong", None)
        await disconnected(connections)
        assert await client.provision("home", "correct horse", None) == "http://192.0.2.55/"

    run(workplace, monkeypatch, work)
    wrong, deleted, right = manager.next(), manager.next(), manager.next()
    assert wrong["settings"]["802-11-wireless-security"]["psk"] == "wrong"
    assert deleted == {"event": "deleted", "path": "/settings/1"}, "wrong credentials are not kept"
    assert right["device"] == "/org/freedesktop/NetworkManager/Devices/2"
    assert right["settings"] == {
        "connection": {"id": "home", "type": "802-11-wireless"}, "802-11-wireless": {"ssid": "home"},
        "802-11-wireless-security": {"key-mgmt": "wpa-psk", "psk": "correct horse"}}


def test_a_network_of_wpa3_is_named_and_joined_with_sae(workplace, lamp, manager, monkeypatch):
    lamp("networkmanager", DBUS_SYSTEM_BUS_ADDRESS=manager.address)

    async def work(client, connections):
        await client.ensure_connected()
        assert "WPA3" in str(await client.scan_wifi())
        assert await client.provision("modern", "correct horse", None) == "http://192.0.2.55/"

    run(workplace, monkeypatch, work)
    assert manager.next()["settings"]["802-11-wireless-security"] == {"key-mgmt": "sae", "psk": "correct horse"}


def test_a_machine_without_a_bus_names_the_package(workplace, lamp, monkeypatch):
    device = lamp("networkmanager", DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere/bus")

    async def work(client, connections):
        with pytest.raises(ProvisioningFailed) as failure:
            await client.provision("home", "correct horse", None)
        assert failure.value.error == protocol.Error.UNABLE_TO_CONNECT

    run(workplace, monkeypatch, work)
    text = device.wait("network failure")["text"]
    assert "/nowhere/bus" in text and "apt-get install dbus" in text and "correct horse" not in text


def provision(workplace, *arguments, **variables):
    """Runs `bluelab provision`; no argument and no output contains the password."""
    command = [str(TOOL), "provision", "--name", "Lamp", *arguments]
    environment = workplace.environment(BLUETOOTH_RADIO_NAME="phone", **variables)
    result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT * 2)
    assert "correct horse" not in result.stdout + result.stderr + " ".join(command)
    return result


def test_the_tool_lists_networks_and_provisions(workplace, lamp):
    device = lamp()
    secret = workplace.path / "password"
    secret.touch(0o600)
    secret.write_text("correct horse\n")
    result = provision(workplace, "--identify", "--list", "--network", "home", "--password-file", str(secret), "--json")
    assert result.returncode == 0, result.stderr
    records = [json.loads(line) for line in result.stdout.splitlines()]
    for record in records:
        jsonschema.validate(record, json.loads((SCHEMAS / f"{record['type']}.json").read_text()))
    assert {record["network"] for record in records if record["type"] == "visible-network"} >= {"home"}
    assert records[-1]["type"] == "provisioned" and records[-1]["addresses"] == ["http://192.0.2.7/"]
    device.wait("identify")
    device.wait("state", value=4)


def test_the_tool_says_why_a_device_is_not_on_the_network(workplace, lamp):
    lamp()
    wrong = provision(workplace, "--network", "home", BLUETOOTH_WIFI_PASSWORD="wrong")
    assert wrong.returncode == 6 and "could not join" in wrong.stderr
    missing = provision(workplace, "--network", "home")
    assert missing.returncode == 2 and "BLUETOOTH_WIFI_PASSWORD" in missing.stderr


def test_the_tool_says_that_a_device_wants_to_be_authorised(workplace, lamp):
    lamp("authorization")
    refused = provision(workplace, "--network", "home", BLUETOOTH_WIFI_PASSWORD="correct horse")
    assert refused.returncode == 7 and "button" in refused.stderr
