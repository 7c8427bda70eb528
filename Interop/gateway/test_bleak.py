"""Programs that use Bleak, unchanged, over `bluelab gateway`: bleak-esphome and habluetooth carry them, as in Home Assistant."""

import asyncio

import bleak
import pytest
from commands import LIMIT
from conftest import home_assistant
from habluetooth import HaBleakClientWrapper, HaBleakScannerWrapper

KEY = "QRTIErOb/fcE9Ukd/5qA3RGYMn0Y+p06U58SCtOXvPc="
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
LOCATION = "00002a38-0000-1000-8000-00805f9b34fb"


def test_a_bleak_program_scans_connects_reads_and_listens(gateway, serve, radio):
    serve("heart-rate")
    served = gateway(key=KEY)

    async def main():
        async with home_assistant(served, KEY):
            async with HaBleakScannerWrapper() as scanner:
                device = None
                async with asyncio.timeout(LIMIT):
                    while device is None:
                        device = next((d for d in scanner.discovered_devices if (d.name or "").startswith("Pulse")), None)
                        await asyncio.sleep(0.1)
            heard = asyncio.Queue()
            async with HaBleakClientWrapper(device, timeout=LIMIT) as peer:
                assert peer.is_connected
                assert peer.services.get_characteristic(LOCATION) is not None
                assert await peer.read_gatt_char(LOCATION) == bytearray([1])
                await peer.start_notify(MEASUREMENT, lambda sender, value: heard.put_nowait((sender.uuid, bytes(value))))
                uuid, value = await asyncio.wait_for(heard.get(), LIMIT)
                assert uuid == MEASUREMENT and len(value) >= 2
                await peer.stop_notify(MEASUREMENT)
                with pytest.raises(bleak.exc.BleakError):
                    await peer.write_gatt_char(LOCATION, b"\x01", response=True)
            await asyncio.to_thread(radio.wait_for, lambda found: found["name"] == "heart-rate" and not found["links"])

    asyncio.run(main())
