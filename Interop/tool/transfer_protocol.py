"""The transfer protocol a second time, written from Documentation/Transfer.md alone: both ends of it, for a peripheral on Bumble's host."""

import asyncio
import hashlib
import struct

from bumble import gatt
from bumble.core import UUID
from bumble.l2cap import LeCreditBasedChannelSpec

SERVICE = UUID("7A9C0001-3B5E-4E0B-8D21-5C1F6E2A9B40")
CONTROL = UUID("7A9C0002-3B5E-4E0B-8D21-5C1F6E2A9B40")
DATA = UUID("7A9C0003-3B5E-4E0B-8D21-5C1F6E2A9B40")
PSM = UUID("ABDD3056-28FA-441D-A470-55A75A52553A")

OFFER, ACCEPT, RESTART, ACKNOWLEDGE, RESEND, CHECK, END, OCTETS = range(1, 9)
COMPLETE, PROTOCOL_ERROR, DIGEST_MISMATCH = 0, 3, 10


def digest(octets):
    return hashlib.sha256(octets).digest()


def frame(message):
    return struct.pack("<H", len(message)) + message


class Inbox:
    """Splits a stream into messages."""

    def __init__(self):
        self.octets = b""

    def take(self, octets):
        self.octets += octets
        while len(self.octets) >= 2 and len(self.octets) >= 2 + (count := struct.unpack_from("<H", self.octets)[0]):
            message, self.octets = self.octets[2:2 + count], self.octets[2 + count:]
            yield message


class Receiver:
    """The receiving end. `send` takes a message; `lose` is a set of offsets whose first value is ignored."""

    WINDOW = 30_000

    def __init__(self, send, stored=b"", lose=()):
        self.send, self.stored, self.lose = send, bytearray(stored), set(lose)
        self.offer, self.gap, self.acknowledged, self.result = None, None, 0, None
        self.messages = []

    def take(self, message):
        kind = message[0]
        self.messages.append(kind)
        if kind == OFFER:
            version, size = struct.unpack_from("<BI", message, 1)
            assert version == 1
            self.offer = (size, message[6:38], message[38:].decode())
            self.accept()
        elif kind == RESTART:
            self.stored.clear()
            self.accept()
        elif kind == CHECK:
            [offset] = struct.unpack_from("<I", message, 1)
            self.answer(RESEND if offset > len(self.stored) else ACKNOWLEDGE)
        elif kind == END:
            self.result = message[1]
        elif kind == OCTETS:
            self.data(message[1:])

    def accept(self):
        self.gap, self.acknowledged = None, len(self.stored)
        self.send(struct.pack("<BII", ACCEPT, len(self.stored), self.WINDOW) + digest(self.stored))

    def answer(self, kind):
        self.acknowledged = len(self.stored)
        self.send(struct.pack("<BI", kind, len(self.stored)))

    def data(self, value):
        [offset] = struct.unpack_from("<I", value)
        octets = value[4:]
        if self.result is not None:
            return
        for lost in list(self.lose):
            if offset <= lost < offset + len(octets):
                self.lose.discard(lost)
                return
        if offset > len(self.stored):
            if self.gap is None or offset <= self.gap:
                self.answer(RESEND)
            self.gap = offset
            return
        self.gap = None
        self.stored += octets[len(self.stored) - offset:]
        if len(self.stored) == self.offer[0]:
            self.result = COMPLETE if digest(self.stored) == self.offer[1] else DIGEST_MISMATCH
            self.send(bytes([END, self.result]))
        elif len(self.stored) - self.acknowledged >= self.WINDOW // 8:
            self.answer(ACKNOWLEDGE)


class Sender:
    """The sending end. `send` takes a message, `send_data` a value."""

    def __init__(self, file, name, send):
        self.file, self.name, self.send = file, name, send
        self.next, self.limit, self.result = 0, 0, None
        self.changed = asyncio.Event()

    def begin(self):
        self.send(struct.pack("<BBI", OFFER, 1, len(self.file)) + digest(self.file) + self.name.encode())

    def take(self, message):
        kind = message[0]
        if kind == ACCEPT:
            offset, self.window = struct.unpack_from("<II", message, 1)
            if digest(self.file[:offset]) != message[9:41]:
                self.send(bytes([RESTART]))
                return
            self.next, self.limit = offset, offset + self.window
        elif kind in (ACKNOWLEDGE, RESEND):
            [offset] = struct.unpack_from("<I", message, 1)
            self.limit = offset + self.window
            self.next = offset if kind == RESEND else max(self.next, offset)
        elif kind == END:
            self.result = message[1]
        self.changed.set()

    async def run(self, send_data, count):
        while self.result is None:
            self.changed.clear()
            end = min(self.next + count, self.limit, len(self.file))
            if end > self.next:
                value = struct.pack("<I", self.next) + self.file[self.next:end]
                self.next = end
                await send_data(value)
                continue
            try:
                await asyncio.wait_for(self.changed.wait(), 2)
            except asyncio.TimeoutError:
                self.send(struct.pack("<BI", CHECK, self.next))


class Peripheral:
    """The service on a Bumble device. Create it, start the device with `services`, then call `attach`."""

    def __init__(self):
        self.end, self.inbox, self.connection, self.outbox = None, Inbox(), None, None
        self.sender_task, self.psm = None, 0
        properties, value = gatt.Characteristic.Properties, gatt.CharacteristicValue
        self.control = gatt.Characteristic(
            CONTROL, properties.WRITE | properties.INDICATE, gatt.Characteristic.WRITEABLE, value(write=self.control_written))
        self.data = gatt.Characteristic(
            DATA, properties.WRITE_WITHOUT_RESPONSE | properties.NOTIFY, gatt.Characteristic.WRITEABLE,
            value(write=lambda connection, octets: self.end.data(octets)))
        channel = gatt.Characteristic(
            PSM, properties.READ, gatt.Characteristic.READABLE, value(read=lambda connection: struct.pack("<H", self.psm)))
        self.services = [gatt.Service(SERVICE, [self.control, self.data, channel])]

    def control_written(self, connection, octets):
        for message in self.inbox.take(octets):
            self.end.take(message)

    def receive(self, bumble, **options):
        """Receives over the characteristics."""
        self.device = bumble.device
        self.end = Receiver(self.indicate, **options)
        self.device.on("connection", self.connected)

    def send(self, bumble, file, name):
        """Sends over the characteristics, once the control characteristic is subscribed."""
        self.device = bumble.device
        self.end = Sender(file, name, self.indicate)
        self.device.on("connection", self.connected)

        def subscribed(connection, notifies, indicates):
            if indicates and self.sender_task is None:
                self.end.begin()
                self.sender_task = asyncio.ensure_future(self.end.run(self.notify, connection.att_mtu - 3 - 4))

        self.control.on("subscription", subscribed)

    def receive_on_channel(self, bumble, **options):
        """Receives over a channel."""
        self.device = bumble.device

        def opened(channel):
            self.end = Receiver(lambda message: channel.write(frame(message)), **options)
            inbox = Inbox()

            def take(octets):
                for message in inbox.take(octets):
                    self.end.take(message)

            channel.sink = take

        async def listen():
            self.psm = self.device.create_l2cap_server(
                spec=LeCreditBasedChannelSpec(psm=0x90, mtu=1000, mps=250, max_credits=100), handler=opened).psm

        bumble.call(listen())

    def connected(self, connection):
        self.connection, self.inbox = connection, Inbox()
        self.outbox = asyncio.Queue()
        asyncio.ensure_future(self.pump(connection, self.outbox))

    async def pump(self, connection, outbox):
        """Control messages leave in order, one confirmed indication after another."""
        while True:
            octets = frame(await outbox.get())
            count = connection.att_mtu - 3
            for start in range(0, len(octets), count):
                await self.device.indicate_subscriber(connection, self.control, octets[start:start + count], force=True)

    def indicate(self, message):
        self.outbox.put_nowait(message)

    async def notify(self, value):
        await self.device.notify_subscriber(self.connection, self.data, value, force=True)
        await asyncio.sleep(0)
