"""The cases of the pairing runs. Both sides of a case read what they have to do: `ours` is for interop-peer, `theirs` for the other stack."""

import json

from plan import Report, shown  # noqa: F401

SERVICE = "7E570020-0C0B-4B1E-8000-0123456789AB"
HELLO = "7E570021-0C0B-4B1E-8000-0123456789AB"  # read
SECRET = "7E570022-0C0B-4B1E-8000-0123456789AB"  # read, requires encryption
DONE = "7E570023-0C0B-4B1E-8000-0123456789AB"  # write: the central has completed the case
SECRET_VALUE, HELLO_VALUE = b"secret", b"hello"

NO_INPUT_NO_OUTPUT, DISPLAY, DISPLAY_YES_NO, KEYBOARD, BOTH = "noInputNoOutput", "displayOnly", "displayYesNo", "keyboardOnly", "keyboardDisplay"
PASSKEY, WRONG_PASSKEY = "042424", "535353"
SECURE, LEGACY = "Secure Connections", "legacy"
# What this package reports for a pairing of each kind that succeeds.
LEVELS = {
    ("encrypted", SECURE): "encrypted", ("encrypted", LEGACY): "encrypted",
    ("authenticated", SECURE): "secureConnections", ("authenticated", LEGACY): "authenticated",
}  # fmt: skip
NO_PAIRING = "no pairing"


def name(case):
    return f"pair-{case['number']}"


class Plan:
    """The cases of one role of this package, in the order of their numbers."""

    def __init__(self, role):
        self.role = role
        self.cases = []
        # In the opposite role the other stack has the other start.
        self.is_central = role == "central"

    def add(self, title, kind, ours, theirs, level="encrypted", **changes):
        """`kind` is SECURE or LEGACY; `ours` and `theirs` are the capabilities. The keyword arguments change single values."""
        number = len(self.cases) + 1
        succeeded = f"{LEVELS[level, kind or SECURE]}, {kind}, value read"
        case = {
            "number": number, "title": f"{title}, {kind}" if kind else title, "capability": ours, "start": "pair" if self.is_central else "wait",
            "minimum": level, "digits": None, "confirms": True, "consents": True, "forgets": False, "expects": succeeded, "peer": None,
            "signals": False, "outOfBand": None, "theirs": {
                "capability": theirs, "secure": kind == SECURE, "mitm": level != "encrypted", "start": "wait" if self.is_central else "pair",
                "digits": None, "confirms": True, "forgets": False, "expects": "encrypted, value read" if not self.is_central else "encrypted",
                # A new device in each case, except for cases of the same peer.
                "address": f"F0:F1:F2:F3:{0xA0 if self.is_central else 0xB0:02X}:{number:02X}", "private": False,
            },
        }  # fmt: skip
        for key, value in changes.items():
            if key.startswith("theirs_"):
                case["theirs"][key.removeprefix("theirs_")] = value
            else:
                case[key] = value
        self.cases.append(case)
        return number

    def fail(self, title, kind, ours, theirs, ours_expects, theirs_expects, **changes):
        return self.add(title, kind, ours, theirs, "authenticated", expects=ours_expects, theirs_expects=theirs_expects, **changes)


def models(plan, fails):
    """Adds each association model with Secure Connections and legacy pairing. `fails` names the errors of both sides."""
    numbers = []
    for kind in (SECURE, LEGACY):
        numbers += [
            plan.add("just works", kind, NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT),
            plan.add("passkey displayed by this host", kind, DISPLAY, KEYBOARD, "authenticated"),
            plan.add("passkey displayed by the peer", kind, KEYBOARD, DISPLAY, "authenticated"),
            plan.add("passkey entered on both", kind, KEYBOARD, KEYBOARD, "authenticated", digits=PASSKEY, theirs_digits=PASSKEY),
            plan.fail("wrong passkey entered by this host", kind, KEYBOARD, DISPLAY, *fails["wrong here", kind], digits=WRONG_PASSKEY,
                      theirs_digits=PASSKEY),
            plan.fail("wrong passkey entered by the peer", kind, DISPLAY, KEYBOARD, *fails["wrong there", kind], theirs_digits=WRONG_PASSKEY),
        ]
    numbers += [
        plan.add("numeric comparison", SECURE, DISPLAY_YES_NO, DISPLAY_YES_NO, "authenticated"),
        plan.fail("comparison refused by this host", SECURE, DISPLAY_YES_NO, DISPLAY_YES_NO, *fails["refused here"], confirms=False),
        plan.fail("comparison refused by the peer", SECURE, DISPLAY_YES_NO, DISPLAY_YES_NO, *fails["refused there"], theirs_confirms=False),
    ]
    return numbers


def out_of_band(plan):
    """Adds pairings with out-of-band data: of one or both devices with Secure Connections, a common key with legacy pairing."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    titles = {"both": "out-of-band data of both", "ours": "out-of-band data of this host", "theirs": "out-of-band data of the peer"}
    return [plan.add(title, SECURE, *nothing, "authenticated", outOfBand=source) for source, title in titles.items()] + [
        plan.add("out-of-band data", LEGACY, *nothing, "authenticated", outOfBand="key")]


def write(plan, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan.cases, file)


def read(path, numbers):
    """The cases with these numbers, in this order."""
    with open(path, encoding="utf-8") as file:
        cases = {case["number"]: case for case in json.load(file)}
    return [cases[int(number)] for number in numbers]


def ways(plan):
    """Adds the ways in which a pairing begins."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    if plan.is_central:
        return [
            plan.add("read that pairs", SECURE, *nothing, start="read"),
            plan.add("read that pairs", LEGACY, *nothing, start="read"),
            plan.add("pairing that the peripheral requests", SECURE, *nothing, start="wait", theirs_start="request"),
            plan.fail("protection that the capabilities exclude", SECURE, *nothing, "authenticationRequirements", "AUTHENTICATION_REQUIREMENTS"),
        ]
    return [
        plan.add("read that is refused before the pairing", SECURE, *nothing, theirs_start="demand"),
        plan.add("pairing that the peripheral requests", SECURE, *nothing, start="pair", theirs_start="wait"),
    ]


def bonds(plan, kind, address):
    """Adds the cases of one bond. Between the first two, this package's process ends; before the third, the other one."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    same = {"peer": f"bond {kind} {plan.role}", "theirs_address": address}
    again = {**same, "start": "bond"} | ({} if plan.is_central else {"theirs_start": "encrypt"})
    return [
        plan.add("bond", kind, *nothing, **same),
        plan.add("bonded reconnect after a restart of this host", kind, *nothing, **again),
        plan.add("bonded reconnect after a restart of the peer", kind, *nothing, **again),
    ]


def losses(plan, address, lost):
    """Adds what follows when a side loses the keys of the bond with Secure Connections. `lost` are the errors of both sides."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    same = {"theirs_address": address}
    if plan.is_central:
        return [
            plan.add("peer that lost its keys", None, *nothing, **same, start="bond", theirs_forgets=True, theirs_secure=True,
                     level="encrypted", **lost),
            plan.add("pairing after the bond is deleted", SECURE, *nothing, **same, forgets=True),
        ]
    return [
        plan.add("bond deleted by this host", None, *nothing, **same, start="nothing", forgets=True, theirs_start="encrypt", theirs_secure=True, **lost),
        plan.add("pairing after the bond is deleted", SECURE, *nothing, **same),
        plan.add("peer that lost its keys, replacement refused", None, *nothing, **same, consents=False, theirs_forgets=True,
                 theirs_secure=True, expects="authenticationRequirements", theirs_expects="AUTHENTICATION_REQUIREMENTS"),
        plan.add("peer that lost its keys, replacement accepted", SECURE, *nothing, **same, theirs_forgets=True),
    ]


def privacy(plan, address, both=False):
    """Adds a bond with a device that changes its private address before each connection. With `both`, this host has one as well."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    same = {"peer": f"private {plan.role}", "theirs_address": address, "theirs_private": True}
    again = {**same, "start": "bond"} | ({} if plan.is_central else {"theirs_start": "encrypt"})
    one, other = ("private addresses of both", "other private addresses of both") if both else ("a private address", "another private address")
    return [
        plan.add(f"bond with {one}", SECURE, *nothing, **same),
        plan.add(f"bonded reconnect with {other}", SECURE, *nothing, **again),
        plan.add(f"bonded reconnect with {other} after a restart of this host", SECURE, *nothing, **again),
    ]


def bluez(plan):
    """Adds the cases with bluetoothd. Returns the numbers of the cases before the first restart, and of those after it."""
    nothing = (NO_INPUT_NO_OUTPUT, NO_INPUT_NO_OUTPUT)
    signals = {"signals": not plan.is_central}
    # Both hosts have one address in all cases, so each case begins without a bond.
    new, again = {"forgets": True, **signals}, {"peer": f"bond {plan.role}", "start": "bond", **signals}
    numbers = []
    for kind in (SECURE, LEGACY):
        numbers += [
            plan.add("just works", kind, *nothing, **new),
            plan.add("passkey displayed by this host", kind, DISPLAY, KEYBOARD, "authenticated", **new),
            plan.add("passkey displayed by the peer", kind, KEYBOARD, DISPLAY, "authenticated", **new),
        ]
    numbers.append(plan.add("numeric comparison", SECURE, DISPLAY_YES_NO, DISPLAY_YES_NO, "authenticated", **new))
    numbers.append(plan.add("bond", SECURE, *nothing, **new))
    return numbers, [
        plan.add("bonded reconnect after a restart of this host", SECURE, *nothing, **again),
        plan.add("bonded reconnect after a restart of the peer", SECURE, *nothing, **again),
    ]


def private_bluez(plan):
    """Adds the cases with bluetoothd and private addresses, as `bluez` does."""
    numbers = privacy(plan, None, both=True)
    for case in plan.cases:
        case["signals"] = not plan.is_central
    plan.cases[0]["forgets"] = True
    return numbers[:2], numbers[2:]
