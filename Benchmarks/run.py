"""Takes the measurements, compares the figures with the thresholds and prints a table. Benchmarks/run starts it."""

import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import report

here = Path(__file__).resolve().parent

# Each program prints figures as lines of JSON and accepts --short.
PROGRAMS = [
    "on-air",
    "controller",
    "crowd",
    "callback-allocations",
    "connection-events",
    "latency",
    "host-paths",
    "host-client",
    "gateway",
]

# The programs whose instructions are counted: (program, its arguments before the number of rounds). Each runs twice, with few and with many
# rounds, so that the difference excludes the start-up.
INSTRUCTIONS = [
    ("controller", ["packet-of-27"]),
    ("controller", ["packet-of-251"]),
    ("controller", ["encrypted-packet-of-27"]),
    ("controller", ["encrypted-packet-of-251"]),
    *(("host-paths", [scenario])
    for scenario in (
        "report",
        "report-dropped",
        "report-delivered",
        "notification",
        "indication",
        "fragments-received",
        "write-command",
        "fragments-sent",
        "notification-sent",
        "read",
    )),
    ("gateway", ["gateway-advertisement"]),
    ("gateway", ["gateway-notification"]),
    ("crowd", ["crowd-block"]),
    ("crowd", ["crowd-extended-block"]),
    ("crowd", ["crowd-links"]),
    ("crowd", ["crowd-pairs"]),
    ("crowd", ["crowd-pairs-in-real-time"]),
]

# The permitted increase of instructions over the threshold.
TOLERANCE = 0.05


def run(binaries, program, arguments):
    """Returns the figures of one program. Ends the run if the program fails."""
    figures = []
    process = subprocess.Popen([binaries / program, *arguments], stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if line.startswith("{"):
            figures.append(json.loads(line))
        print(line, end="", flush=True)
    if process.wait() != 0:
        sys.exit(f"benchmarks: {program} ended with {process.returncode}")
    return figures


def instructions(binaries, program, arguments, rounds):
    # valgrind does not read newer forms of debugging information.
    stripped = here / ".build" / f"{program}.stripped"
    if not stripped.exists() or stripped.stat().st_mtime < (binaries / program).stat().st_mtime:
        subprocess.run(["strip", "--strip-debug", "-o", stripped, binaries / program], check=True)
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", stripped, *arguments, str(rounds)]
    output = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected\s*:\s*(\d+)", output.stderr)
    if output.returncode != 0 or not found:
        sys.exit(f"benchmarks: callgrind of {program} {' '.join(arguments)} failed:\n{output.stderr[-2000:]}")
    return int(found.group(1))


def count_instructions(binaries, program, arguments):
    few, many = 200, 1200
    each = (instructions(binaries, program, arguments, many) - instructions(binaries, program, arguments, few)) / (many - few)
    name = ".".join(["instructions", *arguments])
    figure = {"figure": name, "value": round(each), "unit": "instructions", "title": " ".join(arguments), "stack": "ours"}
    print(json.dumps(figure), flush=True)
    return figure


# The steps of host-client over the stub: the name of the step, and of its figure.
STEPS = {
    "ads": "report",
    "connect": "connect",
    "connect again": "reconnect",
    "discover": "discovery",
    "wwr244": "write-command",
    "read20": "read",
    "notif244": "notification",
}

# The numbers of reports, writes, reads and notifications in the two runs.
FEW, MANY = [1000, 1000, 300, 1000], [5000, 5000, 1300, 5000]


def steps_over_stub(binaries, kind, counts, devices):
    """Returns the instructions of each step of one host-client: all that the step needed in its process, in both threads."""
    program = "host-client"
    stripped = here / ".build" / f"{program}.stripped"
    if not stripped.exists() or stripped.stat().st_mtime < (binaries / program).stat().st_mtime:
        subprocess.run(["strip", "--strip-debug", "-o", stripped, binaries / program], check=True)
    with tempfile.TemporaryDirectory() as folder:
        socket = f"unix:{folder}/stub.sock"
        stub = subprocess.Popen([here / ".build/drivers/hcistub", socket, "-a", str(counts[0]), "-n", str(counts[3]), "-d", str(devices)])
        try:
            while not Path(folder, "stub.sock").exists():
                if stub.poll() is not None:
                    sys.exit("benchmarks: hcistub does not start")
                time.sleep(0.01)
            command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", stripped, kind, socket, *map(str, counts)]
            output = subprocess.run(command, capture_output=True, text=True)
        finally:
            stub.kill()
            stub.wait()
        if output.returncode != 0:
            sys.exit(f"benchmarks: callgrind of {program} {kind} failed:\n{output.stdout[-1000:]}{output.stderr[-2000:]}")
        steps = {}
        for part in Path(folder).glob("out.*"):
            text = part.read_text(errors="replace")
            step = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)$", text, re.M)
            if step and total and step[1] in STEPS:
                steps.setdefault(step[1], []).append(int(total[1]))
    if steps.keys() != STEPS.keys():
        sys.exit(f"benchmarks: host-client {kind} has no marks for callgrind: install the package valgrind and build it again")
    return steps


def count_over_stub(binaries):
    """Counts the instructions of the operations of host-client in its whole process."""
    figures = []

    def note(kind, name, value):
        title = f"{name.replace('-', ' ')}, {'runtime API' if kind == 'runtime' else 'CoreBluetooth'}"
        figure = {"figure": f"instructions.{kind}.{name}", "value": round(value), "unit": "instructions", "title": title, "stack": "ours"}
        figures.append(figure)
        print(json.dumps(figure), flush=True)

    for kind in ["runtime", "facade"]:
        few, many = (steps_over_stub(binaries, kind, counts, 0) for counts in (FEW, MANY))
        known = [steps_over_stub(binaries, kind, [counts[0], 1, 1, 1], 100) for counts in (FEW, MANY)]
        for index, step in enumerate(["ads", "wwr244", "read20", "notif244"]):
            note(kind, STEPS[step], (many[step][0] - few[step][0]) / (MANY[index] - FEW[index]))
        note(kind, "report-of-100", (known[1]["ads"][0] - known[0]["ads"][0]) / (MANY[0] - FEW[0]))
        # Alone, because the work after a flood of reports would count.
        note(kind, "connect", steps_over_stub(binaries, kind, [1, 1, 1, 1], 0)["connect"][0])
        for step in ["connect again", "discover"]:
            note(kind, STEPS[step], statistics.median(many[step]))
    return figures


def start_up(binaries, rounds):
    """Measures the duration and the size of complete programs."""
    figures = []

    def note(name, value, unit, title, stack="ours"):
        figures.append({"figure": f"start.{name}", "value": value, "unit": unit, "title": title, "stack": stack})
        print(json.dumps(figures[-1]), flush=True)

    for name, command, title in [
        ("help", ["bluelab", "--help"], "bluelab --help"),
        ("powered-on", ["first-state"], "a program's start to .poweredOn on the virtual radio"),
    ]:
        walls, processors = [], []
        for _ in range(rounds):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.perf_counter()
            done = subprocess.run([binaries / command[0], *command[1:]], stdout=subprocess.DEVNULL)
            walls.append(time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            processors.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
            if done.returncode != 0:
                sys.exit(f"benchmarks: {' '.join(command)} ended with {done.returncode}")
        note(f"{name}.wall", round(1e3 * statistics.median(walls), 2), "ms", f"{title}, wall")
        note(f"{name}.processor", round(1e3 * statistics.median(processors), 2), "ms", f"{title}, processor")
    for program in ["bluelab", "first-state"]:
        stripped = binaries / f"{program}.stripped"
        subprocess.run(["strip", "-o", stripped, binaries / program], check=True)
        note(f"size.{program}", round(stripped.stat().st_size / 1e6, 2), "MB", f"{program}, release, stripped, with the Swift runtime as shared libraries")
        stripped.unlink()
    return figures


def judge(figure, threshold):
    """Returns how a figure misses its threshold, or None."""
    value = figure["value"]
    if value is None:
        return "has no value"
    if "exactly" in threshold and value != threshold["exactly"]:
        return f"is {value:g}, must be exactly {threshold['exactly']:g}"
    if "atMost" in threshold and value > threshold["atMost"]:
        return f"is {value:g}, may be at most {threshold['atMost']:g}"
    if "atLeast" in threshold and value < threshold["atLeast"]:
        return f"is {value:g}, must be at least {threshold['atLeast']:g}"
    if "instructions" in threshold and value > threshold["instructions"] * (1 + TOLERANCE):
        return f"is {value:g}, more than {TOLERANCE:.0%} over {threshold['instructions']:g}"
    return None


def main():
    if sys.argv[1:] == ["--programs"]:
        print(*PROGRAMS, sep="\n")
        return
    binaries = Path(sys.argv[1])
    options = [a for a in sys.argv[2:] if a.startswith("-")]
    chosen = [a for a in sys.argv[2:] if not a.startswith("-")]
    unknown = [o for o in options if o not in ("--short", "--report")]
    unknown += [c for c in chosen if c not in PROGRAMS + ["start-up", "instructions"]]
    if unknown:
        sys.exit(f"benchmarks: unknown: {' '.join(unknown)}. Programs: {' '.join(PROGRAMS)} start-up instructions")
    if "--report" in options and "--short" in options:
        sys.exit("benchmarks: --report requires the long form: remove --short.")
    began = time.monotonic()

    figures = []
    for program in PROGRAMS:
        if not chosen or program in chosen:
            figures += run(binaries, program, ["--short"] if "--short" in options else [])
    if "start-up" in chosen or not chosen and "--short" not in options:
        figures += start_up(binaries, 5)
    if not chosen or "instructions" in chosen:
        for program, arguments in INSTRUCTIONS:
            figures.append(count_instructions(binaries, program, arguments))
        figures += count_over_stub(binaries)

    print()
    print(report.table(figures))
    thresholds = json.loads((here / "thresholds.json").read_text())
    found = {f["figure"]: f for f in figures if f["stack"] == "ours"}
    form = "short" if "--short" in options else "long"
    wrong = []
    held = 0
    for name, threshold in thresholds.items():
        if threshold.get("only", form) != form:
            continue
        if name in found:
            complaint = judge(found[name], threshold)
            if complaint:
                wrong.append(f"{name} {complaint}")
            else:
                held += 1
        elif not chosen:
            wrong.append(f"{name} was not measured")
    if "--report" in options:
        report.keep(figures, is_complete=not chosen)
        report.write()
    for line in wrong:
        print(f"missed: {line}")
    print(f"measured in {time.monotonic() - began:.0f} s: {held} thresholds held, {len(wrong)} missed")
    sys.exit(1 if wrong else 0)


main()
