"""The commands of Documentation/BlueZ.md for a fresh system, word for word, as an ordinary user."""

import os
import pathlib
import re
import subprocess

from machine import READY, RUN, Radio, totals, until_true
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


def second_machine():
    """A wristband on the second adapter, which it has for itself."""
    wristband = Process(["/bin/sh", "-c", f"exec {WRISTBAND}"], BLUETOOTH_CONTROLLER="hci1", XDG_STATE_HOME="/run/state-wristband")
    totals.add(wristband.wait_for_line("advertising", READY), "second machine", f"{WRISTBAND}: advertises")
    return wristband


def begun(command):
    """Starts a command that scans, and the second machine once bluetoothd scans: btvirt reports an advertiser when it starts."""
    process = typed(command)
    until_true(lambda: "Discovering: yes" in subprocess.run(["bluetoothctl", "show"], capture_output=True, text=True, timeout=READY).stdout)
    return process, second_machine()


def found(command, text):
    """Scans until Ctrl-C."""
    process, wristband = begun(command)
    until_true(lambda: text in process.output)
    process.stop()
    wristband.stop()
    good = process.exit_code == 130 and text in process.output
    totals.add(good, "user", f"{command}: finds {text}, and ends by Ctrl-C with exit code {process.exit_code}")
    shown(process)
    return [process, wristband]


def walked(command):
    """Takes the steps with the second machine."""
    process, wristband = begun(command)
    code = process.wait(RUN)
    steps = [number for number in range(1, STEPS + 1) if not any(line.startswith(f"{number} ") for line in process.lines)]
    totals.add(code == 0 and not steps, "user", f"{command}: exit code {code}" + (f", without the steps {steps}" if steps else f", {STEPS} steps"))
    shown(process)
    wristband.stop()
    return [process, wristband]


def fresh():
    """the commands for a fresh system through bluetoothd, as an ordinary user"""
    totals.ours = "daemon"
    os.makedirs(HOME, exist_ok=True)
    os.chown(HOME, NUMBER, NUMBER)
    block, named = commands()
    known = [*BEFORE, "swift run bluelab doctor", "swift run bluelab scan", "swift run walkthrough"]
    totals.add(block == known, "document", f"commands for a fresh system: {block}")
    totals.add(named == [WRISTBAND, POWER], "document", f"commands for a fresh system: {named}")
    doctor, scan, walkthrough = known[len(BEFORE) :]
    # The adapter is off at first.
    with Radio(2, configuration="[Policy]\nAutoEnable=false\n"):
        wristband = second_machine()
        processes = [wristband, ends(doctor, 3, "hci0", POWER), ends(scan, 3, "hci0", POWER), ends(POWER, 0), ends(doctor, 0, "hci0")]
        wristband.stop()
        return processes + found(scan, "Wristband") + walked(walkthrough)
