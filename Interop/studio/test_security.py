"""Who reaches the page: the token, Host and Origin, TLS, and the page's own defences."""

import concurrent.futures
import json
import os
import pathlib
import re
import socket
import ssl
import stat
import subprocess
import time
import urllib.parse
import warnings

import pytest

from commands import TOOL, wait_for
from weblink import WebLink, connect, request, response

EVIL = "evil.example"


@pytest.fixture
def certificate(workplace):
    """A certificate for localhost and 127.0.0.1, and its key."""
    certificate, key = workplace.path / "server.pem", workplace.path / "server.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    return certificate, key


def token_of(link):
    return urllib.parse.urlsplit(link).path.strip("/")


# MARK: The token


def test_without_the_token_nothing_is_served(studio):
    server = studio()
    parts = urllib.parse.urlsplit(server.link)
    for path in ["/", "/index.html", "/app.js", "/socket", f"/{'0' * 32}/", parts.path.rstrip("/"), parts.path.upper(), f"/{parts.path}"]:
        status, headers, body = request(server.link, path=path)
        assert (status, body) == (403, b""), path
        assert token_of(server.link) not in str(headers)
    assert request(server.link)[0] == 200


def test_each_run_has_its_own_token(studio):
    server = studio()
    server.end()
    again = studio()
    assert token_of(again.link) != token_of(server.link)
    old = again.link.replace(token_of(again.link), token_of(server.link))
    assert request(old)[0] == 403
    assert request(again.link)[0] == 200


def test_a_person_who_opens_an_old_link_reads_why(studio, open_page):
    server = studio()
    server.end()
    server.restart()
    old = server.link.replace(token_of(server.link), "0" * 32)
    status, headers, body = request(old, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"})
    assert status == 403 and "printed last" in body.decode() and "最近打印的链接" in body.decode()
    assert token_of(server.link) not in str(headers) + body.decode()
    # A page of another name, and one that embeds, get no text.
    assert request(old, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"})[2] == b""
    assert request(old, {"Host": EVIL, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"})[0] == 403


KEY = ("state", "opencorebluetooth", "studio-key")


def key_of(server):
    """The key that the studio gives to its pages."""
    link = server.connect()
    link.do("studio.ping")
    link.close()
    return link.session["key"]


def test_the_key_outlives_the_command_and_can_be_replaced(studio, workplace):
    server = studio()
    path = workplace.path.joinpath(*KEY)
    assert path.read_text().strip() == key_of(server)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    former = key_of(server)
    server.end()
    again = studio()
    assert key_of(again) == former
    again.end()
    renewed = studio("--new-key")
    assert key_of(renewed) != former
    assert path.read_text().strip() == key_of(renewed)


@pytest.mark.parametrize("content, mode", [("0" * 64, 0o644), ("0" * 64, 0o660), ("not a key", 0o600), ("", 0o600)])
def test_a_key_that_others_could_know_is_replaced(studio, workplace, content, mode):
    path = workplace.path.joinpath(*KEY)
    path.parent.mkdir(parents=True)
    path.write_text(content)
    path.chmod(mode)
    key = key_of(studio())
    assert re.fullmatch("[0-9a-f]{64}", key)
    assert key != content
    assert path.read_text().strip() == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_behind_a_link_is_not_followed(studio, workplace):
    path = workplace.path.joinpath(*KEY)
    path.parent.mkdir(parents=True)
    other = workplace.path / "other"
    other.write_text("0" * 64)
    other.chmod(0o600)
    path.symlink_to(other)
    assert key_of(studio()) != "0" * 64
    assert other.read_text() == "0" * 64


# MARK: Host and Origin


@pytest.mark.parametrize("headers", [
    {"Host": EVIL}, {"Host": f"{EVIL}:80"}, {"Host": None}, {"Origin": f"http://{EVIL}"}, {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}], ids=str)
def test_requests_of_other_sites_are_refused(studio, headers):
    server = studio()
    assert request(server.link, headers)[0] == 403
    if "Sec-Fetch-Site" not in headers:
        assert WebLink(server.link, headers=headers).status == 403


def test_a_socket_without_an_origin_is_refused(studio):
    server = studio()
    assert WebLink(server.link, headers={"Origin": None}).status == 403
    assert WebLink(server.link).status == 101


def test_a_page_of_another_site_reaches_nothing(page, browser):
    """The page of another origin knows the link, and may still neither read nor embed nor connect."""
    context = browser.new_context()
    other = context.new_page()
    other.route("http://other.test/", lambda route: route.fulfill(body="<!doctype html><title>other</title>", content_type="text/html"))
    other.goto("http://other.test/")
    outcome = other.evaluate(
        """async (link) => {
            const fetched = await fetch(link + 'app.js').then((answer) => answer.text(), () => 'refused');
            const socket = await new Promise((resolve) => {
                const socket = new WebSocket(link.replace('http', 'ws') + 'socket');
                socket.onopen = () => resolve('open');
                socket.onclose = () => resolve('refused');
            });
            const script = await new Promise((resolve) => {
                const element = document.createElement('script');
                element.src = link + 'app.js';
                element.onload = () => resolve('loaded');
                element.onerror = () => resolve('refused');
                document.head.append(element);
            });
            const frame = document.createElement('iframe');
            frame.src = link;
            document.body.append(frame);
            await new Promise((resolve) => { frame.onload = resolve; });
            return [fetched, socket, script];
        }""", page.studio.link)
    assert outcome == ["refused", "refused", "refused"]
    assert not any("data-view" in frame.content() for frame in other.frames[1:])
    context.close()


# MARK: The page's own defences


def test_no_inline_script_and_no_markup_from_text_runs(page):
    page.allowed += ["Content Security Policy", "Content-Security-Policy", "TrustedHTML", "TrustedScript"]
    outcome = page.evaluate(
        """() => {
            window.ran = [];
            const script = document.createElement('script');
            script.append('window.ran.push("inline")');
            document.body.append(script);
            try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.ran.push(1)">'); } catch { window.ran.push('refused'); }
            // The error of a later picture comes after that of the first one.
            return new Promise((resolve) => { Object.assign(new Image(), { onerror: () => resolve(window.ran) }).src = 'data:,'; });
        }""")
    assert outcome == ["refused"]


def test_every_answer_has_the_policy(studio):
    server = studio()
    for path in [None, "/", urllib.parse.urlsplit(server.link).path + "app.js", urllib.parse.urlsplit(server.link).path + "none"]:
        _, headers, _ = request(server.link, path=path)
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


# MARK: Hostile clients


def test_the_server_survives_hostile_clients(studio):
    server = studio()
    before = server.memory()
    link = server.connect()

    def hostile(number):
        kind = number % 7
        try:
            if kind == 0:  # A frame that claims 2^60 octets.
                WebLink(server.link).send(b"x", length=1 << 60)
            elif kind == 1:  # Invalid UTF-8.
                WebLink(server.link).send(b"\xff\xfe")
            elif kind == 2:  # A message with deep nesting.
                other = WebLink(server.link)
                other.send(b"[" * 900_000)
                other.message()
            elif kind == 3:  # A request that never ends.
                with connect(server.link) as stream:
                    stream.sendall(b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 2000)
                    stream.recv(100)
            elif kind == 4:  # No request at all.
                connect(server.link).close()
            elif kind == 5:  # A message without an end, in parts.
                other = WebLink(server.link)
                other.send(b'"', is_last=False)
                for _ in range(20):
                    other.send(b"x" * 60_000, opcode=0, is_last=False)
                other.message()
            else:  # Random octets.
                with connect(server.link) as stream:
                    stream.sendall(os.urandom(9000))
                    stream.recv(100)
        except (OSError, ConnectionError):
            pass

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(hostile, range(140)))
    # The page that was open before has seen nothing of it.
    link.do("studio.ping")
    assert server.connect().do("studio.ping") == {}
    after = server.memory()
    print(f"\nmemory before {before:.0f} MB, after 140 hostile clients {after:.0f} MB")
    assert after < before + 25


def test_thousands_of_connections_do_not_shut_out_the_page(studio, open_page):
    server = studio()
    streams = []
    for _ in range(1500):
        stream = socket.create_connection(("127.0.0.1", server.port), 5)
        # A request that begins, and never ends.
        stream.sendall(b"GET /")
        streams.append(stream)
    page = open_page(of=server)
    assert page.title() == "Studio"
    assert len(os.listdir(f"/proc/{server.process.child.pid}/fd")) < 200
    for stream in streams:
        stream.close()


def test_a_slow_request_ends(studio):
    server = studio()
    with connect(server.link, timeout=20) as stream:
        begin = time.monotonic()
        stream.sendall(b"GET / HTTP/1.1\r\n")
        assert stream.recv(100) == b""
        assert time.monotonic() - begin < 15


# MARK: TLS


def test_the_page_works_with_tls(studio, browser, certificate):
    server = studio("--certificate", certificate[0], "--key", certificate[1], "--listen", "127.0.0.1")
    assert server.link.startswith("https://127.0.0.1:")
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(server.link)
    page.wait_for_selector("body[data-link=open]", state="attached")
    context.close()
    link = WebLink(server.link, trust=certificate[0])
    assert link.do("studio.ping") == {}
    # Every name of the certificate is a name of the server, and no other.
    assert request(server.link.replace("127.0.0.1", "localhost"), trust=certificate[0])[0] == 200
    assert request(server.link, {"Host": f"{EVIL}:{server.port}"}, trust=certificate[0])[0] == 403
    assert WebLink(server.link, headers={"Origin": f"http://127.0.0.1:{server.port}"}, trust=certificate[0]).status == 403


def test_old_versions_and_plain_text_are_refused(studio, certificate):
    server = studio("--certificate", certificate[0], "--key", certificate[1])
    plain = server.link.replace("https", "http")
    with connect(plain) as stream:
        stream.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert not response_begins_with_http(stream)
    warnings.simplefilter("ignore", DeprecationWarning)
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(OSError), connect(plain) as stream, old.wrap_socket(stream):
        pass
    for version in [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]:
        context = ssl.create_default_context(cafile=certificate[0])
        context.minimum_version = context.maximum_version = version
        with connect(plain) as stream, context.wrap_socket(stream, server_hostname="127.0.0.1") as secure:
            path = urllib.parse.urlsplit(server.link).path
            secure.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
            assert response(secure)[0] == 200


def response_begins_with_http(stream):
    try:
        return stream.recv(4) == b"HTTP"
    except OSError:
        return False


def test_hostile_handshakes_are_bounded(studio, certificate):
    server = studio("--certificate", certificate[0], "--key", certificate[1])
    plain = server.link.replace("https", "http")
    before = server.memory()
    idle = [connect(plain) for _ in range(200)]

    def hostile(number):
        try:
            with connect(plain) as stream:
                # A record of a handshake with a length that never comes, one of another kind, and random octets.
                stream.sendall([b"\x16\x03\x01\x40\x00\x01\x00\xff\xff", b"\x17\x03\x03\x00\x01x", os.urandom(3000)][number % 3])
                while stream.recv(1000):
                    pass
        except OSError:
            pass

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(hostile, range(96)))
    assert WebLink(server.link, trust=certificate[0]).do("studio.ping") == {}
    # A connection that says nothing ends after some seconds.
    begin = time.monotonic()
    assert idle[-1].recv(100) == b""
    assert time.monotonic() - begin < 10
    after = server.memory()
    print(f"\nmemory before {before:.0f} MB, after hostile handshakes {after:.0f} MB")
    assert after < before + 25
    for stream in idle:
        stream.close()


def test_another_address_needs_tls(run, certificate):
    code, output, errors = run("studio", "--no-open", "--listen", "0.0.0.0")
    assert (code, output) == (2, "")
    assert "--certificate" in errors
    code, _, errors = run("studio", "--no-open", "--certificate", certificate[0])
    assert code == 2 and "--key" in errors


def test_a_certificate_that_cannot_be_used_is_explained(run, certificate, workplace):
    other = workplace.path / "other.key"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", other], check=True, capture_output=True)
    locked = workplace.path / "locked.key"
    subprocess.run(["openssl", "ec", "-in", other, "-aes256", "-passout", "pass:secret", "-out", locked], check=True, capture_output=True)
    for pair in [("none.pem", certificate[1]), (certificate[0], other), (certificate[0], locked), (certificate[1], certificate[1])]:
        code, output, errors = run("studio", "--no-open", "--port", 0, "--certificate", pair[0], "--key", pair[1])
        assert (code, output) == (1, "")
        assert len(errors.strip().splitlines()) == 3, errors
        assert "OpenSSL says" in errors


# MARK: The command


def test_a_port_in_use(studio, run, begin):
    first = studio()
    code, _, errors = run("studio", "--no-open", "--port", first.port)
    assert code == 1
    assert "already listens" in errors and "--port 0" in errors
    assert len(errors.strip().splitlines()) == 3, errors


def test_the_record_of_the_link(begin):
    command = begin("studio", "--no-open", "--port", 0, "--json", "--language", "zh")
    record = command.record(type="studio")
    assert record["link"].endswith("/?language=zh") and str(record["port"]) in record["link"]
    assert record["isSecure"] is False
    command.interrupt()
    assert command.finish().code == 0


@pytest.fixture
def opened(begin, workplace):
    """Starts a studio with an `xdg-open` that keeps its arguments and a copy of the file that it is to open. Returns the command, its link and the copy."""
    folder = workplace.path / "bin"
    folder.mkdir()
    program, copy = folder / "xdg-open", workplace.path / "opened"
    program.write_text(
        f"#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > {copy}.arguments\ncp -p \"$1\" {copy}.html\n"
        f"stat -c '%a %u' \"$(dirname \"$1\")\" \"$1\" > {copy}.modes\nmv {copy}.modes {copy}\n")
    program.chmod(0o755)

    def opened(**environment):
        command = begin("studio", "--port", 0, environment={"DISPLAY": ":9", "PATH": f"{folder}:{os.environ['PATH']}"} | environment)
        link = command.line("http").split()[0]
        wait_for(copy.exists)
        arguments = pathlib.Path(f"{copy}.arguments").read_text().split("\n")
        return command, link, pathlib.Path(arguments[2]), pathlib.Path(f"{copy}.html"), arguments

    return opened


@pytest.mark.parametrize("place", ["XDG_RUNTIME_DIR", "TMPDIR"])
def test_the_browser_opens_the_link_and_its_arguments_do_not_have_it(opened, workplace, browser, place):
    runtime = workplace.path / "runtime"
    runtime.mkdir(mode=0o700)
    environment = {"XDG_RUNTIME_DIR": "", "TMPDIR": ""} | {place: str(runtime)}
    command, link, path, copy, arguments = opened(**environment)
    assert path.is_relative_to(runtime)
    # A browser that cannot read the file shows an error page.
    assert command.line("browser").strip() == "If the browser shows an error, open the link above."
    assert token_of(link) not in str(arguments)
    me = os.getuid()
    assert (workplace.path / "opened").read_text().split("\n")[:2] == [f"700 {me}", f"600 {me}"]
    assert "<script" not in copy.read_text()
    # No program but the studio itself, which has no arguments of that kind, names the token in /proc.
    assert not any(token_of(link) in line for line in command_lines())
    assert path.exists()
    context = browser.new_context()
    page = context.new_page()
    page.goto(copy.as_uri())
    page.wait_for_selector("body[data-link=open]", state="attached")
    assert page.url.startswith(link)
    context.close()
    # The browser has loaded the page, so the file is gone, and its folder.
    wait_for(lambda: not path.exists() and not path.parent.exists())
    command.interrupt()
    assert command.finish().code == 0
    assert list(runtime.iterdir()) == []


def command_lines():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield (entry / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                pass


def test_the_file_with_the_link_ends_with_the_command(opened):
    command, _, path, _, _ = opened()
    assert path.exists()
    command.interrupt()
    assert command.finish().code == 0
    assert not path.exists() and not path.parent.exists()


def test_the_language_of_the_command(studio, open_page):
    server = studio("--language", "zh")
    assert server.link.endswith("?language=zh")
    page = open_page(of=server)
    assert page.title() == "工作室"
    assert "language=" not in page.url
