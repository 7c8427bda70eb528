"""Runs this package's host on rootcanal's controllers, and Bumble's host and tools on controllers of `bluelab radio`.
Interop/controllers starts it in a separate network namespace."""

import fcntl
import functools
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile

import h4
import interop
import plan
import processes
import results
import runs
from interop import HERE, PROGRAMS, START_DEADLINE
from ports import free_port
from processes import Process

# title, medium, server, client, topic. Bumble on rootcanal is the control.
ROOTCANAL_RUNS = [
    ("Bumble's GATT client and server, on rootcanal (the control)", "rootcanal", "bumble", "bumble", "values"),
    ("our central against our CBPeripheralManager, on rootcanal", "rootcanal", "ours", "ours", "values"),
    ("our central against Bumble's GATT server, on rootcanal", "rootcanal", "bumble", "ours", "values"),
    ("Bumble's GATT client against our CBPeripheralManager, on rootcanal", "rootcanal", "ours", "bumble", "values"),
    ("L2CAP: our client against our server, on rootcanal", "rootcanal", "ours", "ours", "channel"),
    ("L2CAP: our client against Bumble's server, on rootcanal", "rootcanal", "bumble", "ours", "channel"),
    ("L2CAP: Bumble's client against our server, on rootcanal", "rootcanal", "ours", "bumble", "channel"),
]
TOOLS = os.path.dirname(sys.executable)


def raise_loopback():
    """Brings the loopback interface of the namespace up."""
    with socket.socket() as probe:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(probe, 0x8913, request))[1]  # SIOCGIFFLAGS
        fcntl.ioctl(probe, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP


class Radio:
    """`bluelab radio` with a separate runtime directory and two TCP addresses. `options` are further ones of `bluelab radio`."""

    def __init__(self, directory, *options):
        self.environment = {"XDG_RUNTIME_DIR": directory}
        self.path = f"{directory}/opencorebluetooth/radio"
        self.tcp = f"tcp:127.0.0.1:{free_port()}"
        self.tcp6 = f"tcp:[::1]:{free_port()}"
        self.process = Process(
            [PROGRAMS / "bluelab", "radio", "--listen", self.tcp, "--listen", self.tcp6, *options], **self.environment
        )
        if not self.process.wait_for_line("Ctrl-C ends it", START_DEADLINE):
            raise RuntimeError(f"bluelab radio did not start:\n{self.process.output}")

    def ask(self, *words):
        """Runs a `bluelab radio` command and returns its output."""
        done = processes.output_of([PROGRAMS / "bluelab", "radio", *words], 20, **self.environment)
        done.check_returncode()
        return done.stdout

    def devices(self):
        return [json.loads(line) for line in self.ask("list", "--json").splitlines()]

    def join(self, role, directory):
        """Starts a program with BLUETOOTH_CONTROLLER=radio."""
        return Process(
            [PROGRAMS / "interop-peer", role], BLUETOOTH_CONTROLLER="radio", XDG_STATE_HOME=f"{directory}/{role}",
            BLUETOOTH_RADIO_NAME=f"our-{role}", BLUETOOTH_RADIO_POSITION="3,0", **self.environment,
        )

    @property
    def transport(self):
        return self.tcp.replace("tcp:", "tcp-client:")


def plain(lines):
    """The lines without terminal colours."""
    return [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]


def identity(radio, directory, totals):
    """Reads the properties of a controller over each kind of socket."""
    expected = [
        ("Reset", 0x0C03, b"", "00"),
        ("Read Local Version Information", 0x1001, b"", "00 0d 01 00 0d ff ff 01 00"),
        ("LE Read Buffer Size", 0x2002, b"", "00 fb 00 10"),
        ("LE Read Local Supported Features", 0x2003, b"", "00 ff 79 01 0f be 19 00 00"),
        ("LE Read Maximum Data Length", 0x202F, b"", "00 fb 00 90 42 fb 00 90 42"),
        ("LE Read Filter Accept List Size", 0x200F, b"", "00 20"),
        ("an unknown command", 0xFC77, bytes(3), "01"),
        ("a command with parameters missing", 0x2005, bytes(2), "12"),
    ]
    for address in (radio.tcp, radio.tcp6, f"unix:{radio.path}"):
        host = h4.Host(address)
        answers = [(name, host.command(opcode, parameters).hex(" ")) for name, opcode, parameters, _ in expected]
        host.close()
        wrong = [f"{name}: {got}" for (name, got), (_, _, _, right) in zip(answers, expected, strict=True) if got != right]
        totals.add(not wrong, "host", f"controller identity: {address.split(':')[0]} " + "; ".join(wrong))


def controller_info(radio, directory, totals):
    tool = Process([f"{TOOLS}/bumble-controller-info", radio.transport])
    code = tool.wait(20)
    text = "\n".join(plain(tool.lines))
    for wanted in ("BLUETOOTH_CORE_5_4", "16 packets of size 251", "tx:251/", "LE_2M_PHY", "LE_CODED_PHY",
                   "LE_DATA_PACKET_LENGTH_EXTENSION", "HCI_LE_CREATE_CONNECTION_COMMAND"):
        totals.add(wanted in text, "bumble-controller-info", wanted)
    totals.add(code == 0, "bumble-controller-info", f"exit code {code}")
    tool.stop()


def gatt_dump(radio, directory, totals):
    server = radio.join("peripheral", directory)
    server.wait_for_line("READY", START_DEADLINE)
    [address] = [device["address"] for device in radio.devices() if device["name"] == "our-peripheral"]
    configuration = f"{directory}/dump.json"
    with open(configuration, "w") as file:
        json.dump({"name": "dump", "address": "F0:F1:F2:F3:F4:F5"}, file)
    # Devices on the shared radio have public addresses; the suffix tells the tool so.
    tool = Process([f"{TOOLS}/bumble-gatt-dump", "--device-config", configuration, radio.transport, f"{address}/P"])
    code = tool.wait(40)
    text = "\n".join(plain(tool.lines))
    for uuid in plan.PROPERTIES:
        found = re.search(rf"Characteristic\(handle=0x[0-9A-F]{{4}}, uuid={uuid}, ", text) is not None
        totals.add(found, "bumble-gatt-dump", f"characteristic {uuid}")
    for name, value in (("the long value", plan.READ_VALUE), ("the description", plan.DESCRIPTION.encode())):
        found = value.hex() in text.split()
        totals.add(found, "bumble-gatt-dump", f"{name}, {len(value)} octets")
    totals.add(code == 0, "bumble-gatt-dump", f"exit code {code}")
    if code != 0:
        print("\n".join("    " + line for line in plain(tool.lines)[-20:] + server.lines))
    tool.stop()
    server.stop()


def bench(radio, directory, totals):
    # The GATT modes support only ping and pong: the send scenario ends in an AttributeError of the tool on every controller.
    for mode, scenario, answer in (("l2cap", "send", "receive"), ("l2cap", "ping", "pong"), ("gatt", "ping", "pong")):
        program = f"{TOOLS}/bumble-bench"
        server = Process([program, "--mode", f"{mode}-server", "--scenario", answer, "peripheral", radio.transport])
        server.wait_for_line("Waiting for connection", START_DEADLINE)
        client = Process(
            [program, "--mode", f"{mode}-client", "--scenario", scenario, "-c", "100", "central", radio.transport]
        )
        codes = (client.wait(40), server.wait(10))
        done = all("Done!" in "\n".join(plain(process.lines)) for process in (client, server))
        good = codes[0] == 0 and done
        speed = [line for line in plain(client.lines) if "average" in line]
        totals.add(good, "bumble-bench", f"{mode} {scenario} " + (speed[-1].split("@@@ ")[-1] if speed else ""))
        if not good:
            print("\n".join("    " + line for line in plain(client.lines + server.lines)[-40:]))
        client.stop()
        server.stop()


def two_hosts(radio, directory, totals):
    for transports in ((radio.transport, radio.transport), (f"unix:{radio.path}", radio.transport)):
        hosts = Process([sys.executable, HERE / "two_hosts.py", *transports])
        code = hosts.wait(60)
        totals.add_peer("two hosts", hosts, code, ["advertising", "connection"])
        if code != 0:
            print("\n".join("    " + line for line in hosts.lines[-20:]))
        hosts.stop()


def paired_hosts(radio, directory, totals):
    hosts = Process([sys.executable, HERE / "paired_hosts.py", radio.transport, radio.transport])
    code = hosts.wait(130)
    totals.add_peer("paired hosts", hosts, code, ["pairing", "encrypted read", "key refresh", "bonded reconnect", "forgotten bond"])
    if code != 0:
        print("\n".join("    " + line for line in hosts.lines[-20:]))
    hosts.stop()


def meeting(radio, directory, totals):
    """Programs in two languages use the shared radio, and one of them moves out of range and back."""
    server = Process([sys.executable, HERE / "bumble_server.py", f"unix:{radio.path}"],
                     BLUETOOTH_RADIO_NAME="bumble-server", BLUETOOTH_RADIO_POSITION="-2,0")
    server.wait_for_line("READY", START_DEADLINE)
    where = {device["name"]: (device["x"], device["y"]) for device in radio.devices()}
    known = where.get("bumble-server") == (-2, 0)
    totals.add(known, "radio", f"list: {where}")
    radio.ask("move", "bumble-server", "5000", "0")
    client = radio.join("central", directory)
    hidden = not client.wait_for_line("connected", 3)
    totals.add(hidden, "radio", "a device out of range is not found")
    radio.ask("move", "bumble-server", "2", "-1")
    totals.meetings = ()
    codes = (client.wait(interop.RUN_DEADLINE), server.wait(10))
    for who, process, code, expected in zip(("client", "server"), (client, server), codes, interop.expected_checks("values", "bumble", "ours"), strict=True):
        totals.add_peer(who, process, code, expected)
    left = radio.devices()
    totals.add(left == [], "radio", f"no device remains: {left}")
    client.stop()
    server.stop()


# title, feature in the matrix, body. The longest come first, because others take place beside them.
RADIO_RUNS = [
    ("two of Bumble's hosts pair and encrypt on our controllers", "pairing and encryption of two hosts", paired_hosts),
    ("bumble-bench on our controllers", "bumble-bench", bench),
    ("what our controller says of itself, to a bare socket", None, identity),
    ("bumble-controller-info on our controller", "bumble-controller-info", controller_info),
    ("bumble-gatt-dump on our controller, of our CBPeripheralManager", "bumble-gatt-dump", gatt_dump),
    ("two of Bumble's hosts on our controllers", "two hosts in one process", two_hosts),
    ("our central and Bumble's server meet on the shared radio", "shared radio", meeting),
]


def run_on_radio(feature, body, totals):
    os.environ.pop("INTEROP_LOCAL_END", None)
    with tempfile.TemporaryDirectory(prefix="interop-") as directory, processes.stopped_at_end() as outputs:
        try:
            body(Radio(directory), directory, totals)
        except (RuntimeError, OSError, ValueError, EOFError, subprocess.SubprocessError) as error:
            totals.add(False, "run", f"{type(error).__name__} {error}")
    if feature:
        totals.keep(results.BUMBLE, "controller", feature, not totals.failed)
    if totals.failed:
        processes.print_outputs(["radio"], outputs)


if __name__ == "__main__":
    raise_loopback()
    on_radio = {title: functools.partial(run_on_radio, feature, body) for title, feature, body in RADIO_RUNS}
    runs.main("controllers", on_radio | interop.entries(ROOTCANAL_RUNS), workers=3)
