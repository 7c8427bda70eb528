"""`bluelab gateway cloud` with three NATS servers that are one cluster."""

import signal

from commands import LIMIT, wait_for
from conftest import FAST, wait_for_current

# An election of the leaders takes some seconds.
ELECTION = 60


def wait_for_more(client):
    """Waits for a message that comes after those that have arrived."""
    highest = client.highest
    wait_for(lambda: client.highest > highest, ELECTION, lambda: f"no message after {highest}")


def test_a_cluster_that_loses_a_server_gets_every_message(cluster, gateway, reader, serve):
    serve("heart-rate")
    servers = cluster()
    # The reader stays with the last server, which is not killed.
    client = reader(servers[2])
    running = gateway(servers, "--status", "tcp:127.0.0.1:0", settings=FAST)

    def wait_for_connection(server, after=0):
        text = f"Connected to the broker at 127.0.0.1:{server.port}."
        wait_for(lambda: running.process.errors.count(text) > after, ELECTION, lambda: f"not connected to {server.port}: {running.process.errors}")

    wait_for_connection(servers[0])
    wait_for_more(client)
    # First a server that the gateway does not use, and then the one that it uses.
    servers[1].stop(signal.SIGKILL)
    wait_for_more(client)
    servers[1].start()
    wait_for_current(servers[1])
    wait_for_more(client)
    servers[0].stop(signal.SIGKILL)
    wait_for(lambda: running.process.errors.count("Connected to the broker at ") > 1, ELECTION, lambda: running.process.errors)
    wait_for_more(client)
    # The two others have the majority, so the cluster goes on while this one catches up.
    servers[0].start()
    wait_for_more(client)
    start = len(client.messages)
    running.process.interrupt()
    running.process.finish()
    # A broker that catches up may acknowledge the last message later than the gateway waits for it, and then says itself that the gateway is offline.
    client.wait_for(lambda topic, value: topic == "bluetooth/hall/status" and value["state"] == "offline", ELECTION, start)
    client.wait_for_numbers(client.highest + 1)


def test_a_gateway_finds_the_one_broker_of_its_list_that_runs(broker, gateway, reader):
    dead, place = broker(), broker()
    dead.stop()
    client = reader(place)
    running = gateway([dead, place])
    running.process.wait_for_error(f"Connected to the broker at 127.0.0.1:{place.port}.", LIMIT)
    client.wait_for(lambda topic, value: topic == "bluetooth/hall/status" and value["state"] == "online")
    assert running.record["broker"] == f"127.0.0.1:{dead.port}, 127.0.0.1:{place.port}"
