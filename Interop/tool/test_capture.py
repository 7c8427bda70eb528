"""`bluelab capture`, and the files of captures."""

from conftest import TOOL


def test_a_command_is_recorded(serve, run, workplace):
    serve("wristband")
    result = run("capture", "trace.btsnoop", "--", TOOL, "read", "wrist", "2A38")
    assert (result.code, result.output) == (0, "Wrist\n")
    octets = (workplace.path / "trace.btsnoop").read_bytes()
    assert octets.startswith(b"btsnoop\0") and b"\x38\x2a" in octets and len(octets) > 500


def test_a_capture_without_packets_has_a_header(run, workplace):
    assert run("capture", "trace.btsnoop", "--", "true").code == 0
    octets = (workplace.path / "trace.btsnoop").read_bytes()
    assert octets == b"btsnoop\0" + (1).to_bytes(4) + (1002).to_bytes(4)


def test_the_exit_code_is_that_of_the_program(run, workplace):
    assert run("capture", "trace.btsnoop", "--", TOOL, "read").code == 2
    missing = run("capture", "trace.btsnoop", "--", "no-such-program")
    assert missing.code == 1 and missing.errors.endswith("Try: command -v no-such-program\n")
    refused = run("capture", "none/trace.btsnoop", "--", TOOL, "read")
    assert refused.code == 1 and "the folder" in refused.errors and "does not exist" in refused.errors


def test_a_recording_is_explained(serve, run, workplace):
    serve("wristband")
    assert run("capture", "trace.btsnoop", "--", TOOL, "read", "wrist", "2A38").code == 0
    story = run("explain", "trace.btsnoop")
    assert story.code == 0 and "Link 1: central = this host" in story.output
    assert "Body Sensor Location" in story.output and "1 read" in story.output and "ends the link" in story.output
    records = run("explain", "trace.btsnoop", "--json").records
    assert records[0]["type"] == "capture" and records[0]["links"] == 1 and records[0]["end"] == "whole"
    (link,) = [record for record in records if record["type"] == "capture-link"]
    assert link["host"] == "central" and link["whole"]
    assert [record["reads"] for record in records if record["type"] == "capture-attribute" and record["uuid"] == "2A38"] == [1]


def test_a_cut_recording_is_explained_up_to_the_cut(run, workplace):
    path = workplace.path / "cut.btsnoop"
    event = bytes.fromhex("04 3E 13 01 00 40 00 00 01 01 02 03 04 05 C6 18 00 00 00 F4 01 00")
    record = len(event).to_bytes(4) * 2 + (3).to_bytes(4) + bytes(4) + (0x00DCDDB30F2F8000).to_bytes(8) + event
    path.write_bytes(b"btsnoop\0" + (1).to_bytes(4) + (1002).to_bytes(4) + record + record[:30])
    story = run("explain", "cut.btsnoop")
    assert story.code == 0 and "begins: interval 30.00 ms" in story.output
    assert story.output.endswith(
        "The file ends inside a packet: the rest is missing.\nThe packets in a browser: bluelab studio --capture cut.btsnoop\n")
    assert run("explain", "cut.btsnoop", "--json").records[0]["end"] == "cut"
    path.write_bytes(b"#!/bin/sh\n")
    refused = run("explain", "cut.btsnoop")
    assert refused.code == 1 and "cut.btsnoop is not a capture" in refused.errors
    path.write_bytes(b"")
    assert "cut.btsnoop is empty." in run("explain", "cut.btsnoop").errors
    assert run("explain", "none.btsnoop").code == 2
