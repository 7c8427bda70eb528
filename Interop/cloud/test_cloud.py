"""`bluelab gateway cloud` with mosquitto and NATS as brokers, and paho-mqtt as the reader."""

import contextlib
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.request

import paho.mqtt.client as mqtt
import pytest
from commands import LIMIT, wait_for
from conftest import FAST, IS_SOAK

# The same moments in each run. CLOUD_SEED selects others.
RANDOM = random.Random(int(os.environ.get("CLOUD_SEED", "1")))
RESTARTS = 50 if IS_SOAK else 4
# Seconds for each restart: the soak restarts the broker for 15 minutes, and kills the gateway for 150 s.
BROKER_SPAN, GATEWAY_SPAN = (18, 3) if IS_SOAK else (0, 0)

# The moments of a run come again with its seed.
RANDOM = random.Random(int(os.environ.get("CLOUD_SEED", "1")))


class Moments:
    """The moments of restarts: one in each span after the beginning. Spans for which the machine was too slow begin later."""

    def __init__(self, span):
        self.start, self.span, self.count = time.monotonic(), span, 0

    def wait(self, share):
        """Waits for a moment at random in the first share of the next span."""
        self._wait_until(self.span * (self.count + RANDOM.uniform(0, share)))
        self.count += 1

    def check_the_end(self):
        """Waits for the end of the last span. All restarts have happened, and they took the time that they should."""
        self._wait_until(self.span * RESTARTS)
        assert self.count == RESTARTS and time.monotonic() - self.start >= self.span * RESTARTS

    def _wait_until(self, moment):
        # check-tests: wait: the moments of restarts are what the soak varies.
        time.sleep(max(0, self.start + moment - time.monotonic()))


def is_advertisement(topic, value):
    return "/advertisement/" in topic


def is_state(state):
    return lambda topic, value: topic == "bluetooth/hall/status" and value["state"] == state


@pytest.mark.parametrize("kind, protocol", [("mosquitto", mqtt.MQTTv5), ("mosquitto", mqtt.MQTTv311), ("nats", None)])
def test_advertisements_arrive_and_commands_are_answered(broker, gateway, reader, serve, kind, protocol):
    serve("heart-rate")
    place = broker(kind, protocol=protocol)
    client = reader(place)
    gateway(place, "--commands")
    status = client.wait_for(is_state("online"))
    assert status["commands"] is True and len(status["queue"]) == 8
    seen = client.wait_for(lambda topic, value: is_advertisement(topic, value) and value.get("name") == "Pulse")
    assert "180D" in seen["services"] and "0d18" in seen["data"] and -127 < seen["rssi"] < 0
    device = seen["address"]
    services = client.command("1", "connect", device)["result"]["services"]
    assert "180D" in [service["uuid"] for service in services]
    assert len(client.command("2", "read", device, characteristic="2A38", service="180D")["result"]["value"]) == 2
    handle = client.command("3", "subscribe", device, characteristic="2A37")["result"]["handle"]
    value = client.wait_for(lambda topic, value: topic.endswith(f"/{handle}") and "/value/" in topic)
    assert "bpm" in value["text"] and value["characteristic"] == "2A37"
    assert client.command("4", "write", device, characteristic="2A39", value="01") == {"id": "4", "result": {}}
    # The heart rate's control point knows the value 1 alone: its error 0x80 is that of the service's specification.
    assert client.command("5", "write", device, characteristic="2A39", value="02")["error"]["code"] == "att"
    again = client.command("2", "read", device, characteristic="2A38", service="180D")
    assert again["id"] == "2" and "value" in again["result"]
    assert client.command("6", "disconnect", device) == {"id": "6", "result": {}}
    client.wait_for(lambda topic, value: "/link/" in topic and value["state"] == "disconnected")
    assert client.command("7", "read", device, characteristic="2A38")["error"]["code"] == "not-connected"


def test_the_broker_says_that_a_killed_gateway_is_offline(broker, gateway, reader):
    place = broker()
    client = reader(place)
    running = gateway(place)
    client.wait_for(is_state("online"))
    running.kill()
    client.wait_for(is_state("offline"))
    # The broker keeps the state for clients that come later.
    later = reader(place, "later")
    assert later.wait_for(is_state("offline"))["reason"] == "vanished"
    count = len(client.messages)
    running.start()
    client.wait_for(is_state("online"), start=count)
    running.process.interrupt()
    running.process.finish()
    assert client.wait_for(is_state("offline"), start=count)["reason"] == "stopped"
    # The broker has not published the will as well: the state that it keeps is the last one.
    assert reader(place, "last").wait_for(is_state("offline"))["reason"] == "stopped"


def check_numbers(client):
    """All numbers from 0 to the last one have arrived, in one queue."""
    client.wait_for_numbers(client.highest + 1)


def check_refusals(running):
    """The gateway has taken no error of a connection for a refusal of the broker."""
    assert read_metric(running, "messages_refused_total") == 0


def check_memory(running):
    """What the gateway has allocated is bounded, however often the broker went away: a queue of a few thousand messages is on the disk."""
    status = pathlib.Path(f"/proc/{running.process.child.pid}/status").read_text()
    kilobytes = int(next(line for line in status.splitlines() if line.startswith("RssAnon")).split()[1])
    assert kilobytes < 64 << 10, status


def stop(running, client):
    """Stops the gateway as Ctrl-C does, and waits for its last message."""
    running.process.interrupt()
    running.process.finish()
    client.wait_for(lambda topic, value: is_state("offline")(topic, value) and value["reason"] == "stopped")


def test_a_broker_that_restarts_gets_every_message(broker, gateway, reader, serve):
    serve("heart-rate")
    place = broker()
    client = reader(place)
    running = gateway(place, "--status", "tcp:127.0.0.1:0", settings=FAST)
    client.wait_for(is_advertisement)
    moments = Moments(BROKER_SPAN)
    for _ in range(RESTARTS):
        moments.wait(1 / 9)
        place.stop()
        queued = read_metric(running, "queued_messages")
        wait_for(lambda: read_metric(running, "queued_messages") > queued, LIMIT, lambda: f"no message waits behind the {queued} before")
        # check-tests: wait: the broker is away for a time at random; the message above already waits.
        time.sleep(RANDOM.uniform(0, BROKER_SPAN / 6))
        connections = read_metric(running, "connections_total")
        place.start()
        if IS_SOAK:
            # Each connection lasts long enough that the pause before the next one is short.
            wait_for(lambda: read_metric(running, "connections_total") > connections, LIMIT, lambda: f"no connection after {moments.count} restarts")
        assert running.process.child.poll() is None
    moments.check_the_end()
    check_memory(running)
    # The process is the same all the time, so that these are all messages until now.
    count = read_metric(running, "messages_acknowledged_total") + read_metric(running, "queued_messages")
    assert count > RESTARTS
    client.wait_for_numbers(count)
    check_refusals(running)
    stop(running, client)
    check_numbers(client)


def test_a_gateway_that_is_killed_loses_no_message(broker, gateway, reader, serve):
    serve("heart-rate")
    place = broker()
    client = reader(place)
    running = gateway(place, "--status", "tcp:127.0.0.1:0", settings=FAST)
    moments = Moments(GATEWAY_SPAN)
    for _ in range(RESTARTS):
        highest = client.highest
        wait_for(lambda: client.highest > highest, LIMIT, lambda: f"no message after {highest}")
        moments.wait(1)
        running.kill()
        running.start()
    moments.check_the_end()
    highest = client.highest
    wait_for(lambda: client.highest > highest, LIMIT, lambda: f"no message after {highest}")
    check_refusals(running)
    stop(running, client)
    assert client.highest > RESTARTS
    check_numbers(client)


def test_messages_wait_for_a_broker_that_is_away_from_the_beginning(broker, gateway, reader, serve, run):
    serve("heart-rate")
    place = broker()
    client = reader(place)
    place.stop()
    running = gateway(place, "--status", "tcp:127.0.0.1:0", settings=FAST)
    running.process.wait_for_error("The broker is away")
    wait_for(lambda: read_metric(running, "queued_messages") > 3, LIMIT, lambda: "no messages wait")
    running.kill()
    place.start()
    running.start()
    client.wait_for_numbers(4)
    stop(running, client)
    check_numbers(client)


def openssl(folder, *arguments):
    subprocess.run(["openssl", *map(str, arguments)], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def certificates(workplace):
    """An authority, a broker's certificate for localhost, a client's, and an authority that signed none of them."""
    folder = workplace.path / "tls"
    folder.mkdir()
    for name in ("ca", "other"):
        openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("broker", "client"):
        openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", 2, "-out", f"{name}.pem", "-extfile", "names")
    return folder


def test_tls_with_a_client_certificate(broker, gateway, reader, serve, certificates):
    serve("heart-rate")
    place = broker(lines=[
        f"cafile {certificates}/ca.pem", f"certfile {certificates}/broker.pem", f"keyfile {certificates}/broker.key", "require_certificate true"])
    client = reader(place, ca_certs=certificates / "ca.pem", certfile=certificates / "client.pem", keyfile=certificates / "client.key")
    tls = "tls: {{authorities: {0}/{1}.pem{2}}}\n"
    own = f", certificate: {certificates}/client.pem, key: {certificates}/client.key"
    running = gateway(place, scheme="mqtts", host="localhost", settings=tls.format(certificates, "ca", own))
    client.wait_for(is_advertisement)
    assert running.record["isEncrypted"] is True
    running.kill()
    # Without a certificate, and with an authority that did not sign the broker's.
    running = gateway(place, scheme="mqtts", host="localhost", settings=tls.format(certificates, "ca", ""))
    running.process.wait_for_error("The broker is away")
    running.kill()
    running = gateway(place, scheme="mqtts", host="localhost", settings=tls.format(certificates, "other", own))
    running.process.wait_for_error("is not trusted")


@pytest.mark.parametrize("protocol", [mqtt.MQTTv5, mqtt.MQTTv311])
def test_a_wrong_password_is_said_plainly_and_stands_nowhere(locked_broker, gateway, protocol):
    place, secret = locked_broker(protocol)
    running = gateway(place, settings=f"user: hall\npasswordFile: {secret}\n")
    running.process.wait_for_error("The broker is away: The broker ")
    assert "password" in running.process.errors
    assert "swordfish" not in running.process.errors + "".join(running.process.lines)
    assert b"swordfish" not in pathlib.Path(f"/proc/{running.process.child.pid}/cmdline").read_bytes()
    running.kill()
    secret.write_text("right\n")
    running.start()
    running.process.wait_for_error("Connected to the broker at ")


def test_hostile_payloads_do_not_disturb_the_gateway(broker, gateway, reader):
    place = broker()
    client = reader(place)
    running = gateway(place, "--commands")
    client.wait_for(is_state("online"))
    deep = "[" * 8000 + "]" * 8000
    for payload in [
        b"", b"not JSON", b"\x00\xff" * 100, b"x" * (1 << 20), deep, '{"id":"d","op":"read","args":' + deep + "}", "[1]", "null", '{"id":1}',
        '{"id":"a","op":[]}', '{"id":"b","op":"connect","target":5}', json.dumps({"id": "c", "op": "write", "args": {"handle": "x"}}),
    ]:
        client.publish(payload)
    assert client.command("e", "explode")["error"]["code"] == "unknown-op"
    assert client.command("f", "connect", "nowhere")["error"]["code"] == "invalid"
    assert running.process.child.poll() is None


def packet(kind, body):
    length = len(body)
    octets = bytearray([kind])
    while True:
        octets.append(length % 128 | (0x80 if length >= 128 else 0))
        length //= 128
        if not length:
            return bytes(octets) + body


def text(value):
    return struct.pack(">H", len(value)) + value


class LyingBroker(threading.Thread):
    """Accepts MQTT 3.1.1, and sends what no broker may send: with each connection the next of `LIES`, beginning at `first`. `topic` is one that
    the client listens to."""

    LIES = 11

    def __init__(self, first, topic=b"bluetooth/hall/command/me"):
        super().__init__(daemon=True)
        self.first, self.topic = first, topic
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.connections = 0
        self.seen = set()
        self.start()

    def run(self):
        command = json.dumps({"id": "1", "op": "connect", "target": "AC:BC:32:89:0E:A9"}).encode()
        lies = [
            packet(0x40, b"\x12\x34") * 50,  # PUBACK of unknown messages
            packet(0x90, b"\x12\x34\x00") + packet(0xB0, b"\x00\x01"),  # SUBACK and UNSUBACK of unknown requests
            packet(0x30, text(b"nobody/subscribed") + b"x") + packet(0x30, text(self.topic) + command),
            packet(0x30, text(self.topic) + b"x" * (1 << 20)),
            packet(0x32, text(self.topic) + b"\x00\x00" + command),  # no packet identifier
            packet(0x30, b"\xff\xff"),  # a topic that is longer than its packet
            packet(0x30, text(b"a/\xff\xfe") + b"x"),  # no UTF-8
            b"\x30\xff\xff\xff\xff\x7f",  # a length of five octets
            packet(0x20, b"\x00\x00") + packet(0xE0, b""),  # a second CONNACK, and a DISCONNECT
            packet(0x00, b""), packet(0xF0, b"\x00" * 100),
        ]
        assert len(lies) == self.LIES
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            lie = lies[(self.first + self.connections) % len(lies)]
            self.connections += 1
            try:
                connection.settimeout(2)
                connection.recv(4096)
                connection.sendall(packet(0x20, b"\x00\x00"))
                # The client subscribes or publishes. A lie together with CONNACK would come first.
                self.seen.update(octet & 0xF0 for octet in connection.recv(4096)[:1])
                connection.sendall(lie)
                connection.settimeout(0.3)
                while octets := connection.recv(65536):
                    self.seen.add(octets[0] & 0xF0)
            except OSError:
                pass
            connection.close()


class HostileBroker(threading.Thread):
    """Answers each CONNECT with a CONNACK of MQTT 5 that has a property which does not exist. It ended a process with libmosquitto 2.0.11."""

    protocol = mqtt.MQTTv5
    ANSWER = b"\x20\x05\x00\x00\x02\x7f\x00"

    def __init__(self):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.connections = 0
        self.start()

    def run(self):
        while True:
            connection, _ = self.server.accept()
            with contextlib.suppress(OSError), connection:
                connection.settimeout(LIMIT)
                connection.recv(4096)
                connection.sendall(self.ANSWER)
                while connection.recv(65536):
                    pass
            self.connections += 1


def check_that_it_runs(hostile, program):
    """The program says what the broker did, and has come back since."""
    program.wait_for_error("it sent CONNACK with an unknown property (127).")
    wait_for(lambda: hostile.connections > 1, LIMIT, lambda: f"{hostile.connections} connections: {program.errors}")
    assert program.child.poll() is None


def test_a_property_that_does_not_exist_does_not_end_the_gateway(gateway):
    hostile = HostileBroker()
    check_that_it_runs(hostile, gateway(hostile).process)


def test_a_broker_that_lies_does_not_disturb_the_gateway(gateway, serve):
    serve("heart-rate")
    # The pauses of a gateway grow with each failure, so that each of three gateways hears a third of the lies.
    share = -(-LyingBroker.LIES // 3)
    pairs = []
    for number in range(3):
        liar = LyingBroker(number * share)
        pairs.append((liar, gateway(liar.port, settings="version: 3.1.1\n" + FAST, box=f"gateway-{number}")))
    for liar, running in pairs:
        # A connection after the last lie shows that the gateway has survived it.
        wait_for(lambda: liar.connections > share, 60, lambda: f"{liar.connections} connections: {running.process.errors}")
        assert running.process.child.poll() is None
        running.process.interrupt()
        assert running.process.finish().code in (0, 130)
        # Commands are not allowed: the gateway asked for none.
        assert 0x80 not in liar.seen
        liar.server.close()


def get(address, path):
    port = address.rsplit(":", 1)[1]
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=LIMIT) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def read_metric(running, name):
    lines = get(running.record["status"], "/metrics")[1].splitlines()
    return int(dict(line.split() for line in lines if not line.startswith("#"))[f"bluetooth_cloud_{name}"])


def test_health_and_metrics_follow_the_broker(broker, gateway, reader, serve):
    serve("heart-rate")
    place = broker()
    client = reader(place)
    running = gateway(place, "--status", "tcp:127.0.0.1:0")
    client.wait_for(is_advertisement)
    code, body = get(running.record["status"], "/health")
    assert code == 200 and json.loads(body)["healthy"] is True
    assert read_metric(running, "advertisements_total") > 0
    assert get(running.record["status"], "/else")[0] == 404
    place.stop()
    wait_for(lambda: get(running.record["status"], "/health")[0] == 503, LIMIT, lambda: "still healthy")


def test_home_assistant_finds_the_gateway_at_each_connection(broker, gateway, reader):
    place = broker()
    client = reader(place, "assistant", "homeassistant/#")
    gateway(place, settings="homeAssistant: {devices: ['AC:BC:32:89:0E:A9']}\n")
    topics = {"homeassistant/binary_sensor/hall/connection/config", "homeassistant/sensor/hall/ACBC32890EA9/config"}

    def count():
        return sum(topic in topics and not retained for topic, _, retained in client.messages)

    wait_for(lambda: count() == 2, LIMIT, lambda: f"{client.messages}")
    value = client.wait_for(lambda topic, value: topic.endswith("ACBC32890EA9/config"))
    assert value["state_topic"] == "bluetooth/hall/advertisement/ACBC32890EA9" and value["device"]["identifiers"] == ["opencorebluetooth_hall"]
    client.client.publish("homeassistant/status", "online", 1)
    wait_for(lambda: count() == 4, LIMIT, lambda: f"{client.messages}")


@pytest.mark.parametrize("arguments, words", [
    (["--broker", "localhost"], "mqtt://HOST"), (["--broker", "mqtt://me:secret@localhost"], "mqtt://HOST"), ([], "needs a broker"),
    (["--broker", "mqtt://localhost", "--status", "tcp:0.0.0.0:1"], "no password"),
    (["--broker", "mqtt://localhost", "--name", "No Name"], "lower-case"),
    (["--broker", "mqtt://one.example", "--broker", "mqtts://two.example"], "all use TLS"),
    (["--broker", "mqtt://one.example"] + 16 * ["--broker", "mqtt://two.example"], "at most 16 brokers"),
])
def test_a_mistake_is_explained(run, radio, arguments, words):
    result = run("gateway", "cloud", *arguments)
    assert result.code == 2 and words in result.errors
