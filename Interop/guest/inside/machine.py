"""The machine of the runs: btvirt's controllers, bluetoothd, the programs of both sides, and the checks."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import plan
from processes import Process

HERE = pathlib.Path(__file__).resolve().parent
STACK = "BlueZ " + subprocess.run(["bluetoothd", "--version"], capture_output=True, text=True).stdout.strip()
KERNEL = "Linux " + re.match(r"\d+\.\d+", os.uname().release)[0]
PYTHON = [sys.executable, "-u"]
# Time limits in seconds: until a program is ready, of a run, and of a side of a pairing run.
# The guest is emulated, and slower still beside compilers.
READY, RUN, PAIRING = 60, 75, 150
MONITOR = "/tmp/monitor.btsnoop"
CONFIGURATION = "/run/main.conf"
NOBODY = 65534
# BlueZ 5.66 counts the header of a prepared write as part of its value: the last four octets of 512 do not fit.
SHORT = {"INTEROP_WRITE_LENGTH": "508"}


class Totals:
    """Prints checks, which boot.py counts, and results for the matrix after RESULT."""

    def __init__(self):
        self.failed = 0
        self.stack, self.ours, self.prefix = STACK, "central", ""
        self.title = ""  # Of the run.

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

    def __init__(self, controllers, daemon=True, configuration=None):
        self.controllers, self.with_daemon = controllers, daemon
        self.command = ["bluetoothd", "-n", "-E"]
        if configuration:
            pathlib.Path(CONFIGURATION).write_text(configuration)
            self.command += ["-f", CONFIGURATION]

    def __enter__(self):
        self.processes = [script("monitor.py", MONITOR)]
        self.start_controllers()
        if self.with_daemon:
            self.start_daemon()
        self.processes[0].wait_for_line("READY", READY)
        return self

    def start_daemon(self):
        self.daemon = Process(self.command)
        self.processes.append(self.daemon)
        # It has its name on the bus before it says so.
        self.daemon.wait_for_line("Bluetooth management interface", READY)

    def kill_daemon(self):
        """Ends bluetoothd as a fault does."""
        os.kill(self.daemon.pid, signal.SIGKILL)
        self.daemon.wait(READY)
        self.processes.remove(self.daemon)

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


class SimulatedRadio(Radio):
    """`bluelab radio` with a controller for the kernel in place of btvirt. Other programs of root join it with `join`."""

    DIRECTORY = "/run/radio"

    def __init__(self, options=(), **others):
        super().__init__(1, **others)
        self.options = options
        os.makedirs(self.DIRECTORY, mode=0o700, exist_ok=True)

    def start_controllers(self):
        self.btvirt = Process(["/opt/bluelab", "radio", "serve", "--vhci", *self.options], XDG_RUNTIME_DIR=self.DIRECTORY)
        self.processes.append(self.btvirt)
        self.btvirt.wait_for_line("hci0", READY)
        until(lambda: len(adapters()) == 1, "1 adapter")

    def join(self, role, arguments=(), **environment):
        return ours(role, "radio", arguments, XDG_RUNTIME_DIR=self.DIRECTORY, BLUETOOTH_RADIO_NAME=role, **environment)

    def ask(self, *words):
        """Runs a `bluelab radio` command."""
        subprocess.run(["/opt/bluelab", "radio", *words], env={**os.environ, "XDG_RUNTIME_DIR": self.DIRECTORY}, check=True, timeout=READY)


class WorldRadio(Radio):
    """bluetoothd for tests that give the kernel a controller themselves."""

    def __init__(self):
        super().__init__(0)

    def start_controllers(self):
        os.chmod("/dev/vhci", 0o666)


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


def as_nobody(command, home, **environment):
    """A program as an ordinary user, with its state in the directory `home`."""
    os.makedirs(home, exist_ok=True)
    os.chown(home, NOBODY, NOBODY)
    words = " ".join(f"{name}={value}" for name, value in {"XDG_STATE_HOME": home, **environment}.items())
    return Process(["su", "nobody", "-s", "/bin/sh", "-c", f"{words} {command}"])


def anybody(role, adapter, arguments=(), **environment):
    """A program of ours as an ordinary user. BLUETOOTH_CONTROLLER is not set if `adapter` is empty."""
    home = environment.pop("XDG_STATE_HOME", f"/run/state-{role}-anybody")
    if adapter:
        environment["BLUETOOTH_CONTROLLER"] = adapter
    return as_nobody(" ".join(["/opt/interop-peer", role, *arguments]), home, **environment)


def script(name, *arguments):
    return Process([*PYTHON, HERE / name, *arguments])


def ready(process):
    process.wait_for_line("READY", READY)
    return process


def converse(server, client, client_checks=plan.CLIENT_CHECKS, server_checks=plan.SERVER_CHECKS):
    totals.add_peer("client", client, client.wait(RUN), client_checks)
    totals.add_peer("server", server, server.wait(10), server_checks)
    return [server, client]


def values(process):
    return sum(line.startswith("VALUE") for line in process.lines)


def reads_again(process):
    before = values(process)
    until_true(lambda: values(process) > before + 2, 60)
    return values(process) > before + 2


def says(process, *words, deadline=READY):
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        if any(all(word in line for word in words) for line in process.lines):
            return True
        time.sleep(0.1)
    return False
