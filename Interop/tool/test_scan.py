"""`bluelab scan`: the table, its keys, filters, files, and its load. DEVICE in the commands that use one."""

import pathlib
import re

import advertisers
import pytest
from conftest import TOOL

PROXIMITY = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


@pytest.fixture
def room(serve, run):
    """A wristband, an iBeacon at 4 m, and a tag that publishes its address."""
    serve("wristband")
    assert run("radio", "beacon", "add", "door", "--ibeacon", f"{PROXIMITY}:1:7", "--at", "4,0").code == 0
    tag = ["--manufacturer", "0059:C0112233445F", "--random-address", "C0:11:22:33:44:5F", "--local-name", "Tag 温度", "--at", "8,0"]
    assert run("radio", "beacon", "add", "tag", *tag).code == 0


def test_the_table_has_the_strongest_first(room, run):
    result = run("scan", "--duration", "2")
    assert result.code == 0 and "\x1b" not in result.output
    header, *rows = result.lines
    assert header.split() == ["SIGNAL", "NAME", "TYPE", "SERVICES", "COMPANY", "EVERY", "SEEN", "AGE", "ID"]
    signals = [int(row.split()[0]) for row in rows]
    assert len(rows) == 3 and signals == sorted(signals, reverse=True)
    band, door, tag = rows
    assert re.search(r"Wristband +public +Heart Rate +- +\d\dms +\d+ +now  [0-9A-F]{8}$", band), band
    assert re.search(r"iBeacon E2C56DB5… 1\.7 +Apple, Inc\. +1\d\dms .* ~\d+\.\d m$", door), door
    assert re.search(r"Tag 温度 +static +- +Nordic Semico… ", tag), tag
    assert result.errors == "3 devices in 2 s, 1 connectable\n"


def test_filters_select_and_exclude(room, run):
    def names(*options):
        return sorted(record.get("name", "door") for record in run("scan", "--json", *options).records)

    assert names("--count", "1", "--service", "heart rate") == ["Wristband"]
    assert names("--count", "1", "--data", "4c000215??c5") == ["door"]
    assert names("--duration", "0.7", "--not-service", "180D", "--minimum-rssi", "-95") == ["Tag 温度", "door"]
    assert names("--duration", "0.7", "--not-name", "WRIST", "--not-company", "apple") == ["Tag 温度"]
    assert names("--duration", "0.7", "--not-connectable", "--not-data", "59 00 c0") == ["door"]
    wrong = run("scan", "--data", "4c0")
    assert wrong.code == 2 and "pairs of hexadecimal digits or ?" in wrong.errors and wrong.output == ""


def test_every_advertisement_as_records(room, run):
    records = run("scan", "--json", "--duplicates", "--duration", "1").records
    tags = [record for record in records if record.get("name", "").startswith("Tag")]
    assert len(tags) > 3 and [tag["count"] for tag in tags] == list(range(1, len(tags) + 1))
    assert tags[0]["address"] == tags[0]["publishedAddress"] == "C0:11:22:33:44:5F" and tags[0]["addressType"] == "static"
    assert tags[0]["manufacturerData"] == "5900c0112233445f" and tags[0]["data"].startswith("09ff5900c0112233445f")
    door = next(record for record in records if "beacon" in record)
    assert door["beacon"].startswith(f"iBeacon {PROXIMITY}, major 1, minor 7") and door["distance"] > 0


def test_the_keys_of_the_live_table(room, screen):
    scan = screen("scan", rows=16, columns=110)
    scan.expect(lambda text: "Wristband" in text and "iBeacon" in text and "Tag" in text)
    scan.expect("q quits, ↑↓ selects, enter opens, / filters")
    scan.send("/apple !wrist\r")
    scan.expect(lambda text: "2 hidden" in text and "Wristband" not in text and "/apple !wrist" in text)
    scan.send("\x1b[B\r")
    detail = scan.expect("advertising data, 27 octets")
    assert f"iBeacon {PROXIMITY}, major 1, minor 7" in detail and "1a ff 4c 00 02 15" in detail
    assert "This device accepts no connections." in detail and "esc back" in detail
    scan.send("\x1b")
    scan.expect("SIGNAL")
    scan.send("\x1b\x1b")
    scan.expect("Wristband")
    scan.send("q")
    assert scan.finish() == 0
    assert b"\x1b[?1049l" in scan.octets and "Wristband" in scan.text() and "3 devices in" in scan.text()


def test_a_terminal_without_colours(room, screen):
    scan = screen("scan", rows=8, columns=80, environment={"NO_COLOR": "1"})
    scan.expect("Wristband")
    scan.send("\x03")
    assert scan.finish() == 130
    assert not re.search(rb"\x1b\[[0-9;]*m", scan.octets)
    assert all(len(line) <= 80 for line in scan.lines())


def test_the_detail_of_a_device(room, run):
    # By the beginning of its address.
    result = run("scan", "--detail", "c0:11:22")
    assert result.code == 0
    assert "address      C0:11:22:33:44:5F  static random" in result.lines
    assert "publishes    C0:11:22:33:44:5F  in its manufacturer data" in result.lines
    assert re.search(r"^  09 ff 59 00 c0 11 .* Manufacturer Specific Data: Nordic Semiconductor ASA, c0 11 22 33 44 5f$", result.output, re.M)
    assert re.fullmatch(r"Try: bluelab explore [0-9A-F]{8}\n", result.errors)


def test_a_device_on_the_coded_phy_alone_needs_its_scan(serve, run, workplace):
    for name, phy in (("Near", "1M"), ("Far", "coded")):
        path = workplace.path / f"{name}.yaml"
        path.write_text(f"advertising: {{name: {name}, extended: {{primary: {phy}, secondary: {phy}}}}}\nservices: []\n")
        serve(path)

    def found(*options):
        records = run("scan", "--json", "--duration", "3", *options).records
        return {(record["name"], record["primaryPHY"], record["secondaryPHY"]) for record in records}

    near, far = ("Near", "1M", "1M"), ("Far", "Coded", "Coded")
    assert found() == found("--phy", "1m") == {near}
    assert found("--phy", "coded") == {near, far}
    # As for programs.
    records = run("scan", "--json", "--duration", "3", environment={"BLUETOOTH_EXTENDED_ADVERTISING": "coded"}).records
    assert {record["name"] for record in records} == {"Near", "Far"}


def test_ambiguous_and_absent_devices(serve, run, radio):
    serve("wristband", name="one")
    serve("wristband", name="two", position="6,0")
    ambiguous = run("read", "wristband", "2A38")
    assert ambiguous.code == 4 and ambiguous.output == ""
    problem, hint = ambiguous.errors.splitlines()
    found = re.fullmatch(
        r'bluelab: "wristband" matches 2 devices: Wristband ([0-9A-F]{8}) -48 dBm, Wristband ([0-9A-F]{8}) -\d\d dBm\.', problem)
    assert found and hint == f"Try: bluelab read {found[1]} 2A38"
    assert run("read", found[2], "2A38").output == "Wrist\n"
    # The address of the packets selects a device as well.
    address = next(device["address"] for device in radio.devices() if device["name"] == "two")
    assert run("read", address.lower(), "2A38").output == "Wrist\n"
    absent = run("explore", "C0:FF:EE:C0:FF:EE", "--timeout", "0.6")
    assert absent.code == 4 and absent.errors.splitlines() == [
        'bluelab: no device matched "C0:FF:EE:C0:FF:EE" within 0.6 s.', "The scan found: Wristband, Wristband.", "Try: bluelab scan"]


def test_signals_in_files(room, run, begin, workplace):
    assert run("scan", "--duration", "1", "--csv", "signal.csv", "--plot", "signal.svg").code == 0
    header, *lines = (workplace.path / "signal.csv").read_text().splitlines()
    assert header == "time_s,identifier,address,name,rssi_dBm" and len(lines) > 20
    assert all(re.fullmatch(r"\d\.\d{3},[0-9A-F-]{36},([0-9A-F]{2}:){5}[0-9A-F]{2},[^,]*,-\d+", line) for line in lines)
    chart = (workplace.path / "signal.svg").read_text()
    assert "<svg" in chart and "Wristband" in chart
    # Ctrl-C keeps what the scan received.
    scan = begin("scan", "--csv", "more.csv", "--plot", "more.svg")
    scan.line("Wristband")
    scan.interrupt()
    assert scan.finish().code == 130
    assert (workplace.path / "more.svg").read_text().endswith("</svg>\n")
    assert len((workplace.path / "more.csv").read_text().splitlines()) > 1


def test_files_that_cannot_be_written(room, run, workplace):
    full = run("scan", "--csv", "/dev/full", "--duration", "5")
    assert (full.code, full.errors.splitlines()[-2:]) == (
        1, ["bluelab: /dev/full cannot be written: the disk is full.", "Try: df -h /dev"])
    wrong = run("scan", "--plot", "signal.pdf")
    assert wrong.code == 2 and "ends with .svg" in wrong.errors
    missing = run("scan", "--csv", "missing/signal.csv", "--duration", "1")
    assert missing.code == 1 and re.search(r"the folder .*missing does not exist", missing.errors)
    assert [path.name for path in pathlib.Path(workplace.path).glob("*signal*")] == []


def test_a_closed_pipe_and_ctrl_c(room, begin):
    piped = begin("scan", "--json", "--duplicates")
    piped.line("sighting")
    piped.child.stdout.close()
    assert piped.child.wait(10) == 0 and piped.errors == ""
    scan = begin("scan")
    scan.line("Wristband")
    scan.interrupt()
    assert scan.finish().code == 130


def test_a_scan_goes_on_after_a_loss_of_the_controller(serve, begin, radio):
    serve("wristband")
    scan = begin("scan", "--json", "--duplicates")
    scan.line("Wristband")
    radio.drop("bluelab")
    scan.wait_for_error("Waiting for the controller.")
    scan.wait_for_error("bluelab: the Bluetooth controller radio is back.")
    radio.wait_for(lambda device: device["name"] == "bluelab" and device["scanning"])
    scan.interrupt()
    assert scan.finish().code == 130


@pytest.mark.parametrize("columns", [60, 80, 110, 160, 200])
def test_every_terminal_has_the_identifier(serve, screen, columns):
    serve("wristband")
    scan = screen("scan", rows=8, columns=columns)
    scan.expect(re.compile(r"Wristband .* [0-9A-F]{8}$", re.MULTILINE))
    # A smaller and a larger window have it as well.
    for other in (60, 200, columns):
        scan.resize(8, other)
        scan.expect(lambda text: re.search(r"Wristband .* [0-9A-F]{8}$", text, re.M) and all(len(line) <= other for line in text.split("\n")))
    scan.send("q")
    assert scan.finish() == 0


def test_the_typed_filter_finds_what_a_row_shows(room, run, screen):
    identifier = run("scan", "--json", "--name", "wristband", "--count", "1").records[0]["identifier"]
    scan = screen("scan", rows=16, columns=200)
    scan.expect(lambda text: "Wristband" in text and "iBeacon" in text and "Tag" in text)
    for typed, found in [
            ("heart", ["Wristband"]), ("nordic", ["Tag"]), (identifier[:8].lower(), ["Wristband"]), (identifier, ["Wristband"]),
            ("static", ["Tag", "iBeacon"]), ("public", ["Wristband"]), ("c0:11:22", ["Tag"]), ("ibeacon", ["iBeacon"]), (PROXIMITY.lower(), ["iBeacon"]),
            ("温度", ["Tag"])]:
        scan.send(f"/{typed}")
        rows = [name for name in ("Wristband", "Tag", "iBeacon") if name in found]

        def fits(text, rows=rows):
            table = text.split("\n")[1:-1]
            return [name for name in ("Wristband", "Tag", "iBeacon") if any(name in row for row in table)] == rows

        scan.expect(fits)
        scan.send("\x1b")
        scan.expect(lambda text: all(name in text for name in ("Wristband", "Tag", "iBeacon")))
    scan.send("q")
    assert scan.finish() == 0


def test_without_an_adapter_the_fix_is_named(run_without_adapter):
    alone, doctor = run_without_adapter("scan"), run_without_adapter("doctor")
    problem, fix = re.search(r"^problem  (.*)\n +(Try: .*)$", doctor.output, re.M).groups()
    assert alone.code == 3 and alone.errors.splitlines() == [f"bluelab: {problem}", fix]


def test_a_running_radio_is_offered(radio, run, run_without_adapter):
    result = run_without_adapter("scan")
    assert result.code == 3 and result.errors.splitlines()[-1] == "Try: bluelab scan --controller radio"
    assert run_without_adapter("doctor").errors.splitlines()[-1] == "Try: bluelab scan --controller radio"
    command = result.errors.splitlines()[-1].split(": bluelab ")[1].split()
    assert run(*command, "--duration", "0.3", environment={"BLUETOOTH_CONTROLLER": ""}).code == 0
    # Without an adapter that exists, a radio helps as well.
    assert "A virtual radio runs" in run("scan", "--controller", "hci99").errors


def test_a_crowded_room_costs_little():
    """2,000 devices and 10,000 reports a second. A release build has the limits of a user, a debug build twice the memory."""
    is_release = "release" in str(TOOL.resolve())
    result = advertisers.measure(TOOL, devices=2000, rate=10000, seconds=4)
    assert result["reports"] > 20000, "the driver is too slow"
    assert re.search(rb"2000 devices in \d s", result["output"])
    assert result["draws"] <= 10
    assert b"dropped" not in result["output"]
    assert result["memory"] <= (40 if is_release else 80), result["memory"]
    assert result["processor"] <= (0.10 if is_release else 0.60), result["processor"]
