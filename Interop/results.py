"""The results of a run: one line of JSON for each feature, in the file that INTEROP_RESULTS names. Scripts/generate-interop writes
Documentation/Interop.md from it."""

import json
import os

BUMBLE = "Bumble 0.0.236"
ROOTCANAL = "rootcanal 1.10.0"


def row(stack, ours, feature, passed):
    """Whether `feature` worked. `stack` is the other implementation with its version. `ours` is the part of this package that it used: central,
    peripheral, host (on its controller) or controller (under its host)."""
    return {"stack": stack, "ours": ours, "feature": feature, "passed": bool(passed)}


def write(rows):
    path = os.environ.get("INTEROP_RESULTS")
    if not path:
        return
    # One write, because several scripts can append at the same time.
    with open(path, "a", encoding="utf-8") as file:
        file.write("".join(json.dumps(entry) + "\n" for entry in rows))


def meetings(medium, server, client):
    """Returns each (stack, ours) that a run tests. Each side is the name of another stack, or None for this package."""
    found = set()
    if server and not client:
        found.add((server, "central"))
    if client and not server:
        found.add((client, "peripheral"))
    if medium and not (server and client):
        found.add((medium, "host"))
    if not medium:
        found.update((stack, "controller") for stack in (server, client) if stack)
    return sorted(found)
