"""Reads captures of this package with tshark and btmon, and compares the result with the sent values. See Interop/captures."""

import functools
import os
import re
import struct
import subprocess
import sys
import tempfile

import capture_encrypted
import capture_hostile
import capture_samples
import capture_worlds
import processes
import runs
from capture_octets import ATT_OPCODES, SHOWN, air_att, att_text, btsnoop_records, enhanced_packets, host_att, octet_text, value_of
from processes import Process

PRODUCTS = os.environ.get("INTEROP_PROGRAMS", "")
HARD = "_ws.malformed || _ws.expert.severity==error"
ADVERTISING = {37: 0, 38: 12, 39: 39}
ADVERTISING_TYPES = {
    "ADV_IND": 0, "ADV_DIRECT_IND": 1, "ADV_NONCONN_IND": 2, "SCAN_REQ": 3, "SCAN_RSP": 4, "CONNECT_IND": 5,
    "ADV_SCAN_IND": 6,
}
CONTROL_OPCODES = {
    "LL_CONNECTION_UPDATE_IND": 0x00, "LL_CHANNEL_MAP_IND": 0x01, "LL_TERMINATE_IND": 0x02, "LL_ENC_REQ": 0x03,
    "LL_ENC_RSP": 0x04, "LL_START_ENC_REQ": 0x05, "LL_START_ENC_RSP": 0x06, "LL_PAUSE_ENC_REQ": 0x0A, "LL_PAUSE_ENC_RSP": 0x0B,
    "LL_UNKNOWN_RSP": 0x07,
    "LL_FEATURE_REQ": 0x08, "LL_FEATURE_RSP": 0x09, "LL_VERSION_IND": 0x0C, "LL_PERIPHERAL_FEATURE_REQ": 0x0E,
    "LL_CONNECTION_PARAM_REQ": 0x0F, "LL_CONNECTION_PARAM_RSP": 0x10, "LL_REJECT_EXT_IND": 0x11, "LL_PING_REQ": 0x12,
    "LL_PING_RSP": 0x13, "LL_LENGTH_REQ": 0x14, "LL_LENGTH_RSP": 0x15, "LL_PHY_REQ": 0x16, "LL_PHY_RSP": 0x17,
    "LL_PHY_UPDATE_IND": 0x18,
}

@functools.cache
def stacks():
    """The names of tshark and btmon with their versions."""
    version = processes.output_of(["tshark", "--version"], 20).stdout.split()
    tshark = "tshark " + (".".join(version[2].split(".")[:2]) if len(version) > 2 else "")
    return tshark, "btmon " + processes.output_of(["btmon", "--version"], 20).stdout.strip()


class Bench(runs.Totals):
    """Counts checks and prints their problems."""

    def check(self, title, problems, is_feature=True):
        """`problems` is a list of sentences; a check without problems passes. The matrix has the features, and no checks of this script itself."""
        if is_feature:
            # The name of a feature contains no counts, because they differ between runs.
            self.keep(stacks()["btmon" in title], "capture", re.sub(r"\b\d+ ", "", title), not problems)
        self.count(not problems, f"{title}: {problems[0]}" if problems else title)
        print(f"{'failed' if problems else 'passed'}  {title}", flush=True)
        for problem in problems[:8]:
            print(f"        {problem}", flush=True)


def product(name):
    return os.path.join(PRODUCTS, name)


def tshark(path, *arguments):
    result = processes.output_of(["tshark", "-r", path, *arguments], 120)
    if result.returncode != 0:
        raise RuntimeError(f"tshark {path}: {result.stderr.strip()}")
    return result.stdout.splitlines()


def fields(path, names, condition=None):
    """Returns one dictionary for each packet, with the first value of a field that occurs several times."""
    arguments = ["-T", "fields", "-E", "separator=\t", "-E", "occurrence=f"]
    for name in names:
        arguments += ["-e", name]
    if condition:
        arguments += ["-Y", condition]
    return [dict(zip(names, line.split("\t"), strict=True)) for line in tshark(path, *arguments)]


def hard_errors(path):
    return [f"tshark: {line.strip()}" for line in tshark(path, "-Y", HARD)]


def number(text):
    return int(text, 0) if text else None


# MARK: The demo, compared with its own trace

LINE = re.compile(
    r"^ *(?P<time>\d+\.\d{6})  +(?P<channel>\d+)  (?P<phy>[12]M)  (?P<sender>\S+) +"
    r"(?P<signal>-?\d+ dBm|unheard|damaged|missed)  (?P<content>.*)$")


def parse_trace(text):
    packets = []
    for line in text.splitlines():
        match = LINE.match(line)
        if match:
            packets.append(match.groupdict())
    return packets


def rf_channel(index):
    if index in ADVERTISING:
        return ADVERTISING[index]
    return index + 1 if index <= 10 else index + 2


FIELDS = [
    "frame.time_epoch", "btle_rf.channel", "btle_rf.phy", "btle_rf.signal_dbm", "btle_rf.flags.crc_valid",
    "btle_rf.pdu_type", "btle.access_address", "btle.advertising_header.pdu_type", "btle.advertising_address",
    "btcommon.eir_ad.entry.device_name", "btle.link_layer_data.interval", "btle.link_layer_data.timeout",
    "btle.link_layer_data.access_address", "btle.control_opcode", "btatt.opcode", "btatt.handle", "btatt.value",
    "btatt.starting_handle", "btatt.ending_handle", "btatt.offset", "btatt.client_rx_mtu", "btatt.server_rx_mtu", "btatt.req_opcode_in_error",
    "btatt.error_code",
]


def same(problems, row, what, ours, theirs):
    if ours != theirs:
        problems.append(f"packet {row}: {what} is {ours} in the trace, {theirs} in tshark")


def compare_radio(row, ours, theirs, problems):
    same(problems, row, "time in us", round(float(ours["time"]) * 1e6), round(float(theirs["frame.time_epoch"]) * 1e6))
    same(problems, row, "RF channel", rf_channel(int(ours["channel"])), number(theirs["btle_rf.channel"]))
    same(problems, row, "PHY", {"1M": 0, "2M": 1}[ours["phy"]], number(theirs["btle_rf.phy"]))
    same(problems, row, "CRC valid", "1", theirs["btle_rf.flags.crc_valid"])
    if ours["signal"].endswith("dBm"):
        same(problems, row, "signal", int(ours["signal"].split()[0]), number(theirs["btle_rf.signal_dbm"]))
    elif ours["signal"] == "unheard":
        same(problems, row, "signal", "", theirs["btle_rf.signal_dbm"])
    if int(ours["channel"]) < 37:
        same(problems, row, "direction", 2 if ours["sender"] == "Phone" else 3, number(theirs["btle_rf.pdu_type"]))


def compare_advertising(row, content, theirs, problems):
    kind = content.split()[0]
    same(problems, row, "PDU type", ADVERTISING_TYPES.get(kind), number(theirs["btle.advertising_header.pdu_type"]))
    addresses = re.findall(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", content)
    same(problems, row, "advertiser", addresses[-1].lower(), theirs["btle.advertising_address"])
    name = re.search(r'name "([^"]*)"', content)
    same(problems, row, "name", name.group(1) if name else "", theirs["btcommon.eir_ad.entry.device_name"])
    if kind == "CONNECT_IND":
        interval = float(re.search(r"interval ([\d.]+) ms", content).group(1))
        same(problems, row, "interval", interval, number(theirs["btle.link_layer_data.interval"]) * 1.25)
        timeout = int(re.search(r"timeout (\d+) ms", content).group(1))
        same(problems, row, "timeout", timeout, number(theirs["btle.link_layer_data.timeout"]) * 10)
        address = int(content.split()[-1], 16)
        same(problems, row, "access address", address, number(theirs["btle.link_layer_data.access_address"]))


def compare_data(row, content, theirs, pdu, problems):
    """Returns the kind of the packet, or None for a packet without a control or ATT opcode. `pdu` has the octets of the ATT PDU in the capture."""
    if content.startswith("LL_"):
        name = content.split()[0]
        same(problems, row, "control opcode", CONTROL_OPCODES[name], number(theirs["btle.control_opcode"]))
        return name
    if not content.startswith("ATT "):
        same(problems, row, "ATT opcode", "", theirs["btatt.opcode"])
        if pdu is not None:
            problems.append(f"packet {row}: {content} in the trace, but the capture has the ATT PDU {pdu.hex(' ')}")
        return None
    name = content[4:].partition("  ")[0]
    same(problems, row, "ATT opcode", ATT_OPCODES.get(name), number(theirs["btatt.opcode"]))
    if pdu is None:
        problems.append(f"packet {row}: {content} in the trace, but the capture has no ATT PDU")
        return name
    text = att_text(pdu)
    if content != text:
        problems.append(f"packet {row}: {content} in the trace, {text} in the octets of the capture")
    # The fields that tshark shows. It shows no value that it decodes itself, and another field of the same name for a characteristic.
    for field, size, place in TSHARK_FIELDS.get(name, ()):
        same(problems, row, field, int.from_bytes(pdu[place : place + size], "little"), number(theirs[field]))
    if theirs["btatt.value"] and name in VALUES:
        same(problems, row, "value", value_of(pdu).hex(), theirs["btatt.value"])
    return name


VALUES = ("Write Request", "Write Command", "Handle Value Notification", "Handle Value Indication", "Read Response")
# The number of octets of each field in the PDU, and the first of them.
HANDLE = ("btatt.handle", 2, 1)
RANGE = (("btatt.starting_handle", 2, 1), ("btatt.ending_handle", 2, 3))
TSHARK_FIELDS = {
    "Exchange MTU Request": [("btatt.client_rx_mtu", 2, 1)], "Exchange MTU Response": [("btatt.server_rx_mtu", 2, 1)],
    "Find Information Request": RANGE, "Find By Type Value Request": RANGE, "Read By Type Request": RANGE, "Read By Group Type Request": RANGE,
    "Read Request": [HANDLE], "Read Blob Request": [HANDLE, ("btatt.offset", 2, 3)], "Write Request": [HANDLE], "Write Command": [HANDLE],
    "Handle Value Notification": [HANDLE], "Handle Value Indication": [HANDLE], "Error Response": [("btatt.req_opcode_in_error", 1, 1), ("btatt.handle", 2, 2), ("btatt.error_code", 1, 4)],
}


def compare_packet(row, ours, theirs, pdu, problems):
    """Returns the kind of the packet, if it has one."""
    compare_radio(row, ours, theirs, problems)
    if int(ours["channel"]) >= 37:
        compare_advertising(row, ours["content"], theirs, problems)
        return ours["content"].split()[0]
    return compare_data(row, ours["content"], theirs, pdu, problems)


def unnoticed(ours, theirs, octets):
    """Alters the value of each ATT PDU in the trace and in the capture. Returns the alterations that the comparison does not notice, and the numbers of
    altered PDUs and of alterations."""
    problems, values, alterations = [], 0, 0

    def must_differ(row, content, pdu, what):
        nonlocal alterations
        alterations += 1
        found = []
        compare_packet(row, ours[row - 1] | {"content": content}, theirs[row - 1], pdu, found)
        if not found:
            problems.append(f"packet {row}: {what} of {content} is not noticed")

    for row, pdu in air_att(octets).items():
        content, value = ours[row - 1]["content"], value_of(pdu)
        if not value:
            continue
        values += 1
        # The trace: each pair of digits of the value, one pair less, and one more.
        head, shown = content[: -len(octet_text(value))], octet_text(value)
        for place in range(min(len(value), SHOWN)):
            other = f"{value[place] ^ 0x10:02X}"
            must_differ(row, head + shown[: 3 * place] + other + shown[3 * place + 2 :], pdu, f"another octet {place}")
        must_differ(row, head + octet_text(value[:-1]), pdu, "a value without its last octet")
        must_differ(row, head + octet_text(value + b"\0"), pdu, "a value with another octet")
        # The capture: each octet that the trace shows.
        start = len(pdu) - len(value)
        for place in range(start, start + min(len(value), SHOWN)):
            must_differ(row, content, pdu[:place] + bytes([pdu[place] ^ 1]) + pdu[place + 1 :], f"octet {place} of the capture")
        must_differ(row, content, None, "the absence")
    # The last octet of each packet, in the file.
    known = air_att(octets)
    for row, (start, length) in enumerate(enhanced_packets(octets), 1):
        if row in known and len(known[row]) > 1:
            alterations += 1
            copy = bytearray(octets)
            copy[start + length - 4] ^= 1
            if air_att(copy).get(row) == known[row]:
                problems.append(f"packet {row}: its last octet is not read")
    return problems, values, alterations


def compare_demo(bench, folder):
    path = os.path.join(folder, "demo.pcapng")
    result = processes.output_of(
        [product("bluelab"), "demo", "--trace", "--no-color", "--capture", path], 120, LC_ALL="C.UTF-8")
    bench.check("the demo runs", [] if result.returncode == 0 else [result.stderr or f"exit code {result.returncode}"])
    again = os.path.join(folder, "again.pcapng")
    processes.output_of([product("bluelab"), "demo", "--capture", again], 120)
    with open(path, "rb") as first, open(again, "rb") as second:
        problems = [] if first.read() == second.read() else ["two runs with one seed differ"]
    bench.check("the same seed produces the same capture, bit for bit", problems)
    bench.check("the demo's air: nothing malformed, no expert error", hard_errors(path))
    ours, theirs = parse_trace(result.stdout), fields(path, FIELDS)
    with open(path, "rb") as file:
        octets = file.read()
    pdus = air_att(octets)
    problems, kinds = [], set()
    if len(ours) != len(theirs) or not ours:
        problems.append(f"{len(ours)} packets in the trace, {len(theirs)} in tshark")
    for row, (mine, other) in enumerate(zip(ours, theirs), 1):
        kind = compare_packet(row, mine, other, pdus.get(row), problems)
        if kind:
            kinds.add(kind)
    needed = {"ADV_IND", "SCAN_REQ", "SCAN_RSP", "CONNECT_IND", "LL_PHY_UPDATE_IND", "LL_LENGTH_REQ",
              "LL_TERMINATE_IND", "Read Response", "Write Request", "Handle Value Notification"}
    problems += [f"the capture contains no {kind}" for kind in sorted(needed - kinds)]
    bench.check(f"the demo's air: {len(ours)} packets of {len(kinds)} kinds equal the trace", problems)
    if not problems:
        problems, values, alterations = unnoticed(ours, theirs, octets)
        if values < 30:
            problems.append(f"only {values} PDUs have a value")
        bench.check(f"the demo's air: each of {alterations} alterations of {values} values is noticed", problems, is_feature=False)
    bench.check("the demo's air: the CRCs are correct", crc_problems(path, folder))


def crc24(pdu, initial):
    """The CRC of Vol 6, Part B, 3.1.1, computed bit by bit. Bit 23 of the register is first on the air."""
    register = initial
    for octet in pdu:
        for bit in range(8):
            feedback = (register >> 23 & 1) ^ (octet >> bit & 1)
            register = (register << 1) & 0xFFFFFF
            if feedback:
                register ^= 0x00065B
    return bytes(sum((register >> (23 - 8 * place - bit) & 1) << bit for bit in range(8)) for place in range(3))


def tshark_crc_errors(octets, folder):
    path = os.path.join(folder, "unchecked.pcapng")
    with open(path, "wb") as file:
        file.write(octets)
    return tshark(path, "-Y", "btle.crc.incorrect")


def crc_problems(path, folder):
    """Clears the flags that declare the CRCs valid. tshark then computes the CRCs on the advertising channels and no others. This function
    computes the others from the CRCInit that tshark reads in CONNECT_IND."""
    with open(path, "rb") as file:
        octets = bytearray(file.read())
    initials = {0x8E89BED6: 0x555555}
    names = ["btle.link_layer_data.access_address", "btle.link_layer_data.crc_init"]
    for row in fields(path, names, "btle.advertising_header.pdu_type == 5"):
        initials[number(row[names[0]])] = number(row[names[1]])
    problems, advertising = [], 0
    for row, (start, length) in enumerate(enhanced_packets(octets), 1):
        flags = struct.unpack_from("<H", octets, start + 8)[0]
        struct.pack_into("<H", octets, start + 8, flags & ~0x0C00)
        address = struct.unpack_from("<I", octets, start + 10)[0]
        advertising += address == 0x8E89BED6
        pdu, crc = octets[start + 14:start + length - 3], octets[start + length - 3:start + length]
        if address not in initials or crc24(pdu, initials[address]) != crc:
            problems.append(f"packet {row}: CRC {crc.hex()} is wrong")
    problems += [f"tshark: {line.strip()}" for line in tshark_crc_errors(octets, folder)]
    # With one inverted bit in every CRC, tshark must report every packet on an advertising channel.
    for start, length in enhanced_packets(octets):
        octets[start + length - 1] ^= 1
    noticed = len(tshark_crc_errors(octets, folder))
    if noticed != advertising or len(initials) < 2:
        problems.append(f"tshark reports {noticed} of {advertising} wrong CRCs on advertising channels")
    return problems


def start_demo():
    """Starts the demo, whose capture goes to its standard output."""
    return subprocess.Popen(
        [product("bluelab"), "demo", "--capture", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def check_pipes(bench):
    demo = start_demo()
    result = subprocess.run(["tshark", "-r", "-"], stdin=demo.stdout, capture_output=True, text=True, timeout=120)
    demo.stdout.close()
    text = demo.stderr.read().decode()
    problems = []
    if demo.wait(60) != 0 or "23 of 23 steps" not in text:
        problems.append("the text of the demo is not on the error stream")
    if "CONNECT_IND" not in result.stdout:
        problems.append("tshark saw no CONNECT_IND in the pipe")
    bench.check("a capture goes to a pipe, and the text to standard error", problems)

    demo = start_demo()
    demo.stdout.read(10)
    demo.stdout.close()
    text = demo.communicate(timeout=60)[1].decode()
    problems = [] if demo.returncode == 0 else [f"exit code {demo.returncode}: {text[-200:]}"]
    bench.check("a reader that closes the pipe does not end the program", problems)


# MARK: Two programs

def run_two_programs(folder):
    """Returns the problems of the run."""
    socket = os.path.join(folder, "radio")

    def environment(name):
        return {"BLUETOOTH_CONTROLLER": "unix:" + socket, "BLUETOOTH_CAPTURE": os.path.join(folder, name + ".btsnoop")}

    with processes.stopped_at_end() as outputs:
        radio = Process(
            [product("bluelab"), "radio", "--listen", "unix:" + socket, "--capture", os.path.join(folder, "air.pcapng"),
             "--capture-hci", os.path.join(folder, "all.btsnoop")])
        if not radio.wait_until(lambda: os.path.exists(socket), 20):
            return ["the radio does not start", *radio.lines[-5:]]
        Process([product("wristband")], **environment("band"))
        code = Process([product("walkthrough")], **environment("phone")).wait(90)
    if code == 0:
        return []
    processes.print_outputs(("radio", "wristband", "walkthrough"), outputs)
    return ["the walkthrough takes more than 90 s" if code is None else f"the walkthrough ends with exit code {code}"]


def session_problems(name, host, air):
    """Compares the ATT PDUs of a host with those of the air, octet by octet. Both sides can send at the same time, so only the order of PDUs with one
    opcode is the same everywhere."""
    problems = []
    for opcode in sorted({pdu[0] for pdu in host + air}):
        mine, other = ([pdu for pdu in pdus if pdu[0] == opcode] for pdus in (host, air))
        if mine != other:
            problems.append(f"{name}: opcode {opcode:02X}: {len(mine)} PDUs of the host and {len(other)} on the air differ")
    return problems


def compare_sessions(folder):
    """Compares every ATT PDU of the hosts with the air. At a distance of one metre, the radio loses no packet."""
    problems = []
    path = os.path.join(folder, "air.pcapng")
    with open(path, "rb") as file:
        air = list(air_att(file.read()).values())
    seen = len(fields(path, ["frame.number"], "btatt && btle.data_header.length > 0"))
    if len(air) != seen:
        problems.append(f"tshark reads {seen} ATT PDUs on the air, and the octets have {len(air)}")
    for name in ("phone", "band"):
        with open(os.path.join(folder, name + ".btsnoop"), "rb") as file:
            host = host_att(file.read())
        if len(host) < 20:
            problems.append(f"{name}: only {len(host)} ATT packets")
        problems += session_problems(name, host, air)
        # Each octet of each PDU counts.
        for place, pdu in enumerate(air):
            for octet in range(len(pdu)):
                altered = pdu[:octet] + bytes([pdu[octet] ^ 1]) + pdu[octet + 1 :]
                if not session_problems(name, host, [*air[:place], altered, *air[place + 1 :]]):
                    problems.append(f"{name}: another octet {octet} of PDU {place} is not noticed")
    return problems


def compare_reports(folder):
    """Compares the address and signal strength of each report of the wristband with the air."""
    reports = fields(
        os.path.join(folder, "phone.btsnoop"), ["bthci_evt.bd_addr", "bthci_evt.rssi"],
        'bthci_evt.le_meta_subevent in {0x02, 0x0d} && btcommon.eir_ad.entry.device_name == "Wristband"')
    air = fields(
        os.path.join(folder, "air.pcapng"), ["btle.advertising_address", "btle_rf.signal_dbm"],
        "btle.advertising_header.pdu_type == 0 && btle_rf.flags.signal_dbm_valid == 1")
    if not reports or not air:
        return [f"{len(reports)} reports, {len(air)} advertisements"]
    problems = []
    heard = {(row["btle.advertising_address"], row["btle_rf.signal_dbm"]) for row in air}
    for report in reports:
        if (report["bthci_evt.bd_addr"], report["bthci_evt.rssi"]) not in heard:
            problems.append(f"the air contains no packet of the report {report}")
    return problems


def btmon(path):
    return processes.output_of(["btmon", "-r", path], 60)


def asks_for_characteristics(record):
    """Returns whether a record is an ACL packet with a Read By Type Request for 2803, with or without the H4 packet type."""
    return re.search(rb"^.{24}\x02?.{4}\x07\x00\x04\x00\x08.{4}\x03\x28$", record, re.DOTALL) is not None


def btmon_crashes_on_characteristics(folder):
    """Tests btmon with one such packet. btmon 5.66 (Debian 12) crashes on every Read By Type Request for 2803, which every client
    sends to discover characteristics."""
    packet = bytes.fromhex("02" "4000" "0b00" "0700" "0400" "08" "0100" "ffff" "0328")
    path = os.path.join(folder, "one.btsnoop")
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        file.write(struct.pack(">IIIIq", len(packet), len(packet), 0, 0, 0x00DCDDB30F2F8000) + packet)
    return btmon(path).returncode < 0


def btmon_problems(path, folder, has_bug):
    with open(path, "rb") as file:
        octets = file.read()
    if has_bug:
        records = [record for record in btsnoop_records(octets) if not asks_for_characteristics(record)]
        path = os.path.join(folder, "spared-" + os.path.basename(path))
        with open(path, "wb") as file:
            file.write(octets[:16] + b"".join(records))
    result = btmon(path)
    problems = [] if result.returncode == 0 else [f"btmon: exit code {result.returncode} {result.stderr.strip()}"]
    seen = len(re.findall(r"^[<>] (?:HCI|ACL)", result.stdout, re.MULTILINE))
    ours = len(fields(path, ["frame.number"], "hci_h4.type in {1,2,4} || hci_mon.opcode in {2,3,4,5}"))
    if seen != ours or seen < 50:
        problems.append(f"btmon shows {seen} packets, tshark {ours}")
    for line in result.stdout.splitlines():
        if re.search(r"invalid|malformed|unknown packet|too short|corrupt", line, re.IGNORECASE):
            problems.append(f"btmon: {line.strip()}")
    for words in ("LE Connection Complete", "Handle Value Notification", "Disconnect Complete"):
        if words not in result.stdout:
            problems.append(f"btmon shows no {words}")
    return problems


def compare_programs(bench, folder):
    problems = run_two_programs(folder)
    bench.check("two programs communicate on a recorded radio", problems)
    if problems:
        return
    for name in ("air.pcapng", "all.btsnoop", "band.btsnoop", "phone.btsnoop"):
        bench.check(f"two programs, {name}: nothing malformed, no expert error",
                    hard_errors(os.path.join(folder, name)))
    bench.check("two programs: the CRCs are correct", crc_problems(os.path.join(folder, "air.pcapng"), folder))
    bench.check("two programs: hosts and air carry the same ATT packets", compare_sessions(folder))
    bench.check("two programs: reports have the address and signal strength of the air", compare_reports(folder))
    has_bug = btmon_crashes_on_characteristics(folder)
    if has_bug:
        print("note    this btmon crashes on every discovery of characteristics; it reads the captures without these requests")
    for name in ("all.btsnoop", "band.btsnoop", "phone.btsnoop"):
        bench.check(f"btmon reads {name}", btmon_problems(os.path.join(folder, name), folder, has_bug))


def part(check, *arguments):
    """The function of a part of this suite: receives the bench, and gives the check a folder of its own."""

    def run(bench):
        with tempfile.TemporaryDirectory(prefix="captures-") as folder:
            check(bench, folder, *arguments)

    return run


def check_hostile(bench, folder):
    capture_hostile.check(bench, product, folder, fields, {"pcapng": enhanced_packets, "btsnoop": btsnoop_records}, HARD)


def check_encrypted(bench, folder):
    capture_encrypted.check(bench, product, folder, fields, hard_errors, crc_problems)


def check_samples(bench, folder):
    capture_samples.check(bench, product("pdu-samples"), folder, hard_errors)


# The longest comes first, because others take place beside it.
PARTS = {
    "the worlds of the tests": part(capture_worlds.check, HARD), "the demo": part(compare_demo), "pipes": check_pipes, "two programs": part(compare_programs), "a peer that violates the protocol": part(check_hostile),
    "an encrypted connection": part(check_encrypted), "one of each PDU": part(check_samples),
}

if __name__ == "__main__":
    # The tests record the worlds, and tshark reads all of them.
    worlds = "the worlds of the tests"
    runs.main("captures", PARTS, longer={worlds: 1500}, workers=2, totals=Bench, long=[worlds])
