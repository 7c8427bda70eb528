"""The commands of Documentation/BlueZ.md for a fresh system, word for word, as an ordinary user."""

import os
import pathlib
import re

from machine import READY, Radio, totals, until_true
from processes import Process

DOCUMENT, SECTION = "/opt/BlueZ.md", "## On a fresh system\n"
USER, HOME, NUMBER = "someone", "/home/someone", 1000
# What the machine has done already, because it has no network.
BEFORE = ["git clone https://github.com/OpenCoreBluetooth/OpenCoreBluetooth", "cd OpenCoreBluetooth"]
WRISTBAND, POWER = "swift run wristband", "bluetoothctl power on"
STEPS = 23


def commands():
    """Returns the lines of the section's block, and the commands that its text names."""
    section = pathlib.Path(DOCUMENT).read_text(encoding="utf-8").partition(SECTION)[2].partition("\n## ")[0]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    text = section.replace(block[0], "")
    return block[1].splitlines(), [words for words in re.findall(r"`([^`]+)`", text) if " " in words]


def typed(command):
    """Starts a command as the user types it."""
    return Process(["su", USER, "-s", "/bin/sh", "-c", f"exec {command}"])


def shown(process):
    """Prints what the command printed: this is what the user reads."""
    print(f"  $ {process.arguments[-1].removeprefix('exec ')}", flush=True)
    for line in process.lines[:40]:
        print(f"    {line}", flush=True)


def ends(command, code, *texts):
    """Runs a command to its end and checks its exit code and what it prints."""
    process = typed(command)
    got = process.wait(READY)
    missing = [text for text in texts if text not in process.output]
    totals.add(got == code and not missing, "user", f"{command}: exit code {got}" + (f", without {missing}" if missing else ""))
    shown(process)
    return process


def interrupted(command, *texts):
    """Runs a command until it has printed the texts, and presses Ctrl-C."""
    process = typed(command)
    until_true(lambda: all(text in process.output for text in texts))
    missing = [text for text in texts if text not in process.output]
    process.stop()
    totals.add(process.exit_code == 0 and not missing, "user", f"{command}, then Ctrl-C: exit code {process.exit_code}" + (f", without {missing}" if missing else ""))
    shown(process)
    return process


def fresh():
    """the commands for a fresh system through bluetoothd, as an ordinary user"""
    totals.ours = "daemon"
    os.makedirs(HOME, exist_ok=True)
    os.chown(HOME, NUMBER, NUMBER)
    block, named = commands()
    known = [*BEFORE, "swift run bluelab doctor", "swift run bluelab scan", "swift run walkthrough"]
    totals.add(block == known, "document", f"commands for a fresh system: {block}")
    totals.add(named == [WRISTBAND, POWER], "document", f"commands for a fresh system: {named}")
    doctor, scan, walkthrough = block[len(BEFORE) :]
    processes = []
    # A second machine is the second adapter, which the wristband has for itself. The adapter of this machine is off at first.
    with Radio(2, configuration="[Policy]\nAutoEnable=false\n"):
        wristband = Process(["/bin/sh", "-c", f"exec {WRISTBAND}"], BLUETOOTH_CONTROLLER="hci1", XDG_STATE_HOME="/run/state-wristband")
        totals.add(wristband.wait_for_line("dvertising", READY), "second machine", f"{WRISTBAND}: advertises")
        processes += [wristband, ends(doctor, 3, "hci0", POWER), interrupted(scan, POWER), ends(POWER, 0, "succeeded"), ends(doctor, 0)]
        processes += [interrupted(scan, "Wristband"), ends(walkthrough, 0, "found Wristband", "connected to Wristband", f"{STEPS} ")]
        wristband.stop()
    return processes
