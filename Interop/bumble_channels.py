"""L2CAP channels on Bumble's host. usage: bumble_channels.py server|client TRANSPORT"""

import asyncio
import logging
import struct
import sys

from bumble.core import UUID, AdvertisingData
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, Service
from bumble.hci import Address, OwnAddressType
from bumble.l2cap import L2capError, LeCreditBasedChannel, LeCreditBasedChannelSpec
from bumble.transport import open_transport

import channel_plan as plan
from bumble_client import find

logging.basicConfig(level=logging.ERROR)
DEADLINE = 90
# Small and odd, so that SDUs are cut and credits run out.
MTU, MPS, CREDITS = 700, 101, 9


class Channel:
    """What came on a channel, and its end."""

    def __init__(self, channel):
        self.channel = channel
        self.received = bytearray()
        self.news = asyncio.Event()
        self.is_closed = False
        self.length_at_end = None
        channel.sink = self.take
        channel.on("close", self.closed)

    def take(self, sdu):
        self.received += sdu
        self.news.set()

    def closed(self):
        self.is_closed = True
        self.length_at_end = len(self.received)
        self.news.set()

    async def wait(self, condition):
        while not condition():
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 30)


def collect(channel, *arguments, initialise=LeCreditBasedChannel.__init__, **named):
    """What comes in the same read as the answer that opens a channel is dropped if nobody takes it yet, and who awaited the channel
    gets it too late. So each has somebody from the start."""
    initialise(channel, *arguments, **named)
    channel.collected = Channel(channel)


LeCreditBasedChannel.__init__ = collect


async def settled(channel):
    """Waits until all that was written has gone out."""
    await asyncio.wait_for(channel.channel.drain(), 20)


class Server:
    def __init__(self, device, report):
        self.device = device
        self.report = report
        self.count = 0
        self.tasks = []
        self.gone = asyncio.get_running_loop().create_future()
        spec = LeCreditBasedChannelSpec(mtu=MTU, mps=MPS, max_credits=CREDITS)
        server = device.create_l2cap_server(spec=spec, handler=self.opened)
        psm = Characteristic(
            UUID(plan.PSM_CHARACTERISTIC),
            Characteristic.Properties.READ,
            Characteristic.READABLE,
            struct.pack("<H", server.psm),
        )
        device.add_service(Service(UUID(plan.SERVICE), [psm]))
        device.on("connection", self.connected)

    def connected(self, connection):
        connection.on("disconnection", lambda reason: self.gone.done() or self.gone.set_result(reason))

    def opened(self, channel):
        self.count += 1
        serve = self.echo if self.count == 1 else self.leave
        self.tasks.append(asyncio.create_task(serve(channel.collected)))

    async def echo(self, channel):
        sent = 0
        while sent < len(plan.DATA):
            await channel.wait(lambda: len(channel.received) > sent)
            part = bytes(channel.received[sent:])
            sent += len(part)
            channel.channel.write(part)
        self.report.compare("channel", bytes(channel.received), plan.DATA, f"{sent} octets received and sent back")
        await channel.wait(lambda: channel.is_closed)
        ends = (channel.length_at_end, channel.channel.state)
        expected = (len(plan.DATA), LeCreditBasedChannel.State.DISCONNECTED)
        self.report.compare("closed by the client", ends, expected, "the end came after the last octet")

    async def leave(self, channel):
        channel.channel.write(plan.GOODBYE)
        await settled(channel)
        await channel.channel.disconnect()

    async def serve(self):
        types = AdvertisingData.Type
        data = [
            (types.FLAGS, bytes([0x06])),
            (types.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, bytes(UUID(plan.SERVICE))),
        ]
        await self.device.start_advertising(
            own_address_type=OwnAddressType.RANDOM,
            advertising_data=bytes(AdvertisingData(data)),
            advertising_interval_min=50,
            advertising_interval_max=50,
        )
        self.report.note("READY")
        reason = await self.gone
        self.report.compare("disconnection", reason, plan.REMOTE_USER_TERMINATED, f"the client left, reason 0x{reason:02X}")
        await asyncio.gather(*self.tasks)


async def run_client(device, report):
    address = await find(device)
    connection = await device.connect(address, own_address_type=OwnAddressType.RANDOM)
    left = asyncio.get_running_loop().create_future()
    connection.on("disconnection", lambda reason: left.done() or left.set_result(reason))
    peer = Peer(connection)
    await peer.request_mtu(100)
    service = (await peer.discover_service(UUID(plan.SERVICE)))[0]
    found = (await service.discover_characteristics([UUID(plan.PSM_CHARACTERISTIC)]))[0]
    (psm,) = struct.unpack("<H", await found.read_value())
    report.note(f"the service is number 0x{psm:04X}")

    def spec(number):
        return LeCreditBasedChannelSpec(psm=number, mtu=MTU, mps=MPS, max_credits=CREDITS)

    try:
        await connection.create_l2cap_channel(spec=spec(plan.WRONG_PSM))
        report.check("wrong number", False, "a channel was opened")
    except L2capError as error:
        report.compare("wrong number", int(error.error_code), 2, "refused: SPSM not supported")

    channel = (await connection.create_l2cap_channel(spec=spec(psm))).collected
    channel.channel.write(plan.DATA)
    await channel.wait(lambda: len(channel.received) >= len(plan.DATA))
    report.compare("echo", bytes(channel.received), plan.DATA, f"{len(channel.received)} octets came back")
    # Bumble's server keeps the identifiers of a channel that its client has closed, so the second comes before that.
    first = channel
    channel = (await connection.create_l2cap_channel(spec=spec(psm))).collected
    await first.channel.disconnect()
    await channel.wait(lambda: channel.is_closed)
    ends = (channel.length_at_end, channel.channel.state)
    expected = (len(plan.GOODBYE), LeCreditBasedChannel.State.DISCONNECTED)
    report.compare("closed by the server", ends, expected, "the end came after the last octet")
    report.compare("goodbye", bytes(channel.received), plan.GOODBYE, f"{len(channel.received)} octets before it")
    await connection.disconnect()
    reason = await asyncio.wait_for(left, 10)
    report.compare("disconnection", reason, plan.TERMINATED_BY_LOCAL_HOST, f"the link ended, reason 0x{reason:02X}")


async def main():
    report = plan.Report()
    role, address = sys.argv[1], sys.argv[2]
    async with await open_transport(address) as transport:
        own = Address("F0:F1:F2:F3:F4:0C" if role == "server" else "F0:F1:F2:F3:F4:0D")
        device = Device.with_hci(plan.NAME, own, transport.source, transport.sink)
        await asyncio.wait_for(device.power_on(), 10)
        work = Server(device, report).serve() if role == "server" else run_client(device, report)
        await asyncio.wait_for(work, DEADLINE)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
