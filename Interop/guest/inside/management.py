"""The kernel's management channel, which bluetoothctl and D-Bus do not show in full."""

import asyncio
import ctypes
import socket
import struct

CONTROL_CHANNEL, NO_CONTROLLER = 3, 0xFFFF
COMMAND_COMPLETE, COMMAND_STATUS, DEVICE_CONNECTED, DEVICE_DISCONNECTED = 0x0001, 0x0002, 0x000B, 0x000C
SET_SECURE_CONNECTIONS = 0x002D


def opened():
    """Returns a socket of the management channel."""
    channel = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
    address = struct.pack("<HHH", socket.AF_BLUETOOTH, NO_CONTROLLER, CONTROL_CHANNEL)
    if ctypes.CDLL(None).bind(channel.fileno(), address, len(address)):
        channel.close()
        raise RuntimeError("the management channel was not bound")
    return channel


def set_secure_connections(on):
    """Sends Set Secure Connections, which bluetoothctl has no command for."""
    with opened() as channel:
        channel.send(struct.pack("<HHHB", SET_SECURE_CONNECTIONS, 0, 1, on))
        channel.settimeout(5)
        while True:
            answer = channel.recv(512)
            event, _, _, opcode, status = struct.unpack_from("<HHHHB", answer.ljust(9, b"\0"))
            if event in (COMMAND_COMPLETE, COMMAND_STATUS) and opcode == SET_SECURE_CONNECTIONS:
                if status:
                    raise RuntimeError(f"Set Secure Connections failed with status {status}")
                return


class Links:
    """The links since it was opened. bluetoothd merges changes of a property, so a short link may leave no trace on D-Bus."""

    def __init__(self):
        self.begun, self.count = asyncio.Event(), 0

    def __enter__(self):
        self.channel = opened()
        self.channel.setblocking(False)
        asyncio.get_running_loop().add_reader(self.channel, self.received)
        return self

    def __exit__(self, *_):
        asyncio.get_running_loop().remove_reader(self.channel)
        self.channel.close()

    def received(self):
        (event,) = struct.unpack_from("<H", self.channel.recv(1024))
        # Links are counted, because a pairing replaces the private address of a link by the identity address.
        if event == DEVICE_CONNECTED:
            self.count += 1
            self.begun.set()
        elif event == DEVICE_DISCONNECTED:
            self.count -= 1
