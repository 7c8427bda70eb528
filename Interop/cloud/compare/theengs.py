"""Runs Theengs Gateway with recorded advertisements in place of BlueZ: python theengs.py SOCKET ARGUMENTS ...

Its scanner is bleak's, and only the part for the operating system is replaced: no D-Bus message is received or decoded, and BlueZ's daemon does not run. The
fields of each advertisement have been decoded before, so a number from the socket is enough to deliver one."""

import asyncio
import socket
import struct
import sys

import TheengsGateway
import TheengsGateway.ble_gateway as gateway
from bleak.backends.scanner import AdvertisementData, BaseBleakScanner
from crowd import DEVICES, VARIANTS, address, event, sections

PATH = sys.argv.pop(1)


class Recorded:
    """The fields of one advertisement, as BlueZ reports them."""

    def __init__(self, device, variant):
        self.name, self.manufacturers, self.services = None, {}, {}
        for kind, value in sections(device, variant):
            number = int.from_bytes(value[:2], "little")
            if kind == 0xFF:
                self.manufacturers[number] = value[2:]
            elif kind == 0x16:
                self.services[f"0000{number:04x}-0000-1000-8000-00805f9b34fb"] = value[2:]
            elif kind == 9:
                self.name = value.decode()


class RecordedScanner(BaseBleakScanner):
    def __init__(self, detection_callback=None, **_):
        super().__init__(detection_callback, None)
        self.addresses = [":".join(f"{octet:02X}" for octet in address(device)) for device in range(DEVICES)]
        self.recorded = [[Recorded(device, variant) for variant in range(VARIANTS)] for device in range(DEVICES)]
        self.octets = b""

    async def start(self):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(PATH)
        asyncio.get_running_loop().add_reader(self.connection, self._receive)

    async def stop(self):
        asyncio.get_running_loop().remove_reader(self.connection)

    def _receive(self):
        self.octets += self.connection.recv(4096)
        whole = len(self.octets) // 4 * 4
        for (index,) in struct.iter_unpack("<I", self.octets[:whole]):
            self._deliver(index)
        self.octets = self.octets[whole:]

    def _deliver(self, index):
        device, variant, strength = event(index)
        recorded = self.recorded[device][variant]
        data = AdvertisementData(
            local_name=recorded.name, manufacturer_data=dict(recorded.manufacturers), service_data=dict(recorded.services), service_uuids=[],
            tx_power=None, rssi=strength, platform_data=())
        name = self.addresses[device]
        self.call_detection_callbacks(self.create_or_update_device(name, name, recorded.name, {}, data), data)


gateway.BleakScanner = RecordedScanner
TheengsGateway.main()
