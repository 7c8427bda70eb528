"""A GATT server on Bumble's host. usage: bumble_server.py TRANSPORT (such as tcp-client:127.0.0.1:6501)"""

import asyncio
import sys

from bumble.core import UUID, AdvertisingData
from bumble.gatt import (
    GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR,
    Characteristic,
    CharacteristicValue,
    Descriptor,
    Service,
)

import bumble_peer
import plan


class Server(bumble_peer.Server):
    def __init__(self, device, report):
        super().__init__(device, report)
        self.long = plan.READ_VALUE
        self.commands = []
        self.updates = {}
        self.subscriptions = {"notify": [], "indicate": []}
        self.sent, self.confirmations = [], bumble_peer.Confirmations(device)

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
                await self.device.indicate_subscriber(connection, self.indicate, value)  # Returns after the confirmation.

    async def serve(self):
        await self.advertise(bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, plan.NAME.encode())])))
        reason = await self.disconnection()
        compare, confirmed = self.report.compare, self.confirmations.count
        compare("write command", self.commands, plan.COMMANDS, f"{len(plan.COMMANDS)} write commands in order")
        compare("indicate", confirmed, len(plan.INDICATIONS), f"{confirmed} confirmations arrived")
        turns = {"notify": [(True, False), (False, False)], "indicate": [(False, True)]}
        compare("subscriptions", self.subscriptions, turns, "one of each kind, and the end of the first")
        compare("descriptor write", bytes(self.notepad.value), plan.DESCRIPTOR_VALUE, "the descriptor has the value")
        self.check_disconnection(reason)
        for task in self.updates.values():
            task.cancel()


async def run(device, report):
    await Server(device, report).serve()


if __name__ == "__main__":
    # Many phones offer an ATT_MTU of 185. The long values take several parts with it.
    bumble_peer.main(run, "F0:F1:F2:F3:F4:0A", sys.argv[1], max_mtu=185)
