"""The places where the tool writes that a file system without room can fail: each says so or goes on, and leaves nothing half written. The files that a
command is told to write are in test_exit_codes.py, test_scan.py, test_values.py and test_transfer.py; the queue and the store in their unit tests."""

import os
import subprocess

import pytest

from commands import Result
from conftest import TOOL


def mounted(folder, *words):
    """A command in a namespace of its own, with a full file system of 64 kB at the folder."""
    script = f'mount -t tmpfs -o size=64k tmpfs {folder} && {{ cat /dev/zero > {folder}/fill 2>/dev/null; "$@"; code=$?; ls -A {folder} >&2; exit $code; }}'
    return ["unshare", "--mount", "sh", "-c", script, "sh", *map(str, words)]


def can_mount(folder):
    return os.geteuid() == 0 and subprocess.run(mounted(folder, "true"), capture_output=True, check=False).returncode == 0


@pytest.fixture
def full(workplace):
    """Runs a command of the tool whose state folder is full."""
    folder = workplace.path / "state"
    folder.mkdir(mode=0o700)
    if not can_mount(folder):
        # check-tests: skip: some users cannot mount.
        pytest.skip("needs root and mount namespaces")

    def run(*arguments, input=""):
        done = subprocess.run(
            mounted(folder, TOOL, *arguments), input=input, capture_output=True, text=True, timeout=60, check=False,
            env=workplace.environment(), cwd=workplace.path)
        return Result(done.returncode, done.stdout, done.stderr, False)

    return run


def test_a_key_that_has_no_room_leaves_no_file(full):
    code, output, errors = full("gateway", "key", "--file", "state/key")
    assert code == 1 and "the key cannot be written: state/key: No space left on device." in errors, (output, errors)
    assert errors.splitlines()[-1] == "fill", errors


def test_a_shell_without_room_for_its_store_goes_on(full, radio):
    code, output, errors = full("shell", input="help\nquit\n")
    assert code == 0 and "No space left on device" in errors and "end the connection and the shell" in errors, (output, errors)


def test_a_bond_without_room_is_reported(full, radio, serve):
    """The pairing holds for this link; the store says that it keeps nothing."""
    serve("wristband")
    code, output, errors = full("pair", "wristband", "--yes")
    assert "No space left on device" in errors, (code, output, errors)
