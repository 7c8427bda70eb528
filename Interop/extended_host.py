"""The runs of extended.py with this package's host below its sessions: `advertising-peer` reports Bumble's sets with all fields, advertises sets itself, and
connects."""

import asyncio
import json

import bumble_sets
from extended_plan import (
    ANONYMOUS, BUMBLE, CONNECTABLE, DIRECTED, LEGACY, LIMIT, NO_ADDRESS, NO_POWER, OURS, PHYS, RESPONSE, SCANNABLE, address, octets, reports, sets,
    shown, title)
from interop import PROGRAMS
from processes import Process

NAME = b"advertising-peer"
# The set of our host as an argument (Interop/advertising-peer/SetArgument.swift), and the reports of Bumble's host.
OUR_SETS = {
    "data of 300 octets on 2M with the transmit power": (
        dict(secondary=2, data=octets(300, "A"), power=True), [dict(event=0, secondary=2, power=0, data=octets(300, "A"))]),
    "data of 1,650 octets": (dict(data=octets(1650, "C")), [dict(event=0, data=octets(1650, "C"))]),
    "both PHYs Coded": (
        dict(primary=3, secondary=3, data=octets(400, "D")), [dict(event=0, primary=3, secondary=3, data=octets(400, "D"))]),
    "connectable on 2M": (
        dict(secondary=2, data=octets(150, "E"), connectable=True), [dict(event=CONNECTABLE, secondary=2, data=octets(150, "E"))]),
    "scannable with a response of 1,000 octets": (
        dict(secondary=2, response=octets(1000, "F")),
        [dict(event=SCANNABLE, secondary=2, data=b""), dict(event=SCANNABLE | RESPONSE, secondary=2, data=octets(1000, "F"))]),
    "anonymous": (
        dict(anonymous=True, data=octets(200, "G")), [dict(event=0, type=ANONYMOUS, address=NO_ADDRESS, data=octets(200, "G"))]),
}


def peer(test, mode, *sets):
    return Process([PROGRAMS / "advertising-peer", mode, OURS, *sets], BLUETOOTH_CONTROLLER=test.radio.tcp)


async def ready(test, process):
    good = await test.wait_for(process, lambda lines: "READY extended true" in lines)
    test.check("our host uses the extended commands", good, "" if good else "\n".join(process.lines))


def end(test, process):
    """Ends one of our programs, which must have reported nothing wrong."""
    wrong = [line for line in process.lines if line.startswith(("FAIL", "VIOLATION", "ERROR", "FAILED")) or "refused" in line]
    test.check("our host reports no violation", not wrong and process.exit_code is None, "; ".join(wrong))
    process.stop()


def as_ours(report):
    """A report of Bumble's host as `advertising-peer` prints it."""
    event = report["event"]
    kind = "nonConnectable"
    if event & RESPONSE:
        kind = "scanResponse"
    elif event & CONNECTABLE:
        kind = "connectableDirected" if event & DIRECTED else "connectable"
    elif event & SCANNABLE:
        kind = "scannable"
    own = {"kind": kind, "legacy": bool(event & LEGACY), "truncated": False, "data": report["data"].hex()}
    return {name: value for name, value in report.items() if name not in ("event", "target")} | own


async def fields(test):
    """Our host reports Bumble's sets, which advertise at the same time, with all fields."""
    ours = peer(test, "scan")
    await ready(test, ours)
    plan = sets(OURS)
    async with bumble_sets.device("fields", BUMBLE, test.radio.transport) as device:
        for number, (options, _) in enumerate(plan.values()):
            await bumble_sets.advertise(device, address(number), sid=number, **options)

        def heard(lines):
            return [json.loads(line.removeprefix("REPORT ")) for line in lines if line.startswith("REPORT ")]

        for what, expected in reports(plan).items():
            for report in map(as_ours, expected):
                good = await test.wait_for(ours, lambda lines, report=report: report in heard(lines))
                near = [found for found in heard(ours.lines) if (found["sid"], found["address"]) == (report["sid"], report["address"])]
                test.check(f"our report, {what}: {report['kind']}", good, "" if good else f"received {near}, expected {report}")
        every = [as_ours(report) for expected in reports(plan).values() for report in expected]
        test.compare("our host reports nothing else", [found for found in heard(ours.lines) if not found["truncated"] and found not in every], [])
    end(test, ours)


async def connect_to_bumble(test):
    """Our host connects to a set of Bumble's on each PHY, twice. Bumble reads the name of our host over the link."""
    ours = peer(test, "connect")
    await ready(test, ours)
    async with bumble_sets.device("server", BUMBLE, test.radio.transport) as device:
        for number, (primary, secondary) in enumerate(PHYS):
            made = await bumble_sets.advertise(
                device, address(number), data=octets(60, "server"), primary=primary, secondary=secondary, sid=number, is_connectable=True,
                is_started=False)
            for turn in ("connection", "second connection"):
                came = asyncio.get_running_loop().create_future()
                device.once("connection", came.set_result)
                await made.start()
                connection = await asyncio.wait_for(came, LIMIT)
                got = (str(connection.self_address), str(connection.peer_address), await bumble_sets.name_over(connection))
                test.compare(f"our {turn}, {title(primary, secondary)}", got, (address(number), OURS, NAME))
                # Our host moves a link from 1M to 2M.
                phy = 3 if secondary == 3 else 2
                test.compare(f"PHY of our {turn}, {title(primary, secondary)}", await bumble_sets.phy_of(connection, phy), (phy, phy))
                await connection.disconnect()
            await bumble_sets.remove(made)
    end(test, ours)


def argument(handle, options):
    parts = {"handle": handle, "sid": handle} | options
    return ",".join(
        name if value is True else f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in parts.items())


async def our_sets(test):
    """Bumble reports the sets of our host, which advertise at the same time, with all fields."""
    async with bumble_sets.device("scanner", BUMBLE, test.radio.transport) as device:
        heard = bumble_sets.Reports(device)
        await device.start_scanning(filter_duplicates=False)
        ours = peer(test, "advertise", *(argument(number, options) for number, (options, _) in enumerate(OUR_SETS.values(), 1)))
        await ready(test, ours)
        for number, (what, (_, expected)) in enumerate(OUR_SETS.items(), 1):
            for report in expected:
                wanted = {"address": OURS, "type": 1, "primary": 1, "secondary": 1, "sid": number, "power": NO_POWER} | report
                test.compare(f"our set, {what}: event type 0x{report['event']:02X}", await heard.wait_for(wanted, LIMIT), wanted, shown)
        await device.stop_scanning()
        end(test, ours)


async def connect_to_ours(test):
    """Bumble connects to a set of our host on each PHY, twice, and reads the name of our host."""
    async with bumble_sets.device("client", BUMBLE, test.radio.transport) as device:
        for primary, secondary in PHYS:
            ours = peer(test, "advertise", argument(4, dict(primary=primary, secondary=secondary, connectable=True, data=octets(60, "ours"))))
            await ready(test, ours)
            for turn in ("connection", "second connection"):
                connection = await bumble_sets.connect(device, OURS, LIMIT)
                got = (str(connection.peer_address), await bumble_sets.name_over(connection))
                test.compare(f"Bumble's {turn}, {title(primary, secondary)}", got, (OURS, NAME))
                phy = await bumble_sets.phy_of(connection, secondary)
                test.compare(f"PHY of Bumble's {turn}, {title(primary, secondary)}", phy, (secondary, secondary))
                await connection.disconnect()
                await test.wait_for(ours, lambda lines: lines[-1].startswith("DISCONNECTED"))
            end(test, ours)
