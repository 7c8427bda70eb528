"""Processes of the built tool, for the tests of run-tool and run-studio: their folders, their output, and their JSON lines validated against
Documentation/Schemas. A conftest.py imports the fixtures `workplace`, `run` and `begin`."""

import contextlib
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = pathlib.Path(os.environ.get("BLUELAB_PROGRAMS", ROOT / ".build" / "debug"))
TOOL = PROGRAMS / "bluelab"
SCHEMAS = ROOT / "Documentation" / "Schemas"
LIMIT = 20  # seconds, for each wait without another limit


# MARK: JSON lines


class Schemas:
    """The schemas of Documentation/Schemas by their type."""

    def __init__(self):
        self.validators = {}

    def validator(self, kind):
        if kind not in self.validators:
            path = SCHEMAS / f"{kind}.json"
            assert path.exists(), f"Documentation/Schemas/{kind}.json does not exist"
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            self.validators[kind] = jsonschema.Draft202012Validator(schema)
        return self.validators[kind]

    def check(self, record):
        assert isinstance(record.get("type"), str), f"a record has no type: {record}"
        errors = [f"{error.json_path}: {error.message}" for error in self.validator(record["type"]).iter_errors(record)]
        assert not errors, f"{record} does not match Documentation/Schemas/{record['type']}.json: {'; '.join(errors)}"


schemas = Schemas()


def record_of(line, is_required):
    """The record of a line, validated; None if the line is not a record and `is_required` is false."""
    if not is_required and not line.startswith('{"'):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        assert not is_required, f"a line is no JSON object: {line!r}"
        return None
    if not is_required and not (isinstance(record, dict) and "type" in record and "v" in record):
        return None
    assert isinstance(record, dict), f"a line is no JSON object: {line!r}"
    schemas.check(record)
    return record


# MARK: Processes


class Workplace:
    """A runtime folder and a store, and the processes that use them."""

    def __init__(self):
        # The path of a Unix socket has at most 107 octets, so the folder is not in pytest's own.
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="bluelab-"))
        self.path.chmod(0o700)
        self.programs = []

    def environment(self, **extra):
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("BLUETOOTH_", "XDG_", "NO_COLOR"))}
        extra = {key: str(value) for key, value in extra.items() if value is not None}
        return kept | {
            "XDG_RUNTIME_DIR": str(self.path), "XDG_STATE_HOME": str(self.path / "state"), "HOME": str(self.path),
            "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "BLUETOOTH_CONTROLLER": "radio"} | extra

    def end(self):
        for program in reversed(self.programs):
            program.stop()
        shutil.rmtree(self.path, ignore_errors=True)


class Result:
    """The result of a command. `records` holds its JSON lines."""

    def __init__(self, code, output, errors, is_json):
        self.code, self.output, self.errors = code, output, errors
        self.lines = output.splitlines()
        found = [record_of(line, is_json) for line in self.lines]
        self.records = [record for record in found if record is not None]

    def __iter__(self):
        return iter((self.code, self.output, self.errors))

    def __repr__(self):
        return f"code {self.code}\n--- output\n{self.output}\n--- errors\n{self.errors}"


class Running:
    """A process whose output is read line by line."""

    def __init__(self, arguments, environment, folder, is_json=False, stdin=subprocess.DEVNULL):
        self.is_json = is_json
        self.lines, self.records, self._new, self._errors = [], [], queue.Queue(), []
        self.child = subprocess.Popen(
            [str(argument) for argument in arguments], env=environment, cwd=folder, stdin=stdin, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
        self._readers = [
            threading.Thread(target=self._read, args=(self.child.stdout, self._new.put), daemon=True),
            threading.Thread(target=self._read, args=(self.child.stderr, self._errors.append), daemon=True)]
        for reader in self._readers:
            reader.start()

    @staticmethod
    def _read(stream, keep):
        with contextlib.suppress(ValueError):
            for line in stream:
                keep(line.rstrip("\n"))
        keep(None)

    @property
    def errors(self):
        return "\n".join(line for line in self._errors if line is not None)

    def _keep(self, line):
        self.lines.append(line)
        record = record_of(line, self.is_json)
        if record is not None:
            self.records.append(record)

    def line(self, text="", timeout=LIMIT):
        """The next line of the output that contains `text`."""
        end = time.monotonic() + timeout
        while True:
            try:
                line = self._new.get(timeout=max(0.001, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line with {text!r} in {timeout} s, but {self.lines}\n{self.errors}") from None
            assert line is not None, f"the output ended without {text!r}: {self.lines}\n{self.errors}"
            self._keep(line)
            if text in line:
                return line

    def record(self, timeout=LIMIT, **fields):
        """The next record with these fields."""
        while True:
            line = self.line("{", timeout)
            record = self.records[-1] if self.records else None
            if record is not None and json.loads(line) == record and all(record.get(key) == value for key, value in fields.items()):
                return record

    def wait_for_error(self, text, timeout=LIMIT):
        """Waits until the error stream contains `text`."""
        wait_for(lambda: text in self.errors or self.child.poll() is not None, timeout, lambda: f"no {text!r} in {self.errors!r}")
        self._readers[1].join(1 if self.child.poll() is not None else 0)
        assert text in self.errors, self.errors

    def send(self, text):
        self.child.stdin.write(text)
        self.child.stdin.flush()

    def interrupt(self):
        """Sends SIGINT, as Ctrl-C does."""
        self.child.send_signal(signal.SIGINT)

    def finish(self, timeout=LIMIT):
        """Waits for the end and returns the result."""
        try:
            code = self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            raise AssertionError(f"the command did not end in {timeout} s: {self.lines}\n{self.errors}") from None
        for reader in self._readers:
            reader.join(2)
        while not self._new.empty():
            line = self._new.get()
            if line is not None:
                self._keep(line)
        return Result(code, "".join(line + "\n" for line in self.lines), self.errors, False)

    def stop(self):
        """Ends the process group: SIGINT, then SIGKILL."""
        for sign in (signal.SIGINT, signal.SIGKILL):
            if self.child.poll() is not None:
                return
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(5)

    def kill(self):
        """Ends the process without a chance to clean up."""
        os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait(5)


def wait_for(condition, timeout=LIMIT, complaint=lambda: "the condition did not become true"):
    """Waits until `condition()` is true, and returns its value."""
    end = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{complaint()} in {timeout} s")
        time.sleep(0.02)
    return value


# MARK: Fixtures


@pytest.fixture
def workplace():
    place = Workplace()
    yield place
    place.end()


@pytest.fixture
def run(workplace):
    """Runs a command of the tool to its end. `environment` adds variables; None removes one."""

    def run(*arguments, input=None, timeout=30, environment=None, **options):
        variables = workplace.environment(**(environment or {}))
        for key, value in (environment or {}).items():
            if value is None:
                variables.pop(key, None)
        done = subprocess.run(
            [str(TOOL), *map(str, arguments)], input=input, stdin=subprocess.DEVNULL if input is None else None,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=timeout, check=False, env=variables,
            cwd=workplace.path, **options)
        return Result(done.returncode, done.stdout, done.stderr, "--json" in arguments)

    return run


@pytest.fixture
def begin(workplace):
    """Starts a command of the tool. With `stdin=subprocess.PIPE`, `send(text)` writes its input."""

    def begin(*arguments, environment=None, stdin=subprocess.DEVNULL):
        running = Running(
            [TOOL, *arguments], workplace.environment(**(environment or {})), workplace.path, "--json" in arguments, stdin)
        workplace.programs.append(running)
        return running

    return begin
