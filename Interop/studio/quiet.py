"""Measurements that other processes of the machine disturb: turns of which the undisturbed ones count."""

import os
import time

import pytest

TURNS = 3
MOST_TURNS = 12
# What others may take of the processors in a turn that counts, whatever its result: a tenth.
DISTURBANCE = 0.1


def _times():
    """The seconds that all processors worked, and the seconds of this process with its children."""
    tick = os.sysconf("SC_CLK_TCK")
    with open("/proc/stat") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    processes = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        processes.setdefault(int(fields[1]), []).append((int(name), sum(map(int, fields[11:13]))))
    own, waiting = sum(os.times()[:4]) * tick, [os.getpid()]
    while waiting:
        for child, ticks in processes.get(waiting.pop(), []):
            own += ticks
            waiting.append(child)
    return (user + nice + system + irq + softirq + steal) / tick, own / tick


def median_of_turns(measure, share):
    """Takes turns of a measurement, and returns the median turn and a note about the others.

    `measure()` returns a turn; `share(turn)` is how much of the required values it has, 1 if all of them. Other processes only make a turn worse. So a
    turn counts if it has the required values, or if others took at most a tenth of the processors meanwhile; otherwise it is taken again. The test
    fails if too few of twelve turns count: a busy machine never passes.
    """
    turns, disturbances = [], []
    for _ in range(MOST_TURNS):
        (busy, own), begin = _times(), time.monotonic()
        turn = measure()
        (now_busy, now_own), end = _times(), time.monotonic()
        disturbances.append(max(0.0, (now_busy - busy) - (now_own - own)) / (end - begin))
        if share(turn) >= 1 or disturbances[-1] <= DISTURBANCE * os.cpu_count():
            turns.append(turn)
        if len(turns) == TURNS:
            median = sorted(turns, key=share)[TURNS // 2]
            return median, f"median of {TURNS} of {len(disturbances)} turns, others took up to {max(disturbances):.1f} of {os.cpu_count()} cores"
    return pytest.fail(
        f"The machine is too busy to measure: {len(turns)} of {MOST_TURNS} turns count, and other processes took {min(disturbances):.1f} to "
        f"{max(disturbances):.1f} of {os.cpu_count()} cores. The last turn was {turn}. Run the test again on a quiet machine.")
