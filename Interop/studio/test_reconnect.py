"""A page that connects again: to its own server, in a later run too, and to no other program that has taken the address."""

import base64
import contextlib
import hashlib
import json
import os
import socket
import threading
import urllib.parse

import pytest

from weblink import CLOSE, TEXT, WebLink, request

LOST = ["WebSocket connection", "ERR_CONNECTION_REFUSED", "Failed to load resource"]


def state(page, name):
    page.wait_for_selector(f"body[data-link={name}]", state="attached")


def token_of(link):
    return urllib.parse.urlsplit(link).path.strip("/")


class Rogue:
    """A program that has taken the port. It keeps all that it receives, and `answer(rogue, stream)` speaks after the WebSocket is open."""

    def __init__(self, port, answer):
        self.received, self.answer, self.connections, self.is_ending = b"", answer, 0, False
        self.server = socket.create_server(("127.0.0.1", port))
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        while True:
            try:
                stream, _ = self.server.accept()
            except OSError:
                return
            if self.is_ending:
                return
            self.connections += 1
            with stream, contextlib.suppress(OSError, ValueError, ConnectionError):
                stream.settimeout(5)
                self._speak(stream)

    def receive(self, stream):
        octets = stream.recv(65536)
        self.received += octets
        return octets

    def frame(self, stream):
        """The text of the next frame of the page, which is short."""
        octets = self.receive(stream)
        length, start = octets[1] & 0x7F, 2
        if length == 126:
            length, start = int.from_bytes(octets[2:4], "big"), 4
        mask = octets[start:start + 4]
        plain = bytes(octet ^ mask[index % 4] for index, octet in enumerate(octets[start + 4:start + 4 + length]))
        self.received += plain
        return plain.decode()

    @staticmethod
    def send(stream, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        head = bytes([0x81, len(text)]) if len(text) < 126 else b"\x81\x7e" + len(text).to_bytes(2, "big")
        stream.sendall(head + text)

    def _speak(self, stream):
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.receive(stream)
        fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in head.decode().split("\r\n")[1:] if ":" in line}
        accept = base64.b64encode(hashlib.sha1((fields["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        stream.sendall(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode())
        self.answer(self, stream)
        with contextlib.suppress(OSError):
            while self.receive(stream):
                pass

    def end(self):
        self.is_ending = True
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.server.getsockname()[1]), 5).close()
        self.thread.join(10)
        self.server.close()


def invents(rogue, stream):
    """Claims to be proven, and to have let the page in."""
    rogue.send(stream, {"session": {"token": "0" * 32, "key": "0" * 64}})
    rogue.send(stream, {"nonce": os.urandom(32).hex(), "proof": os.urandom(32).hex()})


def guesses(rogue, stream):
    """Answers the page with a proof that it cannot have, in several forms."""
    nonce = json.loads(rogue.frame(stream))["again"]["nonce"]
    forms = [os.urandom(32).hex(), nonce, "", None, ["a"], "g" * 64]
    rogue.send(stream, {"nonce": nonce, "proof": forms[rogue.connections % len(forms)]})


def mumbles(rogue, stream):
    """Sends what is no JSON."""
    rogue.send(stream, [b"{", b"null", b"7"][rogue.connections % 3])


@pytest.mark.parametrize("answer", [invents, guesses, mumbles])
def test_a_program_that_takes_the_port_learns_nothing(page, workplace, answer):
    """The page asks the program for a proof, and tells it neither the token nor the key. The studio that comes back is known."""
    page.allowed += LOST
    key = workplace.path.joinpath("state", "opencorebluetooth", "studio-key").read_text().strip()
    token = token_of(page.studio.link)
    page.wait_for_function("document.querySelector('aside.devices').textContent.includes('Wristband')")
    page.studio.end(is_clean=False)
    rogue = Rogue(page.studio.port, answer)
    state(page, "refused")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('another program')")
    rogue.end()
    assert b"GET /again " in rogue.received
    for secret in [token, key]:
        assert secret.encode() not in rogue.received
    # What the program said has changed nothing that the page shows.
    assert page.evaluate("document.querySelector('aside.devices').textContent.includes('Wristband')")
    page.studio.restart()
    state(page, "open")


def test_a_program_that_passes_everything_on_to_another_studio_gets_no_page(page, studio):
    """A studio with the same key runs at another port. Proofs are bound to the page's address, so they do not fit there."""
    page.allowed += LOST
    page.studio.end(is_clean=False)
    other = studio()
    answers = []

    def passes_on(rogue, stream):
        link = again(other)
        link.send(rogue.frame(stream).encode())
        answers.append(link.frame()[1].decode())
        rogue.send(stream, answers[-1].encode())
        link.send(rogue.frame(stream).encode())
        answers.append(link.frame())

    rogue = Rogue(page.studio.port, passes_on)
    state(page, "refused")
    rogue.end()
    # The studio answered, and the page did not accept that.
    assert "proof" in json.loads(answers[0])
    assert len(answers) == 2 and answers[1][0] == CLOSE
    assert other.topic("room")["devices"]
    other.end()
    page.studio.restart()
    state(page, "open")


def again(server, origin=None):
    """A WebSocket that has to prove itself."""
    link = WebLink.__new__(WebLink)
    link.timeout, link.number, link.topics, link.items, link.buffer, link.session = 10, 0, {}, {}, b"", None
    link.stream = socket.create_connection(("127.0.0.1", server.port), 10)
    own = f"http://127.0.0.1:{server.port}"
    link.stream.sendall(
        f"GET /again HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nOrigin: {origin or own}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n".encode())
    while b"\r\n\r\n" not in link.buffer:
        part = link.stream.recv(65536)
        if not part:
            break
        link.buffer += part
    head, _, link.buffer = link.buffer.partition(b"\r\n\r\n")
    link.status = int(head.split()[1]) if head else None
    return link


def test_who_proves_nothing_reaches_nothing(studio):
    server = studio()
    for message in [{"watch": ["room"]}, {"id": 1, "do": "room.scene", "with": {"scene": "empty"}}, {"proof": "0" * 64}, {"again": {"nonce": 7}}]:
        link = again(server)
        assert link.status == 101
        link.send(json.dumps(message).encode())
        assert link.frame() == (CLOSE, (1008).to_bytes(2, "big"))
    link = again(server)
    link.send(json.dumps({"again": {"nonce": "0" * 64}}).encode())
    opcode, answer = link.frame()
    assert opcode == TEXT and set(json.loads(answer)) == {"nonce", "proof"}
    link.send(json.dumps({"proof": json.loads(answer)["proof"]}).encode())
    assert link.frame()[0] == CLOSE
    for origin in ["http://evil.example", f"http://localhost:{server.port}", "null"]:
        assert again(server, origin).status == 403


def test_a_page_learns_the_token_of_the_new_run(page):
    """After a restart the address has the new token, so loading the page again and saving a file work, also after a step back in the history."""
    page.allowed += LOST
    old = token_of(page.studio.link)
    page.click("nav.tabs a[data-view=packets]")
    page.wait_for_selector("body[data-view=packets]")
    page.studio.end(is_clean=False)
    state(page, "lost")
    page.studio.restart()
    state(page, "open")
    new = token_of(page.studio.link)
    assert old != new
    page.wait_for_function("(token) => location.pathname === `/${token}/`", arg=new)
    assert page.evaluate("location.hash") == "#packets"
    assert request(page.studio.link.replace(new, old))[0] == 403
    page.go_back()
    page.wait_for_selector("body[data-view=room]")
    page.wait_for_function("(token) => location.pathname === `/${token}/`", arg=new)
    page.reload()
    state(page, "open")


def test_a_page_under_another_name_says_how_to_go_on(studio, open_page):
    """A name such as localhost can lead to another program, so a proof is not enough there: the page asks for another load."""
    server = studio()
    server.link = server.link.replace("127.0.0.1", "localhost")
    page = open_page(of=server)
    page.allowed += LOST
    server.end(is_clean=False)
    state(page, "cut")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('Load this page again')")
    rogue = Rogue(server.port, invents)
    # A page that may go on opens a connection in this event.
    opened = page.evaluate("""() => {
        let opened = 0;
        window.WebSocket = class extends WebSocket { constructor(...words) { super(...words); opened += 1; } };
        dispatchEvent(new Event('online'));
        return opened;
    }""")
    assert opened == 0
    rogue.end()
    assert rogue.received == b""
