"""The runs in the guest, with btvirt's controllers, the kernel's host, bluetoothd, and programs on the HCI user channel.
usage: scenarios.py [WORD ...]; only the runs whose title contains every WORD"""

import base64
import glob
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

import pairing_plan
import plan
from processes import Process

HERE = pathlib.Path(__file__).resolve().parent
STACK = "BlueZ " + subprocess.run(["bluetoothd", "--version"], capture_output=True, text=True).stdout.strip()
KERNEL = "Linux " + re.match(r"\d+\.\d+", os.uname().release)[0]
PYTHON = [sys.executable, "-u"]
READY, RUN, PAIRING = 20, 75, 150
MONITOR = "/tmp/monitor.btsnoop"
PRIVATE = "/run/private.conf"


class Totals:
    """Prints checks, which boot.py counts, and results for the matrix after RESULT."""

    def __init__(self):
        self.failed = 0
        self.stack, self.ours, self.prefix = STACK, "central", ""

    def add(self, good, who, text):
        self.failed += not good
        print(f"  {'PASS' if good else 'FAIL'}  {who}  {text}", flush=True)
        feature = text.partition(":")[0]
        if feature not in ("run", "exit"):  # Failures of the run are not features.
            row = {"stack": self.stack, "ours": self.ours, "feature": self.prefix + feature, "passed": bool(good)}
            print("RESULT " + json.dumps(row), flush=True)

    def add_peer(self, who, process, code, expected):
        seen = set()
        for line in process.lines:
            verdict, _, rest = line.partition(" ")
            if verdict in ("PASS", "FAIL"):
                seen.add(rest.partition(":")[0])
                self.add(verdict == "PASS", who, rest)
        for name in expected:
            if name not in seen:
                self.add(False, who, f"{name}: the peer did not report it")
        if code != 0:
            self.add(False, who, "exit: " + ("did not end in time" if code is None else f"code {code}"))


totals = Totals()


class Radio:
    """btvirt and bluetoothd for the duration of a `with`. bluetoothd uses hci0."""

    def __init__(self, controllers, daemon=True, is_private=False):
        self.controllers, self.with_daemon = controllers, daemon
        self.command = ["bluetoothd", "-n", "-E"]
        if is_private:
            pathlib.Path(PRIVATE).write_text("[General]\nPrivacy = device\n")
            self.command += ["-f", PRIVATE]

    def __enter__(self):
        self.processes = [script("monitor.py", MONITOR)]
        self.start_controllers()
        if self.with_daemon:
            self.start_daemon()
        return self

    def start_daemon(self):
        self.daemon = Process(self.command)
        self.processes.append(self.daemon)

    def restart_daemon(self):
        """Ends bluetoothd and starts it with the same store."""
        self.daemon.stop()
        self.processes.remove(self.daemon)
        self.start_daemon()

    def start_controllers(self):
        self.btvirt = Process(["btvirt", f"-l{self.controllers}", "-L"])
        self.processes.append(self.btvirt)
        until(lambda: len(adapters()) == self.controllers, f"{self.controllers} adapters")

    def stop_controllers(self):
        self.btvirt.stop()
        until(lambda: not adapters(), "no adapter")

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.stop()
        until(lambda: not adapters(), "no adapter")
        subprocess.run("rm -rf /var/lib/bluetooth/*", shell=True)


def adapters():
    return [name for name in sorted(os.listdir("/sys/class/bluetooth")) if re.fullmatch(r"hci\d+", name)]


def until(condition, what, deadline=15):
    end = time.monotonic() + deadline
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not within {deadline} s")
        time.sleep(0.05)


def until_true(condition, deadline=READY):
    try:
        until(condition, "", deadline)
    except RuntimeError:
        pass  # the check tells


def ours(role, adapter, arguments=(), **environment):
    return Process(
        ["/opt/interop-peer", role, *arguments], BLUETOOTH_CONTROLLER=adapter, XDG_STATE_HOME=f"/run/state-{role}-{adapter}", **environment
    )


def script(name, *arguments):
    return Process([*PYTHON, HERE / name, *arguments])


def block(adapter, blocked):
    (path,) = glob.glob(f"/sys/class/bluetooth/{adapter}/rfkill*/soft")
    try:
        pathlib.Path(path).write_text("1" if blocked else "0")
    except OSError:
        pass  # what became of it is read back
    return pathlib.Path(path).read_text().strip() == "1"


def converse(server, client, client_checks=plan.CLIENT_CHECKS, server_checks=plan.SERVER_CHECKS):
    totals.add_peer("client", client, client.wait(RUN), client_checks)
    totals.add_peer("server", server, server.wait(10), server_checks)
    return [server, client]


def converse_with_bluez(adapter):
    """BlueZ's client and a CBPeripheralManager. The client scans before the server advertises."""
    client = script("bluez_client.py")
    client.wait_for_line("SCANNING", READY)
    return converse(ours("peripheral", adapter), client)


def ready(process):
    process.wait_for_line("READY", READY)
    return process


# Each run is a function that returns its processes. main prints their output after a failure.


def central():
    """our central against BlueZ's GATT server, on btvirt"""
    # BlueZ 5.66 counts the header of a prepared write as part of its value: the last four octets of 512 do not fit.
    os.environ["INTEROP_WRITE_LENGTH"] = "508"
    try:
        with Radio(2):
            server_checks = [*plan.SERVER_CHECKS, "subscriptions"]  # its descriptor is read back by the client
            client_checks = plan.CLIENT_CHECKS + plan.FOREIGN_CLIENT_CHECKS
            return converse(ready(script("bluez_server.py")), ours("central", "hci1"), client_checks, server_checks)
    finally:
        del os.environ["INTEROP_WRITE_LENGTH"]


def peripheral():
    """BlueZ's GATT client against our CBPeripheralManager, on btvirt"""
    totals.ours = "peripheral"
    with Radio(2):
        return converse_with_bluez("hci1")


def values(process):
    return sum(line.startswith("VALUE") for line in process.lines)


def links():
    """several links at once: two of BlueZ's and two of our peripheral's, all in use, on btvirt"""
    # btvirt reports the central's connection handle to a peripheral, and uses another one unless both sides have equally many links. The first
    # links therefore form pairs, and the last one connects the pairs.
    totals.ours = "peripheral"
    with Radio(4):
        go = "/run/go"
        # Two links of bluetoothd: that of its client, and that of our second holder to its server.
        client = Process([*PYTHON, HERE / "bluez_client.py"], INTEROP_GO=go, INTEROP_LINKS="2")
        client.wait_for_line("SCANNING", READY)
        server = ready(ours("peripheral", "hci2"))
        totals.add(client.wait_for_line("FOUND", READY), "client", "several links: found")
        first = ours("holder", "hci3")
        totals.add(first.wait_for_line("VALUE", READY), "holder 1", "several links: our central reads from our peripheral")
        other = ready(script("bluez_server.py"))
        second = ours("holder", "hci1")
        totals.add(second.wait_for_line("VALUE", READY), "holder 2", "several links: our central reads from BlueZ")
        pathlib.Path(go).touch()
        before = values(first), values(second)
        totals.add_peer("client", client, client.wait(RUN), [*plan.CLIENT_CHECKS, "several links"])
        for name, process, count in zip(("holder 1", "holder 2"), (first, second), before):
            good = process.exit_code is None and values(process) > count
            totals.add(good, name, f"several links: went on reading, {values(process) - count} times 512 octets")
        totals.add_peer("server", server, server.wait(10), plan.SERVER_CHECKS)
        return [server, first, other, second, client]


def alone():
    """our central against our CBPeripheralManager, on btvirt's controllers"""
    totals.stack, totals.ours = "btvirt " + STACK.split()[1], "host"
    with Radio(2, daemon=False):
        return converse(ready(ours("peripheral", "hci0")), ours("central", "hci1"))


def states(process, *expected, deadline=20):
    """Returns whether these states arrive in this order."""
    for state in expected:
        if not process.wait_for_line(f"STATE {state}", deadline):
            return False
    return True


def removed():
    """an adapter that is removed and put back while it is used"""
    totals.stack, totals.ours = KERNEL, "host"
    with Radio(3) as radio:
        watcher = ours("adapter", "hci1")
        totals.add(watcher.wait_for_line("READY", READY), "host", "adapter by its user channel: advertises on an adapter that bluetoothd knew")
        holder = ours("holder", "hci2")
        totals.add(holder.wait_for_line("VALUE", READY), "host", "adapter by its user channel: a link, and values over it")
        for _ in range(2):
            radio.stop_controllers()
            totals.add(states(watcher, "resetting"), "host", "adapter removed: the adapter's end is a state, at once")
            totals.add(states(watcher, "unsupported"), "host", "adapter removed: it stays away, which is another")
            before = values(holder)
            radio.start_controllers()
            good = states(watcher, "poweredOn") and watcher.wait_for_line("READY", READY)
            totals.add(good, "host", "adapter put back: powered on and advertising by itself")
            until_true(lambda: values(holder) > before + 2)
            totals.add(values(holder) > before + 2, "host", "adapter put back: the other side found it and reads values again")
        holder.stop()
        watcher.stop()
        # The following run checks that the adapter works.
        return [watcher, holder, *converse_with_bluez("hci1")]


def switched():
    """the radio switch (rfkill)"""
    totals.stack, totals.ours = KERNEL, "host"
    with Radio(2, daemon=False):
        totals.add(block("hci1", True), "kernel", "radio switch: off before the start")
        watcher = ours("adapter", "hci1")
        totals.add(states(watcher, "poweredOff"), "host", "radio switch: the state is powered off")
        time.sleep(2)
        block("hci1", False)
        started = time.monotonic()
        good = states(watcher, "poweredOn") and watcher.wait_for_line("READY", READY)
        totals.add(good, "host", f"radio switch: powered on by itself after {time.monotonic() - started:.1f} s")
        # The kernel refuses to switch off an adapter that a program uses exclusively.
        refused = not block("hci1", True)
        totals.add(refused and not watcher.wait_for_line("STATE", 2), "kernel", "radio switch: the kernel keeps it on, and so do we")
        watcher.stop()
        return [watcher]


def says(process, *words, deadline=READY):
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        if any(all(word in line for word in words) for line in process.lines):
            return True
        time.sleep(0.1)
    return False


def sentences():
    """sentences about adapters that cannot be had"""
    totals.stack, totals.ours = KERNEL, "host"
    with Radio(2) as radio:
        holder = ours("adapter", "hci1")
        holder.wait_for_line("READY", READY)
        second = ours("adapter", "hci1")
        good = says(second, "hci1 is in use by interop-peer", f"process {holder.pid}")
        totals.add(good, "host", "adapter in use: names the program that has the adapter, and its process")
        totals.add(states(second, "unsupported"), "host", "adapter in use: the state is unsupported")
        holder.stop()
        totals.add(states(second, "poweredOn", deadline=40), "host", "adapter in use: comes by itself when the other has ended")
        second.stop()
        absent = ours("adapter", "hci7")
        totals.add(says(absent, "There is no hci7", "hci0"), "host", "adapter absent: names the adapters that there are")
        absent.stop()
        plain = Process(["su", "nobody", "-s", "/bin/sh", "-c", "BLUETOOTH_CONTROLLER=hci1 XDG_STATE_HOME=/tmp/x /opt/interop-peer adapter"])
        line = "sudo setcap 'cap_net_admin,cap_net_raw+eip' /opt/interop-peer"
        totals.add(says(plain, line), "host", "no right to the adapter: gives the setcap line with the program's path")
        totals.add(states(plain, "unauthorized"), "host", "no right to the adapter: the state is unauthorized")
        plain.stop()
        taken = ours("adapter", "hci0")
        good = taken.wait_for_line("READY", READY)
        totals.add(good, "host", "adapter that bluetoothd has up: an adapter that is up is brought down first")
        table = listing() if os.path.exists("/opt/bluelab") else None
        taken.stop()
        if table:
            check_listing(table)
        return [holder, second, absent, plain, taken, radio.daemon]


def listing():
    """Returns the output of `bluelab adapters` for a user without privileges."""
    text = subprocess.run(
        ["su", "nobody", "-s", "/bin/sh", "-c", "/opt/bluelab adapters --json"], capture_output=True, text=True
    )
    try:
        return {row["name"]: row for row in map(json.loads, text.stdout.splitlines())}
    except ValueError:
        return {"error": text.stdout + text.stderr}


def check_listing(table):
    names = sorted(table)
    totals.add(names == ["hci0", "hci1"], "bluelab", f"bluelab adapters: {names}")
    if names == ["hci0", "hci1"]:
        first, second = table["hci0"], table["hci1"]
        totals.add(first["power"] == "taken", "bluelab", f"bluelab adapters: hci0 is {first['power']}")
        totals.add(second["power"] in ("up", "down"), "bluelab", f"bluelab adapters: hci1 is {second['power']}")
        known = second["address"] == "00:AA:01:01:00:01" and second["bus"] == "virtual" and second["radio"] == "on"
        totals.add(known, "bluelab", f"bluelab adapters: {second}")
    else:
        print(table, flush=True)


def await_end(process):
    if process.wait(PAIRING) is None:
        raise RuntimeError(f"{' '.join(process.arguments)} did not end within {PAIRING} s")


class Pairing:
    """Runs a plan of Interop/pairing_plan.py: the processes of this host and of bluetoothd's side get the numbers of their cases."""

    def __init__(self, plan, radio, is_private):
        self.plan, self.radio, self.processes = plan, radio, []
        self.directory = pathlib.Path(tempfile.mkdtemp(dir="/run"))
        pairing_plan.write(plan, self.directory / "cases")
        self.environment = {"INTEROP_CASES": self.directory / "cases", "INTEROP_DIRECTORY": self.directory}
        self.privacy = {"BLUETOOTH_PRIVATE_ADDRESS": "on"} if is_private else {}
        self.titles = {case["number"]: case["title"] for case in plan.cases}

    def ours(self, numbers):
        return self.started("host", numbers, ours(f"pairing-{self.plan.role}", "hci1", numbers, **self.environment, **self.privacy))

    def theirs(self, numbers):
        other = "peripheral" if self.plan.is_central else "central"
        process = Process([*PYTHON, HERE / "bluez_pairing.py", other, *numbers], **self.environment)
        return self.started("BlueZ", numbers, process)

    def started(self, who, numbers, process):
        self.processes.append((who, numbers, process))
        return process

    def run(self, first, second):
        """Runs the cases `first` and, with the same stores, `second`: its first case after a restart of this host, its second after a restart
        of bluetoothd."""
        theirs, host = self.theirs(first + second[:1]), self.ours(first)
        await_end(host)
        host = self.ours(second)
        await_end(theirs)
        if second[1:]:
            self.radio.restart_daemon()
            await_end(self.theirs(second[1:]))
        await_end(host)
        for who, numbers, process in self.processes:
            totals.add_peer(who, process, process.exit_code, [self.titles[number] for number in numbers])
        return [process for _, _, process in self.processes]


def pair(role, cases, is_private=False):
    totals.ours = role
    plan = pairing_plan.Plan(role)
    first, second = cases(plan)
    with Radio(2, is_private=is_private) as radio:
        totals.prefix = "pairing: "
        try:
            processes = Pairing(plan, radio, is_private).run(first, second)
            if is_private:
                # Another address of BlueZ in each case, and of this host in each process.
                for who, adapter, least in (("BlueZ", 0, len(first + second)), ("host", 1, 2)):
                    count = len(private_addresses(adapter))
                    totals.add(count >= least, who, f"run: {count} resolvable private addresses")
            return processes
        finally:
            totals.prefix = ""


def private_addresses(adapter):
    """The resolvable private addresses that the kernel gave an adapter with LE Set Random Address (Vol 4, Part E, 7.8.4)."""
    octets, offset, found = pathlib.Path(MONITOR).read_bytes(), 16, set()
    while offset + 24 <= len(octets):
        length, flags = struct.unpack_from(">4xII", octets, offset)
        packet = octets[offset + 24 : offset + 24 + length]
        if flags == adapter << 16 | 2 and packet[:2] == b"\x05\x20" and packet[-1] >> 6 == 0b01:
            found.add(packet[3:])
        offset += 24 + length
    return found


def pairing_central():
    """pairing: our central with BlueZ, on btvirt"""
    return pair("central", pairing_plan.bluez)


def pairing_peripheral():
    """pairing: our peripheral with BlueZ, on btvirt"""
    return pair("peripheral", pairing_plan.bluez)


def private_central():
    """pairing: our central with BlueZ, both with private addresses, on btvirt"""
    return pair("central", pairing_plan.private_bluez, is_private=True)


def private_peripheral():
    """pairing: our peripheral with BlueZ, both with private addresses, on btvirt"""
    return pair("peripheral", pairing_plan.private_bluez, is_private=True)


RUNS = [central, peripheral, links, alone, removed, switched, sentences, pairing_central, pairing_peripheral, private_central, private_peripheral]


def keep(path, name):
    """Prints the capture of all adapters for boot.py."""
    if os.path.exists(path):
        content = base64.b64encode(gzip.compress(pathlib.Path(path).read_bytes())).decode()
        print(f"CAPTURE {name}.btsnoop {content}", flush=True)


def main():
    words = [word.lower() for word in sys.argv[1:]]
    chosen = [entry for entry in RUNS if all(word in entry.__doc__.lower() for word in words)]
    if not chosen:
        totals.add(False, "run", "no run has all these words in its title: " + "; ".join(entry.__doc__ for entry in RUNS))
    for entry in chosen:
        print(f"\n{entry.__doc__}", flush=True)
        totals.stack, totals.ours = STACK, "central"
        before, started, processes = totals.failed, time.monotonic(), list(Process.running)
        try:
            processes = entry()
        except (RuntimeError, OSError, ValueError) as error:
            totals.add(False, "run", f"{error!r}")
        for process in list(Process.running):
            if process not in processes:
                processes = [*processes, process]
            process.stop()
        if totals.failed > before:
            for process in processes:
                print(f"  output of {' '.join(map(str, process.arguments))}:", flush=True)
                for line in process.lines[-40:]:
                    print(f"    {line}", flush=True)
            keep(MONITOR, entry.__name__)
        if os.path.exists(MONITOR):
            os.remove(MONITOR)
        print(f"  {time.monotonic() - started:.1f} s", flush=True)
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
