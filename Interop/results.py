"""Records the results of a run: one line of JSON for each feature, in the file that INTEROP_RESULTS names.
Scripts/generate-interop writes Documentation/Interop.md from it."""

import json
import os

BUMBLE = "Bumble 0.0.236"
ROOTCANAL = "rootcanal 1.10.0"


def record(stack, ours, feature, passed):
    """Records whether `feature` worked. `stack` is the other implementation with its version. `ours` is the part of this package that it used:
    central, peripheral, host (on its controller) or controller (under its host)."""
    path = os.environ.get("INTEROP_RESULTS")
    if not path:
        return
    line = json.dumps({"stack": stack, "ours": ours, "feature": feature, "passed": bool(passed)})
    # One write per line, because several scripts can append at the same time.
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")


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
