"""A GATT server in bluetoothd, registered over D-Bus. usage: bluez_server.py [ADAPTER]"""

import asyncio
import os
import sys

from dbus_next import PropertyAccess, Variant
from dbus_next.service import ServiceInterface, dbus_property, method

import plan
from bluez import ADAPTER_INTERFACE, DEVICE_INTERFACE, BlueZ

ROOT = "/interop"
USER_DESCRIPTION = "00002901-0000-1000-8000-00805f9b34fb"
DEADLINE = 60
WRITE_LENGTH = int(os.environ.get("INTEROP_WRITE_LENGTH", "512"))
# The PHY of extended advertising. Without it BlueZ sends legacy packets.
SECONDARY = os.environ.get("INTEROP_SECONDARY", "")


class Service(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.GattService1")

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return plan.SERVICE.lower()

    @dbus_property(access=PropertyAccess.READ)
    def Primary(self) -> "b":
        return True


class Attribute(ServiceInterface):
    """Characteristic and descriptor: `parent` is (name of the property, path)."""

    def __init__(self, kind, uuid, flags, read=None, write=None):
        super().__init__(f"org.bluez.{kind}")
        self.uuid, self.flags, self.read, self.write = uuid.lower(), flags, read, write

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return self.uuid

    @dbus_property(access=PropertyAccess.READ)
    def Flags(self) -> "as":
        return self.flags

    @method()
    def ReadValue(self, options: "a{sv}") -> "ay":
        offset = options["offset"].value if "offset" in options else 0
        return bytes(self.read()[offset:])

    @method()
    def WriteValue(self, value: "ay", options: "a{sv}"):
        self.write(bytes(value), options["offset"].value if "offset" in options else 0)


class Descriptor(Attribute):
    def __init__(self, characteristic, *arguments, **named):
        super().__init__("GattDescriptor1", *arguments, **named)
        self.characteristic = characteristic

    @dbus_property(access=PropertyAccess.READ)
    def Characteristic(self) -> "o":
        return self.characteristic


class Characteristic(Attribute):
    def __init__(self, *arguments, started=None, stopped=None, **named):
        super().__init__("GattCharacteristic1", *arguments, **named)
        self.started, self.stopped, self.value, self.confirmations = started, stopped, b"", asyncio.Queue()

    @dbus_property(access=PropertyAccess.READ)
    def Service(self) -> "o":
        return ROOT + "/service0"

    @dbus_property(access=PropertyAccess.READ)
    def Value(self) -> "ay":
        return self.value

    @method()
    def StartNotify(self):
        if self.started:
            self.started()

    @method()
    def StopNotify(self):
        if self.stopped:
            self.stopped()

    @method()
    def Confirm(self):
        self.confirmations.put_nowait(True)

    def update(self, value):
        self.value = value
        self.emit_properties_changed({"Value": value})


class Advertisement(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.LEAdvertisement1")

    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(access=PropertyAccess.READ)
    def ServiceUUIDs(self) -> "as":
        return [plan.SERVICE.lower()]

    @dbus_property(access=PropertyAccess.READ)
    def LocalName(self) -> "s":
        return plan.NAME

    @dbus_property(access=PropertyAccess.READ, disabled=not SECONDARY)
    def SecondaryChannel(self) -> "s":
        return SECONDARY

    @method()
    def Release(self):
        pass


class Server:
    def __init__(self, bluez, report):
        self.bluez, self.report = bluez, report
        self.long, self.notepad = plan.READ_VALUE, b""
        self.commands, self.parts, self.tasks = [], [], {}
        self.sent, self.confirmed, self.turns = [], [], {"notify": [], "indicate": []}

    def export(self):
        def at(path, interface):
            self.bluez.bus.export(path, interface)
            return interface

        at(ROOT + "/service0", Service())
        base = ROOT + "/service0/char"
        at(base + "0", Characteristic(plan.LONG, ["read", "write"], lambda: self.long, self.write_long))
        at(base + "0/desc0", Descriptor(base + "0", USER_DESCRIPTION, ["read"], lambda: plan.DESCRIPTION.encode()))
        at(base + "0/desc1", Descriptor(base + "0", plan.NOTEPAD, ["read", "write"], lambda: self.notepad, self.write_notepad))
        at(base + "1", Characteristic(plan.COMMAND, ["write-without-response"], write=lambda value, _: self.commands.append(value)))
        at(base + "2", Characteristic(plan.ACCOUNT, ["read"], lambda: b"".join(self.commands)))
        self.notify = at(base + "3", Characteristic(plan.NOTIFY, ["notify"], **self.turns_of("notify")))
        self.indicate = at(base + "4", Characteristic(plan.INDICATE, ["indicate"], **self.turns_of("indicate")))
        at("/advertisement", Advertisement())

    def write_long(self, value, offset):
        self.parts.append((offset, len(value)))
        self.long = (self.long if offset else b"")[:offset] + value
        if len(self.long) == WRITE_LENGTH:
            expected = plan.WRITE_VALUE[:WRITE_LENGTH]
            self.report.compare("long write", self.long, expected, f"{WRITE_LENGTH} octets, {self.parts}")

    def write_notepad(self, value, offset):
        self.notepad = self.notepad[:offset] + value

    def turns_of(self, what):
        return {"started": lambda: self.start(what), "stopped": lambda: self.stop(what)}

    def stop(self, what):
        self.turns[what].append("stop")
        if what == "notify":
            self.report.compare("notify", self.sent, plan.NOTIFICATIONS, f"{len(self.sent)} sent before the client unsubscribed")

    def start(self, what):
        self.turns[what].append("start")
        if what not in self.tasks:
            self.tasks[what] = asyncio.create_task(self.update(what))

    async def update(self, what):
        if what == "notify":
            for value in plan.NOTIFICATIONS:
                self.notify.update(value)
                self.sent.append(value)
                await asyncio.sleep(0.005)  # check-tests: wait: one signal for each value.
            return
        for value in plan.INDICATIONS:
            self.indicate.update(value)
            await asyncio.wait_for(self.indicate.confirmations.get(), 10)
            self.confirmed.append(value)

    async def serve(self):
        self.export()
        await self.bluez.call(
            self.bluez.adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", ROOT, {}
        )
        await self.bluez.call(
            self.bluez.adapter, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "oa{sv}", "/advertisement", {}
        )
        self.report.note("READY")

        def links(objects):
            return [path for path, interfaces in objects.items() if interfaces.get(DEVICE_INTERFACE, {}).get("Connected")]

        clients = links(await self.bluez.until(links, "a client", 30))
        objects = await self.bluez.until(lambda objects: not links(objects), "the client's end", 60)
        self.report.compare("write command", self.commands, plan.COMMANDS, f"{len(plan.COMMANDS)} write commands in order")
        self.report.compare("indicate", self.confirmed, plan.INDICATIONS, f"{len(self.confirmed)} indications confirmed")
        turns = {what: events[:1] for what, events in self.turns.items()}
        self.report.compare("subscriptions", turns, {"notify": ["start"], "indicate": ["start"]}, f"{self.turns}")
        # This version of BlueZ reports the disconnection of the device over D-Bus, without a reason.
        left = [path for path in clients if not objects.get(path, {}).get(DEVICE_INTERFACE, {}).get("Connected")]
        self.report.compare("disconnection", left, clients, f"{len(clients)} client came, and left")
        for task in self.tasks.values():
            task.cancel()
        for path, interfaces in objects.items():
            if DEVICE_INTERFACE in interfaces:
                await self.bluez.call(self.bluez.adapter, ADAPTER_INTERFACE, "RemoveDevice", "o", path)


async def main():
    report = plan.Report()
    bluez = await BlueZ.connected(*sys.argv[1:])
    await asyncio.wait_for(Server(bluez, report).serve(), DEADLINE)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
