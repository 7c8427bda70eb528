"""The JSON lines. The fixtures validate each line of all tests; these tests cover the records that no other test prints."""

import subprocess

from conftest import ROOT


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


def test_the_tree_of_a_device(serve, run):
    serve("wristband")
    result = run("explore", "wrist", "--all", "--json")
    assert {record["type"] for record in result.records} >= {"service", "characteristic", "descriptor"}
    assert all(record["v"] == 1 for record in result.records)
