"""One side of the pairing runs on Bumble's host. usage: bumble_pairing.py central|peripheral TRANSPORT NUMBER ...
INTEROP_CASES names the file of the cases, INTEROP_DIRECTORY the directory of shared digits and of the key store."""

import asyncio
import os
import pathlib
import sys

from bumble import gatt, hci
from bumble.core import UUID, AdvertisingData, ProtocolError
from bumble.device import Connection, Peer
from bumble.hci import Address, OwnAddressType
from bumble.keys import JsonKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import ErrorCode, OobContext, OobLegacyContext, OobSharedData

import bumble_peer
import pairing_plan

DIRECTORY = pathlib.Path(os.environ.get("INTEROP_DIRECTORY", "/tmp"))
CAPABILITIES = {
    pairing_plan.NO_INPUT_NO_OUTPUT: PairingDelegate.NO_OUTPUT_NO_INPUT,
    pairing_plan.DISPLAY: PairingDelegate.DISPLAY_OUTPUT_ONLY,
    pairing_plan.DISPLAY_YES_NO: PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    pairing_plan.KEYBOARD: PairingDelegate.KEYBOARD_INPUT_ONLY,
    pairing_plan.BOTH: PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}
STEP = 15  # seconds


class KeyStore(JsonKeyStore):
    """As a legacy peripheral, Bumble stores the key that it distributed as `ltk_central` and looks it up as `ltk_peripheral`."""

    is_peripheral = False

    async def update(self, name, keys):
        if self.is_peripheral and keys.ltk_central:
            keys.ltk_central, keys.ltk_peripheral = keys.ltk_peripheral, keys.ltk_central
        await super().update(name, keys)


def write(name, text):
    path = DIRECTORY / name
    path.with_suffix(".new").write_text(text)
    path.with_suffix(".new").rename(path)


async def content(name):
    """The content of a file of the other side, as soon as it exists."""
    async with asyncio.timeout(STEP):
        while not (DIRECTORY / name).exists():
            await asyncio.sleep(0.02)
    return (DIRECTORY / name).read_text()


class User(PairingDelegate):
    """The user of this device in one case."""

    def __init__(self, case):
        super().__init__(CAPABILITIES[case["theirs"]["capability"]])
        self.case, self.theirs = case, case["theirs"]

    def share(self, digits):
        write(f"digits-{self.case['number']}-theirs", digits)

    async def other_digits(self):
        return await content(f"digits-{self.case['number']}-ours")

    async def generate_passkey(self):
        return int(self.theirs["digits"]) if self.theirs["digits"] else await super().generate_passkey()

    async def display_number(self, number, digits):
        self.share(f"{number:06}")

    async def get_number(self):
        return int(self.theirs["digits"] or await self.other_digits())

    async def compare_numbers(self, number, digits):
        self.share(f"{number:06}")
        return self.theirs["confirms"] and await self.other_digits() == f"{number:06}"


class Side:
    """The side of one case: its connection and the events of its pairing."""

    def __init__(self, device, case):
        self.device, self.case, self.theirs = device, case, case["theirs"]
        self.was_encrypted, self.failure, self.requested = False, None, asyncio.Event()

    async def prepare(self):
        address = Address(self.theirs["address"])
        self.device.static_address = address
        self.device.random_address = Address.generate_private_address(self.device.irk) if self.theirs["private"] else address
        await self.device.send_sync_command(hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))
        if self.theirs["forgets"]:
            await self.device.keystore.delete_all()
            await self.device.refresh_resolving_list()
        config = PairingConfig(
            sc=self.theirs["secure"], mitm=self.theirs["mitm"], bonding=True, delegate=User(self.case),
            identity_address_type=PairingConfig.AddressType.RANDOM)
        if self.case["outOfBand"]:
            config.oob = await self.out_of_band(self.case["outOfBand"])
        self.device.pairing_config_factory = lambda connection: config

    async def out_of_band(self, source):
        """Exchanges out-of-band data with the other device: pairs of random and confirm values, or a key, as hexadecimal digits."""
        context = OobContext()
        if source in ("theirs", "both"):
            shared = context.share()
            write(f"oob-{self.case['number']}-theirs", (shared.r + shared.c).hex())
        if source == "theirs":
            return PairingConfig.OobConfig(our_context=context, peer_data=None, legacy_context=None)
        octets = bytes.fromhex(await content(f"oob-{self.case['number']}-ours"))
        if source == "key":
            return PairingConfig.OobConfig(our_context=None, peer_data=None, legacy_context=OobLegacyContext(tk=octets))
        return PairingConfig.OobConfig(
            our_context=context, peer_data=OobSharedData(r=octets[:16], c=octets[16:]), legacy_context=None)

    def watch(self, connection):
        def changed():
            self.was_encrypted = self.was_encrypted or connection.is_encrypted

        connection.on(Connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, changed)
        connection.on(Connection.EVENT_PAIRING_FAILURE, self.failed)
        connection.on(Connection.EVENT_SECURITY_REQUEST, lambda *_: self.requested.set())

    def failed(self, reason):
        self.failure = self.failure or ErrorCode(reason).name

    @property
    def outcome(self):
        return self.failure or ("encrypted" if self.was_encrypted else "plain")


async def advertise_and_serve(side, report):
    device, loop = side.device, asyncio.get_running_loop()
    ended = loop.create_future()

    def connected(connection):
        side.watch(connection)
        connection.once("disconnection", lambda reason: ended.done() or ended.set_result(reason))
        if side.theirs["start"] == "request":
            connection.request_pairing()

    device.once("connection", connected)
    await device.start_advertising(
        auto_restart=False, own_address_type=OwnAddressType.RANDOM, advertising_interval_min=50, advertising_interval_max=50,
        advertising_data=bytes(AdvertisingData([(AdvertisingData.Type.COMPLETE_LOCAL_NAME, pairing_plan.name(side.case).encode())])))
    report.note(f"READY {side.case['number']}")
    await ended


async def find(device, case):
    found = asyncio.get_running_loop().create_future()

    def advertised(advertisement):
        if advertisement.data.get(AdvertisingData.Type.COMPLETE_LOCAL_NAME) == pairing_plan.name(case) and not found.done():
            found.set_result(advertisement.address)

    device.on("advertisement", advertised)
    await device.start_scanning(
        own_address_type=OwnAddressType.RANDOM, filter_duplicates=False, scan_interval=60, scan_window=60)
    address = await asyncio.wait_for(found, STEP)
    await device.stop_scanning()
    device.remove_listener("advertisement", advertised)
    return address


async def connect_and_pair(side, report):
    device, start = side.device, side.theirs["start"]
    connection = await device.connect(await find(device, side.case), own_address_type=OwnAddressType.RANDOM)
    side.watch(connection)
    peer = Peer(connection)
    found = {}
    for service in await peer.discover_service(UUID(pairing_plan.SERVICE)):
        for characteristic in await service.discover_characteristics():
            found[characteristic.uuid.to_hex_str("-").upper()] = characteristic
    hello = bytes(await found[pairing_plan.HELLO].read_value())
    report.note(f"read {hello!r}")
    try:
        if start == "demand":
            await refused(found[pairing_plan.SECRET])
        if start == "wait":
            await asyncio.wait_for(side.requested.wait(), STEP)
        if start == "encrypt":
            await asyncio.wait_for(connection.encrypt(), STEP)
        elif start != "nothing":
            await asyncio.wait_for(connection.pair(), STEP)
        value = bytes(await found[pairing_plan.SECRET].read_value())
        outcome = side.outcome + (", value read" if value == pairing_plan.SECRET_VALUE else f", {value!r}")
    except (ProtocolError, hci.HCI_Error) as error:
        outcome = side.failure or error.error_name or str(error)
    await found[pairing_plan.DONE].write_value(b"", with_response=True)
    await connection.disconnect()
    return outcome


async def refused(characteristic):
    """Reads a value that requires encryption before there is any."""
    try:
        await characteristic.read_value()
    except ProtocolError as error:
        if error.error_code in (0x05, 0x0F):  # Insufficient Authentication, Insufficient Encryption (Vol 3, Part F, 3.4.1.1)
            return
        raise
    raise RuntimeError("the value was read without encryption")


async def run(device, report):
    role, numbers = sys.argv[1], sys.argv[3:]
    device.keystore = KeyStore("interop", str(DIRECTORY / f"bumble-{role}.json"))
    device.keystore.is_peripheral = role == "peripheral"
    device.irk = bytes(range(16))
    await device.refresh_resolving_list()
    if role == "peripheral":
        properties = gatt.Characteristic.Properties
        device.add_service(gatt.Service(UUID(pairing_plan.SERVICE), [
            gatt.Characteristic(UUID(pairing_plan.SECRET), properties.READ, gatt.Characteristic.READ_REQUIRES_ENCRYPTION,
                                pairing_plan.SECRET_VALUE)]))
    for case in pairing_plan.read(os.environ["INTEROP_CASES"], numbers):
        side = Side(device, case)
        await side.prepare()
        if role == "peripheral":
            await advertise_and_serve(side, report)
            outcome = side.outcome
        else:
            outcome = await connect_and_pair(side, report)
        report.compare(case["title"], outcome, case["theirs"]["expects"], case["theirs"]["expects"])


if __name__ == "__main__":
    bumble_peer.main(run, "F0:F1:F2:F3:F4:0E", sys.argv[2])
