"""Boots the guest, prints the output of its scenarios, counts the checks, and ends the guest.
usage: boot.py DIRECTORY [WORD ...]; the directory contains the kernel and the initramfs."""

import base64
import gzip
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

DEADLINE = 1200
PANIC = "Kernel panic"


class Guest:
    """One boot of the guest. `runs` counts its complete runs, `passed` and `failed` their checks."""

    def __init__(self, directory, words, skipped, results):
        self.directory, self.results = directory, results
        self.console = directory / "console.log"
        self.runs = self.passed = self.failed = 0
        self.code = None
        (kernel,) = directory.glob("kernel/boot/vmlinuz-*")
        # no_timer_check: on a busy machine, the kernel would treat a late timer interrupt as a defect.
        line = f"console=ttyS0 no_timer_check loglevel=4 panic=-1 oops=panic interop_skipped={skipped} "
        line += " ".join(f"interop={word}" for word in words)
        # No KVM, so that the run is the same on machines without it.
        command = [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1280", "-display", "none",
            "-no-reboot", "-nic", "none", "-monitor", "none", "-kernel", kernel, "-initrd", directory / "initramfs", "-append", line,
            "-serial", f"file:{self.console}", "-serial", "stdio",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
        )

    def stop(self, *_):
        if self.process.poll() is None:
            self.process.kill()

    def run(self):
        """Prints the output of the scenarios until the guest ends."""
        checks, results = [], []
        for raw in self.process.stdout:
            text = raw.decode(errors="replace").rstrip()
            if text.startswith("RESULT "):
                results.append(text.removeprefix("RESULT "))
            elif text.startswith("CAPTURE "):
                _, name, content = text.split()
                (self.directory / name).write_bytes(gzip.decompress(base64.b64decode(content)))
                print(f"  capture of the guest's monitor: {self.directory / name}", flush=True)
            elif text.startswith("guest: exit code "):
                self.code = int(text.rpartition(" ")[2])
            else:
                if match := re.match(r"  (PASS|FAIL) ", text):
                    checks.append(match[1])
                print(text, flush=True)
            if re.fullmatch(r"  [0-9.]+ s", text):
                self.runs += 1
                self._count(checks, results)
        self.process.wait()
        if not self.has_panicked:
            self._count(checks, results)

    def _count(self, checks, results):
        self.passed += checks.count("PASS")
        self.failed += checks.count("FAIL")
        if self.results:
            self.results.write("".join(line + "\n" for line in results))
            self.results.flush()
        checks.clear()
        results.clear()

    @property
    def console_lines(self):
        return self.console.read_text(errors="replace").splitlines() if self.console.exists() else []

    @property
    def has_panicked(self):
        return self.code is None and any(PANIC in line for line in self.console_lines)


def main():
    directory, *words = sys.argv[1:]
    directory = pathlib.Path(directory)
    results = open(os.environ["INTEROP_RESULTS"], "a") if os.environ.get("INTEROP_RESULTS") else None
    guest = Guest(directory, words, 0, results)

    def stop(*_):
        guest.stop()

    for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(sign, stop)
    timer = threading.Timer(DEADLINE, stop)
    timer.start()
    guest.run()
    passed, failed = guest.passed, guest.failed
    if guest.has_panicked:
        # Linux 6.1 corrupts a list of its Bluetooth host on rare occasions. No program may do that to a kernel, so the run is repeated.
        print("\n  The guest's kernel panicked, and the interrupted run is repeated in another guest. The end of its console:")
        for text in guest.console_lines[-60:]:
            print(f"    {text}")
        guest = Guest(directory, words, guest.runs, results)
        guest.run()
        passed, failed = passed + guest.passed, failed + guest.failed
    timer.cancel()
    if guest.code is None or guest.code != (1 if guest.failed else 0):
        failed += 1
        print(f"  FAIL  guest  it ended before its scenarios, or exceeded {DEADLINE} s. The end of its console:")
        for text in guest.console_lines[-20:]:
            print(f"    {text}")
    print(f"\n{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
