"""The systemd unit of Documentation/Systemd: what it promises about `bluelab gateway cloud` is true."""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

import pytest
from as_service import read_unit
from commands import ROOT, TOOL, Running

UNIT = ROOT / "Documentation" / "Systemd" / "bluetooth-cloud.service"
SETTINGS = read_unit(UNIT)
STATE, RUNTIME, ETC = "/var/lib/bluetooth-cloud", "/run/bluetooth-cloud", "/etc/bluetooth-cloud"


@pytest.fixture
def service(workplace):
    """A box in which a service can be started: the program, the settings, the state folder and the environment of the unit."""
    # systemd gives the service its folders below these names.
    assert [SETTINGS[name] for name in ("StateDirectory", "RuntimeDirectory")] == [["bluetooth-cloud"], ["bluetooth-cloud"]]
    # Other users may enter the box, which the service needs as a user of its own.
    workplace.path.chmod(0o711)
    program = workplace.path / "bluelab"
    shutil.copy(TOOL, program)
    program.chmod(0o755)
    folder = workplace.path / "service"
    for part in ("", "state", "runtime"):
        (folder / part).mkdir()
        os.chown(folder / part, 65534, 65534)
    etc = workplace.path / "etc"
    etc.mkdir()
    return program, folder, etc


def in_box(text, service):
    program, folder, etc = service
    return text.replace("/usr/local/bin/bluelab", str(program)).replace(STATE, str(folder / "state")).replace(RUNTIME, str(folder / "runtime")).replace(ETC, str(etc))


def start(workplace, service, settings, **environment):
    """Starts the unit's command line with its environment and its limits."""
    _, folder, etc = service
    (etc / "gateway.yaml").write_text(settings)
    variables = dict(item.split("=", 1) for line in SETTINGS["Environment"] for item in shlex.split(in_box(line, service)))
    command = shlex.split(in_box(SETTINGS["ExecStart"][0], service))
    # The only options that the unit does not have: a radio without hardware, and lines for this test.
    running = Running(
        [sys.executable, "-B", ROOT / "Interop" / "cloud" / "as_service.py", UNIT, folder, *command, "--json"],
        workplace.environment(**variables, **environment, BLUETOOTH_CONTROLLER="virtual"), workplace.path, True)
    workplace.programs.append(running)
    return running


def test_systemd_accepts_the_unit(service, workplace):
    unit = workplace.path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/bluelab", str(service[0])))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
    security = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=30", unit], capture_output=True, text=True)
    assert security.returncode == 0, security.stdout[-500:]


def test_the_service_runs_with_the_limits_of_its_unit(service, workplace, broker, reader):
    passwords = workplace.path / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", str(passwords), "hall", "swordfish"], check=True, capture_output=True)
    place = broker(lines=["allow_anonymous true", f"password_file {passwords}"])
    client = reader(place)
    # The password comes from the file that EnvironmentFile names.
    assert SETTINGS["EnvironmentFile"] == [f"-{ETC}/environment"]
    running = start(workplace, service, f"broker: mqtt://127.0.0.1:{place.port}\nname: hall\nuser: hall\n", BLUETOOTH_CLOUD_PASSWORD="swordfish")
    running.record()
    client.wait_for(lambda topic, value: topic == "bluetooth/hall/status" and value["state"] == "online" and value["adapter"] == "on")
    _, folder, _ = service
    child = running.child.pid
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{child}/status").read_text().splitlines())
    net_admin = f"{1 << 12:016x}"
    assert status["Uid"].split() == 4 * ["65534"] and status["NoNewPrivs"].strip() == "1" and status["Seccomp"].strip() == "2"
    assert status["CapEff"].strip() == status["CapBnd"].strip() == net_admin
    # All that it writes is in its folders, and other users cannot read it.
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert folder / "state" / "queue" / "name" in files
    assert all(path.stat().st_mode & 0o077 == 0 for path in files), [(path, oct(path.stat().st_mode)) for path in files]
    memory = int(status["VmRSS"].split()[0]) << 10
    assert memory < int(re.fullmatch(r"(\d+)M", SETTINGS["MemoryMax"][0])[1]) << 20
    assert int(status["Threads"]) < int(SETTINGS["TasksMax"][0]) // 2
    # systemd ends a service with SIGTERM.
    running.child.send_signal(signal.SIGTERM)
    result = running.finish(int(SETTINGS["TimeoutStopSec"][0]))
    client.wait_for(lambda topic, value: topic == "bluetooth/hall/status" and value.get("reason") == "stopped")
    assert result.code == 0, result


def test_a_mistake_in_the_settings_does_not_start_the_service_again_and_again(service, workplace):
    running = start(workplace, service, "broker: nonsense\n")
    result = running.finish()
    assert "gateway.yaml" in result.errors and SETTINGS["Restart"] == ["on-failure"]
    assert SETTINGS["RestartPreventExitStatus"] == [str(result.code)]
