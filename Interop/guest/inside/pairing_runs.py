"""The runs in which this host and bluetoothd pair. Each returns its processes."""

import json
import pathlib
import struct
import tempfile

import pairing_plan
from machine import HERE, MONITOR, PAIRING, PYTHON, Radio, ours, totals
from processes import Process

# What bluetoothd logs if it refuses an attribute channel (see `Pairing.is_refused`). Such a run is repeated once.
REFUSAL, ATTEMPTS = b"device_attach_att() bt_io_set: setsockopt(BT_SECURITY): Invalid argument", 2


def await_end(process):
    if process.wait(PAIRING) is None:
        raise RuntimeError(f"{' '.join(process.arguments)} did not end within {PAIRING} s")


class Pairing:
    """Runs a plan of Interop/pairing_plan.py: the processes of this host and of bluetoothd's side get the numbers of their cases."""

    def __init__(self, plan, radio, is_private):
        self.plan, self.radio, self.processes = plan, radio, []
        self.directory = pathlib.Path(tempfile.mkdtemp(dir="/run"))
        pairing_plan.write(plan, self.directory / "cases")
        self.environment = {"INTEROP_CASES": self.directory / "cases", "INTEROP_DIRECTORY": self.directory}
        self.privacy = {"BLUETOOTH_PRIVATE_ADDRESS": "on"} if is_private else {}
        self.titles = {case["number"]: case["title"] for case in plan.cases}

    def ours(self, numbers):
        return self.started("host", numbers, ours(f"pairing-{self.plan.role}", "hci1", numbers, **self.environment, **self.privacy))

    def theirs(self, numbers):
        other = "peripheral" if self.plan.is_central else "central"
        process = Process([*PYTHON, HERE / "bluez_pairing.py", other, *numbers], **self.environment)
        return self.started("BlueZ", numbers, process)

    def started(self, who, numbers, process):
        self.processes.append((who, numbers, process))
        return process

    def run(self, first, second):
        """Runs the cases `first` and, with the same stores, `second`: its first case after a restart of this host, its second after a restart
        of bluetoothd."""
        theirs, host = self.theirs(first + second[:1]), self.ours(first)
        await_end(host)
        host = self.ours(second)
        await_end(theirs)
        if second[1:]:
            self.radio.restart_daemon()
            await_end(self.theirs(second[1:]))
        await_end(host)

    def is_refused(self):
        """Whether a case failed because bluetoothd refused the attribute channel of a link that was encrypted while it accepted the channel. It asks the
        kernel for security that the link then has already, and the kernel answers EINVAL (`l2cap_sock_setsockopt`). On a radio, encryption takes
        longer than that, because it needs several connection events; btvirt needs none."""
        return any(process.exit_code for _, _, process in self.processes) and REFUSAL in pathlib.Path(MONITOR).read_bytes()

    def report(self):
        totals.prefix = "pairing: "
        try:
            for who, numbers, process in self.processes:
                totals.add_peer(who, process, process.exit_code, [self.titles[number] for number in numbers])
            if self.privacy:
                # Another address of BlueZ in each case, and of this host in each process.
                for who, adapter, least in (("BlueZ", 0, len(self.plan.cases)), ("host", 1, 2)):
                    count = len(private_addresses(adapter))
                    totals.add(count >= least, who, f"run: {count} resolvable private addresses")
        finally:
            totals.prefix = ""
        return [process for _, _, process in self.processes]


def pair(role, cases, is_private=False):
    totals.ours = role
    for attempt in range(1, ATTEMPTS + 1):
        plan = pairing_plan.Plan(role)
        first, second = cases(plan)
        with Radio(2, configuration="[General]\nPrivacy = device\n" if is_private else None) as radio:
            pairing = Pairing(plan, radio, is_private)
            pairing.run(first, second)
            if attempt == ATTEMPTS or not pairing.is_refused():
                return pairing.report()
        failures = [line for _, _, process in pairing.processes for line in process.lines if line.startswith("FAIL")]
        # boot.py looks this name up in Documentation/Flaky.md.
        print(f"repeated: bluez::bluetoothd refuses an attribute channel: first failure: {totals.title}:", *failures, flush=True)


def through_cases(directory):
    """Writes the cases of both sides, of which one pairs through bluetoothd. It does not tell Secure Connections."""
    capabilities = [
        ("just works", "noInputNoOutput", "noInputNoOutput", "encrypted"),
        ("passkey displayed by the peer", "keyboardOnly", "displayOnly", "authenticated"),
        ("passkey displayed through bluetoothd", "displayOnly", "keyboardOnly", "authenticated"),
        ("numeric comparison", "displayYesNo", "displayYesNo", "authenticated"),
    ]
    sides = {"central": [], "peripheral": []}
    for number, (title, central, peripheral, level) in enumerate(capabilities, 1):
        common = {"number": number, "title": title, "minimum": level, "digits": None, "confirms": True, "consents": True, "forgets": True,
                  "peer": None, "signals": False, "outOfBand": None}  # fmt: skip
        complete = "secureConnections" if level == "authenticated" else level
        # A comparison exists with Secure Connections alone.
        kind = "Secure Connections" if title == "numeric comparison" else "legacy"
        sides["central"].append(common | {"capability": central, "start": "pair", "expects": f"{level}, {kind}, value read"})
        expected = f"{complete}, Secure Connections, value read"
        sides["peripheral"].append(common | {"capability": peripheral, "start": "wait", "expects": expected})
    for side, cases in sides.items():
        (directory / side).write_text(json.dumps(cases))
    return [str(case["number"]) for case in sides["central"]], [case["title"] for case in sides["central"]]


def private_addresses(adapter):
    """The resolvable private addresses that the kernel gave an adapter with LE Set Random Address (Vol 4, Part E, 7.8.4)."""
    octets, offset, found = pathlib.Path(MONITOR).read_bytes(), 16, set()
    while offset + 24 <= len(octets):
        length, flags = struct.unpack_from(">4xII", octets, offset)
        packet = octets[offset + 24 : offset + 24 + length]
        if flags == adapter << 16 | 2 and packet[:2] == b"\x05\x20" and packet[-1] >> 6 == 0b01:
            found.add(packet[3:])
        offset += 24 + length
    return found


def pairing_central():
    """pairing: our central with BlueZ, on btvirt"""
    return pair("central", pairing_plan.bluez)


def pairing_peripheral():
    """pairing: our peripheral with BlueZ, on btvirt"""
    return pair("peripheral", pairing_plan.bluez)


def private_central():
    """pairing: our central with BlueZ, both with private addresses, on btvirt"""
    return pair("central", pairing_plan.private_bluez, is_private=True)


def private_peripheral():
    """pairing: our peripheral with BlueZ, both with private addresses, on btvirt"""
    return pair("peripheral", pairing_plan.private_bluez, is_private=True)
