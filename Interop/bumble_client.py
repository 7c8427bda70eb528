"""A GATT client on Bumble's host. usage: bumble_client.py TRANSPORT (such as tcp-client:127.0.0.1:6501)"""

import asyncio
import logging
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

import plan

logging.basicConfig(level=logging.ERROR)
DEADLINE = 90
MTU = 100


async def find(device):
    """The address of the device that advertises our service."""
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


async def receive(characteristic, count, unsubscribe):
    """Subscribes and returns the values that came when there are `count` of them."""
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
        pass  # the comparison tells what is missing
    if unsubscribe:
        await characteristic.unsubscribe(changed)
    return values


async def main():
    report = plan.Report()
    async with await open_transport(sys.argv[1]) as transport:
        device = Device.with_hci("client", Address("F0:F1:F2:F3:F4:0B"), transport.source, transport.sink)
        await asyncio.wait_for(device.power_on(), 10)
        await asyncio.wait_for(run(device, report), DEADLINE)
    return 1 if report.failed else 0


async def run(device, report):
    address = await find(device)
    connection = await device.connect(address, own_address_type=OwnAddressType.RANDOM)
    left = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: left.done() or left.set_result(reason))
    peer = Peer(connection)
    mtu = await peer.request_mtu(MTU)
    report.note(f"connected: {address}, ATT_MTU {mtu}")

    services = await peer.discover_service(UUID(plan.SERVICE))
    properties = {}
    found = {}
    for service in services:
        for characteristic in await service.discover_characteristics():
            await characteristic.discover_descriptors()
            uuid = characteristic.uuid.to_hex_str("-").upper()
            properties[uuid] = int(characteristic.properties)
            found[uuid] = characteristic
    report.compare("discovery", properties, plan.PROPERTIES, f"{len(properties)} characteristics with their properties")

    long = found[plan.LONG]
    description = long.get_descriptor(GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR)
    text = (await description.read_value()).decode() if description else None
    report.compare("user description", text, plan.DESCRIPTION, "descriptor 2901 read")

    report.compare("long read", await long.read_value(), plan.READ_VALUE, f"512 octets over ATT_MTU {mtu}")
    await long.write_value(plan.WRITE_VALUE, with_response=True)
    report.compare("long write", await long.read_value(), plan.WRITE_VALUE, "512 octets written and read back")

    notepad = long.get_descriptor(UUID(plan.NOTEPAD))
    if notepad:
        await notepad.write_value(plan.DESCRIPTOR_VALUE, with_response=True)
        report.compare("descriptor write", await notepad.read_value(), plan.DESCRIPTOR_VALUE, "written and read back")

    for command in plan.COMMANDS:
        await found[plan.COMMAND].write_value(command, with_response=False)
    account = await found[plan.ACCOUNT].read_value()
    report.compare("write command", account, b"".join(plan.COMMANDS), "the server accounts for each of them")

    values = await receive(found[plan.NOTIFY], len(plan.NOTIFICATIONS), unsubscribe=True)
    report.compare("notify", values, plan.NOTIFICATIONS, f"{len(values)} notifications in order")
    values = await receive(found[plan.INDICATE], len(plan.INDICATIONS), unsubscribe=False)
    report.compare("indicate", values, plan.INDICATIONS, f"{len(values)} indications in order")

    # An answer to this comes after the last confirmation went out; a disconnection may overtake it.
    await found[plan.ACCOUNT].read_value()
    await connection.disconnect()
    reason = await asyncio.wait_for(left, 10)
    report.compare("disconnection", reason, plan.TERMINATED_BY_LOCAL_HOST, f"the link ended, reason 0x{reason:02X}")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
