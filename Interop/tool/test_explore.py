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
    raise att.ATT_Error(att.ErrorCode(0x80) if hasattr(att, "ErrorCode") else 0x80)


def weather_station():
    """A service with a declared format, one that refuses a read, and device information that is included."""
    descriptions = [
        gatt.Descriptor(UUID("2901"), READABLE, "Outdoor".encode()),
        # sint16, 10^-2, degree Celsius (Vol 3, Part G, 3.3.3.5).
        gatt.Descriptor(UUID("2904"), READABLE, struct.pack("<BbHBH", 0x0E, -2, 0x272F, 1, 0))]
    temperature = gatt.Characteristic(UUID("FFF1"), READ | WRITE, READABLE | gatt.Characteristic.WRITEABLE, struct.pack("<h", -1250), descriptions)
    secret = gatt.Characteristic(UUID("FFF2"), READ, READABLE, gatt.CharacteristicValue(read=refuse))
    hidden = gatt.Characteristic(UUID("FFF3"), READ, 0, b"")
    system = gatt.Characteristic(UUID("2A23"), READ, READABLE, bytes.fromhex("665544fffe332211"))
    information = gatt.Service(UUID("180A"), [system])
    return [information, gatt.Service(UUID("FFF0"), [temperature, secret, hidden], included_services=[information])]


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
    assert "refused: " in lines["FFF2"] and "refused: " in lines["FFF3"]
    assert "address 11:22:33:44:55:66" in result.output
    assert result.errors == "The device refused 2 reads; see the tree.\nTry: bluelab write weather FFF1 01\n"

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
    assert result.code == 1 and result.output == ""
    problem, hint = result.errors.splitlines()
    assert problem.startswith("bluelab: the device disconnected during the read of FFF1: ") and hint == "Try: bluelab scan"


def test_ctrl_c_closes_the_link(bumble, begin, radio):
    silence = Silence()
    device = bumble([silence.service()], name="Ghost")
    explore = begin("explore", "ghost")
    assert silence.is_read.wait(20)
    explore.interrupt()
    result = explore.finish()
    assert (result.code, result.output, result.errors) == (130, "", "")
    radio.wait_for(lambda other: other["number"] == device.number and other["links"] == 0)
