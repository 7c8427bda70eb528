"""The JSON lines. The fixtures validate each line of all tests; these tests cover the records that no other test prints."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

# A program with a host of its own: it resets its controller, prints the answer, and stays.
FOREIGN = """
import socket, sys
with socket.socket(socket.AF_UNIX) as link:
    link.settimeout(60)
    try:
        link.connect(sys.argv[1])
        link.sendall(bytes([1, 3, 12, 0]))
        answer = link.recv(64)
    except ConnectionError:
        answer = b""
    print(answer.hex(), flush=True)
    sys.stdin.read()
"""


def test_types_and_schemas_agree():
    done = subprocess.run([ROOT / "Scripts" / "generate-schemas", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_radio_lists_its_devices_and_walls(radio, serve, run):
    serve("wristband", position="2,1")
    radio.ask("wall add -1 -1 1 -1 20")
    (device,) = run("radio", "list", "--json").records
    assert (device["type"], device["name"], device["x"], device["y"]) == ("radio-device", "wristband", 2, 1)
    (wall,) = run("radio", "wall", "list", "--json").records
    assert (wall["type"], wall["decibels"]) == ("radio-wall", 20)


@pytest.mark.parametrize("platform, answer", [("pixel", "040e0401030c00"), ("pixle", "")])
def test_a_foreign_program_gets_the_controller_of_its_platform_or_none(radio, platform, answer):
    environment = {**os.environ, "BLUETOOTH_RADIO_NAME": "foreign", "BLUETOOTH_RADIO_PLATFORM": platform}
    with subprocess.Popen([sys.executable, "-c", FOREIGN, radio.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True) as program:
        assert program.stdout.readline().strip() == answer
        assert [device.get("platform") for device in radio.devices() if device["name"] == "foreign"] == (["pixel"] if answer else [])
        program.stdin.close()


def test_the_tree_of_a_device(serve, run):
    serve("wristband")
    result = run("explore", "wrist", "--all", "--json")
    assert {record["type"] for record in result.records} >= {"service", "characteristic", "descriptor"}
    assert all(record["v"] == 1 for record in result.records)
