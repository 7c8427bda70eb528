"""`bluelab name`: names of one's own for devices, in every command that asks for one."""

import re
import stat

import pytest


@pytest.fixture
def kitchen(serve, run):
    """A wristband that the user named. Returns its identifier."""
    serve("wristband")
    result = run("name", "wrist", "kitchen", "--json")
    assert result.code == 0 and result.errors == ""
    return result.records[0]["identifier"]


def test_a_name_is_given_and_taken(kitchen, run, workplace):
    assert run("name").lines == ["NAME     ID", f"kitchen  {kitchen[:8]}"]
    assert run("name", "kitchen").output == f"kitchen  {kitchen[:8]}\n"
    assert run("name", kitchen[:8], "Küche 厨房").output == f"Küche 厨房  {kitchen[:8]}\n"
    mode = (workplace.path / "state" / "opencorebluetooth" / "names").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert run("name", "厨房", "--remove", "--json").records == [{"v": 1, "type": "name", "identifier": kitchen}]
    empty = run("name")
    assert empty.code == 0 and empty.output == "" and empty.errors == "No device has a name of your own. Try: bluelab name DEVICE NAME\n"


def test_every_command_takes_it(kitchen, run, begin):
    assert run("read", "kitchen", "2A38").output == "Wrist\n"
    explored = run("explore", "KITCHEN")
    assert explored.code == 0 and re.match(rf"kitchen  {kitchen[:8]}  ", explored.output)
    assert run("notify", "kitchen", "2A37", "--count", "1").code == 0
    assert run("mtu", "kitchen").code == 0 and run("rssi", "kitchen").code == 0
    assert "5B1D0001" in run("clone", "kitchen").output.upper()
    shell = begin("shell", "kitchen", "--json")
    shell.line("connected")
    shell.child.terminate()
    # The table, its filter, the detail and the completion.
    row = run("scan", "--name", "kitchen", "--duration", "0.6").lines[1]
    assert re.search(rf" kitchen .*{kitchen[:8]}", row) and "Wristband" not in row
    assert run("scan", "--detail", "kitchen").lines[0] == "kitchen  Wristband"
    assert run("---completion", "read", "--", "positional@0", "2", "0").output.split() == ["kitchen"]
    # JSON has the name of the device.
    assert run("scan", "--json", "--count", "1").records[0]["name"] == "Wristband"


def test_a_name_precedes_what_others_advertise(kitchen, run):
    impostor = ["radio", "beacon", "add", "impostor", "--type", "connectable", "--local-name", "kitchen", "--at", "0.1,0"]
    assert run(*impostor).code == 0
    result = run("read", "kitchen", "2A38")
    assert result.code == 0 and result.output == "Wrist\n" and result.errors == ""


def test_bad_names(kitchen, run):
    taken = run("name", "5B1D7A10-0000-4000-8000-000000000001", "Kitchen")
    assert taken.code == 2 and taken.errors.splitlines() == [
        f'bluelab: "Kitchen" is already the name of {kitchen[:8]}.', f"Try: bluelab name {kitchen[:8]} --remove"]
    for name in ("", "  ", "a\x1b[1mb", "x" * 129, "C0:11:22:33:44:55", kitchen):
        result = run("name", "kitchen", name)
        assert result.code == 2 and result.errors.splitlines()[-1].startswith("Try: "), name
    absent = run("name", "nobody", "--remove")
    assert absent.code == 4 and absent.errors.splitlines()[0] == 'bluelab: no device with a name of your own matches "nobody".'
    assert run("name", "nobody", "x", "--timeout", "0.5").code == 4
    assert run("name").lines[1].startswith("kitchen ")


def test_a_store_that_cannot_be_written_says_so(run, workplace):
    (workplace.path / "file").write_text("")
    environment = {"XDG_STATE_HOME": workplace.path / "file"}
    result = run("name", "5B1D7A10-0000-4000-8000-000000000001", "x", environment=environment)
    assert result.code == 1 and "the name cannot be kept: " in result.errors and result.errors.splitlines()[-1] == "Try: bluelab doctor"
    assert run("name", environment=environment).code == 0
