"""The database on Bumble's host: an included service, the smallest ATT_MTU, a service that comes while a client is connected.
usage: bumble_database.py server|client TRANSPORT"""

import asyncio
import logging
import os
import struct
import sys

from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Device, Peer
from bumble.gatt import GATT_SERVICE_CHANGED_CHARACTERISTIC, Characteristic, CharacteristicValue, Service
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

import plan
from bumble_client import find, receive

logging.basicConfig(level=logging.ERROR)
DEADLINE = 90
READ, WRITE = Characteristic.READABLE, Characteristic.WRITEABLE


def constant(uuid, value):
    return Characteristic(UUID(uuid), Characteristic.Properties.READ, READ, value)


class Server:
    def __init__(self, device, report):
        self.device, self.report = device, report
        self.long, self.task = plan.READ_VALUE, None
        self.listens, self.confirmations = [], 0
        self.listening = asyncio.Event()
        self.gone = asyncio.get_running_loop().create_future()
        included = Service(UUID(plan.INCLUDED_SERVICE), [constant(plan.INCLUDED_CHARACTERISTIC, plan.INCLUDED_VALUE)])
        long = Characteristic(
            UUID(plan.LONG), Characteristic.Properties(plan.READ | plan.WRITE), READ | WRITE,
            CharacteristicValue(read=lambda _: self.long, write=self.write_long))
        command = Characteristic(
            UUID(plan.COMMAND), Characteristic.Properties(plan.WRITE_COMMAND), WRITE, CharacteristicValue(write=self.change))
        notify = Characteristic(UUID(plan.NOTIFY), Characteristic.Properties(plan.NOTIFIES), Characteristic.Permissions(0), b"")
        notify.on("subscription", lambda connection, notifies, _: notifies and asyncio.create_task(
            device.notify_subscriber(connection, notify, plan.NOTIFICATIONS[0])))
        # First the service that is included: Bumble would put it into the middle of the other one.
        device.add_service(included)
        device.add_service(Service(UUID(plan.SERVICE), [long, command, notify], included_services=[included]))
        self.changed = device.gatt_service.service_changed_characteristic
        self.changed.on("subscription", self.configured)
        confirm = device.gatt_server.on_att_handle_value_confirmation

        def confirmed(*arguments):
            self.confirmations += 1
            return confirm(*arguments)

        device.gatt_server.on_att_handle_value_confirmation = confirmed
        device.on("connection", self.connected)

    def connected(self, connection):
        self.connection = connection
        connection.on("disconnection", lambda reason: self.gone.done() or self.gone.set_result(reason))

    def configured(self, _, *turned_on):
        self.listens.append(turned_on)
        self.listening.set()

    def write_long(self, _, value):
        self.long = bytes(value)
        self.report.compare("long write with ATT_MTU 23", self.long, plan.WRITE_VALUE, "512 octets arrived in parts")

    def change(self, _, value):
        if bytes(value) == plan.CHANGE and not self.task:
            self.task = asyncio.create_task(self.add_late_service())

    async def add_late_service(self):
        late = Service(UUID(plan.LATE_SERVICE), [constant(plan.LATE_CHARACTERISTIC, plan.LATE_VALUE)])
        self.device.add_service(late)
        # Our host listens for Service Changed behind what its program asks for, and Bumble tells only those who listen.
        await asyncio.wait_for(self.listening.wait(), 20)
        value = struct.pack("<HH", late.handle, late.end_group_handle)
        await self.device.indicate_subscriber(self.connection, self.changed, value)

    async def serve(self):
        types = AdvertisingData.Type
        data = [
            (types.FLAGS, bytes([0x06])),
            (types.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(plan.SERVICE))),
        ]
        await self.device.start_advertising(
            own_address_type=OwnAddressType.RANDOM, advertising_data=bytes(AdvertisingData(data)),
            advertising_interval_min=50, advertising_interval_max=50)
        self.report.note("READY")
        reason = await self.gone
        self.report.compare("ATT_MTU 23", self.connection.att_mtu, plan.SMALLEST_MTU, "the link kept the smallest ATT_MTU")
        got = (self.listens[:1], self.confirmations)
        self.report.compare("Service Changed", got, ([(False, True)], 1), "the client listens for it, and confirmed it once")
        self.report.compare("disconnection", reason, plan.REMOTE_USER_TERMINATED, f"the client left, reason 0x{reason:02X}")


async def run_client(device, report):
    address = await find(device)
    connection = await device.connect(address, own_address_type=OwnAddressType.RANDOM)
    left = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: left.done() or left.set_result(reason))
    peer = Peer(connection)  # asks for no other ATT_MTU
    await peer.discover_services()
    [main] = peer.get_services_by_uuid(UUID(plan.SERVICE))
    [generic] = peer.get_services_by_uuid(UUID("1801"))
    included = await peer.discover_included_services(main)
    values = []
    for service in included:
        for characteristic in await service.discover_characteristics():
            values.append((service.uuid, characteristic.uuid, await characteristic.read_value()))
    expected = [(UUID(plan.INCLUDED_SERVICE), UUID(plan.INCLUDED_CHARACTERISTIC), plan.INCLUDED_VALUE)]
    report.compare("included service", values, expected, "found by its inclusion, and read")

    found = {}
    for characteristic in await main.discover_characteristics():
        await characteristic.discover_descriptors()
        found[characteristic.uuid.to_hex_str("-").upper()] = characteristic
    long = found[plan.LONG]
    report.compare("long read with ATT_MTU 23", await long.read_value(), plan.READ_VALUE, "512 octets")
    await long.write_value(plan.WRITE_VALUE, with_response=True)
    report.compare("long write with ATT_MTU 23", await long.read_value(), plan.WRITE_VALUE, "512 octets written and read back")
    values = await receive(found[plan.NOTIFY], 1, unsubscribe=False)
    report.compare("notify with ATT_MTU 23", values, plan.NOTIFICATIONS[:1], "20 octets, the most that fit")
    report.compare("ATT_MTU 23", connection.att_mtu, plan.SMALLEST_MTU, "the link kept the smallest ATT_MTU")

    if os.environ.get("INTEROP_PAIRS") == "no":
        try:
            await asyncio.wait_for(connection.pair(), 10)
            got = "paired"
        except ProtocolError as failure:
            got = failure.error_code
        report.compare("pairing is refused", got, plan.PAIRING_NOT_SUPPORTED, "Pairing Not Supported, and the link goes on")

    [changed] = await generic.discover_characteristics([GATT_SERVICE_CHANGED_CHARACTERISTIC])
    await changed.discover_descriptors()
    ranges = asyncio.Queue()
    await changed.subscribe(lambda value: ranges.put_nowait(bytes(value)), prefer_notify=False)
    await found[plan.COMMAND].write_value(plan.CHANGE, with_response=False)
    first, last = struct.unpack("<HH", await asyncio.wait_for(ranges.get(), 10))
    known = max(service.end_group_handle for service in peer.services)
    late = [service for service in await peer.discover_services() if service.uuid == UUID(plan.LATE_SERVICE)]
    got = []
    for service in late:
        inside = known < service.handle and first <= service.handle and service.end_group_handle <= last
        for characteristic in await service.discover_characteristics():
            got.append((inside, characteristic.uuid, await characteristic.read_value()))
    expected = [(True, UUID(plan.LATE_CHARACTERISTIC), plan.LATE_VALUE)]
    report.compare("Service Changed", got, expected, f"handles {first} to {last} have a new service, and it was read")
    await connection.disconnect()
    reason = await asyncio.wait_for(left, 10)
    report.compare("disconnection", reason, plan.TERMINATED_BY_LOCAL_HOST, f"the link ended, reason 0x{reason:02X}")


async def main():
    report = plan.Report()
    role, address = sys.argv[1], sys.argv[2]
    async with await open_transport(address) as transport:
        own = Address("F0:F1:F2:F3:F4:0E" if role == "server" else "F0:F1:F2:F3:F4:0F")
        device = Device.with_hci(plan.NAME, own, transport.source, transport.sink)
        device.gatt_server.max_mtu = plan.SMALLEST_MTU
        await asyncio.wait_for(device.power_on(), 10)
        work = Server(device, report).serve() if role == "server" else run_client(device, report)
        await asyncio.wait_for(work, DEADLINE)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
