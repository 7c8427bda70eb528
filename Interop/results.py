"""What a run found out, for the matrix: one line of JSON for each feature, in the file that INTEROP_RESULTS names.
Scripts/generate-interop makes Documentation/Interop.md of it."""

import json
import os

BUMBLE = "Bumble 0.0.236"
ROOTCANAL = "rootcanal 1.10.0"


def record(stack, ours, feature, passed):
    """Notes whether `feature` worked. `stack` is the foreign side with its version; `ours` is what of ours it met: central, peripheral,
    host (on its controller) or controller (under its host)."""
    path = os.environ.get("INTEROP_RESULTS")
    if not path:
        return
    line = json.dumps({"stack": stack, "ours": ours, "feature": feature, "passed": bool(passed)})
    # One write for each line: several scripts may append.
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")


def meetings(medium, server, client):
    """Which (stack, ours) a run puts to the test. Each side is the name of a foreign stack, or None if it is ours."""
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
