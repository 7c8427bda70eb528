"""Checks the rules for suites with suites and scripts that fail on purpose: expected counts, skipped tests, repetitions, limits, and the results that
Scripts/generate-interop requires.
usage: suite_checks.py, with pytest in the environment. Ends with a line "N passed, N failed, N skipped"."""

import concurrent.futures
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import expectations

HERE = pathlib.Path(__file__).resolve().parent
LEDGER = """| Test | Seen | Cause | Mended |
| --- | --- | --- | --- |
| `tool::test_flaky` | 2026-11-01 | unknown |  |
| `tool::test_mended` | 2026-11-01 | a race | 2026-11-02 |
| `interop::a run, in real time` | 2026-11-01 | unknown |  |
| `Units.ARealTimeTests/fails` | 2026-11-01 | unknown |  |
"""
PASSES = "def test_passes(): pass\n"
# Fails in its first run.
ONCE = """
import pathlib
def test_{name}():
    path = pathlib.Path(__file__).with_name("{name}.ran")
    first = not path.exists()
    path.touch()
    assert not first, "the first time"
"""
HANGS = """
import time, pytest
@pytest.mark.limit(1)
def test_hangs():
    time.sleep(600)  # check-tests: wait: it hangs on purpose.
"""
# No signal interrupts it, because it swallows what the signal raises.
STUCK = """
import time, pytest
@pytest.mark.limit(1)
def test_stuck():
    while True:
        try:
            time.sleep(600)  # check-tests: wait: it hangs on purpose.
        except BaseException:
            pass
"""
# check-tests: skip: it is skipped on purpose.
SKIPS = "import pytest\n@pytest.mark.parametrize('word', ['one word'])\ndef test_skips(word): pytest.skip('no radio')\n"
SCRIPT = """
import pathlib, sys, time
sys.path.insert(0, {here!r})
import runs
def once(totals):
    path = pathlib.Path(__file__).with_name("ran")
    totals.add(path.exists(), "peer", "value: the first time")
    path.touch()
    totals.add(True, "peer", "other")
def passes(totals): totals.add(True, "peer", "value")
def fails(totals): totals.add(False, "peer", "value: wrong")
def silent(totals): pass
def raises(totals): raise KeyError("x")
def hangs(totals): time.sleep(600)  # check-tests: wait: it hangs on purpose.
def stuck(totals):
    while True:
        try:
            time.sleep(600)  # check-tests: wait: it hangs on purpose.
        except BaseException:
            pass
runs.main("interop", {entries}, limit=5, long=["left out"])
"""

# In the place of `swift`, for Scripts/run-tests: of its two tests one fails, and its repetition does what AGAIN says.
SWIFT = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
again = words[-1] != "RealTime" and os.environ["AGAIN"]
names = [] if again == "runs nothing" else ["fails"] if again else ["fails", "passes"]
with open(words[words.index("--event-stream-output-path") + 1], "w") as file:
    def write(record, **payload): print(json.dumps({"kind": record, "payload": payload}), file=file)
    for name in names:
        test = f"Units.ARealTimeTests/{name}()/A.swift:1:1"
        write("test", kind="function", id=test)
        for event in ["testStarted", *(["issueRecorded"] if name == "fails" and again != "passes" else []), "testEnded"]:
            write("event", kind=event, testID=test, instant={"absolute": 1}, issue={})
    write("event", kind="runEnded", instant={"absolute": 2})
"""

cases = []


def case(title, run, is_good):
    """A case begins `run()` and passes if `is_good` is true for what it returns."""
    cases.append((title, run, is_good))


def begin(case):
    """Returns whether a case passes, after printing it."""
    title, run, is_good = case
    done = run()
    good = is_good(done)
    print(f"{'passed' if good else 'failed'}  {title}" + ("" if good else f"\n        {done.code} after {done.seconds:.0f} s: {done.output[-1500:]}"), flush=True)
    return good


class Run:
    def __init__(self, files, expected, *arguments, script=None, words=(), ledger=LEDGER, command=None, ends_in=None, **variables):
        with tempfile.TemporaryDirectory(prefix="suite-checks-") as folder:
            place = pathlib.Path(folder) / "tool"
            place.mkdir()
            for number, text in enumerate(files):
                (place / f"test_{number}.py").write_text(text)
            (place.parent / "ledger").write_text(ledger)
            (place.parent / "expected").write_text(expected)
            environment = os.environ | {"FLAKY_LEDGER": str(place.parent / "ledger"), "INTEROP_EXPECTED": str(place.parent / "expected"), "INTEROP_GRACE": "4"} | variables
            if ends_in:
                environment["CHECKS_DEADLINE"] = str(time.time() + ends_in)
            (place.parent / "swift").write_text(SWIFT)
            (place.parent / "swift").chmod(0o755)
            if "AGAIN" in variables:
                environment["PATH"] = f"{place.parent}:{environment['PATH']}"
            if script:
                path = place.parent / "script.py"
                path.write_text(SCRIPT.format(here=str(HERE), entries=script))
                command = [sys.executable, "-B", path, *words]
            elif not command:
                command = [sys.executable, "-B", HERE / "suites.py", *arguments, "tool", place, *words]
            began = time.monotonic()
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=HERE.parent)
            self.seconds = time.monotonic() - began
            self.code, self.output, self.last = done.returncode, done.stdout + done.stderr, (done.stdout.splitlines() or [""])[-1]

    def is_as(self, code, last, *words):
        return self.code == code and self.last == last and all(word in self.output for word in words)


def suite(title, files, expected, code, last, *texts, arguments=(), absent=(), **options):
    case(title, lambda: Run(files, expected, *arguments, **options), lambda done: done.is_as(code, last, *texts) and not any(word in done.output for word in absent))


def script(title, entries, expected, code, last, *texts, absent=(), **options):
    case(title, lambda: Run([], expected, script=entries, **options), lambda done: done.is_as(code, last, *texts) and not any(word in done.output for word in absent))


# The rows of a page, and what Scripts/flaky check says of it; empty if it passes.
PAGES = [
    ("a page with an open and a mended row", "| `tool::test_each_shipped_profile` | 2026-11-01 | unknown |  |\n| `tool::test_gone` | 2026-11-01 | a race | 2026-11-02 |", ""),
    ("a test that no suite has", "| `tool::test_gone` | 2026-11-01 | unknown |  |", "no suite has this test"),
    ("a row without a cause", "| `interop::a run` | 2026-11-01 |  |  |", "Cause is empty"),
    ("a row without a date", "| `interop::a run` | soon | unknown |  |", "not a date"),
    ("a row that was mended before it was seen", "| `interop::a run` | 2026-11-02 | a race | 2026-11-01 |", "before it was seen"),
    ("two open rows for a test", "| `interop::a run` | 2026-11-01 | unknown |  |\n| `interop::a run` | 2026-11-02 | unknown |  |", "another row"),
    ("a row with too few columns", "| `interop::a run` | 2026-11-01 | unknown |", "columns"),
]


def check_page(rows):
    return Run([], "", ledger="| Test | Seen | Cause | Mended |\n| --- | --- | --- | --- |\n" + rows + "\n", command=[sys.executable, HERE.parent / "Scripts" / "flaky", "check"])


def unit_tests(title, again, expected, code, last, *texts):
    case(title, lambda: Run([], expected, command=[HERE.parent / "Scripts" / "run-tests", "real-time"], AGAIN=again), lambda done: done.is_as(code, last, *texts))


def matrix(title, form, keeps, complaint):
    """A case with those of the kept results whose stack and feature `keeps` accepts."""

    def run():
        with open(HERE.parent / "Documentation" / "interop.tsv", encoding="utf-8", newline="") as table, tempfile.NamedTemporaryFile("w", suffix=".results") as file:
            rows = [row | {"passed": row["passed"] == "yes"} for row in csv.DictReader(table, delimiter="\t") if keeps(row["stack"], row["feature"])]
            file.write("".join(json.dumps(row) + "\n" for row in rows))
            file.flush()
            return Run([], "", command=[HERE.parent / "Scripts" / "generate-interop", "--check", form, file.name])

    case(f"the results: {title}", run, lambda done: done.code == (1 if complaint else 0) and complaint in done.output)


def main():
    sampled = ("BlueZ", "Linux", "btvirt", "tshark", "btmon")
    matrix("none", "--short", lambda *_: False, "no result in this run")
    matrix("the short form without those of the suites that it samples", "--short", lambda stack, _: not stack.startswith(sampled), "")
    matrix("the short form without one of Bumble", "--short", lambda stack, feature: not (stack.startswith("Bumble") and feature == "pairing"), "pairing: the kept")
    matrix("the long form with those of its suites", "--long", lambda stack, _: stack.startswith(sampled), "")
    matrix("the long form without tshark", "--long", lambda stack, _: not stack.startswith("tshark"), "tshark")
    unit_tests("unit tests: one failed test of the ledger runs again", "passes", "unit-real-time 2\n", 0, "2 passed, 0 failed, 0 skipped", "repeated: Units.ARealTimeTests/fails: ")
    unit_tests("unit tests: a repetition that fails", "fails", "unit-real-time 2\n", 1, "1 passed, 1 failed, 0 skipped", "failed: Units.ARealTimeTests/fails()")
    unit_tests("unit tests: a repetition that runs nothing", "runs nothing", "unit-real-time 2\n", 1, "1 passed, 1 failed, 0 skipped", "did not run Units.ARealTimeTests/fails()")
    unit_tests("unit tests: fewer than expected", "passes", "unit-real-time 3\n", 1, "2 passed, 1 failed, 0 skipped", "write there: unit-real-time 2")
    for title, rows, complaint in PAGES:
        case(f"the ledger: {title}", lambda rows=rows: check_page(rows),
             lambda done, complaint=complaint: done.code == (1 if complaint else 0) and (complaint or "1 of them open") in done.output)
    flaky, mended = ONCE.format(name="flaky"), ONCE.format(name="mended")
    suite("a suite with its number of tests passes", [PASSES], "tool 1\n", 0, "1 passed, 0 failed, 0 skipped")
    suite("fewer tests than expected is a failure", [PASSES], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped", "1 tests were executed", "has 2", "tool 1")
    suite("more tests than expected is a failure", [PASSES, "def test_more(): pass\n"], "tool 1\n", 1, "2 passed, 1 failed, 0 skipped", "tool 2")
    suite("a suite without a number fails", [PASSES], "", 1, "1 passed, 1 failed, 0 skipped", "no line for it")
    suite("a selection has no expected number", [PASSES, flaky], "tool 9\n", 0, "1 passed, 0 failed, 0 skipped", words=["passes"])
    suite("a selection of nothing fails", [PASSES], "tool 1\n", 1, "0 passed, 0 failed, 0 skipped", words=["nothing"])
    suite("a skipped test without a line fails", [PASSES, SKIPS], "tool 2\n", 1, "1 passed, 2 failed, 1 skipped", "tool::test_skips[one word] was skipped", "skip tool::test_skips REASON")
    suite("a skipped test with a line counts", [PASSES, SKIPS], "tool 2\nskip tool::test_skips no radio\n", 0, "1 passed, 0 failed, 1 skipped")
    suite("one failed test of the ledger runs again", [PASSES, flaky], "tool 2\n", 0, "2 passed, 0 failed, 0 skipped", "repeated: tool::test_flaky: first failure: AssertionError: the first time")
    suite("the same with two workers", [PASSES, flaky], "tool 2\n", 0, "2 passed, 0 failed, 0 skipped", "repeated: tool::test_flaky:", arguments=["--workers", "2"])
    suite("--once repeats nothing", [PASSES, flaky], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped", arguments=["--once"], absent=["repeated:"])
    suite("a mended test does not run again", [PASSES, mended], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped", "| `tool::test_mended` |", absent=["repeated:"])
    suite("two failed tests do not run again", [flaky, ONCE.format(name="other")], "tool 2\n", 1, "0 passed, 2 failed, 0 skipped", "only a single one", absent=["repeated:"])
    suite("a test that fails twice fails", [PASSES, "def test_flaky(): assert False, 'always'\n"], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped", "repeated:")
    suite("an error while tests are collected fails", [PASSES, "import nothing_of_this_name\n"], "tool 1\n", 1, "0 passed, 2 failed, 0 skipped", absent=["does not run again"])
    suite("two tests of one name fail", [PASSES, PASSES], "tool 2\n", 1, "0 passed, 2 failed, 0 skipped", "rename one of them")
    for workers in ([], ["--workers", "2"]):
        beside = f" with {workers[1]} workers" if workers else ""
        suite(f"a test that hangs is named, and the others go on{beside}", [HANGS, PASSES], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped",
              "tool::test_hangs did not end within 1 s", "test_0.py", arguments=workers)
        suite(f"a test that no signal interrupts is named, and the suite ends{beside}", [PASSES, STUCK], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped",
              "tool::test_stuck did not end within ", arguments=workers)
    suite("a suite that takes too long names the test that runs", [PASSES, HANGS.replace("limit(1)", "limit(99)")], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped",
          "tool::test_hangs did not end within", INTEROP_SUITE_LIMIT="15")
    suite("a suite whose step ends before names the test that runs", [PASSES, HANGS.replace("limit(1)", "limit(99)")], "tool 2\n", 1, "1 passed, 1 failed, 0 skipped",
          "tool::test_hangs did not end within", ends_in=15)
    script("a run whose step ends before is named", '{"hangs": hangs}', "interop 1\n", 1, "0 passed, 1 failed, 0 skipped", "hangs did not end within ", ends_in=4)
    script("a script with its number of checks passes", '{"a run, in real time": passes}', "interop 1\n", 0, "1 passed, 0 failed, 0 skipped")
    script("fewer checks than expected is a failure", '{"a run, in real time": passes}', "interop 2\n", 1, "1 passed, 1 failed, 0 skipped", "interop 1")
    script("a run without a check fails", '{"silent": silent, "passes": passes}', "interop 2\n", 1, "1 passed, 1 failed, 0 skipped", "no check")
    script("one failed run of the ledger runs again", '{"a run, in real time": once, "passes": passes}', "interop 3\n", 0, "3 passed, 0 failed, 0 skipped",
           "repeated: interop::a run, in real time: first failure: peer  value: the first time")
    script("another failed run does not", '{"a run": once, "passes": passes}', "interop 3\n", 1, "2 passed, 1 failed, 0 skipped", "| `interop::a run` |", absent=["repeated:"])
    script("two failed runs do not run again", '{"a run, in real time": once, "fails": fails}', "interop 3\n", 1, "1 passed, 2 failed, 0 skipped", "only a single one", absent=["repeated:"])
    script("a run that raises an error fails, and the others go on", '{"raises": raises, "passes": passes}', "interop 2\n", 1, "1 passed, 1 failed, 0 skipped", "KeyError")
    script("a run that hangs is named, and the others go on", '{"hangs": hangs, "passes": passes}', "interop 2\n", 1, "1 passed, 1 failed, 0 skipped", "hangs did not end within 5 s")
    script("a run that no signal interrupts ends with its process, and the others go on", '{"stuck": stuck, "passes": passes}', "interop 2\n", 1,
           "1 passed, 1 failed, 0 skipped", "stuck did not end within 9 s")
    script("the same with two runs at the same time", '{"stuck": stuck, "passes": passes}', "interop 2\n", 1, "1 passed, 1 failed, 0 skipped",
           "stuck did not end within 9 s", INTEROP_WORKERS="2")
    short = '{"a run, in real time": once, "passes": passes, "left out": fails}'
    script("the short form leaves out what is long, and has a number and the rows of its suite", short, "interop 4\ninterop-short 3\n", 0, "3 passed, 0 failed, 0 skipped",
           "repeated: interop::a run, in real time:", absent=["left out"], words=["--short"])
    script("the short form without a number fails", short, "interop 4\n", 1, "3 passed, 1 failed, 0 skipped", "interop-short 3", words=["--short"])
    script("words that no title has fail", '{"passes": passes}', "interop 1\n", 1, "0 passed, 1 failed, 0 skipped", words=["nothing"])
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(begin, cases))
    problems = expectations.complaints("checks", len(results))
    for problem in problems:
        print(f"\n{problem}")
    good = sum(results)
    print(f"\n{expectations.last_line(good, len(results) - good + len(problems), 0)}")
    return 0 if all(results) and not problems else 1


if __name__ == "__main__":
    sys.exit(main())
