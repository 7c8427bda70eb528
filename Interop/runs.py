"""Runs the parts of a script, each in a process of its own and several at the same time, counts their checks, and repeats a single failed one alone if
Documentation/Flaky.md allows it."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import expectations
import limits
import processes
import results

# Seconds that a run may take. Its own limits are shorter, and report more.
LIMIT = 300
# Seconds that its process may take to begin and to end, on a machine that does much else.
START = 60


class Totals:
    """Counts checks, prints them, and keeps the results."""

    def __init__(self):
        self.passed = self.failed = 0
        self.first_failure = ""
        self.rows = []
        self.meetings = ()  # The (stack, ours) of the current run, see results.py.
        self.prefix = ""

    def add(self, good, who, text):
        self.count(good, f"{who}  {text}")
        print(f"  {'PASS' if good else 'FAIL'}  {who}  {text}", flush=True)

    def count(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            self.first_failure = self.first_failure or text

    def record(self, feature, passed):
        for stack, ours in self.meetings:
            self.keep(stack, ours, self.prefix + feature, passed)

    def keep(self, stack, ours, feature, passed):
        self.rows.append(results.row(stack, ours, feature, passed))

    def add_peer(self, who, process, code, expected):
        """Adds the checks that a process printed. Each of `expected` must be among them, and no process may be silent."""
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
                self.add(False, who, f"{name}: the peer did not report it")
                self.record(name, False)
        if not expected and not seen:
            self.add(False, who, "the process reported no check")
        if code != 0:
            why = f"ended with exit code {code}" if code is not None else "exceeded its deadline and was stopped"
            self.add(False, who, why)


def chosen(titles, words):
    """The titles that contain all words."""
    words = [word.lower() for word in words]
    return [title for title in titles if all(word in title.lower() for word in words)]


class Script:
    """`entries` has a function for each title, which receives the totals of its run. `workers` runs take place at the same time. `longer` has the limits in
    seconds of runs that take longer than others. `skipped` has titles that are counted and not run. `long` has the titles that `--short`, the first word,
    leaves out: the suite then is `SUITE-short` in Interop/expected-counts."""

    def __init__(self, suite, entries, limit=LIMIT, longer=None, workers=1, totals=Totals, skipped=(), long=()):
        self.skipped, self.long = skipped, long
        self.suite, self.entries, self.limit, self.longer, self.totals = suite, dict(entries), limit, longer or {}, totals
        self.form = suite
        self.workers = int(os.environ.get("INTEROP_WORKERS", workers))
        self.done = {}
        self.others = []  # What is wrong with the script as a whole.

    def limit_of(self, title):
        return limits.within_step(self.longer.get(title, self.limit))

    def run(self, title):
        """Runs one entry in this process, and returns its totals."""
        print(f"\n{title}", flush=True)
        totals, started = self.totals(), time.monotonic()
        try:
            with limits.limited_run(title, self.limit_of(title)):
                self.entries[title](totals)
        except Exception as error:  # The other runs go on, and the failure is counted.
            totals.add(False, "run", f"{type(error).__name__} {error}")
        finally:
            processes.stop_all()
        if totals.passed + totals.failed == 0:
            totals.add(False, "run", "no check")
        print(f"  {time.monotonic() - started:.1f} s", flush=True)
        return totals

    def run_apart(self, title):
        """Runs one entry in another process, prints its output when it has ended, and keeps its totals."""
        with tempfile.TemporaryDirectory(prefix="run-") as folder:
            path = pathlib.Path(folder) / "totals"
            command = [sys.executable, "-B", sys.argv[0], "--run", title, path]
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            try:
                # The child ends itself, and says where it was. This is for a child that cannot.
                output, _ = child.communicate(timeout=self.limit_of(title) + 2 * limits.GRACE + START)
            except subprocess.TimeoutExpired:
                child.kill()
                output, _ = child.communicate()
            totals = Totals()
            if path.exists():
                vars(totals).update(json.loads(path.read_text(encoding="utf-8")))
            else:
                output += f"  FAIL  run  {title} ended with exit code {child.returncode} and without a result\n"
                totals.count(False, f"run  it ended with exit code {child.returncode}")
        self.done[title] = totals
        print(output, end="", flush=True)

    def repeat(self):
        """Runs a single failed run once more, when all others have ended."""
        failed = [title for title, totals in self.done.items() if totals.failed]
        if not failed:
            return
        names = [f"{self.suite}::{title}" for title in failed]
        if why := expectations.refusal(names):
            print(f"\n{why}", flush=True)
            return
        print(f"\nrepeated: {names[0]}: first failure: {self.done[failed[0]].first_failure}", flush=True)
        self.run_apart(failed[0])

    def last_line(self, failed=0):
        parts = list(self.done.values())
        failed += sum(part.failed for part in parts) + len(self.others)
        return expectations.last_line(sum(part.passed for part in parts), failed, len(self.skipped))

    def main(self, words):
        """Returns the exit code."""
        processes.interrupt_on_signals()
        if words[:1] == ["--run"]:
            totals = self.run(words[1])
            kept = {name: value for name, value in vars(totals).items() if name in ("passed", "failed", "first_failure", "rows")}
            pathlib.Path(words[2]).write_text(json.dumps(kept), encoding="utf-8")
            return 0
        if words[:1] == ["--short"]:
            words = words[1:]
            self.form = f"{self.suite}-short"
            self.entries = {title: entry for title, entry in self.entries.items() if title not in self.long}
        selection, self.skipped = chosen(self.entries, words), chosen(self.skipped, words)
        if not selection:
            print(f"{self.suite}: no run has all these words in its title. The titles:")
            for title in self.entries:
                print(f"  {title}")
            print(self.last_line(failed=1))
            return 1
        pool = concurrent.futures.ThreadPoolExecutor(self.workers)
        try:
            for run in [pool.submit(self.run_apart, title) for title in selection]:
                run.result()
            self.repeat()
        except KeyboardInterrupt:
            self.others.append("interrupted")
            limits.end_descendants()
        finally:
            pool.shutdown(cancel_futures=True)
        self.end(is_full=not words)
        return 0 if self.last_line().split()[2] == "0" and self.done else 1

    def end(self, is_full):
        """Compares the number of checks, writes the results for the matrix, and prints the last lines."""
        executed = sum(part.passed + part.failed for part in self.done.values())
        self.others += expectations.complaints(self.form, executed, is_full=is_full)
        results.write(row for part in self.done.values() for row in part.rows)
        for text in self.others:
            print(f"\n{text}")
        print(f"\n{self.last_line()}", flush=True)


def main(suite, entries, **options):
    sys.exit(Script(suite, entries, **options).main(sys.argv[1:]))
