"""`bluelab capture`, the files of captures, and live captures of a radio."""

import os
import socket
import subprocess

import pytest
from conftest import LIMIT, TOOL, Radio, wait_for
from ports import free_port


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


def test_the_memory_of_an_explanation_does_not_depend_on_the_length(workplace):
    # A link, and notifications of 244 octets without an end.
    packets = [bytes.fromhex("04 3E 13 01 00 40 00 00 01 01 02 03 04 05 C6 18 00 00 00 F4 01 00"),
               bytes.fromhex("02 40 20 FB 00 F7 00 04 00 1B 03 00") + bytes(244)]
    head, *records = [
        len(packet).to_bytes(4) * 2 + (3).to_bytes(4) + bytes(4) + (0x00DCDDB30F2F8000).to_bytes(8) + packet for packet in packets]
    peaks = []
    for count in (8_000, 80_000):
        path = workplace.path / f"{count}.btsnoop"
        with path.open("wb") as file:
            file.write(b"btsnoop\0" + (1).to_bytes(4) + (1002).to_bytes(4) + head)
            for _ in range(count // 1000):
                file.write(records[0] * 1000)
        child = subprocess.Popen([TOOL, "explain", path], env=workplace.environment(), stdout=subprocess.PIPE, text=True)
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        assert child.returncode == 0 and f"{count} notifications, {244 * count} octets" in output, output
        peaks.append(usage.ru_maxrss)
    assert path.stat().st_size > 20_000_000
    # In KiB. The file is ten times as long, and 20 MB longer.
    assert peaks[1] < peaks[0] + 4096, peaks


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


@pytest.mark.parametrize("kind", ["tcp", "unix"])
def test_a_program_reads_the_packets_on_the_air(workplace, run, kind):
    address = f"tcp:127.0.0.1:{free_port()}" if kind == "tcp" else f"unix:{workplace.path / 'air'}"
    Radio(workplace, "--capture", address)
    add = ("radio", "beacon", "add")
    assert run(*add, "door", "--local-name", "Door", "--random-address", "C0:11:22:33:44:5F", "--interval", "20").code == 0
    path = workplace.path / "air.pcapng"
    with socket.socket(socket.AF_INET if kind == "tcp" else socket.AF_UNIX) as reader:
        reader.settimeout(LIMIT)
        reader.connect(("127.0.0.1", int(address.rpartition(":")[2])) if kind == "tcp" else address.removeprefix("unix:"))
        octets = b""

        def is_enough():
            nonlocal octets
            octets += reader.recv(65536)
            return len(octets) > 20_000

        wait_for(is_enough)
    path.write_bytes(octets)
    capture, *records = run("explain", path, "--json").records
    assert capture["packets"] > 100 and capture["undecodable"] == capture["damaged"] == 0, capture
    assert "C0:11:22:33:44:5F" in run("explain", path).output
