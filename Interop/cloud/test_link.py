"""`bluelab link --way cloud` with mosquitto and NATS: the device and its clients are processes that meet at the broker alone."""

import hashlib
import json
import pathlib
import signal
import subprocess

import paho.mqtt.client as mqtt
import pytest
from commands import LIMIT, begin, wait_for  # noqa: F401
from test_cloud import HostileBroker, LyingBroker, certificates, check_that_it_runs  # noqa: F401

RESTARTS = 3
# Requests between two restarts.
BATCH = 400


@pytest.fixture
def key(run, workplace):
    path = workplace.path / "lamp.key"
    assert run("gateway", "key", "--file", path).code == 0
    return path


class Link:
    """Devices and clients, with one file of settings for a broker."""

    def __init__(self, workplace, begin, run, key):
        self.workplace, self.begin, self.run, self.key = workplace, begin, run, key

    def options(self, broker, key=None, scheme="mqtt", host="127.0.0.1", **settings):
        port = broker if isinstance(broker, int) else broker.port
        if isinstance(broker, int) or broker.protocol == mqtt.MQTTv311:
            settings["version"] = "3.1.1"
        # YAML contains JSON.
        text = json.dumps({"broker": f"{scheme}://{host}:{port}"} | settings)
        path = self.workplace.path / f"link-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
        path.write_text(text)
        return ["--way", "cloud", "--config", path, "--key-file", key or self.key, "--json"]

    def start(self, verb, broker, *arguments, environment=None, stdin=subprocess.DEVNULL, device="lamp-1", **settings):
        return self.begin(
            "link", verb, device, *arguments, *self.options(broker, **settings), environment=environment, stdin=stdin)

    def serve(self, broker, **settings):
        device = self.start("serve", broker, **settings)
        assert device.record(type="link-serving", way="cloud")["at"].endswith("/up/+")
        return device

    def ask(self, broker, *arguments, code=0, **settings):
        result = self.run("link", "ask", "lamp-1", *arguments, *self.options(broker, **settings), timeout=90)
        assert result.code == code, result
        return result.records[0] if code == 0 else result.errors


@pytest.fixture
def link(workplace, begin, run, key):  # noqa: F811
    return Link(workplace, begin, run, key)


def numbers(device):
    """The numbers of the requests that a device has carried out, after its end."""
    device.interrupt()
    device.finish()
    return [record["args"]["number"] for record in device.records if record["type"] == "link-request"]


def requests(first, count):
    return "".join(f'set {{"number":{number}}}\n' for number in range(first, first + count))


def replies(client):
    return sum(record["type"] == "link-reply" for record in client.records)


@pytest.mark.parametrize("kind, protocol", [("mosquitto", mqtt.MQTTv5), ("mosquitto", mqtt.MQTTv311), ("nats", None)])
def test_a_device_is_asked_and_watched_over_a_broker(broker, link, kind, protocol):
    place = broker(kind, protocol=protocol)
    device = link.serve(place)
    reply = link.ask(place, "set", '{"on":true}')
    assert (reply["way"], reply["result"]) == ("cloud", {"on": True})
    device.record(type="link-request", op="set", args={"on": True})
    assert link.ask(place, "get")["result"] == {"on": True}
    assert "unknownOperation" in link.ask(place, "other", code=6)
    watch = link.start("watch", place)
    watch.record(type="link-way", way="cloud")
    link.ask(place, "set", '{"level":5}')
    watch.record(type="link-event", op="changed", args={"level": 5, "on": True})


def test_the_broker_reads_nothing(broker, link, reader):
    place = broker()
    client = reader(place, "stranger", "bluetooth/link/#")
    seen = []
    client.client.on_message = lambda client, data, message: seen.append(message)
    link.serve(place)
    assert link.ask(place, "echo", '"swordfish"')["result"] == "swordfish"
    wait_for(lambda: {message.topic.split("/")[3] for message in seen} == {"up", "down"}, LIMIT, lambda: f"{seen}")
    for message in seen:
        assert b"swordfish" not in message.payload and b"echo" not in message.payload and not message.retain
        assert message.topic.count("/") <= 7 and len(message.topic) <= 256


def test_a_broker_that_restarts_in_a_stream_of_requests(broker, link):
    place = broker()
    device = link.serve(place)
    client = link.start("ask", place, "-", "--timeout", "60", stdin=subprocess.PIPE)
    interrupted = 0
    for round in range(RESTARTS):
        client.send(requests(round * BATCH, BATCH))
        # In the middle of the batch.
        client.record(type="link-reply", number=round * BATCH + 20)
        said = [program.errors.count("cloud: ") for program in (device, client)]
        place.stop(signal.SIGKILL if round % 2 else signal.SIGTERM)
        for program, count in zip((device, client), said):
            wait_for(lambda: program.errors.count("cloud: ") > count, LIMIT, lambda: f"no word: {program.errors}")
        while not client._new.empty():
            client.line()
        interrupted += replies(client) < (round + 1) * BATCH
        place.start()
        device.record(type="link-serving")
    client.child.stdin.close()
    client.finish(180)
    # A broker that stops after each batch would show nothing.
    assert interrupted > 0
    done = numbers(device)
    assert done == sorted(set(done)), "a request was carried out twice or out of order"
    succeeded = [record["number"] - 1 for record in client.records if record["type"] == "link-reply"]
    failed = {record["number"] - 1: record for record in client.records if record["type"] == "link-failure"}
    assert sorted(succeeded + list(failed)) == list(range(RESTARTS * BATCH))
    assert set(succeeded) <= set(done)
    for number, record in failed.items():
        assert record["stage"] in ("waiting", "sent", "accepted"), record
        assert record["stage"] != "waiting" or number not in done, record


def test_a_client_that_is_killed_leaves_a_device_that_works(broker, link):
    place = broker()
    device = link.serve(place)
    client = link.start("ask", place, "-", stdin=subprocess.PIPE)
    client.send(requests(0, BATCH))
    client.record(type="link-reply", number=20)
    client.kill()
    assert link.ask(place, "set", '{"number":-1}')["result"] == {"number": -1}
    # Also after a kill of the device: its next run begins without memory of the clients.
    device.kill()
    device.finish()
    done = [record["args"]["number"] for record in device.records if record["type"] == "link-request"]
    # The requests that had left may follow those of the next client.
    first = [number for number in done if number >= 0]
    assert first == list(range(len(first))) and len(first) >= 20
    assert done.count(-1) == 1
    again = link.serve(place)
    assert link.ask(place, "set", '{"number":1}')["result"] == {"number": 1}
    assert numbers(again) == [1]


def test_a_stranger_that_repeats_and_changes_everything(broker, link, reader):
    place = broker()
    stranger = reader(place, "stranger", "bluetooth/link/#")
    known = set()

    def repeat(client, data, message):
        if message.payload in known or len(known) > 3000:
            return
        changed = bytearray(message.payload)
        changed[-1] ^= 1
        known.update([message.payload, bytes(changed)])
        base, direction, _ = message.topic.rsplit("/", 2)
        for topic in (message.topic, f"{base}/{direction}/abc", f"{base}/up/{'f' * 16}", f"{base}/up/no-digits", f"{base}/down/abc"):
            client.publish(topic, message.payload)
            client.publish(topic, bytes(changed))

    stranger.client.on_message = repeat
    device = link.serve(place)
    client = link.start("ask", place, "-", stdin=subprocess.PIPE)
    client.send(requests(0, 50))
    client.child.stdin.close()
    result = client.finish(120)
    assert result.code == 0, result
    assert link.ask(place, "set", '{"number":50}')["result"] == {"number": 50}
    assert len(known) > 100
    assert numbers(device) == list(range(51))


def test_another_key_gets_nothing(broker, link, reader, run, workplace):
    place = broker()
    client = reader(place, "stranger", "bluetooth/link/#")
    topics = []
    client.client.on_message = lambda client, data, message: topics.append(message.topic)
    device = link.serve(place)
    other = workplace.path / "other.key"
    run("gateway", "key", "--file", other)
    errors = link.ask(place, "get", "--timeout", "3", code=5, key=other)
    assert "safe to send it again" in errors and other.read_text().strip() not in errors
    wait_for(lambda: topics, LIMIT, lambda: "the stranger sent nothing")
    assert all("/up/" in topic for topic in topics)
    # The device has seen all of it when it has answered the next client.
    link.ask(place, "set", '{"number":1}')
    assert numbers(device) == [1]


@pytest.mark.parametrize("protocol", [mqtt.MQTTv5, mqtt.MQTTv311])
def test_a_wrong_password_of_a_link_is_said_plainly_and_stands_nowhere(locked_broker, link, protocol):
    place, secret = locked_broker(protocol)
    device = link.start("serve", place, user="hall", passwordFile=str(secret))
    client = link.start("ask", place, "get", "--timeout", "3", user="hall", passwordFile=str(secret))
    for program in (device, client):
        program.wait_for_error("cloud: The broker ")
        assert "password" in program.errors
        if program.child.poll() is None:
            assert b"swordfish" not in pathlib.Path(f"/proc/{program.child.pid}/cmdline").read_bytes()
    assert client.finish().code == 5
    for program in (device, client):
        assert "swordfish" not in program.errors + "".join(program.lines)
    assert "swordfish" not in (place.folder / "log").read_text(errors="replace")
    # The environment has the right one.
    right = {"BLUETOOTH_CLOUD_USER": "hall", "BLUETOOTH_CLOUD_PASSWORD": "right"}
    link.start("serve", place, environment=right).record(type="link-serving", way="cloud")
    client = link.start("ask", place, "echo", "1", environment=right)
    assert client.record(type="link-reply")["result"] == 1


def test_tls_with_client_certificates(broker, link, certificates):  # noqa: F811
    place = broker(lines=[
        f"cafile {certificates}/ca.pem", f"certfile {certificates}/broker.pem", f"keyfile {certificates}/broker.key", "require_certificate true"])
    own = {"authorities": f"{certificates}/ca.pem", "certificate": f"{certificates}/client.pem", "key": f"{certificates}/client.key"}
    secure = {"scheme": "mqtts", "host": "localhost"}
    link.serve(place, tls=own, **secure)
    assert link.ask(place, "echo", "1", tls=own, **secure)["result"] == 1
    errors = link.ask(place, "get", "--timeout", "3", code=5, tls=own | {"authorities": f"{certificates}/other.pem"}, **secure)
    assert "is not trusted" in errors
    # A broker that needs a certificate says so before or after the handshake, depending on the version of TLS.
    assert "cloud: " in link.ask(place, "get", "--timeout", "3", code=5, tls={"authorities": own["authorities"]}, **secure)


def test_a_property_that_does_not_exist_does_not_end_a_device(link):
    hostile = HostileBroker()
    check_that_it_runs(hostile, link.start("serve", hostile))


def test_a_broker_that_lies_does_not_disturb_a_device(link):
    # The pauses grow with each failure, so that each of three devices hears a third of the lies.
    share = -(-LyingBroker.LIES // 3)
    pairs = []
    for number in range(3):
        liar = LyingBroker(number * share, b"bluetooth/link/lamp-1/up/abc")
        pairs.append((liar, link.start("serve", liar.port)))
    for liar, device in pairs:
        # A connection after the last lie shows that the device has survived it. In one of them it has asked for its topics.
        wait_for(
            lambda: liar.connections > share and 0x80 in liar.seen, 60,
            lambda: f"{liar.connections} connections, packets {liar.seen}: {device.errors}")
        assert device.child.poll() is None
        assert numbers(device) == []
        liar.server.close()


@pytest.mark.parametrize("arguments, words", [
    (["--way", "cloud"], "needs a broker"), (["--way", "network", "--broker", "mqtt://a"], "add --way cloud"),
    (["--way", "cloud", "--broker", "localhost"], "mqtt://HOST"), (["--way", "cloud", "--broker", "mqtt://me:secret@a"], "mqtt://HOST"),
    (["--way", "cloud", "--config", "/absent"], "/absent"),
])
@pytest.mark.parametrize("verb", ["serve", "ask"])
def test_a_mistake_of_a_link_is_explained(run, key, verb, arguments, words):
    result = run("link", verb, "lamp-1", *(["get"] if verb == "ask" else []), *arguments, "--key-file", key)
    assert result.code == 2 and words in result.errors, result
