"""L2CAP channels on Bumble's host. usage: bumble_channels.py server|client TRANSPORT"""

import asyncio
import struct
import sys

from bumble.core import UUID
from bumble.device import Peer
from bumble.gatt import Characteristic, Service
from bumble.l2cap import L2capError, LeCreditBasedChannel, LeCreditBasedChannelSpec

import bumble_peer
import channel_plan as plan

# Small and odd, so that SDUs are segmented and credits run out.
MTU, MPS, CREDITS = 700, 101, 9


class Channel:
    """The octets that a channel received, and its end."""

    def __init__(self, channel):
        self.channel = channel
        self.received = bytearray()
        self.changed = asyncio.Event()
        self.is_closed = False
        self.length_at_end = None
        channel.sink = self.take
        channel.on("close", self.closed)

    def take(self, sdu):
        self.received += sdu
        self.changed.set()

    def closed(self):
        self.is_closed = True
        self.length_at_end = len(self.received)
        self.changed.set()

    async def wait(self, condition):
        while not condition():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 30)


def collect(channel, *arguments, initialise=LeCreditBasedChannel.__init__, **named):
    """Gives each channel a receiver when it is created. Bumble drops data without a receiver, and data can arrive in the same read as the
    response that opens the channel, before the code that awaits the channel runs."""
    initialise(channel, *arguments, **named)
    channel.collected = Channel(channel)


LeCreditBasedChannel.__init__ = collect


async def drained(channel):
    """Waits until all written data has left."""
    await asyncio.wait_for(channel.channel.drain(), 20)


class Server(bumble_peer.Server):
    def __init__(self, device, report):
        super().__init__(device, report)
        self.count = 0
        self.tasks = []
        spec = LeCreditBasedChannelSpec(mtu=MTU, mps=MPS, max_credits=CREDITS)
        server = device.create_l2cap_server(spec=spec, handler=self.opened)
        psm = Characteristic(
            UUID(plan.PSM_CHARACTERISTIC),
            Characteristic.Properties.READ,
            Characteristic.READABLE,
            struct.pack("<H", server.psm),
        )
        device.add_service(Service(UUID(plan.SERVICE), [psm]))

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
        await drained(channel)
        await channel.channel.disconnect()

    async def serve(self):
        await self.advertise()
        self.check_disconnection(await self.disconnection())
        await asyncio.gather(*self.tasks)


async def run_client(device, report):
    connection, end = await bumble_peer.connect(device)
    peer = Peer(connection)
    await peer.request_mtu(100)
    service = (await peer.discover_service(UUID(plan.SERVICE)))[0]
    found = (await service.discover_characteristics([UUID(plan.PSM_CHARACTERISTIC)]))[0]
    (psm,) = struct.unpack("<H", await found.read_value())
    report.note(f"the SPSM is 0x{psm:04X}")

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
    # Bumble's server never frees the identifier of a channel that its client closed, so the second channel opens first.
    first = channel
    channel = (await connection.create_l2cap_channel(spec=spec(psm))).collected
    await first.channel.disconnect()
    await channel.wait(lambda: channel.is_closed)
    ends = (channel.length_at_end, channel.channel.state)
    expected = (len(plan.GOODBYE), LeCreditBasedChannel.State.DISCONNECTED)
    report.compare("closed by the server", ends, expected, "the end came after the last octet")
    report.compare("goodbye", bytes(channel.received), plan.GOODBYE, f"{len(channel.received)} octets before it")
    await bumble_peer.disconnect(connection, end, report)


async def run(device, report):
    await (Server(device, report).serve() if ROLE == "server" else run_client(device, report))


if __name__ == "__main__":
    ROLE = sys.argv[1]
    bumble_peer.main(run, "F0:F1:F2:F3:F4:0C" if ROLE == "server" else "F0:F1:F2:F3:F4:0D", sys.argv[2])
