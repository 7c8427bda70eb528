"""Runs extended advertising between this package and Bumble's host, on the shared radio: what one side advertises, the other reports octet for octet.
Interop/run-extended starts it."""

import asyncio
import functools
import json
import logging
import os
import subprocess
import tempfile

import bumble_sets
import extended_host
import interop
import processes
import results
import runs
from bumble import hci
from bumble.hci import Address
from controllers import Radio
from extended_plan import BUMBLE, LIMIT, NAMES, OTHER, PHYS, RESPONSE, SCANNABLE, STRANGER, Test, address, octets, reports, sets, shown, title
from interop import PROGRAMS
from processes import Process

# Bumble warns about each refused command, also an expected one.
logging.basicConfig(level=logging.ERROR)


# MARK: Our host


async def tool(test):
    """`bluelab scan` shows data of 1,000 octets and a scan response of the same length."""
    async with bumble_sets.device("tool", BUMBLE, test.radio.transport) as device:
        for number, (secondary, is_response) in enumerate((phy, kind) for phy in NAMES for kind in (False, True)):
            name = f"set{number}"
            data = octets(1000, name)
            what = {"response": data, "is_scannable": True} if is_response else {"data": data}
            made = await bumble_sets.advertise(device, address(number), secondary=secondary, sid=number, **what)
            # The name is the last structure, so the filter takes whole data alone.
            scan = Process(
                [PROGRAMS / "bluelab", "scan", "--json", "--count", "1", "--name", name, "--duration", LIMIT], BLUETOOTH_CONTROLLER="radio",
                XDG_STATE_HOME=f"{test.directory}/scan", **test.radio.environment)
            await test.wait_for(scan, lambda lines: any(line.startswith("{") for line in lines), LIMIT + 5)
            found = [json.loads(line) for line in scan.lines if line.startswith("{")]
            field = "scanResponse" if is_response else "data"
            got = [(record.get("address"), record.get(field)) for record in found]
            kind = "scan response" if is_response else "data"
            test.compare(f"bluelab scan, {kind} of 1,000 octets on {NAMES[secondary]}", got, [(address(number), data.hex())])
            scan.stop()
            await bumble_sets.remove(made)


async def tool_sets(test):
    """`bluelab scan` tells the sets of one device apart, and shows nothing of what is directed to other devices."""
    async with bumble_sets.device("tool", BUMBLE, test.radio.transport) as device:
        wanted = {address(1): ("one", False, octets(300, "one")), address(2): ("two", True, octets(200, "two"))}
        await bumble_sets.advertise(device, address(1), data=wanted[address(1)][2], secondary=2, sid=1)
        await bumble_sets.advertise(device, address(2), data=wanted[address(2)][2], secondary=3, sid=2, is_connectable=True)
        await bumble_sets.advertise(device, address(3), peer=Address(STRANGER), is_connectable=True, is_directed=True, sid=3)
        scan = Process(
            [PROGRAMS / "bluelab", "scan", "--json", "--duplicates", "--duration", "4"], BLUETOOTH_CONTROLLER="radio",
            XDG_STATE_HOME=f"{test.directory}/scan", **test.radio.environment)
        await test.wait_for(scan, lambda lines: False, 20)
        found = [json.loads(line) for line in scan.lines if line.startswith("{")]
        got = {record["address"]: (record.get("name"), record["connectable"], bytes.fromhex(record["data"])) for record in found}
        test.compare("bluelab scan, two sets of one device", got, wanted)
        counts = [sum(record["address"] == heard for record in found) for heard in wanted]
        test.check("bluelab scan, both sets again and again", min(counts) > 5, f"{counts} reports")


def values(phy, totals):
    """Our central uses all values of Bumble's server, which advertises on a secondary PHY."""
    os.environ["INTEROP_SECONDARY_PHY"] = str(phy)
    interop.run("radio", "bumble", "ours", "values", totals)


# MARK: Bumble's hosts on our controllers


async def fields(test):
    """Sets of one host advertise at the same time, and another one reports them with all fields."""
    async with (bumble_sets.device("advertiser", BUMBLE, test.radio.transport) as device,
                bumble_sets.device("scanner", OTHER, test.radio.transport) as scanner):
        heard = bumble_sets.Reports(scanner)
        await scanner.start_scanning(filter_duplicates=False)
        plan = sets(OTHER)
        for number, (options, _) in enumerate(plan.values()):
            await bumble_sets.advertise(device, address(number), sid=number, **options)
        for what, expected in reports(plan).items():
            for report in expected:
                test.compare(f"{what}: event type 0x{report['event']:02X}", await heard.wait_for(report, LIMIT), report, shown)
        test.check("reports go on", await heard.more(100, LIMIT))
        every = [report for expected in reports(plan).values() for report in expected]
        test.compare("nothing else", [shown(report) for report in heard.whole if report not in every], [])
        await scanner.stop_scanning()


async def connections(test):
    """A host connects to a set of another one on each PHY, twice, and reads its name."""
    async with (bumble_sets.device("server", BUMBLE, test.radio.transport) as device,
                bumble_sets.device("client", OTHER, test.radio.transport) as client):
        for number, (primary, secondary) in enumerate(PHYS):
            made = await bumble_sets.advertise(
                device, address(number), data=octets(60, "server"), primary=primary, secondary=secondary, sid=number, is_connectable=True,
                is_started=False)
            for turn in ("connection", "second connection"):
                came = asyncio.get_running_loop().create_future()
                device.once("connection", came.set_result)
                await made.start()
                connection = await bumble_sets.connect(client, address(number), LIMIT)
                accepted = await asyncio.wait_for(came, LIMIT)
                got = (str(connection.peer_address), str(accepted.self_address), str(accepted.peer_address), await bumble_sets.name_over(connection))
                test.compare(f"{turn}, {title(primary, secondary)}", got, (address(number), address(number), OTHER, b"server"))
                test.compare(
                    f"PHY of the {turn}, {title(primary, secondary)}", await bumble_sets.phy_of(connection, secondary), (secondary, secondary))
                ended = asyncio.get_running_loop().create_future()
                accepted.once("disconnection", ended.set_result)
                await connection.disconnect()
                await asyncio.wait_for(ended, LIMIT)
            await bumble_sets.remove(made)


async def ends(test):
    """Sets end by their duration and their events, and report scan requests (Vol 4, Part E, 7.8.56, 7.7.65.18 and 7.7.65.19)."""
    async with (bumble_sets.device("advertiser", BUMBLE, test.radio.transport) as device,
                bumble_sets.device("scanner", OTHER, test.radio.transport) as scanner):
        terminations, requests = asyncio.Queue(), asyncio.Queue()
        device.host.on("advertising_set_termination", lambda *event: terminations.put_nowait(event))
        device.host.on_hci_le_scan_request_received_event = requests.put_nowait
        made = await bumble_sets.advertise(device, address(1), data=octets(100, "end"), is_started=False)
        await made.start(duration=0.5)
        status, handle, _, _ = await asyncio.wait_for(terminations.get(), LIMIT)
        test.compare("a set ends after its duration", (status, handle), (hci.HCI_ADVERTISING_TIMEOUT_ERROR, made.advertising_handle))
        await made.start(max_advertising_events=5)
        status, handle, _, count = await asyncio.wait_for(terminations.get(), LIMIT)
        test.compare("a set ends after its events", (status, handle, count), (hci.HCI_LIMIT_REACHED_ERROR, made.advertising_handle, 5))

        options = bumble_sets.parameters(is_scannable=True, secondary=2, sid=3)
        options.enable_scan_request_notifications = True
        other = await device.create_advertising_set(options, random_address=Address(address(2)), auto_start=False)
        await bumble_sets.set_data(device, other.advertising_handle, octets(700, "response"), is_response=True)
        await other.start()
        heard = bumble_sets.Reports(scanner)
        await scanner.start_scanning(filter_duplicates=False)
        wanted = {"address": address(2), "event": SCANNABLE | RESPONSE, "secondary": 2, "sid": 3, "data": octets(700, "response")}
        test.compare("a scan response of 700 octets on 2M", await heard.wait_for(wanted, LIMIT), wanted, shown)
        request = await asyncio.wait_for(requests.get(), LIMIT)
        # Bumble does not decode this event: subevent code, handle, type and address of the scanner.
        test.compare(
            "a scan request is reported", request.parameters.hex(" "), bytes([0x13, other.advertising_handle, 0x01, *bytes(Address(OTHER))]).hex(" "))
        await scanner.stop_scanning()


async def error_of(work):
    """The error of a command; None if it succeeds."""
    try:
        await work
    except hci.HCI_Error as error:
        return error.error_code
    return None


async def refusals(test):
    """The errors of commands that a host must not send (Vol 4, Part E, 3.1.1 and 7.8.53 to 7.8.59)."""
    async with bumble_sets.device("advertiser", BUMBLE, test.radio.transport) as device:
        made = await bumble_sets.advertise(device, address(1), data=octets(100, "set"))
        handle = made.advertising_handle
        removal, parameters = hci.HCI_LE_Remove_Advertising_Set_Command, bumble_sets.parameters
        for what, work, expected in (
            ("connectable and scannable", device.create_advertising_set(parameters(is_connectable=True, is_scannable=True)),
             hci.HCI_INVALID_HCI_COMMAND_PARAMETERS_ERROR),
            ("anonymous and connectable", device.create_advertising_set(parameters(is_connectable=True, is_anonymous=True)),
             hci.HCI_INVALID_HCI_COMMAND_PARAMETERS_ERROR),
            ("parameters of a set that advertises", made.set_advertising_parameters(parameters()), hci.HCI_COMMAND_DISALLOWED_ERROR),
            ("fragments for a set that advertises", bumble_sets.set_data(device, handle, octets(300, "no")), hci.HCI_COMMAND_DISALLOWED_ERROR),
            ("the removal of a set that advertises", device.send_sync_command(removal(advertising_handle=handle)),
             hci.HCI_COMMAND_DISALLOWED_ERROR),
            ("data of an unknown set", bumble_sets.set_data(device, 77, b""), hci.HCI_UNKNOWN_ADVERTISING_IDENTIFIER_ERROR),
            ("the removal of an unknown set", device.send_sync_command(removal(advertising_handle=77)),
             hci.HCI_UNKNOWN_ADVERTISING_IDENTIFIER_ERROR),
            ("legacy commands after extended ones", device.start_scanning(legacy=True), hci.HCI_COMMAND_DISALLOWED_ERROR),
        ):
            test.compare(f"refused: {what}", await error_of(work), expected)
        await made.stop()
        test.compare(
            "refused: data of 1,651 octets", await error_of(bumble_sets.set_data(device, handle, bytes(1651))), hci.HCI_MEMORY_CAPACITY_EXCEEDED_ERROR)
        test.compare("data after a refusal", await error_of(bumble_sets.set_data(device, handle, octets(1650, "set"))), None)
        test.compare("removal", await error_of(made.remove()), None)


# MARK: Runs

# title, our parts and the feature in the matrix, body. The longest come first, because others take place beside them.
RUNS = [
    ("a host of Bumble's connects to sets of another one, on each PHY", ("controller",), "connections", connections),
    ("our host connects to sets of Bumble's, on each PHY", ("central", "controller"), "connections of our host", extended_host.connect_to_bumble),
    ("Bumble connects to sets of our host, on each PHY", ("peripheral", "controller"), "connections to our host", extended_host.connect_to_ours),
    ("a host of Bumble's reports the sets of another one with all fields", ("controller",), "fields of reports", fields),
    ("our host reports Bumble's sets with all fields", ("central", "controller"), "fields of our host's reports", extended_host.fields),
    ("Bumble reports the sets of our host with all fields", ("peripheral", "controller"), "our host's sets", extended_host.our_sets),
    ("bluelab scan reports two sets of a device", ("central", "controller"), "two sets", tool_sets),
    ("bluelab scan reports 1,000 octets", ("central", "controller"), "1,000 octets", tool),
    ("sets end, and report scan requests", ("controller",), "ends of sets", ends),
    ("the controller refuses what the specification forbids", ("controller",), "refusals", refusals),
]


def run(ours, feature, body, totals):
    with tempfile.TemporaryDirectory(prefix="interop-") as directory, processes.stopped_at_end() as outputs:
        try:
            asyncio.run(asyncio.wait_for(body(Test(Radio(directory), directory, totals)), 150))
        except (RuntimeError, OSError, ValueError, EOFError, subprocess.SubprocessError, asyncio.TimeoutError, hci.HCI_Error) as error:
            totals.add(False, "run", f"{type(error).__name__} {error}")
    for part in ours:
        totals.keep(results.BUMBLE, part, f"extended advertising: {feature}", not totals.failed)
    if totals.failed:
        processes.print_outputs(["radio"], outputs)


if __name__ == "__main__":
    of_bodies = {title: functools.partial(run, ours, feature, body) for title, ours, feature, body in RUNS}
    of_values = {f"our central against Bumble's GATT server, which advertises on {NAMES[phy]}": functools.partial(values, phy) for phy in NAMES}
    runs.main("extended", of_bodies | of_values, workers=3)
