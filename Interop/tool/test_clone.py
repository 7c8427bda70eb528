"""`bluelab clone`: a clone that is served again looks like the device."""

from bumble import gatt
from bumble.core import UUID


def tree(run, name):
    """The services, characteristics and descriptors of a device, with their values."""
    result = run("explore", name, "--all", "--json")
    assert result.code == 0, result
    kept = ("type", "uuid", "service", "characteristic", "properties", "value", "text", "error")
    return [{key: record[key] for key in kept if key in record} for record in result.records if record["type"] in ("service", "characteristic", "descriptor")]


def test_a_clone_has_the_same_tree(workplace, serve, run):
    original = serve("streamer", name="original")
    expected = tree(run, "Streamer")
    result = run("clone", "Streamer", "-o", "copy.yaml", "--json")
    assert result.code == 0, result
    (record,) = result.records
    text = (workplace.path / "copy.yaml").read_text()
    assert record["type"] == "clone" and record["file"] == "copy.yaml" and record["text"] == text and record["refused"] == []
    assert "Hello from Linux" in text and text.startswith("# A clone of Streamer.\n")
    original.stop()
    serve(workplace.path / "copy.yaml", name="copy")
    copy = tree(run, "Streamer")
    assert copy == expected and len(copy) > 4


def test_a_clone_of_a_device_of_bumble(workplace, bumble, serve, run):
    properties = gatt.Characteristic.Properties
    readable, writeable = gatt.Characteristic.READABLE, gatt.Characteristic.WRITEABLE
    secret = gatt.Characteristic.Permissions.READ_REQUIRES_AUTHORIZATION if hasattr(
        gatt.Characteristic.Permissions, "READ_REQUIRES_AUTHORIZATION") else readable
    serial = gatt.Characteristic(UUID("FFF1"), properties.READ, readable, b"\x00\xff")
    label = gatt.Characteristic(
        UUID("FFF2"), properties.READ | properties.WRITE, readable | writeable, "Küche".encode(),
        descriptors=[gatt.Descriptor(UUID("2901"), readable, b"A label")])
    hidden = gatt.Characteristic(UUID("FFF3"), properties.READ | properties.NOTIFY, secret, b"x")
    inner = gatt.Service(UUID("FFE0"), [gatt.Characteristic(UUID("FFE1"), properties.READ, readable, b"\x07")], primary=False)
    device = bumble([inner, gatt.Service(UUID("FFF0"), [serial, label, hidden], included_services=[inner])], name="Scale")
    expected = tree(run, "Scale")
    result = run("clone", "Scale", "--json")
    assert result.code == 0, result
    (record,) = result.records
    text = record["text"]
    assert record["refused"] == ["FFF3"] and "# The value could not be read: " in text, text
    assert 'value: "Küche"' in text and "primary: false" in text and 'includes: ["FFE0"]' in text, text
    device.vanish()
    path = workplace.path / "scale.yaml"
    path.write_text(text)
    serve(path, name="scale")
    copy = tree(run, "Scale")

    def without_values(records):
        return [{key: value for key, value in record.items() if key not in ("error", "value", "text") or record["uuid"] != "FFF3"} for record in records]

    assert without_values(copy) == without_values(expected)
    # The printed profile is that of the record.
    assert run("serve", "--check", path).code == 0


def test_a_clone_that_cannot_be_written(serve, run):
    serve("wristband")
    result = run("clone", "wrist", "-o", "/no/such/folder/copy.yaml")
    assert result.code == 1 and "/no/such/folder" in result.errors and result.output == ""
    assert run("clone", "nobody", "--timeout", "1").code == 4
