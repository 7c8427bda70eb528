"""The unit of Documentation/Systemd under systemd itself, as the first process of a container."""

import os
import shutil
import subprocess

import pytest
from commands import LIMIT, ROOT, TOOL, wait_for
from container import Container, NoContainer

UNIT = ROOT / "Documentation" / "Systemd" / "bluetooth-cloud.service"
SERVICE = "bluetooth-cloud.service"
ETC, STATE = "/etc/bluetooth-cloud", "/var/lib/bluetooth-cloud"
PASSWORD = "swordfish"


@pytest.fixture
def container(workplace):
    """A container with the unit as Documentation/Cloud.md installs it, and a virtual radio."""
    if os.geteuid() != 0:
        # check-tests: skip: systemd needs a container of its own, which only the superuser can start. CI does.
        pytest.skip("only root can start a container")
    try:
        container = Container(workplace.path / "container")
    except NoContainer as reason:
        # check-tests: skip: some machines are containers that cannot contain another one.
        pytest.skip(f"no container can start here: {reason}")
    container.write(f"/etc/systemd/system/{SERVICE}", UNIT.read_text())
    # What the operator's file may set: the password, and here a radio without hardware.
    container.write(f"{ETC}/environment", f"BLUETOOTH_CLOUD_PASSWORD={PASSWORD}\nBLUETOOTH_CONTROLLER=virtual\n", 0o600)
    try:
        yield container.start(**{"/usr/local/bin/bluelab": TOOL})
    except NoContainer as reason:
        # check-tests: skip: some machines are containers that cannot contain another one.
        pytest.skip(f"no container can start here: {reason}")
    finally:
        container.stop()


def properties(container):
    lines = container.run("systemctl", "show", SERVICE).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def wait_for_state(container, *states):
    wait_for(
        lambda: (properties(container)["ActiveState"], properties(container)["SubState"]) == states, LIMIT,
        lambda: f"the service is not {states}: {container.run('systemctl', 'status', SERVICE, check=False).stdout}")


def test_systemd_accepts_the_unit(workplace):
    program = workplace.path / "bluelab"
    shutil.copy(TOOL, program)
    unit = workplace.path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/bluelab", str(program)))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
    security = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=30", unit], capture_output=True, text=True)
    assert security.returncode == 0, security.stdout[-500:]


def test_the_unit_starts_and_comes_back_after_a_kill_and_stops(container, workplace, broker, reader):
    passwords = workplace.path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(passwords), "hall", PASSWORD], check=True, capture_output=True)
    place = broker(lines=["allow_anonymous true", f"password_file {passwords}"])
    client = reader(place)
    container.write(f"{ETC}/gateway.yaml", f"broker: mqtt://127.0.0.1:{place.port}\nname: hall\nuser: hall\n")

    def wait_for_status(start, **expected):
        client.wait_for(lambda topic, value: topic == "bluetooth/hall/status" and expected.items() <= value.items(), start=start)

    container.run("systemctl", "start", SERVICE)
    wait_for_status(0, state="online", adapter="on")
    shown = properties(container)
    status = container.run("cat", f"/proc/{shown['MainPID']}/status").stdout
    status = dict(line.split(":", 1) for line in status.splitlines())
    # A user that exists only while the service runs, with one capability and a filter of system calls.
    assert shown["DynamicUser"] == "yes" and set(status["Uid"].split()) == {shown["UID"]} and int(shown["UID"]) >= 61184
    assert status["CapEff"].strip() == status["CapBnd"].strip() == f"{1 << 12:016x}" and status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
    # Far from its limits.
    assert int(status["VmRSS"].split()[0]) << 10 < int(shown["MemoryMax"]) and int(status["Threads"]) < int(shown["TasksMax"]) // 2
    name = container.run("cat", f"{STATE}/queue/name").stdout
    # Other users cannot read what it keeps.
    modes = container.run("find", f"{STATE}/", "-type", "f", "-printf", "%m %p\n").stdout.splitlines()
    assert modes and all(mode.startswith("600 ") for mode in modes), modes

    before = len(client.messages)
    container.run("systemctl", "kill", "--signal=KILL", SERVICE)
    wait_for_status(before, state="offline")
    wait_for_status(before, state="online", adapter="on")
    after = properties(container)
    assert after["NRestarts"] == "1" and after["MainPID"] != shown["MainPID"]
    # The queue is the same one.
    assert container.run("cat", f"{STATE}/queue/name").stdout == name

    container.run("systemctl", "stop", SERVICE)
    wait_for_status(before, state="offline", reason="stopped")
    wait_for_state(container, "inactive", "dead")
    assert properties(container)["Result"] == "success"
    journal = container.run("journalctl", "--unit", SERVICE, "--output", "cat").stdout
    assert "publishes below bluetooth/hall" in journal and PASSWORD not in journal


def test_a_mistake_in_the_settings_is_not_repeated(container):
    container.write(f"{ETC}/gateway.yaml", "broker: nonsense\n")
    container.run("systemctl", "start", SERVICE, check=False)
    wait_for_state(container, "failed", "failed")
    shown = properties(container)
    assert (shown["ExecMainStatus"], shown["NRestarts"]) == ("2", "0")
    journal = container.run("journalctl", "--unit", SERVICE, "--output", "cat").stdout
    assert "gateway.yaml" in journal
