"""`bluelab gateway fleet` with mosquitto and NATS as brokers. paho-mqtt checks what the fleet says of itself."""

import collections
import os
import subprocess

import paho.mqtt.client as mqtt
import pytest
from commands import LIMIT, TOOL, Running, wait_for

GATEWAYS, DEVICES = 20, 10


@pytest.fixture
def fleet(workplace):
    """Starts a fleet: `fleet(broker, "--ramp")`."""

    def fleet(broker, *arguments, gateways=GATEWAYS, devices=DEVICES, every=2, settings=""):
        if broker.protocol == mqtt.MQTTv311:
            settings += "version: 3.1.1\n"
        config = workplace.path / "fleet.yaml"
        config.write_text(f"broker: mqtt://127.0.0.1:{broker.port}\n{settings}")
        running = Running(
            [TOOL, "gateway", "fleet", "--config", config, "--gateways", gateways, "--devices", devices, "--every", every, "--report", 0.5,
             "--queue", workplace.path, "--json", *map(str, arguments)],
            workplace.environment(), workplace.path, True)
        workplace.programs.append(running)
        assert running.record()["type"] == "fleet"
        return running

    return fleet


def states(client):
    """The last state of each gateway, as a client of the broker sees it."""
    latest = {}
    for topic, value, _ in list(client.messages):
        if topic.endswith("/status") and value:
            latest[topic.split("/")[1]] = (value["state"], value.get("reason"))
    return latest


def heard(client):
    """The gateways of each advertisement that arrived, by the address of the device."""
    return {(topic.split("/")[1], topic.split("/")[3]) for topic, _, _ in list(client.messages) if "/advertisement/" in topic}


def wait_for_progress(running, condition, timeout=60):
    while True:
        record = running.record(timeout, type="fleet-progress")
        if condition(record):
            return record


def check_everything_arrived(client, summary):
    """Each queue has the numbers from 0 on without a gap, and all queues together have what the fleet counted."""
    assert len(client.numbers) == summary["gateways"]
    for name, numbers in client.numbers.items():
        assert set(numbers) == set(range(max(numbers) + 1)), f"the queue {name} has gaps"
    assert sum(map(len, client.numbers.values())) == summary["stored"] == summary["acknowledged"]


def test_a_fleet_survives_the_restart_of_its_broker_without_a_loss(broker, reader, fleet, workplace):
    place = broker()
    client = reader(place)
    running = fleet(place, "--broker-process", place.process.pid, settings="advertisements: {interval: 0 s}\n")
    wait_for(lambda: len(heard(client)) == GATEWAYS * DEVICES, 60, lambda: f"{len(heard(client))} devices were heard: {running.errors}")
    assert collections.Counter(states(client).values()) == {("online", None): GATEWAYS}
    place.stop()
    assert "127.0.0.1" not in wait_for_progress(running, lambda record: record["connected"] == 0)["problem"]
    queued = wait_for_progress(running, lambda record: record["queued"] > 0)["queued"]
    place.start()
    wait_for_progress(running, lambda record: record["connected"] == GATEWAYS and record["queued"] < queued)
    running.interrupt()
    result = running.finish(60)
    assert result.code == 0, result
    summary = running.records[-1]
    assert summary["type"] == "fleet-summary" and summary["lost"] == 0, summary
    storm, = summary["storms"]
    assert storm["away"] == GATEWAYS and storm["attempts"] >= GATEWAYS and 0 < storm["firstBack"] <= storm["allBack"]
    assert summary["connections"] == 2 * GATEWAYS
    wait_for(
        lambda: collections.Counter(states(client).values()) == {("offline", "stopped"): GATEWAYS}, LIMIT,
        lambda: f"{collections.Counter(states(client).values())}")
    wait_for(lambda: sum(map(len, client.numbers.values())) == summary["stored"], LIMIT, lambda: f"{summary}")
    check_everything_arrived(client, summary)
    assert not list(workplace.path.glob("bluelab-fleet-*"))


def test_the_last_will_of_each_gateway_follows_a_killed_fleet(broker, reader, fleet):
    place = broker()
    client = reader(place)
    running = fleet(place, gateways=5, devices=1)
    wait_for(lambda: collections.Counter(states(client).values()) == {("online", None): 5}, 30, lambda: f"{states(client)}: {running.errors}")
    running.kill()
    wait_for(lambda: collections.Counter(states(client).values()) == {("offline", "vanished"): 5}, LIMIT, lambda: f"{states(client)}")


def test_a_fleet_on_nats_loses_nothing(broker, reader, fleet):
    place = broker("nats")
    client = reader(place)
    running = fleet(place, "--duration", 4, gateways=5, devices=4)
    result = running.finish(60)
    assert result.code == 0, result
    summary = running.records[-1]
    assert summary["lost"] == 0 and summary["received"] == summary["stored"] > 0, summary
    wait_for(lambda: sum(map(len, client.numbers.values())) == summary["stored"], LIMIT, lambda: f"{summary}")
    check_everything_arrived(client, summary)


def test_a_ramp_ends_with_a_figure(broker, reader, fleet):
    """The figure is the rate of the last step that the broker followed, as a foreign subscriber counts it."""
    place = broker()
    client = reader(place)
    # 200 in a second, then 300: the next rate would exceed one advertisement of each device in a second.
    running = fleet(place, "--ramp", "--step", 4, gateways=4, devices=100, every=2, settings="advertisements: {interval: 0 s}\n")
    marks = []
    while True:
        record = running.record(60)
        if record["type"] == "fleet-summary":
            break
        mark = record["seconds"], sum(map(len, client.numbers.values()))
        if record["heard"] == 0:
            marks = [mark]
        else:
            marks.append(mark)
    result = running.finish(60)
    assert result.code == 0, result
    rates = [(later[1] - earlier[1]) / (later[0] - earlier[0]) for earlier, later in zip(marks, marks[1:])]
    assert ("bottleneck" in record) == ("saturation" in record)
    followed = rates[:-1] if "saturation" in record else rates
    assert followed and record["sustained"] == pytest.approx(max(followed), rel=0.15), (record, rates)
    assert record["acknowledged"] == record["received"] == sum(map(len, client.numbers.values())), record


def test_a_broker_that_acknowledges_and_delivers_nothing_sustains_nothing(broker, fleet, workplace):
    rules = workplace.path / "rules"
    rules.write_text("topic write #\n")
    rules.chmod(0o644)
    place = broker(lines=[f"acl_file {rules}"])
    running = fleet(place, "--ramp", "--step", 2, gateways=4, devices=50, every=2, settings="advertisements: {interval: 0 s}\n")
    result = running.finish(60)
    summary = running.records[-1]
    assert summary["type"] == "fleet-summary" and summary["acknowledged"] > 0 and summary["received"] == 0, summary
    assert summary["sustained"] == 0 and summary["saturation"] == 100 and summary["bottleneck"], summary
    assert result.code == 1 and summary["missing"] == summary["acknowledged"], result


def test_a_fleet_without_an_output_leaves_no_folder(workplace):
    queues = workplace.path / "queues"
    queues.mkdir()
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [TOOL, "gateway", "fleet", "--broker", "mqtt://127.0.0.1:1", "--subscribers", "0", "--gateways", "2", "--queue", str(queues)],
            env=workplace.environment(), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert result.returncode == 1 and "the output cannot be written" in result.stderr, result
    assert not list(queues.iterdir())


def test_a_gateway_that_cannot_start_ends_the_fleet_at_once(broker, fleet, workplace):
    # A lane for each processor begins with its first gateway. The last gateway begins about four seconds later, and finds a file where its folder has to be.
    gateways = os.cpu_count() + 40
    running = fleet(broker(), "--connects", 10, gateways=gateways, devices=1)
    folder, = workplace.path.glob("bluelab-fleet-*")
    (folder / f"gateway-{gateways - 1}").write_text("")
    wait_for_progress(running, lambda record: record["connected"] >= 20)
    # Less than the 10 s in which the fleet waits for gateways that do not stop.
    result = running.finish(8)
    assert result.code == 1 and "The queue cannot be opened" in result.errors, result
    assert not folder.exists()


def test_two_subscribers_share_the_messages(broker, fleet):
    place = broker()
    running = fleet(place, "--duration", 4, "--subscribers", 2, gateways=5, devices=4)
    result = running.finish(60)
    assert result.code == 0, result
    summary = running.records[-1]
    assert summary["received"] == summary["stored"] > 0 and summary["duplicates"] == 0, summary


def test_a_broker_that_is_not_there_is_named(run):
    place = run("gateway", "fleet", "--broker", "mqtt://127.0.0.1:1", "--gateways", 2, timeout=60)
    assert place.code == 1 and "refused" in place.errors and "--subscribers 0" in place.errors


def test_a_limit_of_descriptors_is_explained(run):
    import resource

    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))  # noqa: E731
    result = run("gateway", "fleet", "--broker", "mqtt://127.0.0.1", "--gateways", 1000, preexec_fn=limit)
    assert result.code == 1 and "file descriptors" in result.errors and "ulimit" in result.errors


def test_the_storm_is_computed_without_a_broker(run):
    result = run("gateway", "storm", "--gateways", 1000, "--away", 5, "--admits", 100, "--json", timeout=120)
    record, = result.records
    assert record["type"] == "storm" and record["half"] <= record["mostly"] <= record["all"] and record["attempts"] > 1000


@pytest.mark.parametrize("arguments, words", [
    ([], "needs a broker"), (["--broker", "localhost"], "mqtt://HOST"), (["--broker", "mqtt://a", "--devices", "5000"], "at most 4096"),
    (["--broker", "mqtt://a", "--name", "No Name"], "lower-case"), (["--broker", "mqtt://a", "--broker-process", "999999999"], "no process"),
])
def test_a_mistake_of_the_fleet_is_explained(run, arguments, words):
    result = run("gateway", "fleet", *arguments)
    assert result.code == 2 and words in result.errors
