"""Child processes with time limits and collected output, for all scripts in this folder."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time

# The time that a process has after SIGINT to end by itself, in seconds.
PATIENCE = 10


class Process:
    """A child in its own process group. A thread collects its output, line by line."""

    running = []

    def __init__(self, arguments, **environment):
        self.arguments = [str(argument) for argument in arguments]
        self.lines = []
        self._new_lines = queue.Queue()
        self._child = subprocess.Popen(
            self.arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", **{key: str(value) for key, value in environment.items()}},
        )
        Process.running.append(self)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._child.stdout:
            self.lines.append(line.rstrip())
            self._new_lines.put(self.lines[-1])
        self._new_lines.put(None)

    @property
    def pid(self):
        return self._child.pid

    @property
    def exit_code(self):
        """The exit code; None while the process runs."""
        return self._child.poll()

    @property
    def output(self):
        return "\n".join(self.lines)

    def wait_for_line(self, text, deadline):
        """Returns whether a line that contains `text` arrived within `deadline` seconds."""
        end = time.monotonic() + deadline
        while (left := end - time.monotonic()) > 0:
            try:
                line = self._new_lines.get(timeout=left)
            except queue.Empty:
                return False
            if line is None:
                return False
            if text in line:
                return True
        return False

    def wait_until(self, condition, deadline):
        """Returns whether `condition` became true within `deadline` seconds while the process ran."""
        end = time.monotonic() + deadline
        while not condition():
            if time.monotonic() > end or self.exit_code is not None:
                return False
            time.sleep(0.05)
        return True

    def wait(self, deadline):
        """Returns the exit code, or None if the process does not end within `deadline` seconds. Its output is complete then."""
        try:
            code = self._child.wait(max(0.1, deadline))
        except subprocess.TimeoutExpired:
            return None
        # A grandchild can keep the pipe open.
        self._reader.join(2)
        return code

    def stop(self):
        """Ends the process group: SIGINT, then SIGKILL."""
        for sign in (signal.SIGINT, signal.SIGKILL):
            if self.exit_code is not None:
                break
            try:
                os.killpg(self._child.pid, sign)
            except ProcessLookupError:
                break
            self.wait(PATIENCE)
        if self in Process.running:
            Process.running.remove(self)


def stop_all():
    for process in reversed(Process.running.copy()):
        process.stop()


@contextlib.contextmanager
def stopped_at_end():
    """Stops the processes that start in the block, in reverse order, and gives a list that holds their lines from before that."""
    before = len(Process.running)
    outputs = []
    try:
        yield outputs
    finally:
        started = Process.running[before:]
        outputs += [list(process.lines) for process in started]
        for process in reversed(started):
            process.stop()


def print_outputs(names, outputs, count=40):
    """Prints the last lines of each process."""
    for name, lines in zip(names, outputs):
        print(f"  output of the {name}:" + ("" if lines else " none"))
        for line in lines[-count:]:
            print(f"    {line}")


def interrupt_on_signals():
    """SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt, so that `finally` blocks stop the children. A shell that starts this script in the background
    ignores SIGINT, and the children would inherit that: `stop` would wait for its patience and kill each of them."""

    def interrupt(*_):
        raise KeyboardInterrupt

    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, interrupt)


def output_of(arguments, deadline, **environment):
    """Runs a program to its end and returns its completed process, with standard output and standard error as text."""
    return subprocess.run(
        [str(argument) for argument in arguments], env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=deadline, check=False)
