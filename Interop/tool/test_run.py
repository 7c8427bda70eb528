"""`bluelab run`: scripts that pass and fail, JUnit, the server side, and errors of files."""

import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "Examples" / "Scripts"


@pytest.mark.parametrize(("script", "program"), [("wristband", "wristband"), ("mobike", "mobike-peripheral")])
def test_the_example_scripts_pass(serve, run, workplace, script, program):
    serve(program)
    result = run("run", SCRIPTS / f"{script}.yaml", "--json", "--junit", "results.xml")
    assert result.code == 0, result
    last = result.records[-1]
    assert last["type"] == "script" and last["passed"] and last["steps"] == last["passedSteps"] == len(result.records) - 1
    suites = ElementTree.parse(workplace.path / "results.xml").getroot()
    suite = suites.find("testsuite")
    assert suite.attrib["name"] == last["name"] and suite.attrib["failures"] == suite.attrib["errors"] == "0"
    assert len(suite.findall("testcase")) == int(suites.attrib["tests"]) == last["steps"]


def test_the_update_of_the_documentation_passes(workplace):
    """The commands of Documentation/DFUInCI.md, as the page has them: an update by hand, and what it says about the next one."""
    page = (ROOT / "Documentation/DFUInCI.md").read_text(encoding="utf-8")
    chapter = page[page.index("## 2. An update by hand"):page.index("## 3. ")]
    update, clean = re.findall(r"```sh\n(.*?)```", chapter, re.DOTALL)
    assert "/tmp/mcumgr.flash" in update and "/tmp/mcumgr.flash" in clean
    # As in an interactive shell: job control, for `kill %2`.
    script = f"set -m\n{update}code=$?\n{clean}kill %1\nwait\nexit $code\n".replace("/tmp/mcumgr.flash", str(workplace.path / "mcumgr.flash"))
    environment = workplace.environment(BLUETOOTH_CONTROLLER=None, PATH=f"{PROGRAMS}:{os.environ['PATH']}")
    environment.pop("BLUETOOTH_CONTROLLER")
    result = subprocess.run(["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result
    assert "23 of 23 steps passed" in result.stdout, result
    assert result.stdout.index("running version 1.0.0") < result.stdout.index("running version 2.0.0"), result
    assert "23 of 23 steps passed" in chapter and not (workplace.path / "mcumgr.flash").exists()


def test_a_failure_says_what_was_expected_and_what_came(serve, run, workplace):
    serve("wristband")
    script = workplace.path / "fails.yaml"
    script.write_text(
        "name: Fails\ntimeout: 5 s\nsteps:\n  - connect: Wristband\n  - subscribe: 2A37\n"
        "  - wait-for-notification: {characteristic: 2A37, in: [0, 10], within: 1500 ms}\n  - disconnect\n")
    result = run("run", "fails.yaml", "--junit", "results.xml")
    assert result.code == 1
    lines = [line.strip() for line in result.lines]
    assert "expected: a notification with a number from 0 to 10 within 1.5 s" in lines
    assert any(line.startswith("found:    ") and line.endswith("bpm") for line in lines) and "at fails.yaml:6" in lines
    assert lines[-1].startswith("2 of 4 steps passed in ")
    assert result.errors.startswith("bluelab: step 3 at fails.yaml:6 failed: expected a notification")
    suite = ElementTree.parse(workplace.path / "results.xml").getroot().find("testsuite")
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("1", "1")
    assert suite.find("testcase/failure").attrib["message"].startswith("expected a notification")

    # An operation that fails gives its own exit code.
    script.write_text("steps:\n  - scan: {name: Nothing, within: 1 s}\n")
    result = run("run", "fails.yaml", "--no-color")
    assert result.code == 1 and "found:    Wristband at -48 dBm" in result.output
    script.write_text("steps:\n  - connect: Wristband\n  - read: 9999\n")
    result = run("run", "fails.yaml", "--json")
    assert result.code == 4 and '"result":"error"' in result.lines[1]
    script.write_text("steps:\n  - connect: {device: Nothing, within: 1 s}\n  - disconnect\n")
    assert run("run", "fails.yaml").code == 4
    script.write_text("steps:\n  - connect: Wristband\n  - write: {characteristic: 2A38, value: 00}\n")
    assert run("run", "fails.yaml").code == 6
    assert run("run", "fails.yaml", "--junit", "/nothing/results.xml").code == 1


def test_a_lost_link_is_expected_or_a_failure(serve, run, begin, workplace, radio):
    band = serve("wristband")
    script = workplace.path / "lost.yaml"
    steps = "steps:\n  - connect: Wristband\n  - subscribe: 2A37\n  - wait-for-notification: 2A37\n"
    script.write_text(steps + "  - expect-disconnect: {within: 30 s}\n  - connect: {device: Wristband, within: 20 s}\n  - read: 2A38\n")
    running = begin("run", "lost.yaml")
    running.line("wait for a notification")
    radio.drop("wristband")
    running.line("expect a disconnection", 40)
    assert running.finish(60).code == 0
    script.write_text(steps + "  - wait-for-notification: {characteristic: 2A37, count: 1000, within: 100 s}\n")
    running = begin("run", "lost.yaml")
    running.line("wait for a notification")
    band.kill()
    result = running.finish(60)
    assert result.code == 1 and "the device disconnected" in result.errors

    script.write_text("steps:\n  - sleep: 100 s\n")
    running = begin("run", "lost.yaml")
    running.line("lost.yaml")
    running.interrupt()
    assert running.finish().code == 130


def test_a_script_serves_and_waits_for_its_clients(run, begin, workplace, radio):
    (workplace.path / "lamp.yaml").write_text(
        "advertising:\n  name: Lamp\n  services: [FFF0]\nservices:\n  - uuid: FFF0\n    characteristics:\n"
        "      - {uuid: FFF1, properties: [read, write], format: u8, value: 7}\n"
        "      - {uuid: FFF2, properties: [notify], format: u8, value: 1, notify: {every: 100 ms}}\n")
    (workplace.path / "server.yaml").write_text(
        "timeout: 20 s\nsteps:\n  - serve: lamp.yaml\n  - wait-for-read: FFF1\n"
        "  - wait-for-write: {characteristic: FFF1, equals: 9, format: u8}\n  - wait-for-subscription: FFF0/FFF2\n"
        "  - wait-for-read: {characteristic: FFF1, within: 200 ms}\n")
    server = begin("run", "server.yaml", environment={"BLUETOOTH_RADIO_NAME": "lamp", "XDG_STATE_HOME": workplace.path / "lamp"})
    server.line("serve lamp.yaml")
    assert run("read", "Lamp", "FFF1", "--format", "u8").output == "7\n"
    assert run("write", "Lamp", "FFF1", "8", "--format", "u8").code == 0
    assert run("write", "Lamp", "FFF1", "9", "--format", "u8").code == 0
    assert run("notify", "Lamp", "FFF2", "--count", "1").code == 0
    result = server.finish(30)
    assert result.code == 1, result
    assert any("wait for a read of FFF1 within 20 s  07" in line for line in result.lines)
    assert "9 (u8)" in result.output and "wait for a subscription to FFF0/FFF2" in result.output
    assert "expected: a read of FFF1 within 0.2 s" in result.output and "found:    none" in result.output


def test_errors_of_a_file_have_their_places(run, workplace):
    script = workplace.path / "bad.yaml"
    script.write_text("steps:\n  - conect: Band\n  - read: {characteristic: FFF1, equals: 300, format: u8}\n  - sleep: soon\n")
    for arguments in (["--check"], []):
        result = run("run", *arguments, "bad.yaml")
        assert result.code == 2 and result.output == ""
        assert result.errors.splitlines()[:4] == [
            'bad.yaml:2:5: expected an action, found "conect" (did you mean "connect"?).',
            'bad.yaml:3:42: expected a value of the format u8, found "300".',
            'bad.yaml:4:12: expected a duration such as "100 ms", "1.5 s" or "2 min", found "soon".',
            "bluelab: bad.yaml is not a script: 3 errors."]
    script.write_text("variables: {name: Band}\nsteps:\n  - connect: ${name}\n")
    result = run("run", "--check", "bad.yaml", "--set", "name=Lamp")
    assert (result.code, result.errors) == (0, "bad.yaml: 1 step\n")
    assert run("run", "--check", "bad.yaml", "--set", "nam=Lamp").code == 2
    assert run("run", "missing.yaml").errors.startswith("bluelab: missing.yaml cannot be read: No such file or directory.\n")
    scripts = list(SCRIPTS.glob("*.yaml"))
    assert scripts
    for path in scripts:
        assert run("run", "--check", path).code == 0
