"""`bluelab gateway` on a link: announced to python-zeroconf, and found by programs of this library."""

import json
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from commands import LIMIT, TOOL, Running, Workplace  # noqa: E402

TYPE = "_esphomelib._tcp"
KEY = "QRTIErOb/fcE9Ukd/5qA3RGYMn0Y+p06U58SCtOXvPc="


@pytest.fixture
def workplace():
    place = Workplace()
    yield place
    place.end()


@pytest.fixture
def gateway(workplace, places):
    """Starts `bluelab gateway` at the first place, on a radio with one device."""
    radio = Running([TOOL, "radio"], workplace.environment(), workplace.path)
    workplace.programs.append(radio)
    radio.line("Ctrl-C")
    served = Running(
        [TOOL, "serve", "heart-rate"], workplace.environment(XDG_STATE_HOME=workplace.path / "device"), workplace.path)
    workplace.programs.append(served)

    def gateway(name, *arguments):
        command = [*places[0].prefix, TOOL, "gateway", "--name", name, "--json", *arguments]
        running = Running(
            command, workplace.environment(BLUETOOTH_GATEWAY_KEY=KEY, BLUETOOTH_RADIO_NAME=name), workplace.path, True)
        workplace.programs.append(running)
        running.port = int(running.record()["address"].rsplit(":", 1)[1])
        return running

    return gateway


@pytest.fixture
def bluelab(workplace, places):
    """Runs a command at the second place, with the gateway that `controller` names."""

    def bluelab(*arguments, controller="gateway"):
        environment = workplace.environment(
            BLUETOOTH_GATEWAY_KEY=KEY, BLUETOOTH_CONTROLLER=controller, XDG_STATE_HOME=workplace.path / "program")
        return subprocess.run(
            [str(part) for part in [*places[1].prefix, TOOL, *arguments]], env=environment, cwd=workplace.path, capture_output=True,
            text=True, timeout=3 * LIMIT)

    return bluelab


def names(result):
    return [record["name"] for record in map(json.loads, result.stdout.splitlines())]


def test_zeroconf_finds_a_gateway_with_the_attributes_of_esphome(gateway, foreign, places):
    browser = foreign("browse", TYPE)
    served = gateway("hall", "--listen", "tcp:0.0.0.0:0")
    found = browser.wait("found", name="hall")
    assert (found["host"], found["port"]) == ("hall.local.", served.port)
    assert places[0].address in found["addresses"]
    text = found["text"]
    assert text["friendly_name"] == "hall" and text["api_encryption"] == "Noise_NNpsk0_25519_ChaChaPoly_SHA256"
    assert len(text["mac"]) == 12 and int(text["mac"], 16) >= 0 and text["mac"] == text["mac"].lower()
    assert text["version"] and text["platform"] and text["network"]
    served.interrupt()
    browser.wait("lost", name="hall")


def test_a_gateway_of_this_machine_announces_itself_only_if_it_is_told_to(gateway, foreign):
    browser = foreign("browse", TYPE)
    gateway("silent", "--listen", "tcp:127.0.0.1:0")
    gateway("mute", "--listen", "tcp:0.0.0.0:0", "--no-announce")
    gateway("told", "--listen", "tcp:127.0.0.1:0", "--announce")
    browser.wait("found", name="told")
    assert [record["name"] for record in browser.seen if record["event"] == "found"] == ["told"]


def test_a_program_finds_a_gateway_by_its_name_and_the_only_one_without(gateway, bluelab):
    gateway("hall", "--listen", "tcp:0.0.0.0:0")
    listed = bluelab("gateway", "list", "--json")
    assert names(listed) == ["hall"], listed
    assert json.loads(listed.stdout)["isEncrypted"] is True
    # The port comes from the announcement.
    for controller in ("gateway:hall.local", "gateway"):
        scanned = bluelab("scan", "--duration", "3", "--json", controller=controller)
        assert "Pulse" in names(scanned), scanned


def test_two_gateways_are_listed_and_none_is_chosen(gateway, bluelab):
    gateway("hall", "--listen", "tcp:0.0.0.0:0")
    gateway("attic", "--listen", "tcp:0.0.0.0:0")
    assert sorted(names(bluelab("gateway", "list", "--json"))) == ["attic", "hall"]
    scanned = bluelab("scan", "--duration", "2", "--json")
    assert scanned.returncode != 0
    assert "gateway:attic.local, gateway:hall.local" in scanned.stderr, scanned
