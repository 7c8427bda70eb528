"""The advertising sets of the runs of extended.py with the reports that they cause, and the means of a run."""

import asyncio

from bumble.hci import Address

OURS = "C0:0C:0B:00:00:01"
BUMBLE = "F0:F1:F2:F3:F4:0A"
OTHER = "F0:F1:F2:F3:F4:0B"
STRANGER = "F0:F1:F2:F3:F4:FF"
NO_ADDRESS = "00:00:00:00:00:00"
LIMIT = 15  # Seconds for an advertisement, with a busy machine.
NAMES = {1: "1M", 2: "2M", 3: "Coded"}
# Primary and secondary PHY.
PHYS = [(primary, secondary) for primary in (1, 3) for secondary in (1, 2, 3)]
# Bits of an event type (Vol 4, Part E, 7.7.65.13).
CONNECTABLE, SCANNABLE, DIRECTED, RESPONSE, LEGACY = 0x01, 0x02, 0x04, 0x08, 0x10
NO_SID, NO_POWER, ANONYMOUS = 0xFF, 127, 0xFF


def address(number):
    return f"E0:E1:E2:E3:E4:{number:02X}"


def octets(count, name):
    """AD structures of `count` octets in all: manufacturer data, and the name as the last one."""
    end = bytes([len(name) + 1, 0x09]) + name.encode()
    left, data = count - len(end), b""
    while left:
        # A structure of manufacturer data has at least 4 octets, so the rest must not be shorter.
        size = left if left <= 255 else 251
        data += bytes([size - 1, 0xFF, 0xFF, 0xFF]) + bytes((7 * index + left) & 0xFF for index in range(size - 4))
        left -= size
    return data + end


def title(primary, secondary):
    return f"primary {NAMES[primary]}, secondary {NAMES[secondary]}"


def sets(scanner):
    """Sets of Bumble's that advertise at the same time, and the reports of a host with the address `scanner`. The number of a set is its SID and the end
    of its address."""
    return {
        "data of 300 octets on 2M with the transmit power": (
            dict(secondary=2, data=octets(300, "A"), include_tx_power=True), [dict(event=0, secondary=2, power=0, data=octets(300, "A"))]),
        "data of 1,650 octets": (dict(data=octets(1650, "B")), [dict(event=0, data=octets(1650, "B"))]),
        "both PHYs Coded": (
            dict(primary=3, secondary=3, data=octets(120, "C")), [dict(event=0, primary=3, secondary=3, data=octets(120, "C"))]),
        "connectable on 2M": (
            dict(secondary=2, data=octets(150, "D"), is_connectable=True), [dict(event=CONNECTABLE, secondary=2, data=octets(150, "D"))]),
        "scannable with a response of 600 octets": (
            dict(secondary=2, response=octets(600, "E"), is_scannable=True),
            [dict(event=SCANNABLE, secondary=2), dict(event=SCANNABLE | RESPONSE, secondary=2, data=octets(600, "E"))]),
        "connectable and directed to the scanner": (
            dict(peer=Address(scanner), is_connectable=True, is_directed=True), [dict(event=CONNECTABLE | DIRECTED, target=scanner)]),
        "directed to the scanner": (
            dict(peer=Address(scanner), is_directed=True, data=octets(40, "G")), [dict(event=DIRECTED, target=scanner, data=octets(40, "G"))]),
        "directed to another device": (dict(peer=Address(STRANGER), is_connectable=True, is_directed=True), []),
        "anonymous": (
            dict(is_anonymous=True, data=octets(200, "I")), [dict(event=0, type=ANONYMOUS, address=NO_ADDRESS, data=octets(200, "I"))]),
        "legacy PDUs": (
            dict(is_legacy=True, is_connectable=True, is_scannable=True, data=octets(31, "J"), response=octets(31, "K")),
            [dict(event=LEGACY | CONNECTABLE | SCANNABLE, secondary=0, sid=NO_SID, data=octets(31, "J")),
             dict(event=LEGACY | CONNECTABLE | SCANNABLE | RESPONSE, secondary=0, sid=NO_SID, data=octets(31, "K"))]),
    }


def reports(sets):
    """The reports of each set, with all fields."""
    return {
        what: [{
            "address": address(number), "type": 1, "primary": 1, "secondary": 1, "sid": number, "power": NO_POWER, "target": NO_ADDRESS, "data": b"",
        } | report for report in expected] for number, (what, (_, expected)) in enumerate(sets.items())}


def shown(report):
    return report and report | {"data": f"{len(report['data'])} octets {report['data'][-8:].hex()}"}


class Test:
    """The radio, our programs on it, and the checks of a run."""

    def __init__(self, radio, directory, totals):
        self.radio, self.directory, self.totals = radio, directory, totals

    def check(self, feature, good, detail=""):
        self.totals.add(good, "extended", f"{feature}: {detail}" if detail else feature)

    def compare(self, feature, got, expected, shown=lambda value: value):
        self.check(feature, got == expected, "" if got == expected else f"received {shown(got)}, expected {shown(expected)}")

    async def wait_for(self, process, condition, limit=LIMIT):
        """Waits until the lines of a process fulfil `condition`. Bumble's devices run meanwhile."""
        end = asyncio.get_running_loop().time() + limit
        while not condition(process.lines) and asyncio.get_running_loop().time() < end and process.exit_code is None:
            await asyncio.sleep(0.05)
        if process.exit_code is not None:
            process.wait(0)  # The last lines may still be in the pipe.
        return condition(process.lines)
