"""A GATT server on Bumble's host. usage: bumble_server.py TRANSPORT (such as tcp-client:127.0.0.1:6501)"""

import asyncio
import logging
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import (
    GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR,
    Characteristic,
    CharacteristicValue,
    Descriptor,
    Service,
)
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

import plan

logging.basicConfig(level=logging.ERROR)
DEADLINE = 90


class Server:
    def __init__(self, device, report):
        self.device = device
        self.report = report
        self.long = plan.READ_VALUE
        self.commands = []
        self.updates = {}
        self.subscriptions = {"notify": [], "indicate": []}
        self.sent, self.confirmations = [], 0
        self.gone = asyncio.get_running_loop().create_future()

        def characteristic(uuid, value, permissions, descriptors=()):
            return Characteristic(
                UUID(uuid), Characteristic.Properties(plan.PROPERTIES[uuid]), permissions, value, descriptors
            )

        readable, writable = Characteristic.READABLE, Characteristic.WRITEABLE
        self.notepad = Descriptor(UUID(plan.NOTEPAD), readable | writable, b"")
        long = characteristic(
            plan.LONG,
            CharacteristicValue(read=lambda _: self.long, write=self.write_long),
            readable | writable,
            [
                Descriptor(GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR, readable, plan.DESCRIPTION.encode()),
                self.notepad,
            ],
        )
        command = characteristic(
            plan.COMMAND, CharacteristicValue(write=lambda _, value: self.commands.append(bytes(value))), writable
        )
        account = characteristic(
            plan.ACCOUNT, CharacteristicValue(read=lambda _: b"".join(self.commands)), readable
        )
        self.notify = characteristic(plan.NOTIFY, b"", Characteristic.Permissions(0))
        self.indicate = characteristic(plan.INDICATE, b"", Characteristic.Permissions(0))
        self.notify.on("subscription", lambda *event: self.subscribed("notify", *event))
        self.indicate.on("subscription", lambda *event: self.subscribed("indicate", *event))
        device.add_service(Service(UUID(plan.SERVICE), [long, command, account, self.notify, self.indicate]))
        device.on("connection", self.connected)
        # Sending an indication to a client that has none on returns as if it were confirmed. So the confirmations are counted.
        confirm = device.gatt_server.on_att_handle_value_confirmation

        def confirmed(*arguments):
            self.confirmations += 1
            return confirm(*arguments)

        device.gatt_server.on_att_handle_value_confirmation = confirmed

    def connected(self, connection):
        self.report.note(f"connected: {connection.peer_address}")
        connection.on("disconnection", lambda reason: self.gone.done() or self.gone.set_result(reason))

    def write_long(self, _, value):
        self.long = bytes(value)
        self.report.compare("long write", self.long, plan.WRITE_VALUE, "512 octets arrived in parts")

    def subscribed(self, what, connection, notifies, indicates):
        self.subscriptions[what].append((notifies, indicates))
        if what == "notify" and not notifies:
            self.report.compare("notify", self.sent, plan.NOTIFICATIONS, f"{len(self.sent)} sent before the client unsubscribed")
        if (notifies if what == "notify" else indicates) and what not in self.updates:
            self.updates[what] = asyncio.create_task(self.update(what, connection))

    async def update(self, what, connection):
        if what == "notify":
            for value in plan.NOTIFICATIONS:
                await self.device.notify_subscriber(connection, self.notify, value)
                self.sent.append(value)
        else:
            for value in plan.INDICATIONS:
                await self.device.indicate_subscriber(connection, self.indicate, value)  # returns when confirmed

    async def serve(self):
        structures = AdvertisingData.Type
        await self.device.start_advertising(
            own_address_type=OwnAddressType.RANDOM,
            advertising_data=bytes(
                AdvertisingData(
                    [
                        (structures.FLAGS, bytes([0x06])),
                        (structures.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(plan.SERVICE))),
                    ]
                )
            ),
            scan_response_data=bytes(AdvertisingData([(structures.COMPLETE_LOCAL_NAME, plan.NAME.encode())])),
            advertising_interval_min=50,
            advertising_interval_max=50,
        )
        self.report.note("READY")
        reason = await self.gone
        self.report.compare(
            "write command", self.commands, plan.COMMANDS, f"{len(plan.COMMANDS)} write commands in order"
        )
        self.report.compare("indicate", self.confirmations, len(plan.INDICATIONS), f"{self.confirmations} confirmations came")
        turns = {"notify": [(True, False), (False, False)], "indicate": [(False, True)]}
        self.report.compare("subscriptions", self.subscriptions, turns, "one of each kind, and the first one ended")
        self.report.compare("descriptor write", bytes(self.notepad.value), plan.DESCRIPTOR_VALUE, "the descriptor has the value")
        self.report.compare("disconnection", reason, plan.REMOTE_USER_TERMINATED, f"the client left, reason 0x{reason:02X}")
        for task in self.updates.values():
            task.cancel()


async def main():
    report = plan.Report()
    async with await open_transport(sys.argv[1]) as transport:
        device = Device.with_hci(plan.NAME, Address("F0:F1:F2:F3:F4:0A"), transport.source, transport.sink)
        device.gatt_server.max_mtu = 185  # what many phones offer; the long values need several parts
        await asyncio.wait_for(device.power_on(), 10)
        await asyncio.wait_for(Server(device, report).serve(), DEADLINE)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
