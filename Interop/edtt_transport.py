"""The transport of EDTT over H4: each device is a controller at a TCP address. EDTT sends messages to a program on the device; `Device` takes the
place of that program (docs/EDTT_transport.md of EDTT has the interface)."""

import collections
import select
import struct
import time

import h4

# Seconds to wait for an event that EDTT asks for. It gives 100 to 200 ms, in the time of a simulator; a busy machine needs more.
PATIENCE = 1


class Device(h4.Host):
    """One controller, with the events and data that EDTT has not fetched. `names` are EDTT's numbers of messages."""

    def __init__(self, address, names, now):
        super().__init__(address)
        self.now = now  # The time in milliseconds.
        self.events, self.arrived = collections.deque(), collections.deque()
        self.out = b""  # Octets for EDTT.
        self.handlers = {
            names.CMD_ECHO_REQ: lambda body: body,
            names.CMD_FLUSH_EVENTS_REQ: lambda body: self.events.clear() or b"",
            names.CMD_HAS_EVENT_REQ: lambda body: bytes([min(255, len(self.events))]),
            names.CMD_LE_DATA_FLUSH_REQ: lambda body: self.arrived.clear() or b"",
            names.CMD_LE_DATA_READY_REQ: lambda body: bytes([0 if self.arrived else 1]),
            names.CMD_LE_DATA_WRITE_REQ: self.write_data,
            names.CMD_LE_DATA_READ_REQ: lambda body: self.arrived.popleft() if self.arrived else None,
        }
        self.get_event = names.CMD_GET_EVENT_REQ

    def pump(self, seconds=0.0):
        """Takes what arrived, or waits for it."""
        if not self.octets and not select.select([self.socket], [], [], seconds)[0]:
            return
        while self.octets or select.select([self.socket], [], [], 0)[0]:
            self.take()

    def take(self):
        """Reads one packet and keeps it with its time, as EDTT gets it."""
        code, octets = self.packet()
        when = struct.pack("<I", self.now() & 0xFFFFFFFF)
        if code is None:
            self.arrived.append(when + struct.pack("<HH", self.handle, len(octets)) + octets)
        else:
            self.events.append(when + bytes([code, len(octets)]) + octets)
        return code, octets

    def wait_for(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition() and (left := end - time.monotonic()) > 0:
            self.pump(left)

    def write_data(self, body):
        self.socket.sendall(b"\x02" + body)
        return b"\0"

    def event(self):
        """The next event, for `command` of the host. EDTT gets it too."""
        while True:
            code, octets = self.take()
            if code is not None:
                return code, octets

    def message(self, octets):
        """Answers a message of EDTT."""
        kind, body = struct.unpack_from("<H", octets)[0], octets[4:]
        self.pump()
        if kind == self.get_event:
            self.give_events(kind + 1, all_of_them=body[0] != 0)
            return
        handler = self.handlers.get(kind, lambda body: self.command(struct.unpack_from("<H", body)[0], body[2:]))
        answer = handler(body)
        if answer is not None:
            self.out += struct.pack("<HH", kind + 1, len(answer)) + answer

    def give_events(self, kind, all_of_them):
        if not all_of_them:
            self.wait_for(lambda: self.events, PATIENCE)
            if self.events:
                event = self.events.popleft()
                self.out += struct.pack("<HH", kind, len(event)) + event
            return
        count = min(255, len(self.events))
        self.out += struct.pack("<HB", kind, count)
        for _ in range(count):
            event = self.events.popleft()
            self.out += struct.pack("<H", len(event)) + event


class Transport:
    """What EDTT calls. Its times are in milliseconds, and those of `last_t` and `get_last_t` in microseconds."""

    low_level_device = None  # A device of the simulator BabbleSim that sends any packet.

    def __init__(self, addresses, names, trace):
        self.Trace = trace
        self.start = time.monotonic()
        self.devices = [Device(address, names, lambda: self.last_t // 1000) for address in addresses]
        self.n_devices = len(self.devices)

    @property
    def last_t(self):
        return int((time.monotonic() - self.start) * 1e6)

    def get_last_t(self):
        return self.last_t

    def get_time(self):
        return self.last_t / 1000

    def send(self, index, message):
        self.devices[index].message(bytes(message))

    def recv(self, index, count, timeout=0):
        device = self.devices[index]
        part, device.out = device.out[:count], device.out[count:]
        return bytearray(part)

    def wait(self, milliseconds):
        self.wait_until_t(self.last_t + milliseconds * 1000)

    def wait_until_t(self, microseconds):
        sockets = {device.socket: device for device in self.devices}
        while (left := microseconds - self.last_t) > 0:
            for ready in select.select(list(sockets), [], [], left / 1e6)[0]:
                sockets[ready].pump()

    def close(self):
        for device in self.devices:
            device.close()
