"""What a client costs through bluetoothd, with this package and with bleak."""

import pathlib
import statistics
import subprocess

from machine import READY, Radio, anybody, as_nobody, ours, totals, until

# Rounds with each program, and operations of each part of a round.
ROUNDS, OPERATIONS = 3, 200
# A processor of the guest waits for those of the machine: only much more than bleak needs is a failure.
TOLERANCE = 2
ROUND = 240
ADDRESS = "00:AA:01:01:00:01"
SERVICES = 20
PARTS = {
    "connect": "a link with all services", "notify": "a notification", "write": "a write command", "read": "a read",
}  # fmt: skip
OURS, BLEAK, ACQUIRING = "ours", "bleak", "bleak with AcquireNotify"


def bus():
    (process,) = [path.parent.name for path in pathlib.Path("/proc").glob("[0-9]*/comm") if path.read_text() == "dbus-daemon\n"]
    return process


def program(name, processes):
    environment = {"INTEROP_OPERATIONS": OPERATIONS, "INTEROP_PROCESSES": f"'{processes}'"}
    if name == OURS:
        return anybody("figures-central", "bluez:hci0", **environment)
    if name == ACQUIRING:
        environment["INTEROP_ACQUIRE"] = 1
    return as_nobody("python3 -u /opt/figures_bleak.py", "/run/state-bleak", **environment)


def is_forgotten():
    """Each round discovers all services. bluetoothctl may end before bluetoothd has done what it asked for."""
    subprocess.run(["bluetoothctl", "remove", ADDRESS], capture_output=True, timeout=READY)
    return ADDRESS not in subprocess.run(["bluetoothctl", "devices"], capture_output=True, text=True, timeout=READY).stdout


def lines(process):
    """Returns the numbers of each part."""
    found = {}
    for line in process.lines:
        word, *entries = line.split()
        if word == "FIGURE":
            found[entries[0]] = {name: int(value) for name, value in (entry.split("=") for entry in entries[1:])}
    return found


class Figures:
    """The rounds of one program."""

    def __init__(self, name):
        self.name, self.rounds = name, []

    def of_one(self, part, kind):
        """The least of the rounds, for one operation: what else the machine does makes the guest slower, and never faster."""
        return min(values[part][kind] / (1 if part == "connect" else values[part]["operations"]) for values in self.rounds)

    def of_round(self, part, kind):
        return statistics.median(values[part][kind] for values in self.rounds)

    def check(self):
        for part, expected in {"connect": SERVICES, "notify": OPERATIONS, "write": OPERATIONS, "read": OPERATIONS}.items():
            got = [values[part]["operations" if part == "connect" else "good"] for values in self.rounds]
            # bluetoothd unites changes of a property that follow each other quickly: a program without AcquireNotify gets some values only.
            good = all(count == expected for count in got) or (part == "notify" and self.name == BLEAK and all(got))
            totals.add(good, self.name, f"figures of {PARTS[part]}: {got} of {expected}")


def table(all_figures):
    print(f"  {'':26} {'':26} {'own':>9} {'bluetoothd':>11} {'bus':>9} {'together':>9} {'bluetoothd':>11}", flush=True)
    print(f"  {'':26} {'time each':>26} {'µs':>9} {'µs':>11} {'µs':>9} {'µs':>9} {'part':>11}", flush=True)
    for part, title in PARTS.items():
        for each in all_figures:
            if part not in ("notify",) and each.name == ACQUIRING:
                continue
            own, daemon, others = (each.of_one(part, kind) for kind in ("own", "bluetoothd", "bus"))
            time, together = each.of_one(part, "time"), own + daemon + others
            rate = f"{time:9.0f} µs" + (f", {1e6 / time:6.0f} each s" if part != "connect" else "")
            print(f"  {title:26} {rate:>26} {own:9.1f} {daemon:11.1f} {others:9.1f} {together:9.1f} {daemon / together:11.0%}  {each.name}", flush=True)
    for each in all_figures:
        median, late = each.of_round("read", "median"), each.of_round("read", "late")
        memory = each.of_round("memory", "kibibytes")
        print(f"  reads: median {median:.0f} µs, 99 % {late:.0f} µs; memory {memory / 1024:.1f} MiB  {each.name}", flush=True)


def check_processor(mine, other, acquiring):
    for part, title in PARTS.items():
        own, theirs = mine.of_one(part, "own"), (acquiring if part == "notify" else other).of_one(part, "own")
        detail = f"{own:.0f} µs, bleak {theirs:.0f} µs, {theirs / max(own, 0.1):.1f} times as much"
        totals.add(own < theirs * TOLERANCE, OURS, f"processor time of {title}: {detail}")


def figures():
    """figures: our central and bleak's through one bluetoothd, as ordinary users"""
    totals.ours = "daemon"
    with Radio(2) as radio:
        server = ours("figures-peripheral", "hci1")
        server.wait_for_line("READY", READY)
        processes = f"bluetoothd={radio.daemon.pid} bus={bus()}"
        all_figures, done = [Figures(OURS), Figures(BLEAK), Figures(ACQUIRING)], []
        for each in all_figures * ROUNDS:
            client = program(each.name, processes)
            done.append(client)
            if client.wait(ROUND) != 0:
                totals.add(False, each.name, "exit: the program did not end well")
                return [*done, server]
            each.rounds.append(lines(client))
            for line in client.lines:
                print(f"    {each.name}: {line}", flush=True)
            until(is_forgotten, "bluetoothd forgets the device", READY)
        for each in all_figures:
            each.check()
        check_processor(*all_figures)
        table(all_figures)
        server.stop()
        return [*done, server]
