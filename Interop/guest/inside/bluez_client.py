"""A GATT client on bluetoothd. usage: bluez_client.py"""

import asyncio
import os
import socket
import sys

from dbus_next import Variant

import plan
from bluez import ADAPTER_INTERFACE, DEVICE_INTERFACE, BlueZ, properties_of

CHARACTERISTIC, DESCRIPTOR = "org.bluez.GattCharacteristic1", "org.bluez.GattDescriptor1"
DEADLINE = 70


def shown(uuid):
    return uuid.upper()


class Client:
    """One link."""

    def __init__(self, bluez, report, path):
        self.bluez, self.report, self.path = bluez, report, path
        self.found, self.descriptors = {}, {}

    async def connect(self):
        for tries in range(3):
            try:
                await self.bluez.call(self.path, DEVICE_INTERFACE, "Connect", deadline=20)
                break
            except (RuntimeError, asyncio.TimeoutError) as error:
                self.report.note(f"connect: {error!r}")
                if tries == 2:
                    raise
        objects = await self.bluez.until(
            lambda objects: objects.get(self.path, {}).get(DEVICE_INTERFACE, {}).get("ServicesResolved"), "the services", 30
        )
        services = [
            path
            for path, interfaces in objects.items()
            if path.startswith(self.path + "/")
            and shown(interfaces.get("org.bluez.GattService1", {}).get("UUID", "")) == plan.SERVICE
        ]
        properties = {}
        for path, interfaces in objects.items():
            if not any(path.startswith(service + "/") for service in services):
                continue
            if CHARACTERISTIC in interfaces:
                characteristic = interfaces[CHARACTERISTIC]
                self.found[shown(characteristic["UUID"])] = path
                properties[shown(characteristic["UUID"])] = properties_of(characteristic["Flags"])
            if DESCRIPTOR in interfaces:
                self.descriptors[shown(interfaces[DESCRIPTOR]["UUID"])] = path
        self.report.compare("discovery", properties, plan.PROPERTIES, f"{len(properties)} characteristics with their properties")

    async def read(self, path, interface=CHARACTERISTIC):
        return bytes((await self.bluez.call(path, interface, "ReadValue", "a{sv}", {})).body[0])

    async def write(self, path, value, kind):
        await self.bluez.call(path, CHARACTERISTIC, "WriteValue", "aya{sv}", value, {"type": Variant("s", kind)})

    async def receive(self, uuid, count):
        """Returns the first `count` values from a file descriptor, because D-Bus merges simultaneous changes of a property."""
        reply = await self.bluez.call(self.found[uuid], CHARACTERISTIC, "AcquireNotify", "a{sv}", {})
        values = []
        with socket.socket(fileno=reply.unix_fds[0]) as channel:
            channel.setblocking(False)
            loop = asyncio.get_running_loop()
            try:
                while len(values) < count:
                    value = await asyncio.wait_for(loop.sock_recv(channel, 1024), 10)
                    if not value:
                        break
                    values.append(value)
            except asyncio.TimeoutError:
                pass  # the comparison tells what is missing
        return values

    async def receive_signals(self, uuid, count):
        """Returns values from signals, because bluetoothd has no file descriptor for indications. Each waits for its confirmation, so D-Bus merges none."""
        values = []
        enough = asyncio.Event()

        def received(message):
            if message.path == self.found[uuid] and message.member == "PropertiesChanged" and "Value" in message.body[1]:
                values.append(bytes(message.body[1]["Value"].value))
                if len(values) == count:
                    enough.set()

        self.bluez.bus.add_message_handler(received)
        rule = f"type='signal',interface='org.freedesktop.DBus.Properties',path='{self.found[uuid]}'"
        await self.bluez.subscribe(rule)
        await self.bluez.call(self.found[uuid], CHARACTERISTIC, "StartNotify")
        try:
            await asyncio.wait_for(enough.wait(), 10)
        except asyncio.TimeoutError:
            pass  # the comparison tells what is missing
        return values

    async def run(self):
        await self.connect()
        description = self.descriptors.get("00002901-0000-1000-8000-00805F9B34FB")
        text = (await self.read(description, DESCRIPTOR)).decode() if description else None
        self.report.compare("user description", text, plan.DESCRIPTION, "descriptor 2901 read")
        long = self.found[plan.LONG]
        self.report.compare("long read", await self.read(long), plan.READ_VALUE, "512 octets")
        await self.write(long, plan.WRITE_VALUE, "request")
        self.report.compare("long write", await self.read(long), plan.WRITE_VALUE, "512 octets written and read back")
        for command in plan.COMMANDS:
            await self.write(self.found[plan.COMMAND], command, "command")
        account = await self.read(self.found[plan.ACCOUNT])
        self.report.compare("write command", account, b"".join(plan.COMMANDS), "the server accounts for each of them")
        values = await self.receive(plan.NOTIFY, len(plan.NOTIFICATIONS))
        self.report.compare("notify", values, plan.NOTIFICATIONS, f"{len(values)} notifications in order")
        values = await self.receive_signals(plan.INDICATE, len(plan.INDICATIONS))
        self.report.compare("indicate", values, plan.INDICATIONS, f"{len(values)} indications in order")
        await self.read(self.found[plan.ACCOUNT])

    async def leave(self):
        await self.bluez.call(self.path, DEVICE_INTERFACE, "Disconnect")
        await self.bluez.call(self.bluez.adapter, ADAPTER_INTERFACE, "RemoveDevice", "o", self.path)


async def find(bluez, report):
    """Returns the path of a device that advertises the service now."""
    for path, interfaces in (await bluez.objects()).items():
        if path.startswith(bluez.adapter) and not interfaces.get(DEVICE_INTERFACE, {}).get("Connected", True):
            await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "RemoveDevice", "o", path)
    criteria = {"Transport": Variant("s", "le"), "UUIDs": Variant("as", [plan.SERVICE.lower()])}
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "SetDiscoveryFilter", "a{sv}", criteria)

    def paths(objects):
        return sorted(
            path
            for path, interfaces in objects.items()
            if path.startswith(bluez.adapter)
            and not interfaces.get(DEVICE_INTERFACE, {}).get("Connected", True)
            and plan.SERVICE.lower() in interfaces.get(DEVICE_INTERFACE, {}).get("UUIDs", [])
        )

    # btvirt reports an advertiser only when it starts or when a scan starts, and the kernel drops reports that arrive before it has told
    # bluetoothd about the scan. The scan therefore starts first.
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "StartDiscovery")
    await bluez.discovering()
    report.note("SCANNING")
    objects = await bluez.until(paths, "the advertisement", 40)
    report.note("FOUND")
    end = asyncio.get_running_loop().time() + 60
    while (path := os.environ.get("INTEROP_GO")) and not os.path.exists(path):
        if asyncio.get_running_loop().time() > end:
            raise RuntimeError(f"{path} did not come within 60 s")
        await asyncio.sleep(0.1)
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "StopDiscovery")
    (path, *_) = paths(objects)
    device = objects[path][DEVICE_INTERFACE]
    print(f"found {device['Address']} ({device['AddressType']}), {device.get('Name')}", flush=True)
    return path


async def run(bluez, report):
    path = await find(bluez, report)
    client = Client(bluez, report, path)
    await client.run()
    links = sum(1 for interfaces in (await bluez.objects()).values() if interfaces.get(DEVICE_INTERFACE, {}).get("Connected"))
    expected = int(os.environ.get("INTEROP_LINKS", "1"))
    if expected > 1:
        report.compare("several links", links, expected, f"bluetoothd has {links} links")
    await client.leave()
    objects = await bluez.until(
        lambda objects: not objects.get(path, {}).get(DEVICE_INTERFACE, {}).get("Connected"), "the end of the link", 20
    )
    report.compare("disconnection", objects.get(path), None, "the device is disconnected and removed")


async def main():
    report = plan.Report()
    bluez = await BlueZ.connected()
    await asyncio.wait_for(run(bluez, report), DEADLINE)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
