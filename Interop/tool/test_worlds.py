"""`bluelab test` and `bluelab radio --world`: the shipped worlds, what breaks, JUnit, scripts in virtual time, and errors of files."""

import xml.etree.ElementTree as ElementTree

import pytest

from conftest import ROOT, Radio

WORLDS = sorted((ROOT / "Worlds").rglob("*.world.yaml"))

LAMP = """world: 1
name: A lamp
seed: 7
devices:
  - id: lamp
    profile:
      advertising: {name: Lamp}
      services:
        - uuid: FFF0
          characteristics:
            - {uuid: FFF1, properties: [read, write, notify], format: u8, value: 0, notify: {every: 1 s}}
  - id: app
    at: [2, 0]
    script:
      - connect: Lamp
      - write: {characteristic: FFF1, value: 1, format: u8}
      - read: {characteristic: FFF1, equals: VALUE, format: u8}
      - subscribe: FFF1
      - wait-for-notification: {characteristic: FFF1, count: 600, within: 15 min}
      - expect-disconnect: {within: 10 min}
events:
  - {at: 700 s, power: lamp, on: false}
expect:
  - {link: [app, lamp], within: 5 s}
  - {no-link: [app, lamp], after: 700 s, within: 10 s}
"""


@pytest.mark.long
def test_the_shipped_worlds_pass(run):
    assert len(WORLDS) >= 18
    result = run("test", *WORLDS, "--json", timeout=120)
    assert result.code == 0 and result.errors == "", result
    worlds = [record for record in result.records if record["type"] == "world"]
    assert [world["file"] for world in worlds] == [str(path) for path in WORLDS]
    assert all(world["passed"] and world["checks"] == world["passedChecks"] > 0 for world in worlds)
    # Equal seeds give equal runs, with the times of all steps; another seed gives another one.
    assert run("test", *WORLDS, "--json", timeout=120).output == result.output
    assert run("test", *WORLDS, "--json", "--seed", "12345", timeout=120).output != result.output


def test_a_script_runs_in_virtual_time(run, workplace):
    (workplace.path / "lamp.world.yaml").write_text(LAMP.replace("VALUE", "1"))
    result = run("test", "lamp.world.yaml", "--junit", "results.xml", "--events")
    assert result.code == 0, result
    assert "8 of 8 passed in 7" in result.output and "power off" in result.output
    suites = ElementTree.parse(workplace.path / "results.xml").getroot()
    assert [suite.attrib["tests"] for suite in suites.findall("testsuite")] == ["6", "2"] and suites.attrib["failures"] == "0"
    # More than eleven minutes, and not one of them real.
    assert float(suites.find("testsuite").attrib["time"]) > 690


def test_what_breaks_has_its_time_and_place(run, workplace):
    (workplace.path / "lamp.world.yaml").write_text(LAMP.replace("VALUE", "2"))
    result = run("test", "lamp.world.yaml", "--junit", "results.xml")
    assert result.code == 1
    lines = [line.strip() for line in result.lines]
    assert "expected: 2 (u8)" in lines and "found:    1 (u8)" in lines and "at lamp.world.yaml:17" in lines
    assert result.errors == "bluelab: lamp.world.yaml:17: expected 2 (u8), found 1 (u8).\n"
    suite = ElementTree.parse(workplace.path / "results.xml").getroot().find("testsuite")
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("1", "3")
    # A run that is cut ends its scripts.
    (workplace.path / "lamp.world.yaml").write_text(LAMP.replace("VALUE", "1"))
    result = run("test", "lamp.world.yaml", "--until", "60", "--json")
    assert result.code == 1 and "the run ended at 60 s" in result.errors
    assert result.records[-1]["duration"] >= 60 and not result.records[-1]["passed"]


STEPS = """world: 1
devices:
  - id: lamp
    name: Lamp 1
    profile:
      advertising: {name: Lamp}
      services: [{uuid: FFF0, characteristics: [{uuid: FFF1, properties: [write]}]}]
  - id: app
    at: [2, 0]
    scripts:
      - [{scan: {name: Lamp, absent: true, within: 5 s}}]
      - [{connect: {connected: FFF0}}]
      - [{connect: Lamp}, {expect-name: {name: Lamp 2, within: 1 s}}]
      - [{connect: Lamp}, expect-bond]
      - [{serve: lamp.yaml}, {wait-for-write: {characteristic: FFF1, count: 3, within: 20 s}}]
  - {id: writer, at: [0, 2], script: [{connect: Other}, {write: {characteristic: FFF1, value: 01, count: 2}}, {sleep: 30 s}]}
"""


def test_steps_of_several_scripts_break_with_what_they_found(run, workplace):
    (workplace.path / "steps.world.yaml").write_text(STEPS)
    (workplace.path / "lamp.yaml").write_text("advertising: {name: Other}\nservices: [{uuid: FFF0, characteristics: [{uuid: FFF1, properties: [write]}]}]\n")
    result = run("test", "steps.world.yaml", "--json")
    assert result.code == 1
    broken = {record["expected"]: record["found"] for record in result.records if record.get("result") == "failed"}
    absent = broken.pop("no advertisement of Lamp within 5 s")
    assert absent.startswith("one at -") and broken == {
        "a connected device with FFF0": "none", "the name Lamp 2 within 1 s": "Lamp 1", "a bond with Lamp": "no bonds",
        "3 writes of FFF1 within 20 s": "2"}


@pytest.mark.parametrize(("text", "sentence"), [
    ("world: 1\ndevics: []\n", "w.yaml:2:1: expected one of the keys"),
    ("world: 1\ndevices: [{id: a, profile: nothing}]\n", "w.yaml:2:28: expected a path with the suffix .yaml, or a shipped profile"),
    ("world: 1\ndevices: [{id: a, count: 10001}]\n", "w.yaml:2:11: expected at most 10000 devices, found 10001."),
    ("world: 1\ndevices: [{id: a, script: w.yaml}]\n", "w.yaml:2:27: expected a script, found the path of this file."),
    ("world: 1\ndevices: &a [*a]\n", "w.yaml:2:14: expected YAML"),
    ("world: 1\ndevices: [{id: a}]\n", "w.yaml has no scripts and no expectations"),
])
def test_a_file_with_errors_is_one_sentence(run, workplace, text, sentence):
    (workplace.path / "w.yaml").write_text(text)
    result = run("test", "w.yaml")
    assert result.code == 2 and result.output == "" and result.errors.startswith(f"bluelab: {sentence}"), result
    if "no scripts" not in sentence:
        result = run("radio", "--world", "w.yaml")
        assert result.code == 2 and result.errors.startswith(f"bluelab: {sentence}"), result


def test_other_programs_join_the_world_of_a_file(workplace, run):
    radio = Radio(workplace, "--world", ROOT / "Worlds" / "readme.world.yaml")
    assert [device["name"] for device in radio.devices()] == ["wristband", "laptop", "mobike", "beacon"]
    result = run("scan", "--duration", "3", "--json")
    names = {record.get("name") for record in result.records if record["type"] == "sighting"}
    assert {"Wristband", "Laptop", "Mobike"} <= names, result
    result = run("notify", "wrist", "heart rate", "--count", "2")
    assert result.code == 0 and result.output.count("bpm") == 2
    # The commands of the radio change the devices of the file.
    radio.move("wristband", 100000)
    assert run("read", "wrist", "2A38", "--timeout", "2").code == 4
    radio.drop("laptop")
    radio.wait_for(lambda device: device["name"] == "mobike")
    assert "laptop" not in [device["name"] for device in radio.devices()]


def test_a_world_of_the_tool_needs_no_file(workplace, run):
    result = run("test", "corridor")
    assert result.code == 0 and "(corridor, seed " in result.output
    assert [device["name"] for device in Radio(workplace, "--world", "readme").devices()] == ["wristband", "laptop", "mobike", "beacon"]
    for words in (["test", "corridr"], ["radio", "--world", "corridr"], ["studio", "--no-open", "--world", "corridr"]):
        result = run(*words)
        assert result.code == 2 and result.errors.splitlines() == [
            'bluelab: there is no shipped world "corridr"; a file needs the suffix .yaml or a slash.',
            "Did you mean corridor? The worlds are corridor, factory, office, readme.", "Try: bluelab help test"], result


def test_a_scene_that_does_not_exist_is_one_sentence_and_the_choice(run):
    for locale, problem in (("C.UTF-8", "bluelab: There is no scene nosuch."), ("zh_CN.UTF-8", "bluelab：没有场景 nosuch。")):
        result = run("studio", "--no-open", "--scene", "nosuch", environment={"LC_ALL": locale})
        lines = result.errors.splitlines()
        assert result.code == 2 and lines[0] == problem and "empty" in lines[1] and len(lines) == 2, result


def test_walls_of_the_file_and_of_the_radio(workplace):
    (workplace.path / "w.yaml").write_text("world: 1\nwalls: [{id: door, from: [0, -1], to: [0, 1], loss: 12 dB}]\n")
    radio = Radio(workplace, "--world", "w.yaml")
    assert [wall["decibels"] for wall in radio.ask("wall list")["walls"]] == [12]
    radio.ask("wall add 1 1 2 2 6")
    radio.ask("wall remove 1")
    assert [wall["decibels"] for wall in radio.ask("wall list")["walls"]] == [6]
