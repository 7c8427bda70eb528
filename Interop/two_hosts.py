"""Two Bumble hosts in one process, each on its own controller. Each receives the other's advertisement; then they connect, and one reads a
long value of the other. usage: two_hosts.py TRANSPORT TRANSPORT"""

import asyncio
import logging
import sys

from bumble import gatt
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.hci import Address, OwnAddressType
from bumble.transport import open_transport

import plan

logging.basicConfig(level=logging.ERROR)
VALUE = bytes(range(200))
CHARACTERISTIC = "D901B45B-4916-412E-ACCA-376ECB603B2C"


async def sees(report, scanner, advertiser):
    """Checks that `scanner` receives the name of `advertiser` within 5 s."""
    name = f"dev-{advertiser.name}"
    seen = asyncio.get_running_loop().create_future()

    def advertised(advertisement):
        if advertisement.address == advertiser.random_address and not seen.done():
            seen.set_result(advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME))

    scanner.on("advertisement", advertised)
    await advertiser.start_advertising(
        auto_restart=False,
        own_address_type=OwnAddressType.RANDOM,
        advertising_data=bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, name.encode())])),
        advertising_interval_min=100,
        advertising_interval_max=100,
    )
    await scanner.start_scanning(
        own_address_type=OwnAddressType.RANDOM, filter_duplicates=False, scan_interval=60, scan_window=60
    )
    try:
        came = await asyncio.wait_for(seen, 5)
    except asyncio.TimeoutError:
        came = None
    report.compare("advertising", came, name, f"{scanner.name} sees {advertiser.name}")
    await scanner.stop_scanning()
    await advertiser.stop_advertising()
    scanner.remove_listener("advertisement", advertised)


async def main():
    report = plan.Report()
    async with await open_transport(sys.argv[1]) as one, await open_transport(sys.argv[2]) as other:
        a = Device.with_hci("A", Address("F0:F1:F2:F3:F4:0A"), one.source, one.sink)
        b = Device.with_hci("B", Address("F0:F1:F2:F3:F4:0B"), other.source, other.sink)
        for device in (a, b):
            await asyncio.wait_for(device.power_on(), 10)
        await sees(report, b, a)
        await sees(report, a, b)

        properties = gatt.Characteristic.Properties.READ
        characteristic = gatt.Characteristic(UUID(CHARACTERISTIC), properties, gatt.Characteristic.READABLE, VALUE)
        a.add_service(gatt.Service(UUID(plan.SERVICE), [characteristic]))
        await a.start_advertising(auto_restart=False, own_address_type=OwnAddressType.RANDOM)
        connecting = b.connect(a.random_address, own_address_type=OwnAddressType.RANDOM)
        connection = await asyncio.wait_for(connecting, 8)
        peer = Peer(connection)
        mtu = await peer.request_mtu(247)
        await peer.discover_all()
        [found] = peer.get_characteristics_by_uuid(UUID(CHARACTERISTIC))
        report.compare("connection", (mtu, await found.read_value()), (247, VALUE), f"{len(VALUE)} octets read")
        await connection.disconnect()
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(asyncio.wait_for(main(), 40)))
