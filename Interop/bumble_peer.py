"""The common parts of the peers on Bumble's host."""

import asyncio
import logging
import os
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

import bumble_sets
import plan

logging.basicConfig(level=logging.ERROR)
DEADLINE = 90


def main(work, address, transport, max_mtu=None):
    """Runs `work(device, report)` on a device with this random address, and ends the program. The exit code is 0 if no check failed."""

    async def run():
        report = plan.Report()
        async with await open_transport(transport) as hci:
            device = Device.with_hci(plan.NAME, Address(address), hci.source, hci.sink)
            if max_mtu:
                device.gatt_server.max_mtu = max_mtu
            await asyncio.wait_for(device.power_on(), 10)
            await asyncio.wait_for(work(device, report), DEADLINE)
        return 1 if report.failed else 0

    sys.exit(asyncio.run(run()))


def end_of(connection):
    """A future with the reason of the disconnection."""
    end = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: end.done() or end.set_result(reason))
    return end


class Server:
    """A server with one client."""

    def __init__(self, device, report):
        self.device, self.report = device, report
        self.connection, self.end = None, None
        self._connected = asyncio.get_running_loop().create_future()
        device.on("connection", self._accept)

    def _accept(self, connection):
        if self._connected.done():
            return
        self.report.note(f"connected: {connection.peer_address}")
        self.connection, self.end = connection, end_of(connection)
        self._connected.set_result(None)

    async def advertise(self, scan_response=b""):
        """Advertises the service and prints READY. With INTEROP_SECONDARY_PHY it uses an extended set, which has no scan response if it is connectable."""
        types = AdvertisingData.Type
        data = [
            (types.FLAGS, bytes([0x06])),
            (types.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(plan.SERVICE))),
        ]
        if phy := os.environ.get("INTEROP_SECONDARY_PHY"):
            await bumble_sets.advertise(
                self.device, str(self.device.random_address), bytes(AdvertisingData(data)) + scan_response, secondary=int(phy), is_connectable=True)
            self.report.note("READY")
            return
        await self.device.start_advertising(
            own_address_type=OwnAddressType.RANDOM,
            advertising_data=bytes(AdvertisingData(data)),
            scan_response_data=scan_response,
            advertising_interval_min=50,
            advertising_interval_max=50,
        )
        self.report.note("READY")

    async def disconnection(self):
        """Returns the reason for which the client's link ended."""
        await self._connected
        return await self.end

    def check_disconnection(self, reason):
        self.report.compare("disconnection", reason, plan.REMOTE_USER_TERMINATED, f"the client disconnected, reason 0x{reason:02X}")


class Confirmations:
    """Counts Handle Value Confirmations. An indication to a client without a subscription returns as if it were confirmed."""

    def __init__(self, device):
        self.count = 0
        handle = device.gatt_server.on_att_handle_value_confirmation

        def confirmed(*arguments):
            self.count += 1
            return handle(*arguments)

        device.gatt_server.on_att_handle_value_confirmation = confirmed


async def find(device):
    """Returns the address of the device that advertises the service."""
    found = asyncio.get_running_loop().create_future()
    kinds = (
        AdvertisingData.Type.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
        AdvertisingData.Type.INCOMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
    )

    def advertised(advertisement):
        lists = [uuids for kind in kinds for uuids in advertisement.data.get_all(kind)]
        if any(UUID(plan.SERVICE) in uuids for uuids in lists) and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", advertised)
    legacy = not device.supports_le_extended_advertising
    await device.start_scanning(
        legacy=legacy, own_address_type=OwnAddressType.RANDOM, filter_duplicates=False, scan_interval=60, scan_window=60
    )
    address = await asyncio.wait_for(found, 15)
    await device.stop_scanning(legacy=legacy)
    return address


async def connect(device):
    """Finds the server, connects, and returns the connection and the future of its end."""
    connection = await device.connect(await find(device), own_address_type=OwnAddressType.RANDOM)
    return connection, end_of(connection)


async def disconnect(connection, end, report):
    await connection.disconnect()
    reason = await asyncio.wait_for(end, 10)
    report.compare("disconnection", reason, plan.TERMINATED_BY_LOCAL_HOST, f"the link ended, reason 0x{reason:02X}")


async def characteristics(service):
    """Discovers the characteristics of a service with their descriptors, and returns them by UUID."""
    found = {}
    for characteristic in await service.discover_characteristics():
        await characteristic.discover_descriptors()
        found[characteristic.uuid.to_hex_str("-").upper()] = characteristic
    return found


async def receive(characteristic, count, unsubscribe):
    """Subscribes and returns the values that arrive, `count` at most."""
    values = []
    enough = asyncio.Event()

    def changed(value):
        values.append(bytes(value))
        if len(values) == count:
            enough.set()

    await characteristic.subscribe(changed)
    try:
        await asyncio.wait_for(enough.wait(), 10)
    except asyncio.TimeoutError:
        pass  # The comparison reports missing values.
    if unsubscribe:
        await characteristic.unsubscribe(changed)
    return values
