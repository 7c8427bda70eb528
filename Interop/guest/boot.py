"""Boots the guest, prints the output of its scenarios, counts the checks, and ends the guest.
usage: boot.py DIRECTORY [short | long] [WORD ...]; the directory contains the kernel and the initramfs."""

import base64
import gzip
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import expectations  # noqa: E402
import limits  # noqa: E402

# Seconds for all runs, and for one that is repeated.
DEADLINE, REPEATED = 1200, 400
LONG = 3600
PANIC = "Kernel panic"
# The rows of Documentation/Flaky.md for what the guest's programs do to any run: a line of the console, or of the capture, proves it.
PANICS, REFUSES = "bluez::the kernel of the guest panics", "bluez::bluetoothd refuses an attribute channel"


class Run:
    """The checks of one run, and its results for the matrix."""

    def __init__(self, title):
        self.title, self.passed, self.failed, self.results = title, 0, [], []


def name_of(run):
    return f"bluez::{run.title}"


class Guest:
    """One boot of the guest. `runs` are its complete runs by their titles, `current` is the one that has begun."""

    def __init__(self, directory, words, skipped=0, title=None):
        self.directory = directory
        self.console = directory / "console.log"
        self.runs, self.current = {}, None
        self.code, self.is_stopped, self.refusals = None, False, 0
        (kernel,) = directory.glob("kernel/**/vmlinuz*")
        # no_timer_check: on a busy machine, the kernel would treat a late timer interrupt as a defect.
        line = f"console=ttyS0 no_timer_check loglevel=4 panic=-1 oops=panic interop_skipped={skipped} "
        line += " ".join(f"interop={word}" for word in words)
        if worlds := os.environ.get("INTEROP_WORLDS"):
            line += f" interop_worlds={worlds}"
        if title:
            line += f" interop_title={base64.b64encode(title.encode()).decode()}"
        # No KVM, so that the run is the same on machines without it.
        command = [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "2048", "-display", "none",
            "-no-reboot", "-nic", "none", "-monitor", "none", "-kernel", kernel, "-initrd", directory / "initramfs", "-append", line,
            "-serial", f"file:{self.console}", "-serial", "stdio",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )

    def stop(self):
        self.is_stopped = True
        if self.process.poll() is None:
            self.process.kill()

    def run(self):
        """Prints the output of the scenarios until the guest ends."""
        for raw in self.process.stdout:
            text = raw.decode(errors="replace").rstrip()
            if text.startswith("RESULT "):
                self.add_result(text.removeprefix("RESULT "))
            elif text.startswith("CAPTURE "):
                _, name, content = text.split()
                (self.directory / name).write_bytes(gzip.decompress(base64.b64decode(content)))
                print(f"  capture of the guest's monitor: {self.directory / name}", flush=True)
            elif text.startswith("guest: exit code "):
                self.code = int(text.rpartition(" ")[2])
            else:
                self.add(text)
                self.refusals += text.startswith(f"repeated: {REFUSES}")
                print(text, flush=True)
        self.process.wait()
        if self.current and not self.has_panicked:
            self.current.failed.append("the run did not end")
            self.runs[self.current.title] = self.current

    def add(self, text):
        if text.startswith("RUN "):
            self.current = Run(text.removeprefix("RUN "))
        elif match := re.match(r"  (PASS|FAIL)  ?(.*)", text):
            self.current = self.current or Run("the start")
            if match[1] == "PASS":
                self.current.passed += 1
            else:
                self.current.failed.append(match[2])
        elif re.fullmatch(r"  [0-9.]+ s", text) and self.current:
            self.runs[self.current.title] = self.current
            self.current = None

    def add_result(self, line):
        if self.current:
            self.current.results.append(line)

    @property
    def console_lines(self):
        return self.console.read_text(errors="replace").splitlines() if self.console.exists() else []

    @property
    def has_panicked(self):
        return self.code is None and any(PANIC in line for line in self.console_lines)


class Suite:
    """All boots of a run of the script."""

    def __init__(self, directory, words):
        self.directory, self.words = directory, words
        self.runs, self.complaints = {}, []
        self.guest = None
        for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, lambda *_: self.stop("interrupted"))

    def stop(self, why):
        running = self.guest.current.title if self.guest.current else "no run"
        self.complaints.append(f"guest: {why}. It was in: {running}")
        self.guest.stop()

    def boot(self, deadline, **options):
        """Runs a guest to its end and returns it. Its complete runs replace those of the same title."""
        deadline = limits.within_step(deadline)
        self.guest = Guest(self.directory, self.words, **options)
        timer = threading.Timer(deadline, self.stop, [f"it did not end within {deadline} s"])
        timer.start()
        self.guest.run()
        timer.cancel()
        self.runs |= self.guest.runs
        return self.guest

    def check_end(self, guest):
        """A guest that was stopped has a complaint already."""
        failed = any(run.failed for run in guest.runs.values())
        if not guest.is_stopped and guest.code != (1 if failed else 0):
            self.complaints.append(f"guest: it ended before its scenarios, with exit code {guest.code}")
        if self.complaints:
            print("  The end of the guest's console:")
            for text in guest.console_lines[-20:]:
                print(f"    {text}")

    def run(self):
        guest = self.boot(LONG if "long" in self.words else DEADLINE)
        if guest.has_panicked and guest.current and not guest.is_stopped:
            # Linux 6.1 corrupts a list of its Bluetooth host on rare occasions. No program may do that to a kernel.
            print("\n  The guest's kernel panicked. The end of its console:")
            for text in guest.console_lines[-60:]:
                print(f"    {text}")
            failed = [name_of(run) for run in guest.runs.values() if run.failed]
            if self.may_repeat(PANICS, f"in {guest.current.title}", *failed):
                guest = self.boot(DEADLINE, skipped=len(guest.runs))
                self.check_end(guest)
                # That was the repetition.
                return
            guest.current.failed.append("the guest's kernel panicked")
            self.runs[guest.current.title] = guest.current
            return
        self.check_end(guest)
        failed = [run for run in self.runs.values() if run.failed]
        if failed and not self.complaints and self.may_repeat(name_of(failed[0]), failed[0].failed[0], *map(name_of, failed[1:])):
            self.check_end(self.boot(REPEATED, title=failed[0].title))

    def may_repeat(self, name, failure, *others):
        """Whether what failed may run again, if nothing else failed."""
        if why := expectations.refusal([name, *others]):
            print(f"\n{why}", flush=True)
            return False
        print(f"\nrepeated: {name}: first failure: {failure}", flush=True)
        return True

    def end(self):
        """Prints the last lines and returns the exit code."""
        passed = sum(run.passed for run in self.runs.values())
        failed = sum(len(run.failed) for run in self.runs.values())
        # The guest has repeated these itself.
        if self.guest.refusals and (why := expectations.refusal([REFUSES])):
            self.complaints.append(why)
        suite = "-".join(["bluez", *self.words])
        self.complaints += expectations.complaints(suite, passed + failed, is_full=self.words in ([], ["short"]))
        path = os.environ.get("INTEROP_RESULTS")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                file.write("".join(line + "\n" for run in self.runs.values() for line in run.results))
        for text in self.complaints:
            print(f"\n{text}")
        failed += len(self.complaints)
        print(f"\n{expectations.last_line(passed, failed, 0)}", flush=True)
        return 1 if failed or not passed else 0


def main():
    directory, *words = sys.argv[1:]
    suite = Suite(pathlib.Path(directory), words)
    suite.run()
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
