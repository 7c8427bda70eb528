"""read, write, notify, rssi and mtu: paths, formats, files, plots, lost links."""

import re
from xml.dom import minidom

from bumble import att, gatt
from bumble.core import UUID

from conftest import wait_for

P = gatt.Characteristic.Properties
READ, WRITE = gatt.Characteristic.READABLE, gatt.Characteristic.WRITEABLE
CHAIN = re.compile("[\u2801-\u28ff]")


def is_brief(result):
    lines = result.errors.splitlines()
    return 1 <= len(lines) <= 3 and lines[0].startswith("bluelab: ")


def identifier(run, name):
    """The identifier of a device, which later commands find without a scan."""
    return run("mtu", name, "--json").records[0]["identifier"]


def test_paths_and_records(serve, run):
    serve("wristband")
    wrist = identifier(run, "wrist")
    several = run("read", wrist, "2A38", "5B1D0001", "2A37/2901", "180D/2A37/2902")
    assert several.code == 0 and [line.split()[-1] for line in several.lines] == ["Wrist", "8000", "rate", "none"]
    records = run("read", wrist, "2A38", "2A37/2901", "--json").records
    assert records[0] == {
        "v": 1, "type": "value", "service": "180D", "characteristic": "2A38", "name": "Body Sensor Location", "value": "02", "text": "Wrist"}
    assert records[1]["descriptor"] == "2901" and records[1]["text"] == "Heart rate"
    refused = run("read", wrist, "2A37", "2A38")
    assert refused.code == 6 and refused.lines == ["Body Sensor Location    Wrist"] and is_brief(refused)
    for path, text in (("2A38#2", "no characteristic"), ("2A37/2999", "no descriptor"), ("180F/2A38", "no characteristic")):
        missing = run("read", wrist, path)
        assert missing.code == 4 and is_brief(missing) and text in missing.errors and missing.output == ""
    for value, options, text in (
            ("70000", ["--format", "u16"], "0 to 65535"), ("0", [], "hexadecimal"), ("nose", ["--format", "sig"], "Chest")):
        mistaken = run("write", wrist, "2A38", value, *options)
        assert mistaken.code == 2 and is_brief(mistaken) and text in mistaken.errors
    assert run("write", wrist, "5B1D0001", "--file", "-", "--format", "u16", input="1234\n").code == 0
    assert run("read", wrist, "5B1D0001", "--format", "u16").output == "1234\n"
    subscription = run("write", wrist, "2A37/2902", "0100")
    assert subscription.code == 2 and subscription.errors.endswith(f"Try: bluelab notify {wrist} 2A37\n")


def test_long_values_instances_and_security(bumble, run, workplace):
    written = []
    long = gatt.Characteristic(
        UUID("FFF1"), P.READ | P.WRITE | P.WRITE_WITHOUT_RESPONSE, READ | WRITE,
        gatt.CharacteristicValue(read=lambda _: bytes(range(256)) + b"end", write=lambda _, octets: written.append(octets)))

    def deny(_):
        raise att.ATT_Error(att.ErrorCode.INSUFFICIENT_AUTHORIZATION)

    secret = gatt.Characteristic(UUID("FFF2"), P.READ, READ, gatt.CharacteristicValue(read=deny))
    batteries = [
        gatt.Service(UUID("180F"), [gatt.Characteristic(UUID("2A19"), P.READ, READ, bytes([level]))]) for level in (80, 20)]
    bumble([gatt.Service(UUID("FFF0"), [long, secret]), *batteries], name="Scale", max_mtu=60)

    scale = identifier(run, "Scale")
    assert run("read", scale, "FFF1", "--format", "hex").output.replace(" ", "") == (bytes(range(256)) + b"end").hex() + "\n"
    assert run("read", scale, "180F#2/2A19", "180F/2A19#1").lines == ["Battery Level  20 %", "Battery Level  80 %"]
    ambiguous = run("read", scale, "2A19")
    assert ambiguous.code == 4 and "matches several characteristics" in ambiguous.errors
    assert ambiguous.errors.endswith(f"Try: bluelab read {scale} 180F/2A19#1\n")

    sizes = run("mtu", scale, "--json").records[0]
    assert (sizes["mtu"], sizes["writeWithoutResponse"], sizes["writeWithResponse"]) == (60, 57, 512)
    (workplace.path / "value").write_bytes(bytes(57))
    assert run("write", scale, "FFF1", "--file", "value", "--without-response", "--json").records[0]["response"] is False
    (workplace.path / "value").write_bytes(bytes(58))
    long_command = run("write", scale, "FFF1", "--file", "value", "--without-response")
    assert long_command.code == 2 and is_brief(long_command) and "at most 57 octets" in long_command.errors
    (workplace.path / "value").write_bytes(bytes(513))
    assert "at most 512 octets" in run("write", scale, "FFF1", "--file", "value").errors
    assert written == [bytes(57)]

    locked = run("read", scale, "FFF2")
    assert locked.code == 7 and is_brief(locked) and "Try: bluelab pair Scale" in locked.errors, locked


def test_notifications_to_files(serve, run, workplace):
    serve("wristband")
    wrist = identifier(run, "wrist")
    result = run("notify", wrist, "heart rate", "--count", "2", "--csv", "pulse.csv", "--plot", "pulse.svg", "--json")
    assert result.code == 0 and [record["unit"] for record in result.records] == ["bpm", "bpm"]
    rows = [line.split(",") for line in (workplace.path / "pulse.csv").read_text().splitlines()]
    assert rows[0] == ["time", "characteristic", "name", "value", "text", "number", "unit"] and len(rows) == 3
    assert rows[1][3] == result.records[0]["value"] and float(rows[1][0]) == result.records[0]["time"]
    assert "bpm" in minidom.parse(str(workplace.path / "pulse.svg")).documentElement.toxml()

    signal = run("rssi", wrist, "--interval", "0.05", "--count", "3", "--plot", "signal.svg", "--csv", "signal.csv", "--json")
    assert signal.code == 0 and len(signal.records) == 3 and signal.records[0]["rssi"] == -48
    assert "dBm" in minidom.parse(str(workplace.path / "signal.svg")).documentElement.toxml()
    assert (workplace.path / "signal.csv").read_text().splitlines()[0] == "time,rssi"
    assert run("rssi", wrist).output == "-48 dBm\n"

    for options, code, text in (
            (["--csv", "/dev/full"], 1, "the disk is full"), (["--plot", "none/a.svg"], 1, "does not exist"),
            (["--plot", "a.png"], 2, "end with .svg"), (["--plot", "a.svg", "--format", "utf8"], 1, "no numbers to plot")):
        failed = run("notify", wrist, "2A37", "--count", "1", *options)
        assert failed.code == code and is_brief(failed) and text in failed.errors, failed
    assert sorted(path.name for path in workplace.path.iterdir() if path.suffix in (".svg", ".png")) == ["pulse.svg", "signal.svg"]


def test_an_interrupted_command_keeps_its_files(serve, begin, workplace):
    serve("wristband")
    notify = begin("notify", "wrist", "2A37", "--csv", "pulse.csv", "--plot", "pulse.svg")
    notify.line("bpm")
    notify.interrupt()
    assert notify.finish().code == 130
    assert len((workplace.path / "pulse.csv").read_text().splitlines()) >= 2
    minidom.parse(str(workplace.path / "pulse.svg"))

    closed = begin("notify", "wrist", "2A37", "--csv", "other.csv")
    closed.line("bpm")
    closed.child.stdout.close()
    closed._readers[0].join(5)
    assert closed.child.wait(20) == 0 and closed.errors == ""


def test_a_live_plot(serve, screen):
    serve("wristband")
    live = screen("notify", "wrist", "2A37", "--live", rows=20, columns=70)
    live.expect(re.compile(r"Heart Rate Measurement  \d+ bpm   min \d+  mean [\d.]+  max \d+  n [3-9]"))
    text = live.text()
    # One drawing, which each value replaces.
    assert text.count("Heart Rate Measurement") == 1 and CHAIN.search(text) and "┤" in text
    assert all(len(line) < 70 for line in live.lines())
    live.send("\x03")
    assert live.finish() == 130
    plain = screen("notify", "wrist", "2A37", "--live", "--count", "1", environment={"TERM": "dumb"})
    plain.expect(re.compile(r"\d s  \d+ bpm"))
    assert plain.finish() == 0


def test_lost_links(bumble, begin):
    value = gatt.Characteristic(UUID("2A19"), P.NOTIFY | P.READ, READ, b"\x32")
    subscriptions = []
    value.on("subscription", lambda *event: subscriptions.append(event))
    device = bumble([gatt.Service(UUID("180F"), [value])], name="Lamp")
    notify = begin("notify", "lamp", "2A19", "--reconnect", "--count", "2", "--json")
    wait_for(lambda: subscriptions)
    device.notify(value, b"\x33")
    notify.record(text="51 %")
    subscriptions.clear()
    device.disconnect()
    notify.wait_for_error("Reconnecting.")
    wait_for(lambda: subscriptions)
    device.notify(value, b"\x34")
    notify.record(text="52 %")
    assert notify.finish().code == 0 and "Connected again" in notify.errors

    subscriptions.clear()
    plain = begin("notify", "lamp", "2A19")
    wait_for(lambda: subscriptions)
    device.disconnect()
    result = plain.finish()
    assert result.code == 1 and is_brief(result) and "Lamp disconnected" in result.errors

    signal = begin("rssi", "lamp", "--interval", "0.1")
    signal.line("dBm")
    device.vanish()
    result = signal.finish()
    assert result.code == 5 and is_brief(result) and "Lamp disconnected" in result.errors
