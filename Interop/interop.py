"""Runs each pair of a server and a client on each medium, counts what they report, and never leaves a process behind.
Started by Interop/run; INTEROP_PROGRAMS names the directory of our built programs."""

import os
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import plan
import results

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = pathlib.Path(os.environ.get("INTEROP_PROGRAMS", HERE.parent / ".build" / "debug"))
START_DEADLINE = 20
RUN_DEADLINE = 120

# title, medium, server, client, and what the run is about if not about values
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


class Process:
    """A child in a process group of its own, its output collected line by line."""

    running = []

    def __init__(self, arguments, **environment):
        self.lines = []
        self.news = queue.Queue()
        self.child = subprocess.Popen(
            [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", **environment},
        )
        Process.running.append(self)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.append(line.rstrip())
            self.news.put(self.lines[-1])
        self.news.put(None)

    def wait_for_line(self, text, deadline):
        """Whether a line that holds `text` came in time."""
        end = time.monotonic() + deadline
        while (left := end - time.monotonic()) > 0:
            try:
                line = self.news.get(timeout=left)
            except queue.Empty:
                return False
            if line is None:
                return False
            if text in line:
                return True
        return False

    def wait(self, deadline):
        """The exit code; None if the process did not end in time."""
        try:
            code = self.child.wait(max(0.1, deadline))
            time.sleep(0.05)  # the reader takes the last lines
            return code
        except subprocess.TimeoutExpired:
            return None

    def stop(self):
        for sign in (signal.SIGINT, signal.SIGKILL):
            if self.child.poll() is not None:
                break
            try:
                os.killpg(self.child.pid, sign)
            except ProcessLookupError:
                break
            self.wait(3)
        if self in Process.running:
            Process.running.remove(self)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listening(address):
    """Whether someone listens there; to connect and ask would be taken for a host."""
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


# What a controller tells the host that ended a link, if not what the specification says (see InteropDisagreements.md).
LOCAL_ENDS = {"bumble": "0x13"}
STACKS = {"bumble": results.BUMBLE, "rootcanal": results.ROOTCANAL, "radio": None, "ours": None}


def start_medium(kind, directory):
    """The process that serves two controllers, and their addresses as `tcp:HOST:PORT` or `unix:PATH`."""
    first = f"tcp:127.0.0.1:{free_port()}"
    if kind == "bumble":
        second = f"tcp:127.0.0.1:{free_port()}"
        servers = [address.replace("tcp:", "tcp-server:") for address in (first, second)]
        medium = Process([sys.executable, "-m", "bumble.apps.controllers", *servers])
    elif kind == "rootcanal":
        # Every connection is a controller of its own. Its other servers are not needed, but cannot be left out.
        second = first
        ports = [f"-{name}_port={free_port()}" for name in ("test", "link", "link_ble")]
        medium = Process([rootcanal_program(), f"-hci_port={first.rpartition(':')[2]}", *ports])
    else:
        second = f"unix:{directory}/second"
        medium = Process(
            [PROGRAMS / "bluelab", "radio", "--listen", first, "--listen", second], XDG_RUNTIME_DIR=directory
        )
    end = time.monotonic() + START_DEADLINE
    while not (listening(first) and listening(second)):
        if time.monotonic() > end or medium.child.poll() is not None:
            raise RuntimeError(f"the controllers did not start:\n" + "\n".join(medium.lines))
        time.sleep(0.05)
    return medium, [first, second]


def start_peer(kind, role, address, directory, topic="values"):
    if kind == "bumble":
        script = [f"bumble_{role}.py"] if topic == "values" else ["bumble_database.py", role]
        transport = address.replace("tcp:", "tcp-client:") if address.startswith("tcp:") else address
        return Process([sys.executable, HERE / script[0], *script[1:], transport])
    state = pathlib.Path(directory) / f"state-{role}"
    program = {"server": "peripheral", "client": "central"}[role] if topic == "values" else f"{topic}-{role}"
    return Process(
        [PROGRAMS / "interop-peer", program],
        BLUETOOTH_CONTROLLER=address,
        XDG_STATE_HOME=str(state),
    )


class Totals:
    passed = 0
    failed = 0
    meetings = ()  # what the present run puts to the test, see results.py
    prefix = ""

    def add(self, good, who, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
        print(f"  {'PASS' if good else 'FAIL'}  {who}  {text}", flush=True)

    def record(self, feature, passed):
        for stack, ours in self.meetings:
            results.record(stack, ours, self.prefix + feature, passed)

    def add_peer(self, who, process, code, expected):
        seen = set()
        for line in process.lines:
            verdict, _, rest = line.partition(" ")
            if verdict in ("PASS", "FAIL"):
                name = rest.partition(":")[0]
                seen.add(name)
                self.add(verdict == "PASS", who, rest)
                if name in expected:
                    self.record(name, verdict == "PASS")
        for name in expected:
            if name not in seen:
                self.add(False, who, f"{name}: never came to it")
                self.record(name, False)
        if code != 0:
            why = f"ended with exit code {code}" if code is not None else "did not end in time and was stopped"
            self.add(False, who, why)


def expected_checks(topic, server_kind, client_kind):
    """What client and server have to report."""
    if topic == "database":
        pairing = plan.PAIRING_CHECKS if (server_kind, client_kind) == ("ours", "bumble") else []
        return plan.DATABASE_CLIENT_CHECKS + pairing, plan.DATABASE_SERVER_CHECKS
    if server_kind == "ours":
        return plan.CLIENT_CHECKS, plan.SERVER_CHECKS
    return plan.CLIENT_CHECKS + plan.FOREIGN_CLIENT_CHECKS, plan.SERVER_CHECKS + plan.FOREIGN_SERVER_CHECKS


def run(title, medium_kind, server_kind, client_kind, *rest):
    topic, totals = rest if len(rest) == 2 else ("values", *rest)
    print(f"\n{title}", flush=True)
    before = totals.failed
    totals.meetings = results.meetings(STACKS[medium_kind], STACKS[server_kind], STACKS[client_kind])
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="interop-") as directory:
        processes = []
        os.environ["INTEROP_PAIRS"] = "no" if server_kind == "ours" else "yes"
        os.environ["INTEROP_LOCAL_END"] = LOCAL_ENDS.get(medium_kind, "0x16")
        try:
            medium, addresses = start_medium(medium_kind, directory)
            processes.append(medium)
            server = start_peer(server_kind, "server", addresses[0], directory, topic)
            processes.append(server)
            server.wait_for_line("READY", START_DEADLINE)
            client = start_peer(client_kind, "client", addresses[1], directory, topic)
            processes.append(client)
            client_code = client.wait(RUN_DEADLINE)
            server_code = server.wait(10)
            client_checks, server_checks = expected_checks(topic, server_kind, client_kind)
            totals.add_peer("client", client, client_code, client_checks)
            totals.add_peer("server", server, server_code, server_checks)
            if medium.child.poll() is not None:
                totals.add(False, "medium", f"the controllers ended by themselves, exit code {medium.child.returncode}")
        except (RuntimeError, OSError) as error:
            totals.add(False, "run", str(error))
        finally:
            outputs = [list(process.lines) for process in processes]  # before they complain about being stopped
            for process in reversed(processes):
                process.stop()
        if totals.failed > before:
            for name, lines in zip(("controllers", "server", "client"), outputs):
                print(f"  output of the {name}:" + ("" if lines else " none"))
                for line in lines[-40:]:
                    print(f"    {line}")
    print(f"  {time.monotonic() - started:.1f} s", flush=True)


def carry_out(body):
    """The whole of a script: `body` with what it counts in; an interruption leaves no process behind. Gives the exit code."""
    totals = Totals()
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        body(totals)
    except KeyboardInterrupt:
        print("\ninterop: interrupted")
        totals.failed += 1
    finally:
        for process in list(Process.running):
            process.stop()
    print(f"\n{totals.passed} passed, {totals.failed} failed")
    return 0 if totals.failed == 0 and totals.passed > 0 else 1


def carry_out_runs(runs, run):
    """The same for runs of which the arguments choose: all their words are in a title."""
    words = [word.lower() for word in sys.argv[1:]]
    chosen = [entry for entry in runs if all(word in entry[0].lower() for word in words)]
    if not chosen:
        print("interop: no run has all these words in its title. The titles:")
        for entry in runs:
            print(f"  {entry[0]}")
        print("0 passed, 1 failed")
        return 1

    def body(totals):
        for entry in chosen:
            run(*entry, totals)

    return carry_out(body)


if __name__ == "__main__":
    sys.exit(carry_out_runs(RUNS, run))
