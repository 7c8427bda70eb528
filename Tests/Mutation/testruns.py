"""Runs of the built tests with a planted fault, and which suites reach which faults."""

import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile
import threading
import time

import plantedbuild

# A fault can allocate without an end.
MOST_MEMORY = 8 << 30
SHORTEST_LIMIT = 15
FAILURE = re.compile(r"(?:Test|Suite) (.*?) recorded an issue(?: with .*?)? at (\S+?):(\d+):\d+(?:: (.*))?")
SUITE = re.compile(r"^\s*(?:@Suite.*?\)?\s+)?(?:[a-z@()]+ )*(?:struct|class|actor|enum|extension) (\w+)", re.MULTILINE)


class Run:
    """How a run ended: `failure` is what noticed the fault, in words; None if all tests passed."""

    def __init__(self, failure, seconds, reached=frozenset()):
        self.failure, self.seconds, self.reached = failure, seconds, reached


def limit_process():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Tests:
    def __init__(self, program):
        self.program = str(program)
        listing = subprocess.run(
            [self.program, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True, cwd=plantedbuild.ROOT, check=True
        ).stdout
        # The suites of each test target, and functions without a suite.
        self.suites = {}
        for line in listing.split():
            target, _, rest = line.partition(".")
            self.suites.setdefault(target, {}).setdefault(rest.split("/")[0].split("(")[0], 0)
            self.suites[target][rest.split("/")[0].split("(")[0]] += 1

    def all(self, target):
        return [(target, suite) for suite in sorted(self.suites.get(target, {}))]

    def run(self, suites, number=0, limit=None):
        """Runs suites once with a fault, until the first failure. `limit`: in seconds."""
        with tempfile.NamedTemporaryFile() as reached:
            reached.truncate(plantedbuild.MOST_FAULTS)
            environment = dict(os.environ, PLANTED_FAULT=str(number), PLANTED_REACHED=reached.name, SWIFT_BACKTRACE="enable=no")
            failure, seconds = self.process(self.command(suites), environment, limit)
            octets = pathlib.Path(reached.name).read_bytes()
        return Run(failure, seconds, frozenset(index for index, octet in enumerate(octets) if octet))

    def command(self, suites):
        targets = {}
        for target, suite in suites:
            targets.setdefault(target, []).append(suite)
        command = [self.program, "--testing-library", "swift-testing"]
        for target, names in targets.items():
            command += ["--filter", rf"^{target}\.({'|'.join(names)})[/(]"]
        return command

    def process(self, command, environment, limit):
        begin = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=plantedbuild.ROOT, env=environment,
            start_new_session=True, preexec_fn=limit_process,
        )  # fmt: skip
        expired = threading.Event()

        def end():
            expired.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit or 1200, end)
        timer.start()
        failure, last, ran = None, "", False
        try:
            for line in process.stdout:
                if "Fatal error" in line or (line.strip() and "Fatal error" not in last):
                    last = line.strip()
                ran = ran or re.search(r"Test run with [1-9]\d* tests?", line) is not None
                found = FAILURE.search(line)
                if found and "known issue" not in line:
                    failure = f"{found[1]} in {pathlib.Path(found[2]).name}:{found[3]}"
                    break
        finally:
            timer.cancel()
            try:
                os.killpg(process.pid, signal.SIGKILL) if failure else None
            except ProcessLookupError:
                pass
            process.stdout.close()
            status = process.wait()
        seconds = time.monotonic() - begin
        if expired.is_set():
            return f"timed out after {seconds:.0f} s", seconds
        if failure is None and status != 0:
            failure = f"trapped: {last[:160]}" if status < 0 or not ran else f"failed: {last[:160]}"
        if failure is None and not ran:
            failure = "ran no test"
        return failure, seconds


def limit_of(seconds):
    return max(SHORTEST_LIMIT, 5 * seconds)


# The table from source to suite


def imports(target):
    """The test files that import a target, relative to Tests."""
    pattern = re.compile(rf"^\s*(?:@testable )?(?:\w+ )?import {target}\b", re.MULTILINE)
    tests = plantedbuild.ROOT / "Tests"
    return [path.relative_to(tests) for path in sorted(tests.rglob("*.swift")) if pattern.search(path.read_text())]


def own_suites(target, tests):
    """The suites that are about a target: those of TARGETTests, else those of the folders whose files import it."""
    return tests.all(target + "Tests") or importing_suites(target, tests)


def importing_suites(target, tests):
    """The suites of the files that import a target, and of the files beside them if these are in a folder of their test target."""
    result = set()
    for name in imports(target):
        # The folder of the test target is within that of its layer.
        bundle = next((part for part in name.parts[:-1] if part in tests.suites), None)
        if bundle is None:
            continue
        path = plantedbuild.ROOT / "Tests" / name
        in_folder = name.parts[-2] != bundle
        for file in path.parent.rglob("*.swift") if in_folder else [path]:
            names = set(SUITE.findall(file.read_text())) & set(tests.suites[bundle])
            result |= {(bundle, suite) for suite in names}
    return sorted(result)
