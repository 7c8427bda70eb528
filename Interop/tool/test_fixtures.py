"""The fixtures themselves, against the example programs."""

from bumble import gatt
from bumble.core import UUID


def test_commands_with_a_program(radio, serve, run, begin):
    serve("wristband")
    result = run("read", "wrist", "2A38")
    assert (result.code, result.output, result.errors) == (0, "Wrist\n", "")
    notify = begin("notify", "wrist", "2A37", "--json")
    assert notify.record(characteristic="2A37")["text"].endswith("bpm")
    notify.interrupt()
    assert notify.finish().code == 130


def test_a_table_on_a_terminal(serve, screen):
    serve("wristband")
    scan = screen("scan", rows=10, columns=100)
    scan.expect("Wristband")
    scan.send("\x03")
    assert scan.finish() == 130


def test_a_server_on_bumble(bumble, run):
    written = []
    value = gatt.Characteristic(
        UUID("FFF1"), gatt.Characteristic.Properties.READ | gatt.Characteristic.Properties.WRITE,
        gatt.Characteristic.READABLE | gatt.Characteristic.WRITEABLE,
        gatt.CharacteristicValue(read=lambda _: b"\x01\x02", write=lambda _, octets: written.append(octets)))
    device = bumble([gatt.Service(UUID("FFF0"), [value])], name="Scale")
    assert run("read", "scale", "FFF1").output.startswith("01 02")
    assert run("write", "scale", "FFF1", "0a0b").code == 0
    assert written == [b"\x0a\x0b"] and len(device.connections) == 2
    device.vanish()
    assert run("read", "scale", "FFF1", "--timeout", "1").code == 4
