"""A plugin of pytest for the suites of this folder: counts what was executed, skipped and failed, and ends what hangs. suites.py loads it and reads the
file that INTEROP_SUITE_RESULT names."""

import contextlib
import json
import os
import pathlib
import threading
import time

import limits
import pytest

# Seconds that a test may take with its fixtures, and a suite. A machine at a load of 10 needs ten times what a quiet one does.
TEST_LIMIT = int(os.environ.get("INTEROP_TEST_LIMIT", "300"))
SUITE_LIMIT = int(os.environ.get("INTEROP_SUITE_LIMIT", "2400"))


class TestLimit(pytest.fail.Exception):
    """A test that did not end within its limit. It is no Exception, so that a test does not swallow it."""


def name_of(nodeid):
    """The name of a test in Documentation/Flaky.md: SUITE::FUNCTION[PARAMETERS]."""
    path, _, test = nodeid.partition("::")
    return f"{pathlib.PurePath(path).parent.name}::{test}" if test else path


class Results:
    """What the process that collects the reports knows."""

    def __init__(self, path):
        self.path, self.started = path, time.monotonic()
        self.passed, self.failed, self.skipped = set(), {}, {}
        self.running = {}
        self.lock = threading.Lock()

    def write(self, is_complete):
        passed = sorted(self.passed - self.failed.keys() - self.skipped.keys())
        text = json.dumps({"complete": is_complete, "passed": passed, "failed": self.failed, "skipped": self.skipped})
        pathlib.Path(self.path).write_text(text, encoding="utf-8")

    def add(self, report):
        name = name_of(report.nodeid)
        with self.lock:
            if report.failed:
                crash = getattr(report.longrepr, "reprcrash", None)
                message = (crash.message if crash else str(report.longrepr)).strip().splitlines()
                self.failed.setdefault(name, message[0] if message else "failed")
            elif report.skipped:
                reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
                self.skipped[name] = reason.removeprefix("Skipped: ")
            elif report.when == "call":
                self.passed.add(name)

    def end(self, waited):
        """The suite, or a test that no signal interrupts, did not end: says which, and ends the process."""
        now = time.monotonic()
        with self.lock:
            for name, start in self.running.items():
                self.failed[name] = f"did not end within {now - start:.0f} s"
            if not self.running:
                self.failed["the suite"] = f"did not end within {now - self.started:.0f} s, and no test was running"
            text = "\n".join(f"{name} {self.failed[name]}" for name in [*self.running, "the suite"] if name in self.failed)
            self.write(False)
        limits.end_process(f"{text}\nThe suite ends after {now - self.started:.0f} s.")


results = None
# The remaining seconds of the running test, from its start.
deadline = None


def pytest_configure(config):
    global results
    config.addinivalue_line("markers", "long: a test that only the long form of the checks runs")
    config.addinivalue_line("markers", "limit(seconds): the limit of a test that takes longer than others")
    if hasattr(config, "workerinput"):
        return
    results = Results(os.environ["INTEROP_SUITE_RESULT"])
    timer = threading.Timer(SUITE_LIMIT, results.end, [SUITE_LIMIT])
    timer.daemon = True
    timer.start()


def pytest_collection_modifyitems(items):
    known = {}
    for item in items:
        other = known.setdefault(name_of(item.nodeid), item.nodeid)
        if other != item.nodeid:
            raise pytest.UsageError(f"{other} and {item.nodeid} have one name in Documentation/Flaky.md: rename one of them")


def pytest_runtest_logstart(nodeid):
    if results:
        with results.lock:
            results.running[name_of(nodeid)] = time.monotonic()


def pytest_runtest_logfinish(nodeid):
    if results:
        with results.lock:
            results.running.pop(name_of(nodeid), None)


def pytest_runtest_logreport(report):
    # With several workers, the process that collects their reports calls this.
    if results:
        results.add(report)


def pytest_collectreport(report):
    if results and report.failed:
        results.add(report)


def pytest_unconfigure(config):
    if results and not hasattr(config, "workerinput"):
        results.write(True)


def limit_of(item):
    marker = item.get_closest_marker("limit")
    return marker.args[0] if marker else TEST_LIMIT


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    global deadline
    seconds = limit_of(item)
    deadline = time.monotonic() + seconds

    def ended(waited):
        if results:
            results.end(waited)
        # A worker: the process that collects the reports sees its end, and counts the test as failed.
        limits.end_process(f"{name_of(item.nodeid)} did not end within {waited} s")

    with limits.hard_limit(seconds + limits.GRACE, ended):
        yield


@contextlib.contextmanager
def limited(item):
    with limits.limit(name_of(item.nodeid), max(1, round(deadline - time.monotonic())), TestLimit):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    with limited(item):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    with limited(item):
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    with limited(item):
        yield
