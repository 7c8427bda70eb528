"""`bluelab serve`: the shipped profiles against this tool and Bumble, rules, changes of the file, and errors."""

import asyncio
import concurrent.futures
import queue
import re
import signal
import subprocess
import time

import pytest

from conftest import LIMIT, ROOT, TOOL, wait_for

SHIPPED = sorted(path.stem for path in (ROOT / "Profiles").glob("*.yaml"))

BOX = """
advertising: {{name: Box}}
services:
  - uuid: FFE0
    characteristics:
      - uuid: FFE1
        properties: [read, write, notify]
        format: u8
        value: {value}
        write: {{maximum: 9, error: 0x81}}
        notify: {{every: 200 ms}}
{more}
"""


def box(workplace, value=5, more=""):
    path = workplace.path / "box.yaml"
    temporary = workplace.path / "box.new"
    temporary.write_text(BOX.format(value=value, more=more))
    temporary.rename(path)
    return path


def test_the_list_of_shipped_profiles(run):
    records = run("serve", "--list", "--json").records
    assert [record["name"] for record in records] == SHIPPED
    assert all(record["text"] and record["services"] for record in records)
    done = subprocess.run([ROOT / "Scripts" / "generate-profiles", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# The characteristics that notify by themselves.
TIMED = {
    "heart-rate": "2A37", "pulse-band": "2A37", "thermometer": "2A1C", "ble-mp008": "FF01",
    "streamer": "71DA3FD4-7E10-41C1-B16F-4430B506CDE7"}


def test_each_shipped_profile(serve, run):
    records = {record["name"]: record for record in run("serve", "--list", "--json").records}
    devices = {profile: serve(profile, "--json", name=f"profile-{profile}") for profile in SHIPPED}

    def use(profile):
        device = devices[profile]
        serving = device.record(type="serving")
        tree = run("explore", serving["name"], "--json")
        assert tree.code == 0, tree
        services = [entry["uuid"] for entry in tree.records if entry["type"] == "service"]
        assert services == records[profile]["services"] == serving["services"]
        found = [entry for entry in tree.records if entry["type"] == "characteristic"]
        readable = [entry for entry in found if "read" in entry["properties"]]
        assert all("value" in entry for entry in readable), readable
        for entry in readable:
            assert device.record(type="served-read")["characteristic"] == entry["uuid"]
        if characteristic := TIMED.get(profile):
            notified = run("notify", serving["name"], characteristic, "--count", "1", "--json")
            assert notified.code == 0 and len(notified.records) == 1, notified
            assert device.record(type="client-subscribed")["characteristic"] == characteristic
        device.interrupt()
        assert device.finish().code == 130

    with concurrent.futures.ThreadPoolExecutor(len(SHIPPED)) as pool:
        for profile, result in [(profile, pool.submit(use, profile)) for profile in SHIPPED]:
            try:
                result.result()
            except BaseException as error:
                raise AssertionError(f"{profile}: {error}") from error


def test_a_central_of_bumble(serve, bumble):
    from bumble.core import UUID
    from bumble.device import Peer

    device = serve("mobike", "--json", name="bike")
    central = bumble(name="Central")

    async def use():
        connection = await central.device.connect("Mobike", timeout=15)
        peer = Peer(connection)
        await peer.discover_services()
        await peer.discover_characteristics()
        found = {
            word: peer.get_characteristics_by_uuid(UUID.from_16_bits(number))[0]
            for word, number in (("max", 0xFFE1), ("min", 0xFFE2), ("mean", 0xFFE3))}
        values = []
        await found["mean"].subscribe(values.append)
        await found["min"].write_value(b"\x1e", with_response=True)
        before = [await found[word].read_value() for word in ("max", "min", "mean")]
        with pytest.raises(Exception, match="(?i)length"):
            await found["min"].write_value(b"\x61", with_response=True)
        await connection.disconnect()
        return values, before

    values, before = central.call(use())
    assert before == [b"\x60", b"\x1e", b"\x3f"] and values == [b"\x3f"]
    assert device.record(type="served-write")["value"] == "1e"
    assert device.record(type="served-write")["error"] == "invalid-length"
    assert device.record(type="client-unsubscribed")["characteristic"] == "FFE3"


def test_rules_and_changes_of_the_file(workplace, serve, run, begin):
    path = box(workplace)
    device = serve(path, "--json")
    refused = run("write", "Box", "FFE1", "10", "--format", "u8")
    assert refused.code == 6
    assert device.record(type="served-write")["error"] == "0x81"

    notify = begin("notify", "Box", "FFE1", "--json")
    assert notify.record(type="notification")["value"] == "05"
    box(workplace, value=6)
    assert device.record(type="profile-changed")["services"] == ["FFE0"]
    notify.record(type="notification", value="06")

    # A broken version keeps the old one, and the link.
    box(workplace, value=300)
    error = device.record(type="profile-refused")["errors"][0]
    assert error.startswith(f"{path}:9:16: expected a value in the format u8, found \"300\""), error
    device.wait_for_error(error)
    notify.record(type="notification", value="06")

    # A new service keeps the link and the subscription of the other one.
    box(workplace, value=7, more="  - {uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], value: '63'}]}")
    assert device.record(type="profile-changed")["services"] == ["FFE0", "180F"]
    notify.record(type="notification", value="07")
    notify.interrupt()
    assert notify.finish().code == 130
    assert run("read", "Box", "2A19").output.startswith("99")


def test_errors_of_a_file(workplace, run):
    path = workplace.path / "bad.yaml"
    path.write_text("services:\n  - uuid: 180D\n    characterstics: []\n  - uuid: Hart Rate\n")
    result = run("serve", path)
    assert (result.code, result.output) == (2, "")
    lines = result.errors.splitlines()
    assert lines[0].startswith(f"{path}:3:5: expected one of the keys") and 'did you mean "characteristics"' in lines[0]
    assert lines[1].startswith(f"{path}:4:11: expected a UUID") and 'did you mean "Heart Rate"' in lines[1]
    assert lines[2] == f"bluelab: {path} is not a profile: 2 errors." and lines[3].startswith("Try: bluelab ")
    path.write_text("services: [\n")
    assert run("serve", "--check", path).code == 2
    path.write_text("services: []\n")
    assert run("serve", "--check", path).code == 0
    missing = run("serve", "no-such.yaml")
    assert missing.code == 2 and "No such file or directory" in missing.errors
    unknown = run("serve", "heart-rat")
    assert unknown.code == 2 and "Did you mean heart-rate?" in unknown.errors
    assert run("serve").code == 2
    printed = run("serve", "uart", "--print")
    path.write_text(printed.output)
    assert run("serve", "--check", "-", input=printed.output).code == 0
    broken = run("serve", "--check", "-", input="services: 1")
    assert broken.code == 2 and broken.errors.startswith("/dev/stdin:1:11: expected a list of services, found"), broken
    assert printed.output == (ROOT / "Profiles" / "uart.yaml").read_text() and run("serve", "--check", path).code == 0


def test_a_closed_pipe_and_signals(workplace, radio):
    reader = subprocess.Popen(
        f"'{TOOL}' serve battery | head -n 1; echo ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash", stdout=subprocess.PIPE,
        text=True, env=workplace.environment(BLUETOOTH_RADIO_NAME="battery"), cwd=workplace.path, start_new_session=True)
    workplace.programs.append(_Group(reader))
    radio.wait_for(lambda device: device["name"] == "battery" and device["advertising"])
    done = subprocess.run(
        [TOOL, "read", "Battery", "2A19"], env=workplace.environment(), capture_output=True, text=True, timeout=20, check=False)
    assert done.stdout == "100 %\n", done
    output, _ = reader.communicate(timeout=20)
    assert output.splitlines()[0].endswith("advertising as Battery with battery") and output.splitlines()[1] == "0"


class _Group:
    def __init__(self, process):
        self.process = process

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)


def test_an_end_after_a_duration(run, radio):
    start = time.monotonic()
    result = run("serve", "ibeacon", "--duration", "0.5", "--json")
    assert result.code == 0 and [record["type"] for record in result.records] == ["serving"]
    assert time.monotonic() - start < 10
    wait_for(lambda: not [device for device in radio.devices() if device["name"] == "ibeacon"])


def test_the_manufacturer_data_is_advertised(serve, run):
    serve("ibeacon")
    seen = run("scan", "--count", "1", "--duration", "10", "--json").records[0]
    assert seen["manufacturerData"] == "4c000215e2c56db5dffb48d2b060d0f5a71096e000010007c5"


def test_extended_advertising(serve, run, workplace):
    # A run advertises one profile, so two sets are two runs, each a device of its own.
    for name, secondary in (("Sign", "2M"), ("Post", "coded")):
        path = workplace.path / f"{name}.yaml"
        path.write_text(f"""
advertising:
  name: {name}
  manufacturer: {{company: 0xFFFF, data: "{'a5' * 150}"}}
  extended: {{primary: 1M, secondary: {secondary}}}
services:
  - uuid: FFE0
    characteristics: [{{uuid: FFE1, properties: [read], format: utf8, value: {name}}}]
""")
        serve(path)
    records = {record["name"]: record for record in run("scan", "--json", "--duration", "3").records}
    assert {name: (record["primaryPHY"], record["secondaryPHY"]) for name, record in records.items()} == {
        "Sign": ("1M", "2M"), "Post": ("1M", "Coded")}
    for name, record in records.items():
        assert record["connectable"] and record["manufacturerData"] == "ffff" + "a5" * 150
        assert len(record["data"]) // 2 > 150 + len(name)
    detail = run("scan", "--detail", "Sign").output
    assert "1M and 2M" in detail and f"advertising data, {len(records['Sign']['data']) // 2} octets" in detail
    for name in records:
        assert run("read", name, "FFE1", "--format", "utf8").output == f"{name}\n"


def test_enhanced_bearers(serve, run, workplace):
    path = workplace.path / "vault.yaml"
    path.write_text("""
advertising: {name: Vault}
services:
  - uuid: FFE0
    characteristics: [{uuid: FFE1, properties: [read, notify], security: encrypted, value: "01", notify: {every: 300 ms}}]
""")
    serve(path, environment={"BLUETOOTH_ENHANCED_BEARERS": "5"})
    assert run("pair", "Vault", "--yes").code == 0

    def requests(bearers):
        """The L2CAP_CREDIT_BASED_CONNECTION_REQs of this host for EATT (SPSM 0x0027), and their channels."""
        trace = workplace.path / "trace.btsnoop"
        variables = {"BLUETOOTH_ENHANCED_BEARERS": bearers, "BLUETOOTH_CAPTURE": trace}
        done = run("notify", "Vault", "FFE1", "--count", "5", environment=variables)
        assert done.code == 0 and len(done.lines) == 5, done
        found = re.findall(rb"\x05\x00\x17.(..)\x27\x00", trace.read_bytes(), re.DOTALL)
        return [(int.from_bytes(length, "little") - 8) // 2 for length in found], done.errors

    assert requests(None) == ([], "") and requests("0") == ([], "")
    assert requests("1") == ([1], "") and requests("5") == ([5], "")
    channels, errors = requests("6")
    assert channels == [] and "BLUETOOTH_ENHANCED_BEARERS: 6 is no number from 0 to 5" in errors, errors


def test_a_bond_is_replaced_only_if_the_user_allows_it(serve, run):
    device = serve("heart-rate")
    assert run("pair", "Pulse", "--yes").code == 0
    device.wait_for_error("bluelab: paired with ")
    assert run("unpair", "Pulse").code == 0
    refused = run("pair", "Pulse", "--yes")
    assert refused.code != 0, refused
    device.wait_for_error("it would replace the keys of its bond. Allow it with --yes")
    device.interrupt()
    assert device.finish().code == 130
    # The same store.
    serve("heart-rate", "--yes")
    assert run("pair", "Pulse", "--yes").code == 0


def test_a_passkey_is_shown(screen, bumble, radio):
    from bumble.pairing import PairingConfig, PairingDelegate

    shown = queue.Queue()

    class User(PairingDelegate):
        async def get_number(self):
            return int(await asyncio.to_thread(shown.get, timeout=LIMIT))

    central = bumble(name="Phone")
    user = User(PairingDelegate.KEYBOARD_INPUT_ONLY)
    central.device.pairing_config_factory = lambda connection: PairingConfig(sc=True, mitm=True, bonding=True, delegate=user)
    device = screen("serve", "heart-rate", columns=160, environment={"BLUETOOTH_RADIO_NAME": "pulse"})
    radio.wait_for(lambda item: item["name"] == "pulse" and item["advertising"])

    async def pair():
        connection = await central.device.connect("Pulse", timeout=15)
        await connection.pair()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pairing = pool.submit(central.call, pair())
        text = device.expect(re.compile(r"Enter the passkey \d{6} on "))
        shown.put(re.search(r"passkey (\d{6})", text)[1])
        pairing.result()
    device.expect("paired with")
    device.send("\x03")
    assert device.finish() == 130
