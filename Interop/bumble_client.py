"""A GATT client on Bumble's host. usage: bumble_client.py TRANSPORT (such as tcp-client:127.0.0.1:6501)"""

import sys

from bumble.core import UUID
from bumble.device import Peer
from bumble.gatt import GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR

import bumble_peer
import plan

MTU = 100


async def run(device, report):
    connection, end = await bumble_peer.connect(device)
    peer = Peer(connection)
    mtu = await peer.request_mtu(MTU)
    report.note(f"connected: {connection.peer_address}, ATT_MTU {mtu}")

    found = {}
    for service in await peer.discover_service(UUID(plan.SERVICE)):
        found |= await bumble_peer.characteristics(service)
    properties = {uuid: int(characteristic.properties) for uuid, characteristic in found.items()}
    report.compare("discovery", properties, plan.PROPERTIES, f"{len(properties)} characteristics with their properties")

    long = found[plan.LONG]
    description = long.get_descriptor(GATT_CHARACTERISTIC_USER_DESCRIPTION_DESCRIPTOR)
    text = (await description.read_value()).decode() if description else None
    report.compare("user description", text, plan.DESCRIPTION, "descriptor 2901 read")

    report.compare("long read", await long.read_value(), plan.READ_VALUE, f"512 octets over ATT_MTU {mtu}")
    await long.write_value(plan.WRITE_VALUE, with_response=True)
    report.compare("long write", await long.read_value(), plan.WRITE_VALUE, "512 octets written and read back")

    notepad = long.get_descriptor(UUID(plan.NOTEPAD))
    if notepad:
        await notepad.write_value(plan.DESCRIPTOR_VALUE, with_response=True)
        report.compare("descriptor write", await notepad.read_value(), plan.DESCRIPTOR_VALUE, "written and read back")

    for command in plan.COMMANDS:
        await found[plan.COMMAND].write_value(command, with_response=False)
    account = await found[plan.ACCOUNT].read_value()
    report.compare("write command", account, b"".join(plan.COMMANDS), "the server received each of them")

    values = await bumble_peer.receive(found[plan.NOTIFY], len(plan.NOTIFICATIONS), unsubscribe=True)
    report.compare("notify", values, plan.NOTIFICATIONS, f"{len(values)} notifications in order")
    values = await bumble_peer.receive(found[plan.INDICATE], len(plan.INDICATIONS), unsubscribe=False)
    report.compare("indicate", values, plan.INDICATIONS, f"{len(values)} indications in order")

    # The response to this read arrives after the last confirmation has left. A disconnection could overtake it.
    await found[plan.ACCOUNT].read_value()
    await bumble_peer.disconnect(connection, end, report)


if __name__ == "__main__":
    bumble_peer.main(run, "F0:F1:F2:F3:F4:0B", sys.argv[1])
