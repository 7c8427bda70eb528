"""Runs a folder of tests with pytest, compares the number of executed tests with Interop/expected-counts, and repeats a single failed test if
Documentation/Flaky.md allows it. Ends with a line "N passed, N failed, N skipped"; the exit code is 0 only if none failed.
usage: suites.py SUITE FOLDER [--workers N] [--markers EXPRESSION] [--once] [WORD ...]    only the tests whose name contains every WORD
--once repeats nothing. INTEROP_DURATIONS is how many of the slowest tests are listed."""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import expectations
import limits

HERE = pathlib.Path(__file__).resolve().parent
SUITE_LIMIT = int(os.environ.get("INTEROP_SUITE_LIMIT", "2400"))


def pytest_once(arguments, cache):
    """Runs pytest and returns its results: passed, failed and skipped tests by their names in the ledger."""
    limit = limits.within_step(SUITE_LIMIT)
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        path = pathlib.Path(folder) / "results"
        environment = os.environ | {
            "INTEROP_SUITE_RESULT": str(path), "INTEROP_SUITE_LIMIT": str(limit),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))}
        command = [
            sys.executable, "-B", "-m", "pytest", "-p", "suite_plugin", "-q", "--no-header", "--tb=short", "-ra", f"-ocache_dir={cache}",
            # The names of tests begin with the name of the suite's folder.
            f"--rootdir={pathlib.Path(arguments[-1]).resolve().parent.parent}", f"--durations={os.environ.get('INTEROP_DURATIONS', '5')}", *arguments]
        sys.stdout.flush()
        child = None

        # A shell that starts this script in the background ignores SIGINT. Without a handler, pytest and its children would inherit that.
        def stop(number, _):
            if child:
                child.send_signal(signal.SIGINT)

        before = {sign: signal.signal(sign, stop) for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            child = subprocess.Popen(command, env=environment, start_new_session=True)
            # The plugin ends a suite that hangs, and says why. This is for a plugin that cannot.
            child.wait(limit + 60)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"complete": False, "passed": [], "failed": {}, "skipped": {}}
    # 0: all passed. 1: a test failed, and is counted. 5: no test has these words.
    if not found["failed"] and (child.returncode not in (0, 5) or not found["complete"]):
        found["failed"]["pytest"] = f"it ended with exit code {child.returncode}: see above"
    return found


def selection(options):
    arguments = ["-k", " and ".join(" ".join(options.words).split())] if options.words else []
    arguments += ["-m", options.markers] if options.markers else []
    return [*arguments, options.folder]


def repeat(options, found, cache):
    """Runs a single failed test once more, alone. Says so, or why it does not."""
    names = sorted(found["failed"])
    # What failed before a test began has no "::".
    if options.once or not all("::" in name for name in names):
        return
    if why := expectations.refusal(names):
        print(f"\n{why}")
        return
    print(f"\nrepeated: {names[0]}: first failure: {found['failed'][names[0]]}")
    again = pytest_once(["--last-failed", "--last-failed-no-failures", "none", *selection(options)], cache)
    if not again["failed"] and again["passed"] == names:
        found["failed"].pop(names[0])
        found["passed"] += names
    else:
        found["failed"] |= again["failed"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite")
    parser.add_argument("folder")
    parser.add_argument("--workers")
    parser.add_argument("--markers")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    workers = ["--numprocesses", options.workers, "--dist", "worksteal"] if options.workers else []
    with tempfile.TemporaryDirectory(prefix="suite-cache-") as cache:
        found = pytest_once([*workers, *selection(options)], cache)
        executed = len(found["passed"]) + sum("::" in name for name in found["failed"])
        if found["failed"]:
            repeat(options, found, cache)
    problems = expectations.complaints(options.suite, executed, found["skipped"], is_full=not options.words)
    for problem in problems:
        print(f"\n{problem}")
    passed, failed, skipped = len(found["passed"]), len(found["failed"]) + len(problems), len(found["skipped"])
    print(f"\n{expectations.last_line(passed, failed, skipped)}", flush=True)
    return 0 if failed == 0 and passed else 1


if __name__ == "__main__":
    sys.exit(main())
