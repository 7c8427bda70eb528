"""The common parts of server and client on bluetoothd: the bus and its objects."""

import asyncio

from dbus_next import BusType, Message, MessageType, Variant
from dbus_next.aio import MessageBus

SERVICE = "org.bluez"
ADAPTER_INTERFACE = "org.bluez.Adapter1"
DEVICE_INTERFACE = "org.bluez.Device1"
FLAGS = {"read": 0x02, "write-without-response": 0x04, "write": 0x08, "notify": 0x10, "indicate": 0x20}


class BlueZ:
    """Calls methods by name, without introspection, because the guest is slow."""

    def __init__(self, bus):
        self.bus = bus

    @staticmethod
    async def connected(adapter="hci0"):
        bluez = BlueZ(await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect())
        bluez.adapter = f"/org/bluez/{adapter}"
        await bluez.until(lambda objects: bluez.adapter in objects, "the adapter", 15)
        await bluez.set(bluez.adapter, ADAPTER_INTERFACE, "Powered", Variant("b", True))
        return bluez

    async def call(self, path, interface, member, signature="", *body, deadline=20):
        message = Message(
            destination=SERVICE, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
        reply = await asyncio.wait_for(self.bus.call(message), deadline)
        if reply.message_type == MessageType.ERROR:
            raise RuntimeError(f"{member}: {reply.error_name}: {reply.body}")
        return reply

    async def subscribe(self, rule):
        message = Message("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", signature="s", body=[rule])
        await self.bus.call(message)

    async def set(self, path, interface, name, value):
        await self.call(path, "org.freedesktop.DBus.Properties", "Set", "ssv", interface, name, value)

    async def objects(self):
        """path: {interface: {property: value}}"""
        reply = await self.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        return {
            path: {
                interface: {name: value.value for name, value in properties.items()}
                for interface, properties in interfaces.items()
            }
            for path, interfaces in reply.body[0].items()
        }

    async def until(self, condition, what, deadline=15):
        """Returns the objects when they fulfil `condition`."""
        end = asyncio.get_running_loop().time() + deadline
        while True:
            try:
                objects = await self.objects()
                if condition(objects):
                    return objects
            except RuntimeError:
                pass  # bluetoothd is not there yet
            if asyncio.get_running_loop().time() > end:
                raise RuntimeError(f"{what} did not come within {deadline} s")
            await asyncio.sleep(0.1)

    async def discovering(self):
        """Returns when the kernel has told bluetoothd about its scan."""
        await self.until(lambda objects: objects.get(self.adapter, {}).get(ADAPTER_INTERFACE, {}).get("Discovering"), "the scan", 20)


def properties_of(flags):
    return sum(FLAGS.get(flag, 0) for flag in flags)
