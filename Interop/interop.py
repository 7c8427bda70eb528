"""Runs each pair of a server and a client on each medium and counts the checks that they report. Interop/run starts it;
INTEROP_PROGRAMS names the directory of the built programs."""

import functools
import os
import pathlib
import sys
import tempfile

import channel_plan
import plan
import processes
import results
import runs
from ports import free_port
from processes import Process

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path(os.environ.get("INTEROP_PROGRAMS", HERE.parent / ".build" / "debug"))
START_DEADLINE = 20
RUN_DEADLINE = 120

# title, medium, server, client, topic (values if absent)
RUNS = [
    ("Bumble's GATT client and server, on Bumble's controllers (the control)", "bumble", "bumble", "bumble"),
    ("our central against Bumble's GATT server, on Bumble's controllers", "bumble", "bumble", "ours"),
    ("Bumble's GATT client against our CBPeripheralManager, on Bumble's controllers", "bumble", "ours", "bumble"),
    ("our central against our CBPeripheralManager, on Bumble's controllers", "bumble", "ours", "ours"),
    ("Bumble's GATT client and server, on our virtual controllers", "radio", "bumble", "bumble"),
    ("our central against Bumble's GATT server, on our virtual controllers", "radio", "bumble", "ours"),
    ("Bumble's GATT client against our CBPeripheralManager, on our virtual controllers", "radio", "ours", "bumble"),
    ("our central against our CBPeripheralManager, on our virtual controllers", "radio", "ours", "ours"),
    ("database: Bumble's client and server, on Bumble's controllers (the control)", "bumble", "bumble", "bumble", "database"),
    ("database: our central against Bumble's server, on Bumble's controllers", "bumble", "bumble", "ours", "database"),
    ("database: Bumble's client against our CBPeripheralManager, on Bumble's controllers", "bumble", "ours", "bumble", "database"),
    ("database: our central against Bumble's server, on our virtual controllers", "radio", "bumble", "ours", "database"),
    ("database: Bumble's client against our CBPeripheralManager, on our virtual controllers", "radio", "ours", "bumble", "database"),
]


def listening(address):
    """Returns whether a server listens at the address, without a connection, which the server would treat as a host."""
    kind, _, where = address.partition(":")
    if kind == "unix":
        with open("/proc/net/unix") as table:
            return any(line.rstrip().endswith(" " + where) for line in table)
    port = int(where.rpartition(":")[2])
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table][1:]
    return any(int(row[1].split(":")[1], 16) == port and row[3] == "0A" for row in rows)


def rootcanal_program():
    import rootcanal.binaries

    return rootcanal.binaries.get_package_binary_resource_path("rootcanal")


# The reason that a controller reports to the host that ended a link, if it is not the specified one (see InteropDisagreements.md).
LOCAL_ENDS = {"bumble": "0x13"}
STACKS = {"bumble": results.BUMBLE, "rootcanal": results.ROOTCANAL, "radio": None, "ours": None}


def start_medium(kind, directory, capture=None):
    """Starts the process of two controllers. Returns it and their addresses as `tcp:HOST:PORT` or `unix:PATH`. `capture` names a file for the packets on the air of
    `radio`."""
    first = f"tcp:127.0.0.1:{free_port()}"
    if kind == "bumble":
        second = f"tcp:127.0.0.1:{free_port()}"
        servers = [address.replace("tcp:", "tcp-server:") for address in (first, second)]
        medium = Process([sys.executable, "-m", "bumble.apps.controllers", *servers])
    elif kind == "rootcanal":
        # Each connection is a separate controller. rootcanal requires the ports of its other servers.
        second = first
        ports = [f"-{name}_port={free_port()}" for name in ("test", "link", "link_ble")]
        medium = Process([rootcanal_program(), f"-hci_port={first.rpartition(':')[2]}", *ports])
    else:
        second = f"unix:{directory}/second"
        medium = Process(
            [PROGRAMS / "bluelab", "radio", "--listen", first, "--listen", second, *(["--capture", capture] if capture else [])],
            XDG_RUNTIME_DIR=directory,
        )
    if not medium.wait_until(lambda: listening(first) and listening(second), START_DEADLINE):
        raise RuntimeError(f"the controllers did not start:\n{medium.output}")
    return medium, [first, second]


def start_peer(kind, role, address, directory, topic="values"):
    """Starts a peer of Bumble's, or one that uses CoreBluetooth."""
    if kind == "bumble":
        script = {"values": [f"bumble_{role}.py"], "database": ["bumble_database.py", role], "channel": ["bumble_channels.py", role]}[topic]
        transport = address.replace("tcp:", "tcp-client:") if address.startswith("tcp:") else address
        return Process([sys.executable, HERE / script[0], *script[1:], transport])
    program = {"server": "peripheral", "client": "central"}[role] if topic == "values" else f"{topic}-{role}"
    return Process(
        [PROGRAMS / "interop-peer", program],
        BLUETOOTH_CONTROLLER=address,
        XDG_STATE_HOME=pathlib.Path(directory) / f"state-{role}",
    )


def expected_checks(topic, server_kind, client_kind):
    """Returns the checks that client and server must report."""
    if topic == "database":
        hash = plan.HASH_CHECKS if client_kind == "bumble" else []
        caching = plan.CACHING_CHECKS if (server_kind, client_kind) == ("ours", "bumble") else []
        return plan.DATABASE_CLIENT_CHECKS + hash + caching, plan.DATABASE_SERVER_CHECKS
    if topic == "channel":
        return channel_plan.CLIENT_CHECKS, channel_plan.SERVER_CHECKS
    if server_kind == "ours":
        return plan.CLIENT_CHECKS, plan.SERVER_CHECKS
    return plan.CLIENT_CHECKS + plan.FOREIGN_CLIENT_CHECKS, plan.SERVER_CHECKS + plan.FOREIGN_SERVER_CHECKS


def run(medium_kind, server_kind, client_kind, topic, totals):
    totals.meetings = results.meetings(STACKS[medium_kind], STACKS[server_kind], STACKS[client_kind])
    totals.prefix = "L2CAP channel: " if topic == "channel" else ""
    os.environ["INTEROP_SERVER"] = server_kind
    os.environ["INTEROP_LOCAL_END"] = LOCAL_ENDS.get(medium_kind, "0x16")
    with tempfile.TemporaryDirectory(prefix="interop-") as directory, processes.stopped_at_end() as outputs:
        try:
            medium, addresses = start_medium(medium_kind, directory)
            server = start_peer(server_kind, "server", addresses[0], directory, topic)
            server.wait_for_line("READY", START_DEADLINE)
            client = start_peer(client_kind, "client", addresses[1], directory, topic)
            client_code = client.wait(RUN_DEADLINE)
            server_code = server.wait(10)
            client_checks, server_checks = expected_checks(topic, server_kind, client_kind)
            totals.add_peer("client", client, client_code, client_checks)
            totals.add_peer("server", server, server_code, server_checks)
            totals.add(medium.exit_code is None, "medium", "the controllers run until the end")
        except (RuntimeError, OSError) as error:
            totals.add(False, "run", str(error))
    if totals.failed:
        processes.print_outputs(("controllers", "server", "client"), outputs)


def entries(pairs):
    """The entries of `runs.Script` for pairs: title, medium, server, client and topic."""
    return {title: functools.partial(run, medium, server, client, *(topic or ["values"])) for title, medium, server, client, *topic in pairs}


if __name__ == "__main__":
    runs.main("interop", entries(RUNS), workers=3)
