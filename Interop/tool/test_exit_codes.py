"""Each exit code that `bluelab help` lists, and the manners of errors and output."""

import resource
import signal
import subprocess

import pytest
from bumble import gatt
from bumble.core import UUID

from conftest import LIMIT, PROGRAMS, TOOL, wait_for


def is_brief(result):
    lines = result.errors.splitlines()
    return 1 <= len(lines) <= 3 and lines[0].startswith("bluelab: ") and result.output == ""


def test_success_and_answers_of_the_device(serve, run):
    serve("wristband")
    result = run("read", "wrist", "2A38")
    assert (result.code, result.errors) == (0, "")
    missing = run("read", "wrist", "9999")
    assert missing.code == 4 and is_brief(missing)
    refused = run("write", "wrist", "2A38", "01")
    assert refused.code == 6 and is_brief(refused)
    unknown = run("notify", "wrist", "2A37", "--field", "speed")
    assert unknown.code == 2 and is_brief(unknown) and "RR interval" in unknown.errors
    weak = run("pair", "wrist", "--security", "authenticated", "--yes")
    assert weak.code == 7 and is_brief(weak)


def test_a_failure_without_a_device(run):
    assert run("radio", "list").code == 1
    mistaken = run("read", "wrist")
    assert mistaken.code == 2 and is_brief(mistaken)


CONTROLLERS = {
    "nonsense": (2, "bluelab help adapters"), "VIRTUAL": (2, "bluelab doctor --controller virtual"),
    "tcp:127.0.0.1": (2, "bluelab help adapters"), "radio:a b": (2, "bluelab help adapters"),
    "gateway:host:x": (2, "bluelab help adapters"), "serial:/dev/ttyNO": (3, "ls -l /dev/ttyNO"),
    "radio:nope": (3, "bluelab radio --name nope"), "gateway:nohost.invalid": (3, "bluelab gateway list"),
    "tcp:127.0.0.1:1": (3, "bluelab radio --listen tcp:127.0.0.1:1"), "hci9": (3, "bluelab adapters")}


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_an_unusable_controller_is_named(run, controller):
    code, command = CONTROLLERS[controller]
    by_option = run("scan", "--duration", "1", "--controller", controller)
    by_variable = run("beacon", "watch", environment={"BLUETOOTH_CONTROLLER": controller})
    for result in (by_option, by_variable):
        problem, hint = result.errors.splitlines()
        assert (result.code, result.output, hint) == (code, "", f"Try: {command}"), result
        assert problem.startswith("bluelab: ") and controller in problem, problem


def test_a_command_that_ends_says_nothing_of_waiting(run):
    result = run("scan", "--duration", "1", "--controller", "radio")
    assert result.code == 3 and is_brief(result) and "start it with bluelab radio." in result.errors, result


def test_a_gateway_without_an_adapter_names_what_is_missing(run_without_adapter):
    result = run_without_adapter("gateway")
    assert result.code == 3 and is_brief(result) and "the controller that" not in result.errors and " error " not in result.errors, result


def test_servers_name_an_unusable_controller(run):
    for words in (["serve", "heart-rate"], ["beacon", "send", "--eddystone-url", "https://example.com"], ["transfer", "receive"]):
        for controller, code in (("nonsense", 2), ("serial:/dev/ttyNO", 3), ("gateway:nohost.invalid", 3)):
            result = run(*words, "--controller", controller)
            problem, hint = result.errors.splitlines()[-2:]
            assert result.code == code and controller in problem and hint.startswith("Try: "), result
            assert " error " not in result.errors and " warning " not in result.errors, result


def test_programs_name_an_unusable_controller(workplace):
    for controller in ("VIRTUAL", "serial:/dev/ttyNO", "gateway:host:x"):
        done = subprocess.run(
            [PROGRAMS / "walkthrough"], capture_output=True, text=True, env=workplace.environment(BLUETOOTH_CONTROLLER=controller), check=False,
            timeout=LIMIT)
        lines = [line for line in done.stderr.splitlines() if " error " in line]
        assert len(lines) == 1 and controller in lines[0] and " Try: " in lines[0], done


def test_a_device_that_does_not_accept_a_connection(radio, run):
    radio.ask("beacon add door type=nonconnectable interval=50 data=020106050944" "6F6F72")
    # Its advertisement says so.
    for words in (["read", "door", "2A38"], ["explore", "door"], ["pair", "door", "--yes"], ["clone", "door"]):
        result = run(*words, "--timeout", "60", timeout=15)
        assert result.code == 6 and is_brief(result) and "is not connectable" in result.errors, result
    absent = run("read", "window", "2A38", "--timeout", "0.5")
    assert absent.code == 4 and is_brief(absent)


def test_signals_have_their_exit_codes(serve, begin):
    serve("wristband")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        notify = begin("notify", "wrist", "2A37")
        notify.line("bpm")
        notify.child.send_signal(number)
        result = notify.finish()
        assert (result.code, result.errors) == (code, "")


def test_an_interrupted_command_leaves_no_link(radio, serve, begin):
    band = serve("wristband")
    notify = begin("notify", "wrist", "2A37")
    notify.line("bpm")
    radio.wait_for(lambda device: device["name"] == band.name and device["links"] == 1)
    notify.interrupt()
    assert notify.finish().code == 130
    radio.wait_for(lambda device: device["name"] == band.name and device["links"] == 0)


def test_a_device_that_vanishes_during_a_command(bumble, begin):
    value = gatt.Characteristic(UUID("FFF1"), gatt.Characteristic.Properties.NOTIFY, gatt.Characteristic.Permissions(0), b"")
    subscriptions = []
    value.on("subscription", lambda *event: subscriptions.append(event))
    device = bumble([gatt.Service(UUID("FFF0"), [value])], name="Scale")
    notify = begin("notify", "scale", "FFF1")
    # The subscription shows that the command waits for values.
    wait_for(lambda: subscriptions)
    device.vanish()
    result = notify.finish()
    assert result.code == 5 and is_brief(result) and "disconnected" in result.errors


def test_a_closed_pipe_ends_a_command_without_a_message(serve, begin):
    serve("wristband")
    notify = begin("notify", "wrist", "2A37")
    notify.line("bpm")
    notify.child.stdout.close()
    notify._readers[0].join(5)
    assert notify.child.wait(20) == 0 and notify.errors == ""


def test_a_full_disk_is_one_sentence(run, workplace):
    for path in ("/dev/full", "none/plain.pcapng"):
        world = run("demo", "--capture", workplace.path / "air.pcapng")
        assert world.code == 0, world
        (workplace.path / "keys").write_text("")
        result = run("decrypt", "air.pcapng", "--keys", "keys", "--output", path)
        assert result.code == 1 and is_brief(result), result


def test_a_file_that_grows_too_large_is_not_left_behind(run, workplace):
    assert run("demo", "--capture", workplace.path / "air.pcapng").code == 0
    (workplace.path / "keys").write_text("")

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    result = run("decrypt", "air.pcapng", "--keys", "keys", "--output", "plain.pcapng", preexec_fn=limit)
    assert result.code == 1 and "the file would be larger than the limit of this process" in result.errors
    assert sorted(path.name for path in workplace.path.iterdir() if "plain" in path.name) == []


@pytest.mark.parametrize("words", [
    ["doctor", "--controller", "virtual"], ["demo"], ["demo", "--trace"], ["demo", "lamp", "--one-process"], ["help"], ["scan", "--help"], ["--version"],
    ["completions", "bash"], ["serve", "--list"]], ids=" ".join)
@pytest.mark.parametrize("locale", ["C.UTF-8", "zh_CN.UTF-8"])
def test_output_that_cannot_be_written(workplace, words, locale):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [TOOL, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=workplace.environment(LC_ALL=locale), check=False)
    sentence = "bluelab: the output cannot be written: No space left on device." if locale == "C.UTF-8" else "bluelab：无法写入输出：磁盘已满。"
    assert (done.returncode, done.stderr) == (1, sentence + "\n")
