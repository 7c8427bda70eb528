"""Two Bumble hosts in one process, each on its own controller, pair and encrypt. Each pairing is just works: with LE Secure Connections or
legacy, begun by the central or by the peripheral, and in both roles of each controller. The central then reads a value that requires
encryption, replaces the key of the encrypted link, connects again with the key of the bond, and is refused by a peripheral without that key.
A legacy bond is not used again: Bumble's peripheral stores the key that it distributed as `ltk_central` and looks it up as `ltk_peripheral`.
usage: paired_hosts.py TRANSPORT TRANSPORT"""

import asyncio
import logging
import sys

from bumble import gatt, hci
from bumble.core import UUID
from bumble.device import Connection, Device, Peer
from bumble.hci import Address, OwnAddressType
from bumble.keys import MemoryKeyStore
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport import open_transport

import plan

logging.basicConfig(level=logging.CRITICAL)
VALUE = bytes(range(200))
CHARACTERISTIC = "D901B45B-4916-412E-ACCA-376ECB603B2C"
STEP = 8  # seconds
PIN_OR_KEY_MISSING = 0x06


def event(emitter, name):
    """A future for the next event `name`."""
    future = asyncio.get_running_loop().create_future()
    emitter.once(name, lambda *arguments: future.done() or future.set_result(arguments))
    return future


async def connect(central, peripheral):
    """Returns both ends of a new link, the central's first."""
    accepted = event(peripheral, "connection")
    # Bumble's central may search on two PHYs, which hears half of the events. At Bumble's default interval of 1 s, seven in a row can be missed.
    await peripheral.start_advertising(
        auto_restart=False, own_address_type=OwnAddressType.RANDOM, advertising_interval_min=100, advertising_interval_max=100,
    )
    connecting = central.connect(peripheral.random_address, own_address_type=OwnAddressType.RANDOM)
    connection = await asyncio.wait_for(connecting, STEP)
    [other] = await asyncio.wait_for(accepted, STEP)
    return connection, other


async def encrypted(connections):
    """Waits until both hosts know that the link is encrypted."""
    for _ in range(STEP * 20):
        if all(connection.is_encrypted for connection in connections):
            return True
        await asyncio.sleep(0.05)
    return False


async def read(connection):
    peer = Peer(connection)
    await peer.request_mtu(247)
    await peer.discover_all()
    [found] = peer.get_characteristics_by_uuid(UUID(CHARACTERISTIC))
    return await asyncio.wait_for(found.read_value(), STEP)


async def enable_encryption(device, connection, key):
    """Sends LE Enable Encryption with the key of a bond."""
    await device.send_async_command(
        hci.HCI_LE_Enable_Encryption_Command(
            connection_handle=connection.handle, random_number=key.rand or bytes(8),
            encrypted_diversifier=key.ediv or 0, long_term_key=key.value))


async def pair(report, central, peripheral, sc, asker):
    title = f"{'Secure Connections' if sc else 'legacy'}, {central.name} is central, the {asker} begins"
    delegate = PairingDelegate(PairingDelegate.NO_OUTPUT_NO_INPUT)
    for device in (central, peripheral):
        device.keystore = MemoryKeyStore()
        device.pairing_config_factory = lambda connection: PairingConfig(
            sc=sc, mitm=False, bonding=True, delegate=delegate,
            identity_address_type=PairingConfig.AddressType.RANDOM)
    connection, other = await connect(central, peripheral)
    stored = [event(device, "key_store_update") for device in (central, peripheral)]
    if asker == "central":
        await asyncio.wait_for(connection.pair(), STEP)
    else:
        asked = event(connection, Connection.EVENT_SECURITY_REQUEST)
        other.request_pairing()
        await asyncio.wait_for(asked, STEP)
        await asyncio.wait_for(connection.pair(), STEP)
    report.compare("pairing", await encrypted((connection, other)), True, title)
    report.compare("encrypted read", await read(connection), VALUE, title)

    await asyncio.wait_for(asyncio.gather(*stored), STEP)
    keys = await central.keystore.get(str(peripheral.random_address))
    key = keys.ltk or keys.ltk_central
    refreshed = [event(end, Connection.EVENT_CONNECTION_ENCRYPTION_KEY_REFRESH) for end in (connection, other)]
    await enable_encryption(central, connection, key)
    await asyncio.wait_for(asyncio.gather(*refreshed), STEP)
    report.compare("key refresh", await read(connection), VALUE, title)
    await connection.disconnect()

    if sc:
        connection, other = await connect(central, peripheral)
        await asyncio.wait_for(connection.encrypt(), STEP)
        result = (await encrypted((connection, other)), await read(connection))
        report.compare("bonded reconnect", result, (True, VALUE), title)
        await connection.disconnect()

    connection, other = await connect(central, peripheral)
    peripheral.keystore = MemoryKeyStore()
    failure = event(connection, Connection.EVENT_CONNECTION_ENCRYPTION_FAILURE)
    await enable_encryption(central, connection, key)
    [error] = await asyncio.wait_for(failure, STEP)
    report.compare("forgotten bond", int(error), PIN_OR_KEY_MISSING, title)
    await connection.disconnect()


async def main():
    report = plan.Report()
    async with await open_transport(sys.argv[1]) as one, await open_transport(sys.argv[2]) as other:
        devices = [
            Device.with_hci(name, Address(f"F0:F1:F2:F3:F4:0{name}"), transport.source, transport.sink)
            for name, transport in (("A", one), ("B", other))
        ]
        for device in devices:
            await asyncio.wait_for(device.power_on(), 10)
            characteristic = gatt.Characteristic(
                UUID(CHARACTERISTIC), gatt.Characteristic.Properties.READ, gatt.Characteristic.READ_REQUIRES_ENCRYPTION, VALUE)
            device.add_service(gatt.Service(UUID(plan.SERVICE), [characteristic]))
        for sc in (True, False):
            for central, peripheral in (devices, reversed(devices)):
                for asker in ("central", "peripheral"):
                    await pair(report, central, peripheral, sc, asker)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(asyncio.wait_for(main(), 120)))
