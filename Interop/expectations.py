"""What a suite must have executed, and what it may repeat: Interop/expected-counts and Documentation/Flaky.md (Scripts/flaky).
usage: COMMAND | expectations.py SUITE    compares the number in the last line of a command"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# INTEROP_EXPECTED and FLAKY_LEDGER name other pages, for the test of these rules.
PAGE = pathlib.Path(os.environ.get("INTEROP_EXPECTED", HERE / "expected-counts"))
FLAKY = HERE.parent / "Scripts" / "flaky"


def read(path=PAGE):
    """Returns the number of tests of each suite, and the reason of each test that a machine may skip."""
    counts, skips = {}, {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "skip" and len(words) > 2:
            skips[words[1]] = " ".join(words[2:])
        elif len(words) == 2 and words[1].isdigit():
            counts[words[0]] = int(words[1])
        else:
            sys.exit(f"Interop/expected-counts, line {number}: neither SUITE NUMBER nor skip TEST REASON")
    return counts, skips


def complaints(suite, executed, skipped=(), is_full=True, path=PAGE):
    """Returns what is wrong with a run that executed so many tests and skipped those. A part of a suite (`is_full` is false) has no expected number."""
    counts, skips = read(path)

    def may_skip(name):
        return name in skips or name.partition("[")[0] in skips

    found = [f"{name} was skipped, and Interop/expected-counts has no line: skip {name.partition('[')[0]} REASON" for name in skipped if not may_skip(name)]
    if not is_full:
        return found
    expected, allowed = counts.get(suite), sum(map(may_skip, skipped))
    if executed + allowed != expected:
        found.append(
            f"{suite}: {executed} tests were executed{f' and {allowed} skipped' if allowed else ''}, but Interop/expected-counts has "
            f"{'no line for it' if expected is None else expected}. If tests were added or removed on purpose, write there: {suite} {executed + allowed}")
    return found


def refusal(names):
    """Returns why the failed tests do not run again, or None if the one does."""
    done = subprocess.run([sys.executable, FLAKY, "allows", *names], capture_output=True, text=True, check=False, timeout=60)
    return None if done.returncode == 0 else done.stderr.strip()


def last_line(passed, failed, skipped):
    """The last line of a suite. Other scripts read it."""
    return f"{passed} passed, {failed} failed, {skipped} skipped"


LAST_LINE = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def main(suite):
    """Passes on the output of a suite that is no program of Python, and compares the number of its last line."""
    line = ""
    for line in sys.stdin:
        if not LAST_LINE.match(line):
            print(line, end="", flush=True)
    if not (match := LAST_LINE.match(line)):
        sys.exit(f"{suite}: the output has no last line with numbers")
    passed, failed, skipped = (int(number or 0) for number in match.groups())
    # What failed can have ended the suite.
    problems = [] if failed else complaints(suite, passed)
    for problem in problems:
        print(f"\n{problem}")
    print(f"\n{last_line(passed, failed + len(problems), skipped)}")
    sys.exit(1 if failed or problems or not passed else 0)


if __name__ == "__main__":
    main(sys.argv[1])
