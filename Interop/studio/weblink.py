"""A WebSocket client without a dependency: it speaks with the studio as the page does, and breaks the protocol where a test wants that."""

import base64
import contextlib
import json
import os
import socket
import ssl
import struct
import time
import urllib.parse

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def connect(link, timeout=10, trust=None):
    """A connected socket for a link; with TLS if the link begins with https. `trust` is the file of the certificate."""
    parts = urllib.parse.urlsplit(link)
    plain = socket.create_connection((parts.hostname, parts.port), timeout)
    if parts.scheme != "https":
        return plain
    context = ssl.create_default_context(cafile=trust)
    return context.wrap_socket(plain, server_hostname=parts.hostname)


def request(link, headers=(), method="GET", path=None, trust=None):
    """Sends one HTTP request; `headers` replace those of a browser, and None removes one. Returns the status, the headers and the body."""
    parts = urllib.parse.urlsplit(link)
    lines = {"Host": parts.netloc, "Connection": "close"} | dict(headers)
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    with connect(link, trust=trust) as stream:
        stream.sendall(f"{method} {path if path is not None else parts.path} HTTP/1.1\r\n{head}\r\n".encode("utf-8", "surrogateescape"))
        return response(stream)


def response(stream):
    """Reads a whole response of a connection that the server closes."""
    octets = b""
    with contextlib.suppress(ConnectionResetError):
        while part := stream.recv(65536):
            octets += part
    head, _, body = octets.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(lines[0].split()[1]) if lines[0] else None, headers, body


class WebLink:
    """One WebSocket of the studio. It acknowledges updates as the page does.

    The studio may send the answer of a command before or after the update with what the command changed. Here the update is always the later one: updates
    that arrive while a command runs are kept in `late` until a test waits for a value that it does not have yet. So a test that reads a value too early
    fails in every run."""

    def __init__(self, link, timeout=20, headers=(), trust=None):
        parts = urllib.parse.urlsplit(link)
        self.timeout, self.number, self.topics, self.items, self.buffer, self.session, self.late = timeout, 0, {}, {}, b"", None, []
        self.stream = connect(link, timeout, trust)
        lines = {
            "Host": parts.netloc, "Origin": f"{parts.scheme}://{parts.netloc}", "Connection": "Upgrade", "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()} | dict(headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
        self.stream.sendall(f"GET {parts.path}socket HTTP/1.1\r\n{head}\r\n".encode())
        while b"\r\n\r\n" not in self.buffer:
            part = self.stream.recv(65536)
            if not part:
                break
            self.buffer += part
        answer, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(answer.split()[1]) if answer else None

    def send(self, octets, opcode=TEXT, is_last=True, length=None):
        """Sends a frame. `length` is the length that the frame claims."""
        length = len(octets) if length is None else length
        first = bytes([(0x80 if is_last else 0) | opcode])
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length) if length < 1 << 16 else b"\xff" + struct.pack(">Q", length)
        mask = os.urandom(4)
        key = (mask * (len(octets) // 4 + 1))[: len(octets)]
        masked = (int.from_bytes(octets, "big") ^ int.from_bytes(key, "big")).to_bytes(len(octets), "big") if octets else b""
        self.stream.sendall(first + size + mask + masked)

    def _take(self, count):
        while len(self.buffer) < count:
            part = self.stream.recv(1 << 20)
            if not part:
                raise ConnectionError("the studio closed the connection")
            self.buffer += part
        octets, self.buffer = self.buffer[:count], self.buffer[count:]
        return octets

    def frame(self):
        """The next frame: its opcode and its octets."""
        first, second = self._take(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._take(8))[0]
        return first & 0x0F, self._take(length)

    def message(self):
        """The next JSON message after the one that opens the session. Updates are kept in `topics` and `items`, and acknowledged."""
        message = self.late.pop(0) if self.late else self._receive()
        for push in message["push"] if "update" in message else ():
            if "topic" in push:
                self.topics[push["topic"]] = push["data"]
            else:
                kept = self.items.setdefault(push["stream"], [])
                if push.get("reset") is not None:
                    kept[:] = [item for item in kept if item.get("n", 0) < push["reset"]]
                kept.extend(push["data"])
        return message

    def _receive(self):
        while True:
            opcode, octets = self.frame()
            if opcode == CLOSE:
                raise ConnectionError(f"the studio closed the WebSocket: {octets[2:].decode()} ({int.from_bytes(octets[:2], 'big')})")
            if opcode == TEXT:
                message = json.loads(octets)
                if "session" not in message:
                    break
                self.session = message["session"]
        if "update" in message:
            self.send(json.dumps({"ack": message["update"]}).encode())
        return message

    def watch(self, *names):
        """Watches these topics and streams, and no others."""
        self.send(json.dumps({"watch": names}).encode())

    def do(self, command, arguments=None):
        """Runs a command and returns its result. Fails with the studio's sentence."""
        self.number += 1
        self.send(json.dumps({"id": self.number, "do": command, "with": arguments or {}}).encode())
        while True:
            message = self._receive()
            if "update" in message:
                self.late.append(message)
            if message.get("re") == self.number:
                assert "failed" not in message, f"{command} failed: {message['failed']}"
                return message["ok"]

    def wait(self, topic, condition=lambda value: True, timeout=None):
        """Waits until the value of a watched topic fulfils `condition`, and returns the value."""
        end = time.monotonic() + (timeout or self.timeout)
        while topic not in self.topics or not condition(self.topics[topic]):
            assert time.monotonic() < end, f"the topic {topic} is {json.dumps(self.topics.get(topic))[:2000]}"
            self.stream.settimeout(max(0.01, end - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                self.message()
        self.stream.settimeout(self.timeout)
        return self.topics[topic]

    def close(self):
        with contextlib.suppress(OSError):
            self.stream.close()
