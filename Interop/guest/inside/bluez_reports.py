"""Prints what bluetoothd knows of advertisers, one line of JSON for each. usage: bluez_reports.py NAME ..."""

import asyncio
import json
import sys

from dbus_next import Variant

from bluez import ADAPTER_INTERFACE, DEVICE_INTERFACE, BlueZ


def digits(data):
    """The values of ManufacturerData or ServiceData in hexadecimal digits."""
    return {str(key): bytes(value.value).hex() for key, value in data.items()}


async def main(names):
    bluez = await BlueZ.connected()
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le")})
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "StartDiscovery")

    def devices(objects):
        found = [interfaces[DEVICE_INTERFACE] for interfaces in objects.values() if DEVICE_INTERFACE in interfaces]
        return {device["Name"]: device for device in found if device.get("Name") in names}

    found = devices(await bluez.until(lambda objects: len(devices(objects)) == len(names), "all advertisers", 40))
    # bluetoothd takes all structures of a report before it answers a call.
    for name, device in found.items():
        uuids = sorted(device.get("UUIDs", []))
        print(json.dumps([name, uuids, digits(device.get("ManufacturerData", {})), digits(device.get("ServiceData", {}))]), flush=True)
    await bluez.call(bluez.adapter, ADAPTER_INTERFACE, "StopDiscovery")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
