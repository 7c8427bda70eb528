"""A host that sends plain HCI over a socket and reads the properties of a controller."""

import socket
import struct


class Host:
    def __init__(self, address):
        kind, _, where = address.partition(":")
        if kind == "tcp":
            name, _, port = where.rpartition(":")
            self.socket = socket.create_connection((name.strip("[]"), int(port)))
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(where)
        self.socket.settimeout(5)
        self.octets = b""
        self.data = []  # Received ACL data packets without their headers.
        self.handle = None  # The connection handle of the last one, with its flags.

    def close(self):
        self.socket.close()

    def _read(self, count):
        while len(self.octets) < count:
            more = self.socket.recv(4096)
            if not more:
                raise EOFError("the controller closed the connection")
            self.octets += more
        part, self.octets = self.octets[:count], self.octets[count:]
        return part

    def packet(self):
        """Returns the next packet: the code and parameters of an event, or None and the octets of a data packet."""
        kind = self._read(1)[0]
        if kind == 4:
            code, length = self._read(2)
            return code, self._read(length)
        if kind != 2:
            raise ValueError(f"packet type {kind}")
        self.handle, length = struct.unpack("<HH", self._read(4))
        return None, self._read(length)

    def event(self):
        """Returns the code and parameters of the next event, and keeps data that arrives before it in `data`."""
        while True:
            code, octets = self.packet()
            if code is not None:
                return code, octets
            self.data.append(octets)

    def send_data(self, handle, octets, is_start=True):
        """Sends one ACL data packet. The caller provides the L2CAP header."""
        self.socket.sendall(struct.pack("<BHH", 2, handle | (0 if is_start else 0x1000), len(octets)) + octets)

    def command(self, opcode, parameters=b""):
        """Sends a command and returns its return parameters, starting with the status; for Command Status, the status only."""
        self.socket.sendall(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)
        while True:
            code, answer = self.event()
            if code == 0x0E and struct.unpack_from("<H", answer, 1)[0] == opcode:
                return answer[3:]
            if code == 0x0F and struct.unpack_from("<H", answer, 2)[0] == opcode:
                return answer[:1]
