"""The runs on controllers of `bluelab radio`: the commands of the kernel's host, extended advertising, enhanced channels, and BlueZ's tests of
controllers. Each returns its processes."""

import csv
import json
import pathlib
import re
import time

import plan
import recording
from machine import HERE, KERNEL, MONITOR, PYTHON, READY, RUN, STACK, SimulatedRadio, anybody, reads_again, ready, script, totals, until_true, values
from processes import Process

# Vol 4, Part E, 7.8: LE Set Extended Advertising Parameters, Data and Enable; LE Set Extended Scan Parameters and Enable; LE Extended Create Connection.
ADVERTISES, SCANS, CONNECTS = (0x2036, 0x2037, 0x2039), (0x2041, 0x2042), (0x2043,)
SET_DATA = 0x2037
# The legacy commands for the same.
LEGACY = {0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x200B, 0x200C, 0x200D}
# Vol 3, Part A, 4.26: L2CAP_CREDIT_BASED_CONNECTION_RSP.
ACCEPTS = 0x18
# Who opened the channels of an answer that bluetoothd received or sent.
BLUETOOTHD, OUR_HOST = "bluetoothd", "our host"
OPENERS = {recording.ACL_RECEIVED: BLUETOOTHD, recording.ACL_SENT: OUR_HOST}
# Seconds that a link with enhanced channels is watched, longer than a pairing waits for its peer (Vol 3, Part H, 3.4); the values in that time.
STANDS, READS = 40, 20
# Seconds of hci-tester.
TESTER = 240


def hexadecimal(opcodes):
    return ", ".join(f"0x{opcode:04X}" for opcode in sorted(opcodes)) or "none"


def add_extended(good, who, text):
    totals.prefix = "extended advertising: "
    totals.add(good, who, text)
    totals.prefix = ""


def check_commands(*expected):
    """Checks that the kernel's host sent these commands, and no legacy one for the same."""
    sent = {opcode for opcode, _ in recording.commands(MONITOR)}
    missing, legacy = set(expected) - sent, LEGACY & sent
    totals.stack, totals.ours = KERNEL, "controller"
    text = f"the kernel's commands: sent {hexadecimal(expected)}" + (f", but without {hexadecimal(missing)}" if missing else "")
    add_extended(not missing and not legacy, "kernel", f"{text}; legacy ones: {hexadecimal(legacy)}")
    totals.stack = STACK


COMPANY, EDDYSTONE = 0xFFFF, "0000feaa-0000-1000-8000-00805f9b34fb"
# A structure that bluetoothd 5.66 takes has up to 31 octets. It leaves out longer manufacturer data.
SMALL, LARGE = 20, {100: "1M", 190: "2M"}
SEVERAL, UUIDS = "several", [plan.LATE_SERVICE, plan.LATE_CHARACTERISTIC]


def octets(size):
    return bytes(7 * index & 0xFF for index in range(size)).hex()


def manufacturer(size):
    return {"company": COMPANY, "data": octets(size)}


def beacon(name, extended, **structures):
    return {"id": name, "beacon": {"flags": 6, "name": name, "extended": {"secondary": extended}, **structures}}


def extended_world():
    """Writes a world of advertisers with extended advertising, and returns its file. The peripheral has the long value of the plan."""
    profile, world = pathlib.Path("/run/peripheral.yaml"), pathlib.Path("/run/extended.world.yaml")
    long = {"uuid": plan.LONG, "properties": ["read"], "value": plan.READ_VALUE.hex()}
    profile.write_text(json.dumps({
        "advertising": {"name": plan.NAME, "services": [plan.SERVICE], "manufacturer": manufacturer(100), "extended": {"secondary": "1M"}},
        "services": [{"uuid": plan.SERVICE, "characteristics": [long]}]}))
    services = {"services": UUIDS, "service-data": {"service": "FEAA", "data": octets(SMALL)}}
    world.write_text(json.dumps({"world": 1, "devices": [
        {"id": "peripheral", "profile": str(profile)},
        beacon(SEVERAL, "2M", manufacturer=manufacturer(SMALL), **services),
        *(beacon(f"octets-{size}", phy, manufacturer=manufacturer(size)) for size, phy in LARGE.items()),
    ]}))  # fmt: skip
    return world


def tool(*words, name, **environment):
    """A `bluelab` command on the radio."""
    return Process(
        ["/opt/bluelab", *words], BLUETOOTH_CONTROLLER="radio", BLUETOOTH_RADIO_NAME=name, XDG_RUNTIME_DIR=SimulatedRadio.DIRECTORY,
        XDG_STATE_HOME=f"/run/state-{name}", **environment)


def worlds_reports():
    """worlds through bluetoothd: it reports extended advertising, and connects to our peripheral that uses it"""
    names = [SEVERAL, *(f"octets-{size}" for size in LARGE)]
    with SimulatedRadio(options=["--world", extended_world()]):
        reports = script("bluez_reports.py", *names)
        code = reports.wait(RUN)
        totals.ours = "controller"
        found = {row[0]: row[1:] for line in reports.lines if line.startswith("[") for row in [json.loads(line)]}
        expected = [sorted(uuid.lower() for uuid in UUIDS), {str(COMPANY): octets(SMALL)}, {EDDYSTONE: octets(SMALL)}]
        good = code == 0 and found.get(SEVERAL) == expected
        add_extended(good, "BlueZ", f"data above 31 octets: the name, two services and the data of a company and of a service{'' if good else f', {found}'}")
        for size in LARGE:
            got = found.get(f"octets-{size}", [[], {}])[1].get(str(COMPANY), "")
            good = code == 0 and got in ("", octets(size))
            totals.add(good, "BlueZ", f"run: {size} octets of manufacturer data: {'whole' if got else 'absent'}, and no part is taken as whole")
        holder = anybody("holder", "bluez:hci0")
        add_extended(holder.wait_for_line("VALUE", READY), "BlueZ", "connections to our host: values over the link")
        holder.stop()
        check_commands(*SCANS, *CONNECTS)
        return [reports, holder]


def worlds_advertising():
    """worlds through bluetoothd: BlueZ's GATT server advertises by extended advertising on 2M, against our central"""
    totals.ours = "controller"
    with SimulatedRadio() as radio:
        scan = tool("scan", "--json", "--name", plan.NAME, "--count", "1", name="scan")
        server = ready(Process([*PYTHON, HERE / "bluez_server.py"], INTEROP_SECONDARY="2M"))
        scan.wait(READY)
        holder = radio.join("holder")
        reads = holder.wait_for_line("VALUE", READY)
        holder.stop()
        server.stop()
        # bluetoothd 5.66 has 31 octets for the service and the name, and the kernel adds the flags.
        sent = [parameters[4:].hex() for opcode, parameters in recording.commands(MONITOR) if opcode == SET_DATA]
        found = [(row.get("secondaryPHY"), row["data"]) for line in scan.lines if line.startswith("{") for row in [json.loads(line)]]
        good = len(sent) == 1 and len(sent[0]) > 2 * 31 and found == [("2M", sent[0])]
        add_extended(good, "client", f"data above 31 octets: reported {found}, sent {sent}")
        add_extended(reads, "client", "connections of our host: values over the link")
        check_commands(*ADVERTISES)
        return [server, holder, scan]


class EnhancedRadio(SimulatedRadio):
    """bluetoothd with enhanced channels (EATT), which Debian's kernel has only if asked."""

    SWITCH = pathlib.Path("/sys/module/bluetooth/parameters/enable_ecred")

    def __init__(self):
        super().__init__(configuration="[GATT]\nChannels = 4\n")

    def __enter__(self):
        self.SWITCH.write_text("Y")
        return super().__enter__()

    def __exit__(self, *exception):
        super().__exit__(*exception)
        self.SWITCH.write_text("N")


def check_enhanced(*openers):
    """Checks that channels which one of these opened were accepted, and used. The opener is known by the direction of the answer."""
    opened = {}
    for kind, octets in recording.signals(MONITOR, ACCEPTS):
        # A peer may accept some of the channels that it was asked for, and may be asked again.
        count = sum(any(octets[place : place + 2]) for place in range(8, len(octets), 2))
        if count:
            opened[OPENERS[kind]] = opened.get(OPENERS[kind], 0) + count
    good = len(opened) == 1 and opened.keys() <= set(openers)
    totals.add(good, openers[0], f"enhanced channels: {', '.join(f'{count} opened by {opener}' for opener, count in opened.items()) or 'none opened'}")
    frames = recording.enhanced(MONITOR)
    good = {recording.ACL_SENT, recording.ACL_RECEIVED} <= set(frames)
    totals.add(good, openers[0], f"enhanced channels: {len(frames)} frames on them{'' if good else ', not in both directions'}")


def enhanced_theirs():
    """enhanced channels that bluetoothd opens to our peripheral, on a controller of `bluelab radio`"""
    totals.ours = "daemon"
    with EnhancedRadio() as radio:
        server = ready(radio.join("adapter", BLUETOOTH_RADIO_PLATFORM="bluez-eatt"))
        holder = anybody("holder", "bluez:hci0")
        holder.wait_for_line("VALUE", READY)
        # The kernel pairs in this time, because our host accepts the channels on an encrypted link only.
        started, before = time.monotonic(), values(holder)
        until_true(lambda: time.monotonic() > started + STANDS or holder.exit_code is not None)
        good = holder.exit_code is None and reads_again(holder)
        totals.add(good, "client", f"enhanced channels: {values(holder) - before} values, and the link stays for {STANDS} s")
        check_enhanced(BLUETOOTHD)
        holder.stop()
        server.stop()
        return [server, holder]


def enhanced_ours():
    """enhanced channels that our central opens to bluetoothd, on a controller of `bluelab radio`"""
    totals.ours = "daemon"
    path = pathlib.Path("/run/enhanced.yaml")
    reads = [{"read": {"characteristic": plan.LONG, "equals": plan.READ_VALUE.hex(), "format": "hex"}}, {"sleep": f"{STANDS / READS} s"}]
    steps = [{"scan": {"service": plan.SERVICE}}, "connect", "pair", {"repeat": {"times": READS, "steps": reads}}]
    path.write_text(json.dumps({"timeout": f"{READY} s", "steps": steps}))
    with EnhancedRadio():
        server = ready(anybody("adapter", "bluez:hci0"))
        client = tool("run", path, name="client", BLUETOOTH_RADIO_PLATFORM="bluez-eatt")
        code = client.wait(3 * READY)
        totals.add(code == 0, "client", f"enhanced channels: {READS} values in {STANDS} s over one link, exit code {code}")
        # As a peripheral, bluetoothd opens channels too. Whoever asks first has them, and the other one asks for no more.
        check_enhanced(OUR_HOST, BLUETOOTHD)
        server.stop()
        return [server, client]


def tester_expectations():
    """What Documentation/foreign-suites.tsv expects of the cases of hci-tester."""
    with open("/opt/foreign-suites.tsv", encoding="utf-8", newline="") as table:
        rows = csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["case"]: (row["expected"], row["reason"]) for row in rows if row["suite"] == "hci-tester"}


def tester():
    """hci-tester of BlueZ on two controllers of `bluelab radio`"""
    totals.stack, totals.ours = KERNEL, "controller"
    path, expected = f"{SimulatedRadio.DIRECTORY}/second", tester_expectations()
    with SimulatedRadio(daemon=False, options=["--listen", f"unix:{path}"]):
        other = script("vhci_bridge.py", path)
        other.wait_for_line("READY", READY)
        cases = Process(["hci-tester"])
        cases.wait(TESTER)
        other.stop()
        summary = re.sub(r"\x1b\[[0-9;]*m", "", cases.output).partition("Test Summary")[2]
        found = {match[1]: match[2] for match in re.finditer(r"^(\S.*?) {2,}(Passed|Failed|Timed out|Not Run)", summary, re.MULTILINE)}
        for name in expected.keys() - found.keys():
            totals.add(False, "hci-tester", f"run: it has no case {name}")
        for name, result in found.items():
            verdict, reason = expected.get(name, ("passes", ""))
            good = (result == "Passed") == (verdict == "passes")
            totals.add(good, "hci-tester", f"run: {name}: {result}" + (f": {reason}" if reason else "") + ("" if good else f" ({verdict} is expected)"))
        totals.add(bool(found), "hci-tester", f"run: {len(found)} cases")
        return [other, cases]
