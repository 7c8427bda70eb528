"""`bluelab explore`: the tree of a device, what it refuses, and a device that vanishes."""

import asyncio
import re
import struct
import threading

from bumble import att, gatt
from bumble.core import UUID

READ = gatt.Characteristic.Properties.READ
WRITE = gatt.Characteristic.Properties.WRITE
READABLE = gatt.Characteristic.READABLE


def refuse(_):
    raise att.ATT_Error(0x80)


def weather_station():
    """A service with a declared format, one that refuses a read, and device information that is included."""
    descriptions = [
        gatt.Descriptor(UUID("2901"), READABLE, "Outdoor".encode()),
        # sint16, 10^-2, degree Celsius (Vol 3, Part G, 3.3.3.5).
        gatt.Descriptor(UUID("2904"), READABLE, struct.pack("<BbHBH", 0x0E, -2, 0x272F, 1, 0))]
    temperature = gatt.Characteristic(UUID("FFF1"), READ | WRITE, READABLE | gatt.Characteristic.WRITEABLE, struct.pack("<h", -1250), descriptions)
    secret = gatt.Characteristic(UUID("FFF2"), READ, READABLE, gatt.CharacteristicValue(read=refuse))
    system = gatt.Characteristic(UUID("2A23"), READ, READABLE, bytes.fromhex("665544feff332211"))
    information = gatt.Service(UUID("180A"), [system])
    return [information, gatt.Service(UUID("FFF0"), [temperature, secret], included_services=[information])]


def test_the_tree_of_a_program(serve, run):
    serve("wristband")
    result = run("explore", "wrist")
    assert result.code == 0
    head, *tree = result.lines
    assert re.fullmatch(
        r"Wristband  [0-9A-F]{8}  ([0-9A-F]{2}:){5}[0-9A-F]{2} \(public\)  -48 dBm  MTU \d+  2M  interval 30 ms  not encrypted", head), head
    assert tree == [
        "├─ Heart Rate 180D",
        '│  ├─ Heart Rate Measurement 2A37           notify      "Heart rate"',
        "│  └─ Body Sensor Location 2A38             read        Wrist",
        "└─ 5B1D0000-6F2E-4C0A-9B6A-2F1C0E4D7A10     (not assigned)",
        '   └─ 5B1D0001-6F2E-4C0A-9B6A-2F1C0E4D7A10  read write  40 1f  u16 8000 · "Daily goal"']
    assert result.errors == "Try: bluelab notify wrist 2A37\n"


def test_formats_refusals_and_included_services(bumble, run):
    bumble(weather_station(), name="Weather")
    result = run("explore", "weather")
    assert result.code == 0
    lines = {line.split()[1]: line for line in result.lines[1:]} | {line.split()[2]: line for line in result.lines[1:] if len(line.split()) > 2}
    assert lines["FFF1"].endswith('read write  -12.5 degree Celsius · "Outdoor"'), lines["FFF1"]
    assert lines["FFF2"].endswith("refused: application error 80")
    assert "address 11:22:33:44:55:66" in result.output
    assert result.errors == "The device refused 1 read; see the tree.\nTry: bluelab write weather FFF1 01\n"

    everything = run("explore", "weather", "--all").output
    assert "includes Device Information" in everything and "sint16, 10^-2, degree Celsius" in everything

    head, *records = run("explore", "weather", "--all", "--json").records
    assert head["type"] == "device" and head["address"] == "F0:F1:F2:F3:F4:01" and head["addressType"] == "static" and not head["encrypted"]
    service = next(record for record in records if record["uuid"] == "FFF0")
    assert service["included"] == ["180A"] and service["primary"]
    temperature = next(record for record in records if record["uuid"] == "FFF1")
    assert (temperature["value"], temperature["text"], temperature["description"]) == ("1efb", "-12.5 degree Celsius", "Outdoor")
    assert "refused" in next(record for record in records if record["uuid"] == "FFF2")["error"]


class Silence:
    """A value whose read never ends."""

    def __init__(self):
        self.is_read = threading.Event()

    def service(self):
        async def read(_):
            self.is_read.set()
            await asyncio.Event().wait()

        value = gatt.Characteristic(UUID("FFF1"), READ, READABLE, gatt.CharacteristicValue(read=read))
        return gatt.Service(UUID("FFF0"), [value])


def test_a_device_that_vanishes(bumble, begin):
    silence = Silence()
    device = bumble([silence.service()], name="Ghost")
    explore = begin("explore", "ghost")
    assert silence.is_read.wait(20)
    device.vanish()
    result = explore.finish()
    # The supervision timeout ends the link.
    assert result.code == 5 and result.output == ""
    problem, hint = result.errors.splitlines()
    assert problem.startswith("bluelab: Ghost disconnected during the read of FFF1: ") and hint == "Try: bluelab scan --name Ghost"


def test_ctrl_c_closes_the_link(bumble, begin, radio):
    silence = Silence()
    device = bumble([silence.service()], name="Ghost")
    explore = begin("explore", "ghost")
    assert silence.is_read.wait(20)
    explore.interrupt()
    result = explore.finish()
    assert (result.code, result.output, result.errors) == (130, "", "")
    radio.wait_for(lambda other: other["number"] == device.number and other["links"] == 0)


def test_a_device_is_found_by_what_its_row_shows(serve, run):
    serve("wristband")
    serve("battery")
    # No name contains it, and one service does.
    by_service = run("explore", "heart", "--no-values")
    assert by_service.code == 0 and by_service.lines[0].startswith("Wristband "), by_service
    # A name precedes a service, and the command says which device it took.
    both = run("explore", "bat", "--no-values")
    assert both.code == 0 and both.lines[0].startswith("Battery "), both


def protected():
    value = gatt.Characteristic(UUID("FFF1"), READ, gatt.Characteristic.READ_REQUIRES_ENCRYPTION, b"secret")
    return gatt.Service(UUID("FFF0"), [value])


def test_a_pairing_is_reported_or_refused(bumble, run):
    bumble([protected()], name="Safe")
    refused = run("read", "safe", "FFF1", "--no-pair")
    assert refused.code == 7 and "the device refused the read of FFF1" in refused.errors and "paired" not in refused.errors, refused
    in_shell = run("shell", "safe", "--no-pair", input="read FFF1\n")
    assert in_shell.code == 7 and "paired" not in in_shell.errors, in_shell
    assert run("bonds", "--json").records == []
    paired = run("read", "safe", "FFF1")
    assert paired.code == 0 and "secret" in paired.output, paired
    assert re.fullmatch(r"bluelab: paired with Safe: encrypted, .*\. bluelab unpair Safe deletes the keys\.\n", paired.errors), paired
    # The keys of the bond pair nothing.
    again = run("read", "safe", "FFF1", "--no-pair")
    assert (again.code, again.errors) == (0, ""), again
