"""The attribute database on Bumble's host: an included service, the smallest ATT_MTU, a service that the server adds during a
connection. usage: bumble_database.py server|client TRANSPORT"""

import asyncio
import os
import struct
import sys

from bumble import crypto
from bumble.core import UUID, ProtocolError
from bumble.device import Peer
from bumble.gatt import (
    GATT_CLIENT_SUPPORTED_FEATURES_CHARACTERISTIC, GATT_DATABASE_HASH_CHARACTERISTIC, GATT_SERVICE_CHANGED_CHARACTERISTIC,
    Characteristic, CharacteristicValue, Service)

import bumble_peer
import plan

READ, WRITE = Characteristic.READABLE, Characteristic.WRITEABLE


def constant(uuid, value):
    return Characteristic(UUID(uuid), Characteristic.Properties.READ, READ, value)


class Server(bumble_peer.Server):
    def __init__(self, device, report):
        super().__init__(device, report)
        self.long, self.task = plan.READ_VALUE, None
        self.subscriptions, self.confirmations = [], bumble_peer.Confirmations(device)
        self.subscribed = asyncio.Event()
        included = Service(UUID(plan.INCLUDED_SERVICE), [constant(plan.INCLUDED_CHARACTERISTIC, plan.INCLUDED_VALUE)])
        long = Characteristic(
            UUID(plan.LONG), Characteristic.Properties(plan.READ | plan.WRITE), READ | WRITE,
            CharacteristicValue(read=lambda _: self.long, write=self.write_long))
        command = Characteristic(
            UUID(plan.COMMAND), Characteristic.Properties(plan.WRITE_COMMAND), WRITE, CharacteristicValue(write=self.change))
        notify = Characteristic(UUID(plan.NOTIFY), Characteristic.Properties(plan.NOTIFIES), Characteristic.Permissions(0), b"")
        notify.on("subscription", lambda connection, notifies, _: notifies and asyncio.create_task(
            device.notify_subscriber(connection, notify, plan.NOTIFICATIONS[0])))
        # Bumble would insert the included service into the other one if it came second.
        device.add_service(included)
        device.add_service(Service(UUID(plan.SERVICE), [long, command, notify], included_services=[included]))
        self.changed = device.gatt_service.service_changed_characteristic
        self.changed.on("subscription", self.configured)

    def configured(self, _, *turned_on):
        self.subscriptions.append(turned_on)
        self.subscribed.set()

    def write_long(self, _, value):
        self.long = bytes(value)
        self.report.compare("long write with ATT_MTU 23", self.long, plan.WRITE_VALUE, "512 octets arrived in parts")

    def change(self, _, value):
        if bytes(value) == plan.CHANGE and not self.task:
            self.task = asyncio.create_task(self.add_late_service())

    async def add_late_service(self):
        late = Service(UUID(plan.LATE_SERVICE), [constant(plan.LATE_CHARACTERISTIC, plan.LATE_VALUE)])
        self.device.add_service(late)
        # The host subscribes to Service Changed after the requests of its program, and Bumble indicates only to subscribers.
        await asyncio.wait_for(self.subscribed.wait(), 20)
        value = struct.pack("<HH", late.handle, late.end_group_handle)
        await self.device.indicate_subscriber(self.connection, self.changed, value)

    async def serve(self):
        await self.advertise()
        reason = await self.disconnection()
        self.report.compare("ATT_MTU 23", self.connection.att_mtu, plan.SMALLEST_MTU, "the link kept the smallest ATT_MTU")
        got = (self.subscriptions[:1], self.confirmations.count)
        self.report.compare("Service Changed", got, ([(False, True)], 1), "the client subscribed and confirmed once")
        self.check_disconnection(reason)


async def hash_of(peer):
    """Computes the Database Hash from all attributes of the server (Vol 3, Part G, 7.3.1)."""
    message = b""
    for attribute in await peer.discover_attributes():
        kind = attribute.type.to_bytes()
        if len(kind) != 2:
            continue
        number = int.from_bytes(kind, "little")
        if number in range(0x2800, 0x2804) or number == 0x2900:
            message += struct.pack("<H", attribute.handle) + kind + await attribute.read_value()
        elif number in range(0x2901, 0x2906):
            message += struct.pack("<H", attribute.handle) + kind
    return crypto.aes_cmac(message, bytes(16))[::-1]


async def check_hash(peer, report, detail):
    values = await peer.gatt_client.read_characteristics_by_uuid(GATT_DATABASE_HASH_CHARACTERISTIC, None)
    report.compare("Database Hash", values, [await hash_of(peer)], detail)
    return values


async def announce_robust_caching(generic, report):
    """Sets the bit in Client Supported Features, which the server does not clear again."""
    [features] = await generic.discover_characteristics([GATT_CLIENT_SUPPORTED_FEATURES_CHARACTERISTIC])
    await features.write_value(b"\x01", with_response=True)
    try:
        await features.write_value(b"\x00", with_response=True)
        error = 0
    except ProtocolError as failure:
        error = failure.error_code
    got = (await features.read_value(), error)
    report.compare("robust caching", got, (b"\x01", plan.VALUE_NOT_ALLOWED), "announced, and the bit cannot be cleared")


async def run_client(device, report):
    connection, end = await bumble_peer.connect(device)
    peer = Peer(connection)  # It requests no other ATT_MTU.
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

    found = await bumble_peer.characteristics(main)
    long = found[plan.LONG]
    report.compare("long read with ATT_MTU 23", await long.read_value(), plan.READ_VALUE, "512 octets")
    await long.write_value(plan.WRITE_VALUE, with_response=True)
    report.compare("long write with ATT_MTU 23", await long.read_value(), plan.WRITE_VALUE, "512 octets written and read back")
    values = await bumble_peer.receive(found[plan.NOTIFY], 1, unsubscribe=False)
    report.compare("notify with ATT_MTU 23", values, plan.NOTIFICATIONS[:1], "20 octets, the most that fit")
    report.compare("ATT_MTU 23", connection.att_mtu, plan.SMALLEST_MTU, "the link kept the smallest ATT_MTU")

    if os.environ.get("INTEROP_SERVER") == "ours":
        await asyncio.wait_for(connection.pair(), 20)
        report.check("pairing", connection.is_encrypted, "the link is encrypted")
        await announce_robust_caching(generic, report)
    before = await check_hash(peer, report, "the server's hash is that of its attributes")

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
    # The confirmation of Service Changed tells the server that this client knows about the change.
    after = await check_hash(peer, report, "after the change as well")
    report.check("Database Hash", before != after, "the change has another hash")
    await bumble_peer.disconnect(connection, end, report)


async def run(device, report):
    await (Server(device, report).serve() if ROLE == "server" else run_client(device, report))


if __name__ == "__main__":
    ROLE = sys.argv[1]
    bumble_peer.main(run, "F0:F1:F2:F3:F4:0E" if ROLE == "server" else "F0:F1:F2:F3:F4:0F", sys.argv[2], max_mtu=plan.SMALLEST_MTU)
