"""Records an encrypted connection on the virtual radio, decrypts the recording with the long term keys, and reads it with tshark. See
Interop/captures.

tshark 4.0 has neither an option nor a table for the keys of Bluetooth LE connections, and its dissector does not follow LL_ENC_REQ: it
shows encrypted packets as unknown control PDUs and broken L2CAP frames. It reads decrypted packets, which the pseudo header marks
(LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, flags 0x0008, 0x1000 and 0x2000). `bluelab decrypt` writes these.
"""

import os
import re
import struct

import h4
import processes
from capture_octets import air_att
from processes import Process

KEYS = ["4C68384139F574D836BCF34E9DFB01BF", "00112233445566778899AABBCCDDEEFF"]
ADDRESSES = [bytes.fromhex("c0ffee000001"), bytes.fromhex("c0ffee000002")]
SECRET = b"known only with the key"


class Host(h4.Host):
    def __init__(self, address, own):
        super().__init__(address)
        self.command(0x0C03)
        self.command(0x0C01, struct.pack("<Q", 0x3DBFFFFFFFFFFFFF))
        self.command(0x2001, struct.pack("<Q", 0x1F))
        self.command(0x2005, own[::-1])

    def await_event(self, wanted, subevent=None):
        while True:
            code, octets = self.event()
            if code == wanted and (subevent is None or octets[0] == subevent):
                return octets

    def await_data(self):
        while not self.data:
            code, octets = self.packet()
            if code is None:
                self.data.append(octets)
        return self.data.pop(0)


def att(payload):
    return struct.pack("<HH", len(payload), 4) + payload


def notification(number):
    return struct.pack("<BH", 0x1B, 0x20) + SECRET + bytes([number])


def talk(address):
    """Connects two hosts, and sends notifications in both directions: without encryption, with the first key, and with the second."""
    central, peripheral = Host(address, ADDRESSES[0]), Host(address, ADDRESSES[1])
    peripheral.command(0x2006, struct.pack("<HHBBB6sBB", 0x20, 0x20, 0, 1, 0, bytes(6), 7, 0))
    peripheral.command(0x200A, b"\x01")
    central.command(0x200D, struct.pack("<HHBB6sBHHHHHH", 0x60, 0x60, 0, 1, ADDRESSES[1][::-1], 1, 6, 6, 0, 400, 0, 0))
    handles = [struct.unpack_from("<H", host.await_event(0x3E, 0x01), 2)[0] for host in (central, peripheral)]
    problems = []

    def exchange(number):
        for sender, receiver, handle in ((central, peripheral, handles[0]), (peripheral, central, handles[1])):
            sender.send_data(handle, att(notification(number)))
            got = b""
            while len(got) < 4 + 3 + len(SECRET) + 1:
                got += receiver.await_data()
            if got != att(notification(number)):
                problems.append(f"notification {number} arrives as {got.hex()}")

    for number, (key, done) in enumerate(zip(KEYS, (0x08, 0x30), strict=True)):
        octets = bytes.fromhex(key)[::-1]
        status = central.command(0x2019, struct.pack("<HQH", handles[0], 0, 0) + octets)
        if status != b"\0":
            return [f"LE Enable Encryption: status {status.hex()}"]
        peripheral.await_event(0x3E, 0x05)
        peripheral.command(0x201A, struct.pack("<H", handles[1]) + octets)
        for host in (central, peripheral):
            if host.await_event(done)[0] != 0:
                problems.append(f"encryption {number + 1} fails")
        exchange(number)
    central.command(0x0406, struct.pack("<HB", handles[0], 0x13))
    for host in (central, peripheral):
        host.await_event(0x05)
        host.close()
    return problems


def record(product, folder):
    path = os.path.join(folder, "encrypted")
    with processes.stopped_at_end():
        radio = Process(
            [product("bluelab"), "radio", "--listen", "unix:" + path, "--capture", os.path.join(folder, "encrypted.pcapng")],
            XDG_RUNTIME_DIR=folder)
        if not radio.wait_until(lambda: os.path.exists(path), 20):
            return ["the radio does not start", *radio.lines[-5:]]
        try:
            return talk("unix:" + path)
        except (OSError, EOFError, ValueError) as error:
            return [f"{type(error).__name__} {error}"]


def decrypt(product, folder, name, keys):
    """Runs `bluelab decrypt`. Returns the path of the result and what the tool printed."""
    file, plain = os.path.join(folder, name + ".keys"), os.path.join(folder, name + ".pcapng")
    with open(file, "w", encoding="utf-8") as output:
        output.write("\n".join(keys) + "\n")
    done = processes.output_of(
        [product("bluelab"), "decrypt", os.path.join(folder, "encrypted.pcapng"), "--keys", file, "--output", plain], 20)
    return plain, done.stdout + done.stderr


def differences(got, expected):
    return [] if got == expected else [f"{len(got)} values {got}, expected {expected}"]


def check(bench, product, folder, fields, hard_errors, crc_problems):
    problems = record(product, folder)
    bench.check("two hosts encrypt a recorded connection and replace its key", problems)
    if problems:
        return
    with open(os.path.join(folder, "encrypted.pcapng"), "rb") as file:
        bench.check("an encrypted connection: no plaintext on the air", ["found"] if SECRET[:16] in file.read() else [])
    plain, text = decrypt(product, folder, "decrypted", KEYS)
    match = re.match(r"(\d+) packets decrypted, 0 without a key", text)
    bench.check("an encrypted connection: bluelab decrypt uses both keys", [] if match and int(match[1]) >= 12 else [text])
    bench.check("an encrypted connection, decrypted: nothing malformed, no expert error", hard_errors(plain))
    values = [row["btatt.value"].replace(":", "") for row in fields(plain, ["btatt.value"], "btatt.opcode == 0x1b")]
    expected = [(SECRET + bytes([number])).hex() for number in (0, 0, 1, 1)]
    bench.check("an encrypted connection, decrypted: tshark reads every value", differences(values, expected))
    with open(plain, "rb") as file:
        pdus = list(air_att(file.read()).values())
    bench.check("an encrypted connection, decrypted: every octet is the sent one", differences(pdus, [notification(number) for number in (0, 0, 1, 1)]), is_feature=False)
    opcodes = [int(row["btle.control_opcode"], 0) for row in fields(plain, ["btle.control_opcode"], "btle.control_opcode")]
    wanted = [0x03, 0x04, 0x05, 0x06, 0x06, 0x0A, 0x0B, 0x0B, 0x03, 0x04, 0x05, 0x06, 0x06, 0x02]
    bench.check("an encrypted connection, decrypted: tshark reads every control PDU", differences(opcodes, wanted))
    bench.check("an encrypted connection, decrypted: the CRCs are correct", crc_problems(plain, folder))
    marked = fields(plain, ["frame.number"], "btle_rf.flags.decrypted == 1 && btle_rf.flags.mic_valid == 1")
    bench.check("an encrypted connection, decrypted: tshark sees the flags of each decrypted packet",
                [] if match and len(marked) == int(match[1]) else [str(len(marked)), text])
    half, text = decrypt(product, folder, "half", KEYS[:1])
    values = [row["btatt.value"].replace(":", "") for row in fields(half, ["btatt.value"], "btatt.opcode == 0x1b")]
    bench.check("an encrypted connection: one key decrypts its session only", [text, *differences(values, expected[:2])] if values != expected[:2] else [])
