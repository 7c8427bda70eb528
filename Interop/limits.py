"""Time limits for what can hang: a test of pytest, a run of a script, a suite. The message says what did not end, where it was, and how long it
waited."""

import contextlib
import faulthandler
import os
import pathlib
import signal
import threading
import time

# Seconds that a test or a run has to clean up after its limit. Then the process ends.
GRACE = int(os.environ.get("INTEROP_GRACE", "60"))
# The stream from before pytest captures it.
_errors = os.dup(2)


def within_step(seconds):
    """Returns `seconds`, or less if the step of .ci/run would end before: what hangs is then named. CHECKS_DEADLINE has that time, in seconds since 1970."""
    deadline = os.environ.get("CHECKS_DEADLINE")
    return seconds if deadline is None else max(1, min(seconds, round(float(deadline) - time.time())))


class TimeLimit(RuntimeError):
    """What did not end within its limit."""


def say(text):
    """Writes a line, also if pytest captures the output."""
    os.write(_errors, (text + "\n").encode())


def end_descendants(number=signal.SIGINT):
    """Sends a signal to all processes that this one and its children started."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    waiting, found = [os.getpid()], []
    while waiting:
        found += (those := children.get(waiting.pop(), []))
        waiting += those
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def end_process(text):
    """Says what did not end, and where each thread is. Ends the process and all that it started."""
    say(f"\n{text}\nThe threads of the process:")
    faulthandler.dump_traceback(_errors, all_threads=True)
    end_descendants(signal.SIGKILL)
    os._exit(1)


def place_of(frame):
    """The innermost line of this folder in a stack."""
    folder, found = str(pathlib.Path(__file__).resolve().parent), frame
    while found is not None and not found.f_code.co_filename.startswith(folder):
        found = found.f_back
    found = found or frame
    return f"{os.path.relpath(found.f_code.co_filename)}:{found.f_lineno}"


@contextlib.contextmanager
def limit(name, seconds, kind=TimeLimit):
    """Raises `kind` in the block of the `with`, in the main thread, when the block takes more than `seconds`."""
    started = time.monotonic()

    def interrupt(_, frame):
        # Again, if the block swallows the first one.
        signal.setitimer(signal.ITIMER_REAL, GRACE)
        raise kind(f"{name} did not end within {seconds} s. After {time.monotonic() - started:.0f} s it was at {place_of(frame)}")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def hard_limit(seconds, ended):
    """Calls `ended(seconds)` in another thread if the block takes more than `seconds`, also if its main thread is in a call that no signal interrupts."""
    timer = threading.Timer(seconds, ended, [seconds])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextlib.contextmanager
def limited_run(title, seconds):
    """The limit of one run of a script, in a process of its own."""

    def ended(waited):
        end_process(f"{title} did not end within {waited} s")

    with hard_limit(seconds + GRACE, ended), limit(title, seconds):
        yield
