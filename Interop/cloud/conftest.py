"""Fixtures for tests of `bluelab gateway cloud` with foreign brokers and a foreign client. Each test has its own radio.

    broker(kind="mosquitto")        a broker: port, start(), stop()
    cluster()                       three NATS servers that hold the same messages
    gateway(broker, "--commands")   starts the gateway on the radio: process, kill()
    reader(broker)                  a paho-mqtt client that keeps every message: wait_for(condition), command(...)
"""

import collections
import contextlib
import importlib.util
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import paho.mqtt.client as mqtt
import pytest

INTEROP = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(INTEROP))

from commands import (  # noqa: E402, F401
    LIMIT, TOOL, Running, wait_for,
)
from ports import free_port  # noqa: E402

# The fixtures of the tool: workplace, radio, serve, run.
spec = importlib.util.spec_from_file_location("tool_fixtures", INTEROP / "tool" / "conftest.py")
tool_fixtures = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool_fixtures)
workplace, radio, serve, run = tool_fixtures.workplace, tool_fixtures.radio, tool_fixtures.serve, tool_fixtures.run

IS_SOAK = bool(os.environ.get("CLOUD_SOAK"))


class Broker:
    """A foreign broker at a port of its own. It keeps sessions and messages over a restart."""

    def __init__(self, folder, kind="mosquitto", lines=(), protocol=None):
        self.kind, self.folder, self.port, self.process = kind, folder, free_port(), None
        self.protocol = protocol or (mqtt.MQTTv5 if kind == "mosquitto" else mqtt.MQTTv311)
        folder.mkdir()
        self.configuration = folder / "broker.conf"
        if kind == "mosquitto":
            plain = ["allow_anonymous true"] if not any("allow_anonymous" in line for line in lines) else []
            self.configuration.write_text("\n".join([
                f"listener {self.port} 127.0.0.1", "persistence true", f"persistence_location {folder}/", "user root", "max_inflight_messages 0",
                "max_queued_messages 0", *plain, *lines, ""]))
            self.command = ["mosquitto", "-c", str(self.configuration)]
        else:
            self.configuration.write_text(
                f'server_name: {folder.name}\nlisten: "127.0.0.1:{free_port()}"\njetstream {{ store_dir: "{folder}" }}\n'
                f'mqtt {{ listen: "127.0.0.1:{self.port}" }}\n' + "".join(f"{line}\n" for line in lines))
            self.command = ["nats-server", "-c", str(self.configuration)]

    def start(self):
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        wait_for(self._listens, LIMIT, lambda: f"the broker does not listen: {(self.folder / 'log').read_text()}")
        return self

    def _listens(self):
        assert self.process.poll() is None, f"the broker ended: {(self.folder / 'log').read_text()}"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True

    def stop(self, number=signal.SIGTERM):
        if self.process:
            self.process.send_signal(number)
            self.process.wait(LIMIT)
            self.process = None


@pytest.fixture
def broker(workplace):
    brokers = []

    def broker(kind="mosquitto", lines=(), protocol=None):
        broker = Broker(workplace.path / f"broker-{len(brokers)}", kind, lines, protocol)
        brokers.append(broker)
        return broker.start()

    yield broker
    for item in brokers:
        item.stop(signal.SIGKILL)


@pytest.fixture
def cluster(broker):
    """Three NATS servers, which elect leaders and keep each message three times. `is_current` says whether a server has all of it again."""

    def cluster():
        routes, monitors = ([free_port() for _ in range(3)] for _ in range(2))
        list_of_routes = ", ".join(f'"nats-route://127.0.0.1:{port}"' for port in routes)
        servers = []
        for route, monitor in zip(routes, monitors):
            server = broker("nats", [
                f'http: "127.0.0.1:{monitor}"', f'cluster {{ name: cloud, listen: "127.0.0.1:{route}", routes: [{list_of_routes}] }}'])
            server.monitor = monitor
            servers.append(server)
        for server in servers:
            wait_for_current(server)
        return servers

    return cluster


def wait_for_current(server):
    """Waits until a server belongs to its cluster. It may still catch up with messages and consumers, which takes this NATS minutes at times: what the
    broker has acknowledged is on two of three servers."""

    def is_current():
        # A question costs the server as much as a message.
        time.sleep(0.2)  # check-tests: wait: the pause between two looks of `wait_for`, which has a deadline.
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{server.monitor}/healthz?js-server-only=true", timeout=LIMIT) as response:
            return response.status == 200

    wait_for(is_current, 60, lambda: f"the server is not current: {(server.folder / 'log').read_text()[-2000:]}")


@pytest.fixture
def locked_broker(broker, workplace):
    """A broker that takes the user hall with the password right, and a file of the client with a wrong password."""

    def locked_broker(protocol):
        passwords = workplace.path / "passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", str(passwords), "hall", "right"], check=True, capture_output=True)
        passwords.chmod(0o644)
        secret = workplace.path / "secret"
        secret.touch(0o600)
        secret.write_text("swordfish\n")
        return broker(lines=["allow_anonymous false", f"password_file {passwords}"], protocol=protocol), secret

    return locked_broker


class Gateway:
    """A running `bluelab gateway cloud` with the radio, the configuration and the queue of its box."""

    def __init__(self, workplace, address, *arguments, box="gateway", settings=""):
        self.workplace = workplace
        self.arguments, self.box = arguments, box
        self.config = workplace.path / f"{box}.yaml"
        self.config.write_text(f"broker: {address}\nname: hall\n{settings}")
        self.start()

    def start(self):
        self.process = Running(
            [TOOL, "gateway", "cloud", "--config", self.config, "--json", *self.arguments],
            self.workplace.environment(BLUETOOTH_RADIO_NAME=self.box, XDG_STATE_HOME=self.workplace.path / f"{self.box}-state"),
            self.workplace.path, True)
        self.workplace.programs.append(self.process)
        self.record = self.process.record()
        return self

    def kill(self):
        self.process.child.kill()
        self.process.child.wait()


FAST = "advertisements: {interval: 0 s, rate: 1000}\n"


@pytest.fixture
def gateway(workplace, radio):
    def gateway(broker, *arguments, settings="", scheme="mqtt", host="127.0.0.1", box="gateway"):
        brokers = broker if isinstance(broker, list) else [broker]
        if any(not isinstance(item, int) and item.protocol == mqtt.MQTTv311 for item in brokers):
            settings += "version: 3.1.1\n"
        addresses = [f"{scheme}://{host}:{item if isinstance(item, int) else item.port}" for item in brokers]
        address = addresses[0] if len(addresses) == 1 else json.dumps(addresses)
        return Gateway(workplace, address, *map(str, arguments), box=box, settings=settings)

    return gateway


class Reader:
    """A client with a session that outlives its connections. It keeps the numbers of all messages, and the last messages."""

    def __init__(self, broker, name="reader", topics="bluetooth/#", **tls):
        options = {"clean_session": False} if broker.protocol == mqtt.MQTTv311 else {}
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, name, protocol=broker.protocol, **options)
        if tls:
            self.client.tls_set(**tls)
        self.messages = collections.deque(maxlen=10_000)
        # How often each numbered message arrived, by the queue's name.
        self.numbers = collections.defaultdict(collections.Counter)
        self._new = threading.Condition()
        self.subscribed = threading.Event()
        self.client.on_message = self._receive
        self.client.on_connect = lambda *_: self.client.subscribe(topics, 1)
        self.client.on_subscribe = lambda *_: self.subscribed.set()
        self.client.reconnect_delay_set(1, 1)
        properties = None
        if broker.protocol == mqtt.MQTTv5:
            properties = mqtt.Properties(mqtt.PacketTypes.CONNECT)
            properties.SessionExpiryInterval = 3600
        self.client.connect("localhost" if tls else "127.0.0.1", broker.port, 30, **({"clean_start": False, "properties": properties} if properties else {}))
        self.client.loop_start()
        assert self.subscribed.wait(LIMIT)

    def _receive(self, client, data, message):
        try:
            value = json.loads(message.payload)
        except (ValueError, RecursionError):
            # What a test sends, and not the gateway.
            value = None
        with self._new:
            if isinstance(value, dict) and "seq" in value:
                self.numbers[value["queue"]][value["seq"]] += 1
            self.messages.append((message.topic, value, message.retain))
            self._new.notify_all()

    def wait_for(self, condition, timeout=LIMIT, start=0):
        """The first message that fulfils `condition(topic, value)`."""
        end = time.monotonic() + timeout
        with self._new:
            while True:
                for topic, value, _ in list(self.messages)[start:]:
                    if value is not None and condition(topic, value):
                        return value
                assert self._new.wait(max(0.001, end - time.monotonic())) or time.monotonic() < end, \
                    f"no such message among {list(self.messages)[-5:]}"

    @property
    def highest(self):
        """The highest number that arrived in the one queue of the gateway, or -1."""
        with self._new:
            return max((number for numbers in self.numbers.values() for number in numbers), default=-1)

    def wait_for_numbers(self, count):
        """Waits until the messages 0 to `count` - 1 have arrived, in one queue. Duplicates are possible, and the numbers reveal them."""

        def missing():
            with self._new:
                assert len(self.numbers) <= 1, self.numbers.keys()
                return set(range(count)) - {number for numbers in self.numbers.values() for number in numbers}

        wait_for(lambda: not missing(), LIMIT, lambda: f"{len(missing())} of {count} messages are missing: {sorted(missing())[:10]}")

    def command(self, name, op, target=None, timeout=LIMIT, **arguments):
        """Sends a command and returns its reply."""
        start = len(self.messages)
        payload = {"id": name, "op": op, "args": arguments} | ({"target": target} if target else {})
        self.publish(json.dumps(payload))
        return self.wait_for(lambda topic, value: topic == "bluetooth/hall/reply/me" and value["id"] == name, timeout, start)

    def publish(self, payload):
        self.client.publish("bluetooth/hall/command/me", payload, 1)

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture
def reader():
    readers = []

    def reader(broker, *arguments, **tls):
        readers.append(Reader(broker, *arguments, **tls))
        return readers[-1]

    yield reader
    for item in readers:
        item.stop()
