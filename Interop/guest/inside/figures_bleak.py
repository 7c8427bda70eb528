"""Measures one client of bleak's, as Interop/interop-peer/FiguresCentral.swift measures one of ours, and prints the same lines.
INTEROP_ACQUIRE=1: notifications through AcquireNotify, which bleak uses on request only."""

import asyncio
import os
import resource
import struct
import sys
import time

from bleak import BleakClient, BleakScanner

import plan

OPERATIONS = int(os.environ.get("INTEROP_OPERATIONS", "1000"))
OTHERS = [entry.split("=") for entry in os.environ.get("INTEROP_PROCESSES", "").split()]
NOTIFY = {"bluez": {"use_start_notify": False}} if os.environ.get("INTEROP_ACQUIRE") else {}
AHEAD, LENGTH = 128, 20
DEADLINE = 240


def numbered(number):
    return struct.pack("<I", number).ljust(LENGTH, b"\x5a")


def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    yield "own", int(1e6 * (usage.ru_utime + usage.ru_stime))
    for name, process in OTHERS:
        with open(f"/proc/{process}/schedstat", encoding="utf-8") as file:
            # The first number is the time on a processor in nanoseconds.
            yield name, int(file.read().split()[0]) // 1000


class Meter:
    def __init__(self):
        self.start, self.before = time.monotonic(), dict(spent())

    def report(self, part, operations, **more):
        values = {"operations": operations, "time": int(1e6 * (time.monotonic() - self.start))}
        values |= {name: value - self.before[name] for name, value in spent()} | more
        print("FIGURE", part, *(f"{name}={value}" for name, value in values.items()), flush=True)


async def notifications(client):
    received, done, further = [], asyncio.Event(), asyncio.Queue()
    # bluetoothd leaves out values without AcquireNotify: the next demand follows from the number, and not from the count.
    threshold = AHEAD // 2

    def receive(_, value):
        nonlocal threshold
        (number,) = struct.unpack_from("<I", value)
        received.append(number)
        if number + 1 == OPERATIONS:
            done.set()
        elif number + 1 >= threshold:
            threshold = number + 1 + AHEAD // 2
            further.put_nowait(number + 1)

    async def demand():
        while True:
            acknowledged = await further.get()
            await client.write_gatt_char(plan.FIGURES_DEMAND, struct.pack("<II", OPERATIONS, acknowledged), response=False)

    await client.start_notify(plan.FIGURES_STREAM, receive, **NOTIFY)
    meter = Meter()
    further.put_nowait(0)
    task = asyncio.create_task(demand())
    await done.wait()
    meter.report("notify", len(received), good=sum(a < b for a, b in zip([-1, *received], received)))
    task.cancel()


async def writes(client):
    meter = Meter()
    for number in range(OPERATIONS):
        await client.write_gatt_char(plan.FIGURES_COUNTED, numbered(number), response=False)
    while True:
        count, good = struct.unpack("<II", await client.read_gatt_char(plan.FIGURES_TALLY))
        if count == OPERATIONS:
            break
    meter.report("write", OPERATIONS, good=good)


async def reads(client):
    latencies, good = [], 0
    meter = Meter()
    for _ in range(OPERATIONS):
        began = time.monotonic()
        value = await client.read_gatt_char(plan.FIGURES_SAMPLE)
        latencies.append(int(1e6 * (time.monotonic() - began)))
        good += value == numbered(OPERATIONS)
    latencies.sort()
    meter.report("read", OPERATIONS, good=good, median=latencies[len(latencies) // 2], late=latencies[len(latencies) * 99 // 100])


async def run():
    device = await BleakScanner.find_device_by_filter(lambda _, data: plan.FIGURES.lower() in data.service_uuids, timeout=30)
    client = BleakClient(device, timeout=60)
    meter = Meter()
    await client.connect()
    services = [service for service in client.services if service.uuid[:4].upper() == plan.FIGURES[:4]]
    meter.report("connect", len(services))
    await notifications(client)
    await writes(client)
    await reads(client)
    await client.disconnect()
    with open("/proc/self/status", encoding="utf-8") as file:
        (peak,) = [line.split()[1] for line in file if line.startswith("VmHWM:")]
    print(f"FIGURE memory kibibytes={peak}", flush=True)


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(run(), DEADLINE))
    sys.exit(0)
