"""The prompts of `bluelab pair` on a terminal, against devices on Bumble's host."""

import asyncio
import queue
import re

import pytest
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import ErrorCode
from commands import LIMIT

DISPLAY = PairingDelegate.DISPLAY_OUTPUT_ONLY
KEYBOARD = PairingDelegate.KEYBOARD_INPUT_ONLY
YES_NO = PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT
PASSKEY = "042424"


class User(PairingDelegate):
    """The user of a device: `shown` has the digits on its display, and `typed` the passkey that the user enters."""

    def __init__(self, capability):
        super().__init__(capability)
        self.shown, self.typed, self.failures = queue.Queue(), None, queue.Queue()

    async def generate_passkey(self):
        return int(PASSKEY)

    async def display_number(self, number, digits):
        self.shown.put(f"{number:06}")

    async def get_number(self):
        async with asyncio.timeout(LIMIT):
            while self.typed is None:
                await asyncio.sleep(0.02)
        return int(self.typed)

    async def compare_numbers(self, number, digits):
        self.shown.put(f"{number:06}")
        return True


@pytest.fixture
def lock(bumble):
    """Starts a device that pairs with its `User`."""

    def lock(capability, name):
        user = User(capability)
        started = bumble(name=name)
        started.device.pairing_config_factory = lambda connection: PairingConfig(sc=True, mitm=True, bonding=True, delegate=user)
        started.device.on("connection", lambda connection: connection.on(connection.EVENT_PAIRING_FAILURE, user.failures.put))
        return user

    return lock


def names_of_bonds(run):
    bonds = run("bonds", "--json").records
    assert all(bond["security"] == "secureConnections" and bond["authenticated"] for bond in bonds)
    return [bond["name"] for bond in bonds]


def enter_a_passkey(lock, screen):
    user = lock(DISPLAY, "Lock")
    pair = screen("pair", "lock", "--security", "authenticated", columns=160)
    pair.expect("The passkey that Lock displays:")
    pair.send("garden\r")
    pair.expect("One to six digits, or an empty line to cancel:")
    pair.send(user.shown.get(timeout=5) + "\r")
    assert pair.finish() == 0
    assert "paired Lock" in pair.text() and "authenticated, Secure Connections, 16-octet key" in pair.text()


def display_a_passkey(lock, screen):
    user = lock(KEYBOARD, "Keyboard")
    pair = screen("pair", "keyboard", columns=160)
    text = pair.expect(re.compile(r"Enter the passkey \d{6} on Keyboard\."))
    user.typed = re.search(r"passkey (\d{6})", text)[1]
    assert pair.finish() == 0


def compare_digits(lock, screen):
    user = lock(YES_NO, "Watch")
    pair = screen("pair", "watch", columns=160)
    pair.expect(f"Does Watch display {user.shown.get(timeout=20)}? [y/N]")
    pair.send("y\r")
    assert pair.finish() == 0


def refuse_digits(lock, screen):
    user = lock(YES_NO, "Door")
    pair = screen("pair", "door", columns=160)
    pair.expect("[y/N]")
    pair.send("n\r")
    assert pair.finish() == 7
    assert "The numbers on the two devices differ, or a user rejected them." in pair.text()
    assert user.failures.get(timeout=5) == ErrorCode.NUMERIC_COMPARISON_FAILED


def enter_a_wrong_passkey(lock, screen):
    lock(DISPLAY, "Gate")
    pair = screen("pair", "gate", columns=160)
    pair.expect("The passkey that Gate displays:")
    pair.send("535353\r")
    assert pair.finish() == 6
    assert "The passkeys of the two devices differ" in pair.text()


def press_control_c(lock, screen):
    user = lock(DISPLAY, "Safe")
    pair = screen("pair", "safe", columns=160)
    pair.expect("The passkey that Safe displays:")
    pair.send("12\x03")
    assert pair.finish() == 130
    assert pair.lines()[-1] == "bluelab: the pairing with Safe was cancelled."
    assert user.failures.get(timeout=5) == ErrorCode.UNSPECIFIED_REASON


@pytest.mark.long
def test_prompts(lock, screen, run):
    """A prompt without an answer ends after 30 s (Vol 3, Part H, 3.4). The other pairings run meanwhile."""
    lock(DISPLAY, "Slow")
    silent = screen("pair", "slow", columns=160)
    silent.expect("The passkey that Slow displays:")
    for step in (enter_a_passkey, display_a_passkey, compare_digits):
        step(lock, screen)
    assert names_of_bonds(run) == ["Lock", "Keyboard", "Watch"]
    for step in (refuse_digits, enter_a_wrong_passkey, press_control_c):
        step(lock, screen)
    assert silent.finish(timeout=40) == 5
    assert "bluelab: the pairing with Slow failed. A device did not answer within 30 seconds." in silent.lines()
    assert len(names_of_bonds(run)) == 3


def test_pairing_without_a_terminal(lock, run):
    lock(DISPLAY, "Lock")
    refused = run("pair", "lock", timeout=5)
    assert refused.code == 7 and "not a terminal" in refused.errors and refused.errors.endswith('Try: bluelab pair lock --yes\n')
    assert run("pair", "lock", "--passkey", "-", input="garden\n").code == 2
    assert names_of_bonds(run) == []
    paired = run("pair", "lock", "--passkey", "-", "--json", input=PASSKEY + "\n")
    assert paired.code == 0 and paired.records[0]["authenticated"], paired
