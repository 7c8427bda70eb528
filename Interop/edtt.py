"""Runs the cases of EDTT, a test suite for LE controllers, on two controllers of `bluelab radio`. INTEROP_EDTT is a checkout of it.
Interop/run-edtt starts this. A case of EDTT passes, or Documentation/foreign-suites.tsv says that it fails, and why."""

import contextlib
import csv
import fnmatch
import functools
import importlib
import os
import sys
import tempfile

import edtt_air
import edtt_transport
import expectations
import processes
import runs
from controllers import Radio
from interop import HERE

EDTT = os.environ["INTEROP_EDTT"]
LEDGER = HERE.parent / "Documentation" / "foreign-suites.tsv"
MODULES = ["hci_verification", "ll_verification"]
SEED = 0x1234  # That of EDTT.


class Recorder:
    """EDTT's recording of packets for btmon, which is not used."""

    def __getattr__(self, name):
        return lambda *arguments: None


class Trace:
    """EDTT's output. It is printed only if the result is not the expected one."""

    def __init__(self):
        self.lines = []
        self.btsnoop = Recorder()

    def trace(self, level, text):
        self.lines += str(text).split("\n")


def ledger():
    """The expectation and its reason for each pattern of cases."""
    with LEDGER.open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["case"]: (row["expected"], row["reason"]) for row in rows if row["suite"] == "EDTT"}


def expectation(case, patterns):
    """Whether the case "passes", "fails" or is "skipped", and why."""
    return next((found for pattern, found in patterns.items() if fnmatch.fnmatchcase(case, pattern)), ("passes", ""))


def result(module, case, directory, trace):
    """Whether EDTT says that the case passes."""
    from components.basic_commands import Commands
    from components.dump import Packets
    from numpy import random

    capture = f"{directory}/air.pcapng"
    radio = Radio(directory, "--capture", capture)

    random.seed(SEED)
    os.chdir(EDTT)  # Some cases read tables in it.
    with (contextlib.closing(edtt_transport.Transport([radio.tcp, radio.tcp6], Commands, trace)) as transport,
            contextlib.closing(edtt_air.Air(capture)) as air):
        return module.run_a_test(None, transport, trace, module.get_tests_specs()[case], Packets(air)) == 0


def run(module, case, expected, reason, totals):
    with tempfile.TemporaryDirectory(prefix="edtt-") as directory, processes.stopped_at_end() as outputs:
        trace = Trace()
        found = "passes" if result(module, case, directory, trace) else "fails"
    surprise = "" if found == expected else f" ({expected} is expected)"
    totals.add(found == expected, "EDTT", f"{case} {found}{surprise}" + (f": {reason}" if reason else ""))
    if found != expected:
        processes.print_outputs(["case", "radio"], [trace.lines, *outputs])


def main():
    sys.path.insert(0, f"{EDTT}/src")
    patterns, entries, skipped = ledger(), {}, []
    modules = [importlib.import_module(f"tests.{name}") for name in MODULES]
    cases = [case for module in modules for case in module.get_tests_specs()]
    if unused := [pattern for pattern in patterns if not fnmatch.filter(cases, pattern)]:
        print(f"foreign-suites.tsv: EDTT has no case {', '.join(unused)}")
        print(expectations.last_line(0, 1, 0))
        sys.exit(1)
    for module in modules:
        for case, spec in module.get_tests_specs().items():
            title = f"{case} {spec.description.removeprefix('#')}"
            expected, reason = expectation(case, patterns)
            if expected == "skipped":
                skipped.append(title)
            else:
                entries[title] = functools.partial(run, module, case, expected, reason)
    runs.main("edtt", entries, skipped=skipped, workers=3)


if __name__ == "__main__":
    main()
