"""Compares one sample of each PDU, as decoded by this package, with tshark. See Interop/captures.

`pdu-samples` writes the packets and the decoded values. `capture_fields.json` maps the fields to fields of tshark:

  "FIELD"          contains the number or text among its values
  "bytes:FIELD"    octets, the least significant first
  "bits:PREFIX"    fields PREFIX1, PREFIX2 and so on are the bits from the lowest
  "octal:PREFIX"   fields PREFIXab are bit b of octet a; tshark omits bits without a name
  "count:FIELD"    occurs this many times
  "uuid:FIELD"     a UUID of 16 bits
  "skip: REASON"   tshark does not show it
  "octets"         the octets of the value in the file, without tshark, which shows no value that it decodes itself: every ATT PDU with a value has it

Defects of tshark 4.0: in LE Directed Advertising Report it swaps Address and Direct_Address (Vol 4, Part E, 7.7.65.11), so the table
swaps them too. It shows HCI_Subversion under the name of HCI_Version. It does not decode Authenticated Payload Timeout Expired and the ATT PDUs with
several values of variable length.
"""

import json
import os
import re

import processes
from capture_octets import btsnoop_records, value_of

HERE = os.path.dirname(os.path.abspath(__file__))
LAYERS = ("bthci_cmd", "bthci_evt", "btl2cap", "btatt", "btle", "btle_rf")
KINDS = r"(?:HCICommand|HCIStatusCommand|AdvertisingDataFragment|HCIEvent|HCILEEvent|ATT\w*PDU|ControlPayload|Signal|AdvertisingDataPDU)"
# PDUs that contain other PDUs, and types that other PDUs consist of.
NOT_SAMPLED = {
    "HCI.CommandComplete": "every command answer is one", "HCI.LEMetaEvent": "every LE event is one",
    "HCI.HostNumberOfCompletedPackets": "has no answer, and the layout of Number Of Completed Packets",
    "HCI.VendorWriteBDADDR": "tshark does not know it",
    "HCI.VendorWriteTransmitPower": "tshark does not know it",
    "HCI.VendorWriteSleepClock": "tshark does not know it",
}


def load(path):
    result = processes.output_of(["tshark", "-r", path, "-T", "json", "--no-duplicate-keys"], 120)
    result.check_returncode()
    return [packet["_source"]["layers"] for packet in json.loads(result.stdout)]


def leaves(node):
    if isinstance(node, list):
        for item in node:
            yield from leaves(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str):
                    yield key, one
                else:
                    yield from leaves(one)


def number(text):
    if text in ("True", "False", "true", "false"):
        return int(text.lower() == "true")
    try:
        return int(text, 0)
    except ValueError:
        try:
            return int(float(text))
        except ValueError:
            return None


def agrees(ours, spec, fields):
    """Whether tshark has this value there, and what it has."""
    kind, _, key = spec.rpartition(":")
    values = [value for name, value in fields if name == key]
    if kind == "":
        if isinstance(ours, str):
            return ours.replace(":", "").lower() in [value.replace(":", "").lower() for value in values], values
        return ours in [number(value) for value in values], values
    if kind == "bytes":
        numbers = [int.from_bytes(bytes.fromhex(value.replace(":", "")), "little") for value in values]
        return ours & (1 << 64) - 1 in numbers, values
    if kind == "count":
        return ours == len(values), values
    if kind == "uuid":
        return int(ours, 16) in [number(value) for value in values], values
    shown = theirs = 0
    for name, value in fields:
        match = re.fullmatch(re.escape(key) + r"(\d)(\d?)", name)
        if match:
            place = int(match[1]) * 8 + int(match[2]) if kind == "octal" else int(match[1]) - 1
            shown |= 1 << place
            theirs |= (number(value) or 0) << place
    return shown != 0 and ours & shown == theirs, [hex(theirs)]


def known_pdus():
    """The names of all PDUs in the sources."""
    names = set()
    for folder, space in (("HCI", "HCI"), ("LinkLayer", "LL"), ("L2CAP", "L2CAP"), ("ATT", "ATT")):
        for path, _, files in os.walk(os.path.join(HERE, "..", "Sources", "Protocol", "BLEWire", folder)):
            for file in files:
                with open(os.path.join(path, file), encoding="utf-8") as source:
                    text = source.read()
                names |= {f"{space}.{name}" for name in re.findall(rf"struct (\w+):[^{{\n]*\b{KINDS}\b", text)}
    return names - set(NOT_SAMPLED)


def att_values(path):
    """The values of the ATT PDUs in the samples, by the number of the frame. A sample is one H4 packet, without fragments."""
    with open(path, "rb") as file:
        records = [record[24:] for record in btsnoop_records(file.read())]
    return {
        number: value_of(packet[9:]) for number, packet in enumerate(records, 1) if packet[:1] == b"\x02" and packet[7:9] == b"\x04\x00"}


def check(bench, program, folder, hard_errors):
    made = processes.output_of([program, folder], 60)
    bench.check("one of each PDU is written", [] if made.returncode == 0 else [made.stderr])
    with open(os.path.join(folder, "samples.json"), encoding="utf-8") as file:
        samples = json.load(file)
    with open(os.path.join(HERE, "capture_fields.json"), encoding="utf-8") as file:
        table = json.load(file)
    captures = {"hci": os.path.join(folder, "samples.btsnoop"), "air": os.path.join(folder, "samples.pcapng")}
    for name, path in captures.items():
        bench.check(f"one of each PDU, {name}: nothing malformed, no expert error", hard_errors(path))
    frames = {name: load(path) for name, path in captures.items()}
    missing = known_pdus() - {sample["name"] for sample in samples}
    bench.check("every PDU in the sources has a sample", [f"{name} has no sample" for name in sorted(missing)])
    values = att_values(captures["hci"])
    compared = skipped = octets = 0
    kinds, unused = {}, {(name, field) for name, fields in table.items() for field in fields}
    for sample in samples:
        name = sample["name"]
        problems = kinds.setdefault(name, [])
        unused -= {(name, field) for field in sample["fields"]}
        if name.startswith("ATT.") and (value := values[sample["frame"]]):
            octets += 1
            if sample["fields"].get("value") != value.hex():
                problems.append(f"value is {sample['fields'].get('value')} by us, {value.hex()} in the octets of the capture")
        layers = frames[sample["file"]][sample["frame"] - 1]
        fields = [leaf for layer in LAYERS if layer in layers for leaf in leaves(layers[layer])]
        for field, ours in sample["fields"].items():
            spec = table.get(name, {}).get(field)
            if spec is None:
                problems.append(f"{field}: no field of tshark's is named for it in capture_fields.json")
            elif spec.startswith("skip:"):
                skipped += 1
            elif spec == "octets":
                compared += 1
                if field != "value" or not values.get(sample["frame"]):
                    problems.append(f"{field} has no octets in the capture")
            else:
                compared += 1
                right, theirs = agrees(ours, spec, fields)
                if not right:
                    problems.append(f"{field} is {ours} by us, {spec} {theirs} by tshark")
    for space, title in (("HCI", "HCI commands, answers and events"), ("L2CAP", "L2CAP signals"), ("ATT", "ATT PDUs"),
                         ("LL", "PDUs of the air")):
        mine = {name: problems for name, problems in kinds.items() if name.startswith(space + ".")}
        bench.check(
            f"{len(mine)} {title}: tshark reads the same values",
            [f"{name}: {problem}" for name, problems in mine.items() for problem in problems])
    bench.check("every field of capture_fields.json is compared", [f"{name}: no sample has {field}" for name, field in sorted(unused)], is_feature=False)
    print(f"note    the octets of {octets} values of ATT PDUs compared")
    print(f"note    {compared} values of {len(kinds)} kinds of PDU compared, {skipped} that tshark does not show")
