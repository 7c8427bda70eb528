"""A stand-in for NetworkManager on a bus of its own, with dbus-fast: one wireless device, and the networks "home" (WPA2), "open" and "modern" (WPA3)."""

import asyncio
import json
import sys

from dbus_fast import BusType, Message, MessageType, RequestNameReply, Variant
from dbus_fast.aio import MessageBus

NAME = "org.freedesktop.NetworkManager"
PASSWORD = "correct horse"
PROPERTIES = {
    ("/org/freedesktop/NetworkManager/Devices/1", "DeviceType"): Variant("u", 14),
    ("/org/freedesktop/NetworkManager/Devices/2", "DeviceType"): Variant("u", 2),
    ("/ap/1", "Ssid"): Variant("ay", b"home"), ("/ap/1", "Strength"): Variant("y", 80),
    ("/ap/1", "Flags"): Variant("u", 1), ("/ap/1", "RsnFlags"): Variant("u", 0x188), ("/ap/1", "WpaFlags"): Variant("u", 0),
    ("/ap/2", "Ssid"): Variant("ay", b"open"), ("/ap/2", "Strength"): Variant("y", 30),
    ("/ap/2", "Flags"): Variant("u", 0), ("/ap/2", "RsnFlags"): Variant("u", 0), ("/ap/2", "WpaFlags"): Variant("u", 0),
    ("/ap/3", "Ssid"): Variant("ay", b"modern"), ("/ap/3", "Strength"): Variant("y", 60),
    ("/ap/3", "Flags"): Variant("u", 1), ("/ap/3", "RsnFlags"): Variant("u", 0x488), ("/ap/3", "WpaFlags"): Variant("u", 0),
    ("/ip", "AddressData"): Variant("aa{sv}", [{"address": Variant("s", "192.0.2.55"), "prefix": Variant("u", 24)}]),
}


def report(**record):
    print(json.dumps(record), flush=True)


class Stand:
    def __init__(self, bus):
        self.bus = bus
        self.is_right = False

    def answer(self, message):
        """The signature and the values of the reply."""
        body = message.body
        if message.member == "GetDevices":
            return "ao", [[path for path, name in PROPERTIES if name == "DeviceType"]]
        if message.member == "GetAllAccessPoints":
            return "ao", [["/ap/1", "/ap/2", "/ap/3"]]
        if message.member == "AddAndActivateConnection":
            settings, device, point = body
            plain = {
                group: {key: value.value if not isinstance(value.value, bytes) else value.value.decode() for key, value in values.items()}
                for group, values in settings.items()}
            report(event="join", device=device, settings=plain)
            self.is_right = plain.get("802-11-wireless-security", {}).get("psk") == PASSWORD
            return "oo", ["/settings/1", "/active/1"]
        if message.member == "Delete":
            report(event="deleted", path=message.path)
            return "", []
        if message.member == "DeactivateConnection":
            return "", []
        if message.member == "Get":
            name = body[1]
            if name == "State":
                # Activating; a signal tells the end.
                asyncio.get_running_loop().call_soon(self.end, message.path)
                return "v", [Variant("u", 1)]
            if name == "Ip4Config":
                return "v", [Variant("o", "/ip")]
            return "v", [PROPERTIES[(message.path, name)]]
        if message.member == "GetAll":
            return "a{sv}", [{name: value for (path, name), value in PROPERTIES.items() if path == message.path}]
        return None

    def end(self, path):
        """Reports the state activated, or deactivated."""
        state = 2 if self.is_right else 4
        self.bus.send(
            Message.new_signal(path, "org.freedesktop.NetworkManager.Connection.Active", "StateChanged", "uu", [state, 0]))


async def main():
    bus = await MessageBus(bus_address=sys.argv[1], bus_type=BusType.SYSTEM).connect()
    stand = Stand(bus)

    def handle(message):
        if message.message_type is not MessageType.METHOD_CALL or message.interface == "org.freedesktop.DBus":
            return None
        found = stand.answer(message)
        if found is None:
            return Message.new_error(message, "org.freedesktop.DBus.Error.UnknownMethod", message.member)
        return Message.new_method_return(message, *found)

    bus.add_message_handler(handle)
    assert await bus.request_name(NAME) == RequestNameReply.PRIMARY_OWNER
    report(event="ready")
    await bus.wait_for_disconnect()


asyncio.run(main())
