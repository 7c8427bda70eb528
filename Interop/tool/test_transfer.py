"""`bluelab transfer`: both carriers, both directions, lost ends, a full disk, Ctrl-C, the terminal, and the protocol's second implementation."""

import os
import re

import pytest

import transfer_protocol
from conftest import wait_for

SIZE = 200 * 1024


@pytest.fixture
def file(workplace):
    """A file of random octets."""
    path = workplace.path / "firmware.bin"
    path.write_bytes(os.urandom(SIZE))
    return path


@pytest.fixture
def folder(workplace):
    path = workplace.path / "received"
    path.mkdir()
    return path


@pytest.fixture
def receive(radio, begin, folder):
    """Starts a receiver, and waits until it advertises."""

    def receive(*options, output=folder):
        receiver = begin("transfer", "receive", "--output", output, "--advertise", "Wristband", *options)
        radio.wait_for(lambda device: device["advertising"])
        return receiver

    return receive


def partial_size(folder):
    return sum(path.stat().st_size for path in folder.glob("*.partial"))


@pytest.mark.parametrize("carrier", [[], ["--channel"]])
def test_a_file_over_each_carrier(receive, run, file, folder, carrier):
    receiver = receive("--json")
    sent = run("transfer", "send", file, "wrist", "--json", *carrier)
    assert sent.code == 0, sent
    result = receiver.finish()
    assert result.code == 0, result
    assert (folder / file.name).read_bytes() == file.read_bytes()
    assert [path.name for path in folder.iterdir()] == [file.name]
    for records, direction in ((sent.records, "send"), (receiver.records, "receive")):
        done = records[-1]
        assert (done["type"], done["direction"], done["size"], done["reconnects"]) == ("transferred", direction, SIZE, 0)
        stored = [record["stored"] for record in records if record["type"] == "transferring"]
        assert stored == sorted(stored) and len(stored) >= 2


def test_the_device_sends_and_the_central_receives(radio, begin, run, file, folder):
    sender = begin("transfer", "send", file, "--advertise", "Server")
    radio.wait_for(lambda device: device["advertising"])
    received = run("transfer", "receive", "server", "--output", folder / "copy")
    assert received.code == 0, received
    assert "sha256 matches. 200 KiB in" in received.errors and received.output == ""
    assert sender.finish().code == 0
    assert (folder / "copy").read_bytes() == file.read_bytes()


def test_a_receiver_that_is_killed_and_started_again(receive, begin, file, folder):
    first = receive()
    sender = begin("transfer", "send", file, "wrist", "--json")
    wait_for(lambda: partial_size(folder) > 30_000)
    first.kill()
    kept = partial_size(folder)
    assert not (folder / file.name).exists() and kept < SIZE
    second = receive("--json")
    result = sender.finish(60)
    assert result.code == 0, result
    assert sender.records[-1]["reconnects"] == 1
    assert second.finish().code == 0
    assert second.records[-1]["resumed"] >= kept
    assert (folder / file.name).read_bytes() == file.read_bytes()
    assert [path.name for path in folder.iterdir()] == [file.name]


def test_a_lost_link_continues_by_itself(radio, receive, begin, file, folder):
    receiver = receive("--json")
    sender = begin("transfer", "send", file, "wrist", "--json")
    wait_for(lambda: partial_size(folder) > 30_000)
    away = radio.wait_for(lambda device: device["links"])["number"]
    radio.move(away, 10_000)
    sender.wait_for_error("the link was lost")
    radio.move(away, 0)
    assert sender.finish(60).code == 0 and receiver.finish().code == 0
    assert sender.records[-1]["reconnects"] >= 1 and sender.records[-1]["resumed"] == 0
    assert (folder / file.name).read_bytes() == file.read_bytes()


def test_a_full_disk(receive, run, file):
    receiver = receive(output="/dev/full")
    sent = run("transfer", "send", file, "wrist")
    assert sent.code == 6
    assert "Wristband did not take firmware.bin: there is no space for the file." in sent.errors
    result = receiver.finish()
    assert result.code == 1
    assert "firmware.bin cannot be stored: the disk is full." in result.errors


def test_refusals(receive, run, file, folder):
    receiver = receive("--limit", "300000")
    outside = run("transfer", "send", file, "wrist", "--name", "../x")
    assert outside.code == 6 and "the name of the file is not allowed" in outside.errors
    (folder / file.name).write_text("another file")
    exists = run("transfer", "send", file, "wrist")
    assert exists.code == 6 and "another file has that name" in exists.errors
    assert (folder / file.name).read_text() == "another file"
    assert sorted(path.name for path in folder.parent.iterdir() if path.name == "x") == []
    receiver.interrupt()
    result = receiver.finish()
    assert result.code == 130 and result.errors.count("Still waiting.") == 2


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_ctrl_c(receive, begin, file, folder, end):
    receiver = receive()
    sender = begin("transfer", "send", file, "wrist")
    wait_for(lambda: partial_size(folder) > 30_000)
    (sender if end == "sender" else receiver).interrupt()
    if end == "sender":
        assert sender.finish().code == 130
        receiver.wait_for_error("stopped sending firmware.bin: the transfer was cancelled.")
        receiver.interrupt()
    else:
        result = sender.finish()
        assert result.code == 6 and "the transfer was cancelled" in result.errors
    assert receiver.finish().code == 130
    assert not (folder / file.name).exists() and partial_size(folder) > 0


def test_the_progress_on_a_terminal(receive, screen, file):
    receiver = receive()
    sender = screen("transfer", "send", str(file), "wrist", rows=6, columns=100)
    sender.expect("kB/s")
    text = sender.text()
    line = next(line for line in text.splitlines() if "kB/s" in line)
    assert re.search(r"^firmware.bin → Wristband +\d+ %  [█▏▎▍▌▋▊▉ ]+ \d+ of 200 KiB +\d+ kB/s", line), text
    sender.expect("sha256 matches. 200 KiB in")
    assert sender.finish() == 0
    assert receiver.finish().code == 0


def test_errors_before_the_transfer(radio, run, file, serve):
    missing = run("transfer", "send", "missing.bin", "wrist")
    assert missing.code == 2 and "missing.bin cannot be read: no such file or directory." in missing.errors
    assert run("transfer", "send", file, "--channel").code == 2
    folder = run("transfer", "receive", "--output", "nowhere/file")
    assert folder.code == 1 and "nowhere/file cannot be written" in folder.errors
    serve("wristband")
    other = run("transfer", "send", file, "wristband")
    assert other.code == 4 and "has no transfer service" in other.errors


# MARK: The second implementation


def test_the_second_implementation_receives(bumble, run, file):
    """It has the beginning of the file, and loses values in the middle and at the end."""
    peripheral = transfer_protocol.Peripheral()
    device = bumble(peripheral.services, name="Python")
    content = file.read_bytes()
    peripheral.receive(device, stored=content[:5000], lose=[100_000, SIZE - 1])
    sent = run("transfer", "send", file, "python", "--json")
    assert sent.code == 0, sent
    assert sent.records[-1]["resumed"] == 5000
    assert bytes(peripheral.end.stored) == content
    assert peripheral.end.offer[2] == file.name
    kinds = set(peripheral.end.messages)
    assert kinds == {transfer_protocol.OFFER, transfer_protocol.CHECK}


def test_the_second_implementation_receives_on_a_channel(bumble, run, file):
    """It has octets of another file, so the sender restarts it."""
    peripheral = transfer_protocol.Peripheral()
    device = bumble(peripheral.services, name="Python")
    peripheral.receive_on_channel(device, stored=b"other octets")
    sent = run("transfer", "send", file, "python", "--channel")
    assert sent.code == 0, sent
    assert bytes(peripheral.end.stored) == file.read_bytes()
    assert transfer_protocol.RESTART in peripheral.end.messages


def test_the_second_implementation_sends(bumble, run, file, folder):
    peripheral = transfer_protocol.Peripheral()
    device = bumble(peripheral.services, name="Python")
    peripheral.send(device, file.read_bytes(), "from-python.bin")
    received = run("transfer", "receive", "python", "--output", folder)
    assert received.code == 0, received
    assert (folder / "from-python.bin").read_bytes() == file.read_bytes()
    wait_for(lambda: peripheral.end.result == transfer_protocol.COMPLETE)
