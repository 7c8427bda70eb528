"""The page of a device that opens in the live table of `bluelab scan`: connect, explore, values, and the way back."""

import re

import pytest

DOWN, ENTER, ESCAPE = "\x1b[B", "\r", "\x1b"


@pytest.fixture
def scan(screen):
    """Starts a scan, and returns it when its table shows `name`, with the device selected."""

    def scan(name="Wristband", rows=24, columns=100, environment=None):
        started = screen("scan", rows=rows, columns=columns, environment=environment)
        started.expect(name)
        started.send(f"/{name}\r{DOWN}")
        started.expect(lambda text: f"/{name}" in text)
        return started

    return scan


def links(radio, name="wristband"):
    return next(device for device in radio.devices() if device["name"] == name)["links"]


def select(scan, title):
    """Moves the selection to the row of a characteristic, whose octets then stand below the tree."""
    for _ in range(40):
        if re.search(rf"^{title}(  |$)", scan.text(), re.M):
            return
        before = scan.text()
        scan.send(DOWN)
        scan.expect(lambda text: text != before)
    raise AssertionError(f"no {title} in:\n{scan.text()}")


def test_enter_connects_and_escape_returns(serve, scan, run, radio):
    serve("wristband")
    table = scan()
    table.send(ENTER)
    page = table.expect(lambda text: "Heart Rate 180D" in text and "Wrist" in text and re.search(r"2A38 .*Wrist$", text, re.M))
    assert re.match(r"Wristband  [0-9A-F]{8}  .*dBm  MTU \d+  .*not encrypted", page.split("\n")[0]), page
    assert "esc back, r reads, s subscribes, w writes, n names, a advertisement" in page
    assert links(radio) == 1
    # The list goes on meanwhile.
    assert run("radio", "beacon", "add", "late", "--local-name", "Late Wristband", "--at", "1,0").code == 0
    table.send("a")
    table.expect(re.compile(r"^seen +\d+ packets, the last now", re.M))
    table.send(ESCAPE)
    table.expect("Heart Rate 180D")
    table.send(ESCAPE)
    table.expect(lambda text: "SIGNAL" in text and "Late Wristband" in text and "/Wristband" in text)
    radio.wait_for(lambda device: device["name"] == "wristband" and not device["links"] and device["advertising"])
    # Again, and out with q.
    table.send(ENTER)
    table.expect("Heart Rate 180D")
    table.send("q")
    table.expect("SIGNAL")
    table.send("q")
    assert table.finish() == 0 and b"\x1b[?1049l" in table.octets


def test_values_are_read_and_notified(serve, scan, radio):
    serve("wristband")
    table = scan()
    table.send(ENTER)
    table.expect(re.compile(r"2A38 .*Wrist$", re.M))
    select(table, "Heart Rate Measurement")
    table.send("r")
    table.expect("Heart Rate Measurement cannot be read.")
    table.send("s")
    table.expect(re.compile(r"2A37 .*● .*\d+ bpm", re.M))
    table.expect(re.compile(r"^Heart Rate Measurement  [0-9a-f ]+  [2-9] received", re.M))
    table.send("s")
    table.expect(lambda text: "●" not in text)
    select(table, "Body Sensor Location")
    table.send("r")
    table.expect(re.compile(r"^Body Sensor Location  02$", re.M))
    table.send("\x03")
    assert table.finish() == 130
    assert b"\x1b[?1049l" in table.octets and "1 device in" in table.text()
    radio.wait_for(lambda device: device["name"] == "wristband" and not device["links"])


def test_a_value_is_written(bumble, scan):
    from bumble.gatt import Characteristic, CharacteristicValue, Service

    written = []
    value = CharacteristicValue(read=lambda _: bytes([7]), write=lambda _, octets: written.append(bytes(octets)))
    properties = Characteristic.Properties.READ | Characteristic.Properties.WRITE
    rights = Characteristic.READABLE | Characteristic.WRITEABLE
    bumble([Service("180F", [Characteristic("2A19", properties, rights, value)])], name="Scale")
    table = scan("Scale")
    table.send(ENTER)
    table.expect(re.compile(r"2A19 .* 7 ?%", re.M))
    select(table, "Battery Level")
    table.send("w2a")
    table.expect("hex for Battery Level: 2a_")
    table.send(ENTER)
    table.expect("wrote 1 octet to Battery Level")
    assert written == [b"\x2a"]
    table.send("wzz\r")
    table.expect("is not hexadecimal")
    assert written == [b"\x2a"]
    table.send("qq")
    assert table.finish() == 0


def test_a_device_that_vanishes_is_connected_again(bumble, scan):
    from bumble.gatt import Characteristic, Service

    battery = Characteristic("2A19", Characteristic.Properties.READ, Characteristic.READABLE, bytes([93]))
    scale = bumble([Service("180F", [battery])], name="Scale")
    table = scan("Scale")
    table.send(ENTER)
    table.expect(re.compile(r"2A19 .*93 ?%", re.M))
    scale.disconnect()
    # What was read stays visible. The screen is drawn from its top, so that its last line comes later.
    lost = table.expect(lambda text: "The device disconnected:" in text and "enter connects again" in text)
    assert re.search(r"2A19 .*93 ?%", lost)
    table.send(ENTER)
    table.expect(lambda text: "esc back, r reads" in text and re.search(r"2A19 .*93 ?%", text))
    scale.vanish()
    table.expect("The device disconnected:", timeout=40)
    table.send(ENTER)
    table.expect("did not accept a connection", timeout=40)
    table.send(ESCAPE)
    table.expect("SIGNAL")
    table.send("q")
    assert table.finish() == 0


def test_a_controller_that_is_lost_ends_the_page(serve, scan, radio):
    serve("wristband")
    table = scan()
    table.send(ENTER)
    table.expect("Heart Rate 180D")
    radio.drop("bluelab")
    table.expect(lambda text: "SIGNAL" in text and "Wristband" in text, timeout=40)
    assert b"Waiting for the controller." in table.octets
    radio.wait_for(lambda device: device["name"] == "bluelab" and device["scanning"])
    table.send(ENTER)
    table.expect("Heart Rate 180D")
    table.send("qq")
    assert table.finish() == 0


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_the_page_fits_the_terminal(serve, scan, columns):
    serve("wristband")
    table = scan(rows=12, columns=columns)
    table.send(ENTER)
    page = table.expect(re.compile(r"2A38 .*Wrist$", re.M) if columns > 60 else "Body Sensor")
    assert re.match(r"Wristband  [0-9A-F]{8}", page) and all(len(line) <= columns for line in page.split("\n"))
    for other in (60, 200):
        table.resize(12, other)
        table.expect(lambda text: "Heart Rate" in text and all(len(line) <= other for line in text.split("\n")))
    table.send("qq")
    assert table.finish() == 0


def test_a_device_is_named_on_its_page(serve, scan, run):
    serve("wristband")
    table = scan()
    table.send(ENTER)
    table.expect("Heart Rate 180D")
    table.send("nKüche 7\r")
    table.expect("Named Küche 7.")
    table.send(ESCAPE)
    table.expect(re.compile(r"Küche 7 .* [0-9A-F]{8}"))
    table.send("q")
    assert table.finish() == 0
    assert [record["name"] for record in run("name", "--json").records] == ["Küche 7"]
