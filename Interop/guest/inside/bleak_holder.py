"""A program of bleak's beside others. usage: bleak_holder.py hold|scan
hold: connects, and reads the long value repeatedly, as PeerHolder.swift does. scan: prints the address of each advertiser of the service."""

import asyncio
import sys

from bleak import BleakClient, BleakScanner

import plan

PAUSE = 0.25


def advertises(_, data):
    return plan.SERVICE.lower() in data.service_uuids


async def hold():
    device = await BleakScanner.find_device_by_filter(advertises, timeout=40)
    async with BleakClient(device, timeout=40) as client:
        count = 0
        while True:
            value = await client.read_gatt_char(plan.LONG)
            if value != plan.READ_VALUE:
                raise RuntimeError(f"a wrong value: {plan.shown(bytes(value))}")
            count += 1
            print(f"VALUE {count}", flush=True)
            await asyncio.sleep(PAUSE)  # check-tests: wait: the pace of a program that reads now and then.


async def scan():
    async with BleakScanner() as scanner:
        print("SCANNING", flush=True)
        async for device, data in scanner.advertisement_data():
            if advertises(device, data):
                print(f"FOUND {device.address}", flush=True)


if __name__ == "__main__":
    asyncio.run({"hold": hold, "scan": scan}[sys.argv[1]]())
