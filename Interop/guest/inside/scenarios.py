"""The runs in the guest, with btvirt's controllers, the kernel's host, bluetoothd, and programs on the HCI user channel.
usage: scenarios.py [WORD ...]; only the runs whose title contains every WORD. INTEROP_SKIPPED is the number of runs to leave out, INTEROP_TITLE the one run in
base64."""

import base64
import glob
import gzip
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import channel_plan
import plan
from extended_runs import CONNECTS, SCANS, check_commands, enhanced_ours, enhanced_theirs, tester, worlds_advertising, worlds_reports
from figures import figures
from fresh import fresh
from machine import HERE, KERNEL, MONITOR, PAIRING, PYTHON, READY, RUN, SHORT, STACK, Radio, SimulatedRadio, WorldRadio, anybody, as_nobody, converse, ours, reads_again, ready, says, script, totals, until_true, values
from pairing_runs import pairing_central, pairing_peripheral, private_central, private_peripheral, through_cases
from processes import Process


def block(adapter, blocked):
    (path,) = glob.glob(f"/sys/class/bluetooth/{adapter}/rfkill*/soft")
    try:
        pathlib.Path(path).write_text("1" if blocked else "0")
    except OSError:
        pass  # what became of it is read back
    return pathlib.Path(path).read_text().strip() == "1"


def converse_with_bluez(adapter):
    """BlueZ's client and a CBPeripheralManager. The client scans before the server advertises."""
    client = script("bluez_client.py")
    client.wait_for_line("SCANNING", READY)
    return converse(ours("peripheral", adapter), client)


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
        for name, process, count in zip(("holder 1", "holder 2"), (first, second), before, strict=True):
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
        time.sleep(2)  # check-tests: wait: the radio is off for some time, and nothing is expected of it.
        block("hci1", False)
        started = time.monotonic()
        good = states(watcher, "poweredOn") and watcher.wait_for_line("READY", READY)
        totals.add(good, "host", f"radio switch: powered on by itself after {time.monotonic() - started:.1f} s")
        # The kernel refuses to switch off an adapter that a program uses exclusively.
        refused = not block("hci1", True)
        totals.add(refused and not watcher.wait_for_line("STATE", 2), "kernel", "radio switch: the kernel keeps it on, and so do we")
        watcher.stop()
        return [watcher]


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
        table = listing()
        taken.stop()
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


WORLDS = 500

def through_central():
    """our central through bluetoothd as an ordinary user, against our peripheral on the second controller"""
    totals.ours = "daemon"
    with Radio(2):
        server = ready(ours("peripheral", "hci1"))
        return converse(server, anybody("central", ""))


def through_peripheral():
    """our peripheral through bluetoothd as an ordinary user, against our central on the second controller"""
    totals.ours = "daemon"
    with Radio(2):
        server = ready(anybody("peripheral", "bluez", **SHORT))
        return converse(server, ours("central", "hci1", **SHORT))


def through_both():
    """our central and our peripheral through one bluetoothd on two adapters, as an ordinary user"""
    totals.ours = "daemon"
    # With enhanced channels (EATT) bluetoothd spreads its requests over several bearers, and loses their order.
    with Radio(2, configuration="[GATT]\nChannels = 1\n"):
        server = ready(anybody("peripheral", "bluez:hci1", **SHORT))
        return converse(server, anybody("central", "bluez:hci0", **SHORT))


def through_others():
    """two programs through bluetoothd as an ordinary user on one adapter, beside bluetoothctl"""
    totals.ours = "daemon"
    with Radio(2):
        watcher = ready(ours("adapter", "hci1", INTEROP_REPEATS="1"))
        first = anybody("holder", "bluez")
        totals.add(first.wait_for_line("VALUE", READY), "first", "beside others: a link, and values over it")
        control = Process(["bluetoothctl", "--timeout", "20", "scan", "le"])
        second = anybody("holder", "bluez", XDG_STATE_HOME="/run/state-second")
        totals.add(second.wait_for_line("VALUE", READY), "second", "beside others: the link of another program, while bluetoothctl scans")
        totals.add(reads_again(first) and reads_again(second), "both", "beside others: values on one link for both")
        first.stop()
        totals.add(reads_again(second), "second", "beside others: goes on when the other has ended")
        totals.add(says(control, "Discovering: yes"), "bluetoothctl", "beside others: its scan runs")
        for process in (control, second, watcher):
            process.stop()
        return [first, second, control, watcher]


def bleak(mode):
    return as_nobody(f"python3 -u /opt/bleak_holder.py {mode}", "/run/state-bleak")


def through_bleak():
    """our central and bleak's through bluetoothd as ordinary users on one adapter, on one link"""
    totals.ours = "daemon"
    with Radio(3):
        watcher = ready(ours("adapter", "hci1"))
        other = bleak("hold")
        totals.add(other.wait_for_line("VALUE", 40), "bleak", "beside bleak: its link, and values over it")
        mine = anybody("holder", "bluez:hci0")
        totals.add(mine.wait_for_line("VALUE", READY), "ours", "beside bleak: values over the link that bleak opened")
        scans = [bleak("scan"), as_nobody("/opt/bluelab scan --json --duration 60", "/run/state-scan", BLUETOOTH_CONTROLLER="bluez:hci0")]
        scans[0].wait_for_line("SCANNING", READY)
        third = ready(ours("adapter", "hci2"))
        # btvirt reports an advertiser when it starts or a scan does, and the kernel begins another scan after some 15 s.
        totals.add(says(scans[0], "FOUND 00:AA:01:02:00:02", deadline=45), "bleak", "beside bleak: it scans, and finds a device")
        totals.add(says(scans[1], "00:AA:01:02:00:02", deadline=45), "ours", "beside bleak: ours scans, and finds a device")
        totals.add(reads_again(mine) and reads_again(other), "both", "beside bleak: both read during both scans")
        for process in (*scans, mine):
            process.stop()
        totals.add(reads_again(other), "bleak", "beside bleak: goes on when ours has ended")
        mine = anybody("holder", "bluez:hci0")
        good = mine.wait_for_line("VALUE", READY)
        # Without a farewell: bleak's disconnect() ends the link for all programs.
        os.killpg(other.pid, signal.SIGKILL)
        totals.add(good and reads_again(mine), "ours", "beside bleak: goes on when bleak was killed")
        for process in (mine, watcher, third):
            process.stop()
        return [other, mine, watcher, third, *scans]


def through_pairing():
    """pairing: our central through bluetoothd as an ordinary user, against our peripheral on the second controller"""
    totals.ours = "daemon"
    directory = pathlib.Path(tempfile.mkdtemp(dir="/run"))
    directory.chmod(0o777)
    numbers, titles = through_cases(directory)
    totals.prefix = "pairing: "
    try:
        with Radio(2):
            shared = {"INTEROP_DIRECTORY": directory}
            server = ours("pairing-peripheral", "hci1", numbers, INTEROP_CASES=directory / "peripheral", INTEROP_SWAPPED=1, **shared)
            server.wait_for_line("READY", READY)
            client = anybody("pairing-central", "bluez", numbers, INTEROP_CASES=directory / "central", INTEROP_TELLS_END=1, **shared)
            totals.add_peer("client", client, client.wait(PAIRING), titles)
            totals.add_peer("server", server, server.wait(10), titles)
            return [server, client]
    finally:
        totals.prefix = ""


def through_channels():
    """L2CAP channels through the kernel as an ordinary user, against our host on the second controller"""
    totals.ours, totals.prefix = "daemon", "L2CAP channel: "
    checks = channel_plan.CLIENT_CHECKS, channel_plan.SERVER_CHECKS
    try:
        with Radio(2):
            server = ready(ours("channel-server", "hci1"))
            first = converse(server, anybody("channel-client", "bluez", INTEROP_ANY_REFUSAL="1"), *checks)
            server = ready(anybody("channel-server", "bluez"))
            return first + converse(server, ours("channel-client", "hci1"), *checks)
    finally:
        totals.prefix = ""


def through_states():
    """our central through bluetoothd as an ordinary user: the radio switched off, the adapter removed"""
    totals.ours = "daemon"
    with Radio(2) as radio:
        watcher = ready(ours("adapter", "hci1", INTEROP_REPEATS="1"))
        holder = anybody("holder", "bluez:hci0")
        good = states(holder, "poweredOn") and holder.wait_for_line("VALUE", READY)
        totals.add(good, "holder", "through bluetoothd: a link, and values over it")
        block("hci0", True)
        totals.add(states(holder, "poweredOff"), "holder", "radio switch through bluetoothd: powered off")
        totals.add(says(holder, "hci0 is switched off by rfkill", "sudo rfkill unblock"), "holder", "radio switch through bluetoothd: the sentence")
        block("hci0", False)
        powered("on")
        totals.add(states(holder, "poweredOn") and reads_again(holder), "holder", "radio switch through bluetoothd: on again, and reads values")
        powered("off")
        totals.add(states(holder, "poweredOff"), "holder", "power off through bluetoothd: powered off")
        totals.add(says(holder, "hci0 is switched off.", "bluetoothctl power on"), "holder", "power off through bluetoothd: the sentence")
        powered("on")
        totals.add(states(holder, "poweredOn") and reads_again(holder), "holder", "power off through bluetoothd: on again, and reads values")
        radio.stop_controllers()
        totals.add(states(holder, "resetting"), "holder", "adapter removed through bluetoothd: a state, at once")
        radio.start_controllers()
        totals.add(states(holder, "poweredOn") and reads_again(holder), "holder", "adapter put back through bluetoothd: reads values")
        holder.stop()
        watcher.stop()
        return [holder, watcher, radio.daemon]


def killed(radio, process, step):
    """Kills bluetoothd, starts it again, and checks that the program notices both."""
    radio.kill_daemon()
    good = states(process, "resetting")
    radio.start_daemon()
    totals.add(good and states(process, "poweredOn"), process.role, f"bluetoothd killed at each step: {step}, resetting and back")


def reaches(process, line, step, deadline=READY):
    """Checks that a program that was disturbed before goes on by itself as far as `line`."""
    totals.add(process.wait_for_line(line, deadline), process.role, f"bluetoothd killed at each step: {step}")


def through_steps():
    """programs through bluetoothd as an ordinary user, while bluetoothd is killed at each step: both roles"""
    totals.ours = "daemon"
    with Radio(2) as radio:
        watcher = ready(ours("adapter", "hci1", INTEROP_REPEATS="1"))
        walker = anybody("walker", "bluez:hci0", INTEROP_PAIRS="1")
        walker.role = "central"
        reaches(walker, "STEP scanning", "a scan begins")
        killed(radio, walker, "while scanning")
        reaches(walker, "STEP connecting", "the scan goes on, and finds the peripheral")
        # bluetoothd discovers the services from this moment on.
        until_true(lambda: glob.glob("/sys/class/bluetooth/hci0:*"))
        killed(radio, walker, "while it discovers services")
        for step in ("connecting", "reading", "notifications", "commands", "pairing"):
            reaches(walker, f"STEP {step}", f"goes on as far as {step}", 60)
            killed(radio, walker, f"during {step}")
        reaches(walker, "ROUND", "a whole session", 60)
        walker.stop()
        watcher.stop()
    # Other controllers: btvirt's keep links whose other side is gone.
    with Radio(2) as radio:
        server = anybody("adapter", "bluez:hci0")
        server.role = "peripheral"
        reaches(server, "ADDED", "a service is registered")
        killed(radio, server, "after the registration of a service")
        reaches(server, "READY", "registers and advertises")
        killed(radio, server, "while advertising")
        reaches(server, "READY", "registers and advertises again")
        client = ours("walker", "hci1")
        reaches(server, "SUBSCRIBED", "a central subscribes", 60)
        killed(radio, server, "with a subscriber")
        reaches(server, "SUBSCRIBED", "serves the central again", 90)
        client.role = "central"
        reaches(client, "ROUND", "a whole session", 60)
        for process in (client, server):
            process.stop()
        return [walker, watcher, server, client, radio.daemon]


def powered(word):
    subprocess.run(["bluetoothctl", "power", word], capture_output=True, timeout=READY)


def worlds_radio():
    """worlds through bluetoothd: our central as an ordinary user, on a controller of `bluelab radio`"""
    totals.ours = "daemon"
    with SimulatedRadio() as radio:
        server = ready(radio.join("peripheral"))
        processes = converse(server, anybody("central", "bluez"))
        check_commands(*SCANS, *CONNECTS)
        return processes


# Tests of WorldOverBluetoothdTests: links that are lost, services that change, requests at the end of a link, pairing.
WORLD_TESTS = "phone-row046,phone-row047,phone-row051,phone-row072,phone-row102,phone-row104,phone-included"


def run_worlds(radio, names):
    """Runs tests of worlds. Returns their process, the results by device and name, and how often bluetoothd crashed."""
    options = "--testing-library swift-testing --verbose --filter WorldOverBluetoothdTests"
    backtrace = "SWIFT_BACKTRACE=enable=yes,interactive=no,threads=crashed,swift-backtrace=/opt/swift-backtrace-static"
    command = f"{backtrace} OPENCOREBLUETOOTH_BLUETOOTHD={shlex.quote(names)} XDG_STATE_HOME=/tmp/world-tests /opt/world-tests {options}"
    tests = Process(["su", "nobody", "-s", "/bin/sh", "-c", command])
    end, crashes = time.monotonic() + WORLDS, 0
    while tests.wait(1) is None and time.monotonic() < end:
        if radio.daemon.exit_code == -signal.SIGSEGV:
            crashes += 1
            radio.processes.remove(radio.daemon)
            radio.start_daemon()
    tests.stop()
    pattern = r'Test case passing 1 argument name → "([^"]+)".* to aTestOfAWorldPassesWithA(\w+)OverBluetoothd.* (passed|failed) after'
    found = [match for line in tests.lines if (match := re.search(pattern, line))]
    return tests, {(match[2].lower(), match[1]): match[3] == "passed" for match in found}, crashes


def worlds(names):
    """Runs tests of worlds, whose device behind bluetoothd is a phone or a gadget."""
    totals.ours = "daemon"
    with WorldRadio() as radio:
        tests, results, crashes = run_worlds(radio, names)
        failed = ",".join(f"{device}-{name}" for (device, name), passed in results.items() if not passed)
        # BlueZ 5.66 crashes in long runs: see Documentation/InteropDisagreements.md. The worlds that it takes along run again.
        if crashes and failed:
            tests, again, more = run_worlds(radio, failed)
            results, crashes = results | again, crashes + more
        for (device, name), passed in results.items():
            totals.add(passed, device, f"world through bluetoothd: {name}")
        totals.add(tests.exit_code == 0, "tests", f"run: exit code {tests.exit_code}")
        good = radio.daemon.exit_code is None and crashes <= 2
        totals.add(good, "bluetoothd", f"run: it runs until the end, crashed {crashes} times, exit code {radio.daemon.exit_code}")
        return [tests, radio.daemon]


def worlds_chosen():
    """worlds through bluetoothd: tests in real time as an ordinary user, with a controller of the world"""
    return worlds(os.environ.get("INTEROP_WORLDS", WORLD_TESTS))


def worlds_all():
    """all worlds through bluetoothd: the tests of both roles"""
    return worlds("phone-all,gadget-all")


RUNS = [
    central, peripheral, links, alone, removed, switched, sentences, pairing_central, pairing_peripheral, private_central, private_peripheral,
    through_central, through_peripheral, through_both, through_others, through_pairing, through_channels, through_states, through_steps, worlds_radio,
    worlds_reports, worlds_advertising,
]
# The short form: values in both roles, with BlueZ and through bluetoothd, pairing, and an adapter that goes and comes back.
SHORT_RUNS = [central, peripheral, pairing_central, through_central, through_peripheral, through_states, worlds_radio]
# Runs that take minutes, or need what the others do not.
LONG_RUNS = [enhanced_theirs, enhanced_ours, tester, through_bleak, worlds_chosen, worlds_all, fresh, figures]


def keep(path, name):
    """Prints the capture of all adapters for boot.py."""
    if os.path.exists(path):
        content = base64.b64encode(gzip.compress(pathlib.Path(path).read_bytes())).decode()
        print(f"CAPTURE {name}.btsnoop {content}", flush=True)


def main():
    words = [word.lower() for word in sys.argv[1:]]
    runs = RUNS
    for word, others in (("long", LONG_RUNS), ("short", SHORT_RUNS)):
        if word in words:
            words.remove(word)
            runs = others
    chosen = [entry for entry in runs if all(word in entry.__doc__.lower() for word in words)]
    if title := base64.b64decode(os.environ.get("INTEROP_TITLE", "")).decode():
        chosen = [entry for entry in runs if entry.__doc__ == title]
    if not chosen:
        totals.add(False, "run", "no run has all these words in its title: " + "; ".join(entry.__doc__ for entry in runs))
    # boot.py repeats the run that a panic of the kernel interrupted.
    for entry in chosen[int(os.environ.get("INTEROP_SKIPPED", "0")) :]:
        print(f"\nRUN {entry.__doc__}", flush=True)
        totals.stack, totals.ours, totals.title = STACK, "central", entry.__doc__
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
                for line in process.lines[-120:]:
                    print(f"    {line}", flush=True)
            keep(MONITOR, entry.__name__)
        if os.path.exists(MONITOR):
            os.remove(MONITOR)
        print(f"  {time.monotonic() - started:.1f} s", flush=True)
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
