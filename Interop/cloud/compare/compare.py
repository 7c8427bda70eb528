"""Measures `bluelab gateway cloud` beside Theengs Gateway on the same advertisements, with the same broker and the same subscriber. Interop/compare-cloud starts it."""

import argparse
import contextlib
import json
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from crowd import DEVICES, ROUNDS, Times, address

HERE = pathlib.Path(__file__).resolve().parent
# A gateway gives back the pages of its start after 10 s.
WARM_UP = 12
# The advertisements in a second of the report.
RATE = 1000
# What the project demands: ratios to Theengs Gateway, and milliseconds.
DEMANDS = {"advertisements": 10, "memory": 5, "delay": 10}


class Bench:
    """One gateway with its broker, its feeder and its subscriber."""

    def __init__(self, options, folder):
        self.options, self.folder, self.stack = options, folder, contextlib.ExitStack()
        folder.mkdir()
        self.count = options.rate * (WARM_UP + options.seconds + 1)
        self.times = Times(folder / "times", self.count)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def begin(self, command, **environment):
        """Starts a process, which ends with the bench."""
        command = (["chrt", "-f", "10"] if self.options.realtime else []) + [str(part) for part in command]
        log = open(self.folder / "log", "ab")
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=os.environ | environment, text=True)
        self.stack.callback(self._end, process)
        return process

    def _end(self, process):
        if process.poll() is None:
            process.terminate()
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()

    def wait_ready(self, process):
        if process.stdout.readline() != "ready\n":
            sys.exit(f"compare-cloud: {' '.join(process.args)} did not start: {(self.folder / 'log').read_text()[-2000:]}")

    def start_broker(self):
        configuration = self.folder / "mosquitto.conf"
        configuration.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nuser root\nlog_type error\n")
        self.begin(["mosquitto", "-c", configuration])
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        sys.exit("compare-cloud: mosquitto did not start.")

    def measure(self, kind, topic, start_gateway):
        with self.stack:
            self.start_broker()
            subscriber = self.begin([sys.executable, HERE / "subscriber.py", self.port, topic, self.folder / "messages"])
            self.wait_ready(subscriber)
            feeder = self.begin([sys.executable, HERE / "feed.py", kind, self.folder / "radio", self.options.rate, self.count, self.folder / "times"])
            self.wait_ready(feeder)
            gateway = start_gateway(self)
            self.wait_for(self.options.rate * WARM_UP, gateway)
            first, before = self.times.count, processor_seconds(gateway.pid)
            self.wait_for(first + self.options.rate * self.options.seconds, gateway)
            last, after, memory = self.times.count, processor_seconds(gateway.pid), memory_of(gateway.pid)
            # check-tests: wait: what is under way arrives; a message that comes later counts as lost.
            time.sleep(1)
            subscriber.communicate("")
            arrived, delays = self.delays(first, last)
        return {"processor": (after - before) / arrived * 1e6, "arrived": arrived / (last - first) * 100, "delays": delays} | memory

    def wait_for(self, count, gateway):
        limit = time.monotonic() + 60 + count / self.options.rate
        while self.times.count < count:
            if gateway.poll() is not None or time.monotonic() > limit:
                sys.exit(f"compare-cloud: {self.times.count} advertisements were read: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def delays(self, first, last):
        """The number of messages for the advertisements from `first` to `last`, and their delays in milliseconds."""
        devices = {address(device).hex().upper(): device for device in range(DEVICES)}
        turns, delays = [-1] * DEVICES, []
        for line in (self.folder / "messages").read_text().splitlines():
            moment, name, strength = line.split()
            device = devices[name.upper()]
            # The first turn after the last one with this strength.
            turns[device] += (-30 - int(strength) - turns[device] - 1) % ROUNDS + 1
            index = turns[device] * DEVICES + device
            if first <= index < last:
                delays.append((int(moment) - self.times[index]) / 1e6)
        if not delays:
            sys.exit(f"compare-cloud: no message arrived: {(self.folder / 'log').read_text()[-2000:]}")
        return len(delays), sorted(delays)


def processor_seconds(process):
    """Of all threads, user and kernel."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process):
    """In MB: resident, proportional, and what the process allocated itself."""
    lines = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:])
    return {name: int(lines[key].split()[0]) * 1024 / 1e6 for name, key in [("resident", "Rss"), ("proportional", "Pss"), ("allocated", "Anonymous")]}


def ours(options):
    def start(bench):
        (bench.folder / "gateway.yaml").write_text(
            f"broker: mqtt://127.0.0.1:{bench.port}\nname: hall\nadvertisements: {{interval: 0 s, rate: 100000, raw: true, decoded: true}}\n")
        return bench.begin(
            [options.programs / "bluelab", "gateway", "cloud", "--config", bench.folder / "gateway.yaml", "--json"],
            BLUETOOTH_CONTROLLER=f"unix:{bench.folder}/radio", XDG_STATE_HOME=str(bench.folder), XDG_RUNTIME_DIR=str(bench.folder))

    return ("hci", "bluetooth/hall/advertisement/+", start)


def theengs(options):
    def start(bench):
        settings = bench.folder / "theengs.json"
        settings.write_text(json.dumps({
            "host": "127.0.0.1", "port": bench.port, "ble_scan_time": 10_000, "ble_time_between_scans": 0, "publish_all": 1, "publish_advdata": 1,
            "discovery": 0, "log_level": "WARNING", "enable_multi_gtw_sync": 0}))
        return bench.begin([options.theengs, HERE / "theengs.py", bench.folder / "radio", "-c", settings])

    return ("numbers", "home/TheengsGateway/BTtoMQTT/+", start)


TITLES = [
    # name, title, unit, value, whether more is better, the demanded ratio or nil
    ("rate", "advertisements a processor second", "events/s", lambda run: 1e6 / run["processor"], True, DEMANDS["advertisements"]),
    ("processor", "processor time for one", "us", lambda run: run["processor"], False, None),
    ("proportional", "memory, shared pages divided among their users", "MB", lambda run: run["proportional"], False, DEMANDS["memory"]),
    ("resident", "memory with all pages of libraries", "MB", lambda run: run["resident"], False, None),
    ("allocated", "memory that the process allocated", "MB", lambda run: run["allocated"], False, None),
    ("delay.p50", "delay to the subscriber, median", "ms", lambda run: run["delays"][len(run["delays"]) // 2], False, None),
    ("delay.p99", "delay to the subscriber, 99 %", "ms", lambda run: run["delays"][len(run["delays"]) * 99 // 100], False, None),
    ("arrived", "advertisements that arrived", "%", lambda run: run["arrived"], True, None),
]


def main():
    parser = argparse.ArgumentParser(prog="Interop/compare-cloud")
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--theengs", type=pathlib.Path)
    parser.add_argument("--rate", type=int, default=RATE, help="advertisements in a second")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--turns", type=int, default=1, help="the median of several turns counts")
    parser.add_argument("--realtime", action="store_true", help="all processes run before others, for a machine that is not idle")
    parser.add_argument("--figures", action="store_true", help="keeps the figures in Benchmarks/Figures, and writes Documentation/Performance.md")
    options = parser.parse_args()
    names = {"ours": ours} | ({"Theengs Gateway": theengs} if options.theengs else {})
    folder = pathlib.Path(tempfile.mkdtemp(prefix="compare-cloud-"))
    runs = {name: [] for name in names}
    try:
        for turn in range(options.turns):
            for number, (name, make) in enumerate(names.items()):
                print(f"compare-cloud: {name}, {options.rate} advertisements a second for {options.seconds} s", file=sys.stderr)
                runs[name].append(Bench(options, folder / f"{turn}-{number}").measure(*make(options)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    figures, missed = [], []
    print(f"\n{'':50}{'unit':>10}" + "".join(f"{name:>18}" for name in names) + f"{'ratio':>9}{'demanded':>10}")
    for key, title, unit, value, is_more, demand in TITLES:
        values = {name: statistics.median(value(run) for run in runs[name]) for name in names}
        figures += [{"figure": f"cloud.{key}", "title": title, "unit": unit, "stack": name, "value": round(number, 3)} for name, number in values.items()]
        ratio = None
        if "Theengs Gateway" in values:
            ratio = values["ours"] / values["Theengs Gateway"] if is_more else values["Theengs Gateway"] / values["ours"]
        if demand and ratio and ratio < demand:
            missed.append(f"{title}: {ratio:.1f} times better, {demand} are demanded")
        if key == "delay.p99" and values["ours"] >= DEMANDS["delay"]:
            missed.append(f"{title}: {values['ours']:.1f} ms, less than {DEMANDS['delay']} are demanded")
        if key == "arrived" and values["ours"] < 100:
            missed.append(f"{title}: {values['ours']:.2f} %")
        wanted = f"{demand}" if demand else f"< {DEMANDS['delay']} ms" if key == "delay.p99" else ""
        print(f"{title:50}{unit:>10}" + "".join(f"{number:18,.2f}" for number in values.values()) + (f"{ratio:9.1f}" if ratio else f"{'':9}") + f"{wanted:>10}")
    print(f"\n{platform.machine()}, Python {platform.python_version()}, {os.cpu_count()} processors")
    for line in missed:
        print(f"missed: {line}")
    if options.figures:
        sys.path.append(str(HERE.parents[2] / "Benchmarks"))
        import report

        if options.rate != RATE:
            # Another rate has one figure of its own.
            at_rate = {"figure": f"cloud.processor.{options.rate}", "title": f"processor time for one, at {options.rate:,} a second"}
            figures = [{**figure, **at_rate} for figure in figures if figure["figure"] == "cloud.processor" and figure["stack"] == "ours"]
        report.keep(figures)
        report.write()
    sys.exit(1 if missed else 0)


main()
