"""Advertising sets on Bumble's host, and the reports that it receives."""

import asyncio
import contextlib

from bumble import hci
from bumble.device import AdvertisingEventProperties, AdvertisingParameters, ConnectionParametersPreferences, Device, Peer
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

INTERVAL = 100  # ms
# A command has at most 255 octets of parameters (Vol 4, Part E, 5.4.1). Bumble sends data in one command, so this module divides it.
FRAGMENT = 251
MORE_TO_COME = 0x20  # The data status of a report (Vol 4, Part E, 7.7.65.13).


@contextlib.asynccontextmanager
async def device(name, address, transport):
    """A host of Bumble's on the controller at `transport`."""
    async with await open_transport(transport) as controller:
        host = Device.with_hci(name, Address(address), controller.source, controller.sink)
        await asyncio.wait_for(host.power_on(), 10)
        yield host


def parameters(primary=1, secondary=1, sid=0, peer=None, **properties):
    """The parameters of a set. `properties` are those of `AdvertisingEventProperties`, all false if absent."""
    kind = AdvertisingEventProperties(**{"is_connectable": False} | properties)
    return AdvertisingParameters(
        advertising_event_properties=kind, primary_advertising_interval_min=INTERVAL, primary_advertising_interval_max=INTERVAL,
        own_address_type=OwnAddressType.RANDOM, peer_address=peer or Address.ANY, primary_advertising_phy=primary,
        secondary_advertising_phy=secondary, advertising_sid=sid)


async def set_data(device, handle, octets, is_response=False):
    """Sets data of any length, in fragments if it needs them."""
    operations = hci.HCI_LE_Set_Extended_Advertising_Data_Command.Operation
    parts = [octets[start:start + FRAGMENT] for start in range(0, len(octets), FRAGMENT)] or [b""]
    for number, part in enumerate(parts):
        operation = operations.INTERMEDIATE_FRAGMENT
        if len(parts) == 1:
            operation = operations.COMPLETE_DATA
        elif number == 0:
            operation = operations.FIRST_FRAGMENT
        elif number == len(parts) - 1:
            operation = operations.LAST_FRAGMENT
        if is_response:
            command = hci.HCI_LE_Set_Extended_Scan_Response_Data_Command(
                advertising_handle=handle, operation=operation, fragment_preference=1, scan_response_data=part)
        else:
            command = hci.HCI_LE_Set_Extended_Advertising_Data_Command(
                advertising_handle=handle, operation=operation, fragment_preference=1, advertising_data=part)
        await device.send_sync_command(command)


async def advertise(device, address, data=b"", response=b"", is_started=True, auto_restart=False, **options):
    """Starts a set with its own random address. `options` are those of `parameters`."""
    made = await device.create_advertising_set(
        parameters(**options), random_address=Address(address), auto_start=False, auto_restart=auto_restart)
    if data:
        await set_data(device, made.advertising_handle, data)
    if response:
        await set_data(device, made.advertising_handle, response, is_response=True)
    if is_started:
        await made.start()
    return made


async def remove(made):
    """Stops a set if it advertises, and removes it: a controller refuses to remove a set that advertises (Vol 4, Part E, 7.8.59)."""
    if made.enabled:
        await made.stop()
    await made.remove()


class Reports:
    """The advertisements that a host receives, joined from their reports."""

    def __init__(self, device):
        self.whole = []
        self._parts = {}
        self._came = asyncio.Event()
        device.host.on("advertising_report", self._receive)

    def _receive(self, report):
        kind = int(report.event_type)
        key = (str(report.address), report.advertising_sid, bool(kind & 0x08))
        octets = self._parts.pop(key, b"") + bytes(report.data)
        if kind & 0x60 == MORE_TO_COME:
            self._parts[key] = octets
            return
        self.whole.append({
            "address": str(report.address).split("/")[0], "type": int(report.address.address_type), "event": kind,
            "primary": int(report.primary_phy), "secondary": int(report.secondary_phy), "sid": report.advertising_sid,
            "power": report.tx_power, "target": str(report.direct_address).split("/")[0], "data": octets})
        self._came.set()

    async def _until(self, condition, limit):
        """Waits for advertisements until `condition` is true. Returns whether it is within `limit` seconds."""
        end = asyncio.get_running_loop().time() + limit
        while not condition() and (left := end - asyncio.get_running_loop().time()) > 0:
            self._came.clear()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._came.wait(), left)
        return condition()

    async def wait_for(self, expected, limit):
        """Waits for an advertisement that has these fields. Returns the fields of the one that fits best."""
        def fitting():
            return [{name: found[name] for name in expected} for found in self.whole]

        await self._until(lambda: expected in fitting(), limit)
        return max(fitting(), key=lambda found: sum(found[name] == value for name, value in expected.items()), default=None)

    async def more(self, count, limit):
        """Waits for `count` further advertisements."""
        before = len(self.whole)
        return await self._until(lambda: len(self.whole) >= before + count, limit)


# MARK: Links


async def connect(device, address, limit):
    """Connects to a set on any PHY."""
    preferences = {phy: ConnectionParametersPreferences() for phy in (hci.Phy.LE_1M, hci.Phy.LE_2M, hci.Phy.LE_CODED)}
    return await device.connect(Address(address), connection_parameters_preferences=preferences, timeout=limit)


async def name_over(connection):
    """The device name of the peer, which Bumble reads as a GATT client."""
    peer = Peer(connection)
    await peer.discover_services()
    [service] = [service for service in peer.services if service.uuid.to_hex_str() == "1800"]
    await service.discover_characteristics()
    [name] = [found for found in service.characteristics if found.uuid.to_hex_str().upper() == "2A00"]
    return bytes(await name.read_value())


async def phy_of(connection, expected, limit=5):
    """The PHYs of a link, which may change to the expected one."""
    for _ in range(limit * 10):
        phy = await connection.get_phy()
        found = (int(phy.tx_phy), int(phy.rx_phy))
        if found == (expected, expected):
            break
        await asyncio.sleep(0.1)
    return found
