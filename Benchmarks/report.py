"""The figures of a run as tables: for a terminal, and as Documentation/Performance.md."""

import json
import platform
import re
from pathlib import Path

here = Path(__file__).resolve().parent

# The chapters of the page in order: the first word of a figure's name, and a heading. The text before a chapter's table is
# Chapters/WORD.md: the subject, the method, and the limiting factor.
CHAPTERS = [
    ("on-air", "On air"),
    ("host", "The host's processor time"),
    ("callback", "Allocations of a callback"),
    ("allocations", "Allocations below the façade"),
    ("instructions", "Instructions"),
    ("controller", "The virtual controller"),
    ("crowd", "A crowd"),
    ("latency", "Latency"),
    ("gateway", "A gateway"),
    ("cloud", "A gateway to a broker"),
    ("events", "Connection events"),
    ("start", "Start-up and size"),
    ("studio", "The studio"),
]


# Plots below a chapter's table: a caption, and a pattern of figures whose group is the number of devices.
PLOTS = {
    "crowd": [
        ("Microseconds of one transmission, by the number of advertisers in a city", r"crowd\.advertisers\.(\d+)\.transmission"),
        ("Microseconds for a second of an active link, by the number of idle devices around it", r"crowd\.idle\.(\d+)"),
    ]
}


# The comparison of a chapter's figures with the requirements.
def demands(figures):
    """Returns the ratios to the best C host and to Bumble, by operation and transport."""
    values = {}
    for figure in figures:
        values.setdefault(figure["title"], {})[figure["stack"]] = figure["value"]
    lines = [["", "runtime API / best C host, published", "at this pace", "CoreBluetooth / best C host, published", "at this pace", "Bumble / CoreBluetooth"]]
    for title, row in values.items():
        if "CoreBluetooth" not in row or "best C host, published" not in row:
            continue
        cells = [title]
        for stack, limit in [("runtime API", 1), ("CoreBluetooth", 2)]:
            for column in ["best C host, published", "best C host, at this pace"]:
                share = row[stack] / row[column] if column in row else None
                cells.append("-" if share is None else f"{share:.2f}" if share <= limit else f"**{share:.2f}**")
        times = row["Bumble"] / row["CoreBluetooth"] if "Bumble" in row else None
        cells.append("-" if times is None else f"{times:.1f}" if times >= 10 else f"**{times:.1f}**")
        lines.append(cells)
    return lines


# The targets of the operations over the stub in instructions, of the runtime's API and of CoreBluetooth.
TARGETS = {
    "report": (2_500, 7_000),
    "report-of-100": (1_000, 5_000),
    "write-command": (1_400, 2_800),
    "read": (5_700, 9_000),
    "notification": (1_370, 2_800),
    "discovery": (600_000, 1_200_000),
    "connect": (60_000, 60_000),
    "reconnect": (50_000, 50_000),
}


def operations(figures):
    """Returns the instructions of the operations over the stub, beside their targets."""
    values = {f["figure"]: f["value"] for f in figures}
    lines = [["", "runtime API", "target", "CoreBluetooth", "target"]]
    for name, targets in TARGETS.items():
        cells = [name.replace("-", " ")]
        for kind, target in zip(["runtime", "facade"], targets):
            value = values.get(f"instructions.{kind}.{name}")
            cells.append("-" if value is None else f"{value:,}" if value <= target else f"**{value:,}**")
            cells.append(f"{target:,}")
        lines.append(cells)
    return lines


def plot(caption, pattern, figures):
    points = [(int(found[1]), f["value"]) for f in figures if (found := re.fullmatch(pattern, f["figure"]))]
    if not points:
        return []
    longest = max(value for _, value in points)
    lines = [f"{count:>7,}  {'█' * max(1, round(40 * value / longest))} {number(value)}" for count, value in points]
    return [caption + ":", "", "```text", *lines, "```", ""]


def number(value):
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.3g}" if abs(value) < 1 else f"{value:,.2f}"


def rows(figures):
    """Returns one row for each title, and one column for each stack."""
    stacks = []
    for figure in figures:
        if figure["stack"] not in stacks:
            stacks.append(figure["stack"])
    titles = {}
    for figure in figures:
        titles.setdefault((figure["title"], figure["unit"]), {})[figure["stack"]] = figure["value"]
    body = [[title, unit, *(number(values[s]) if s in values else "" for s in stacks)] for (title, unit), values in titles.items()]
    return [["", "unit", *("OpenCoreBluetooth" if stack == "ours" else stack for stack in stacks)], *body]


def table(figures):
    if not figures:
        return "no figures"
    lines = rows(figures)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths))).rstrip() for line in lines
    )


def markdown(lines, words):
    """Returns a table whose first columns are text, and the others numbers."""
    head = ["| " + " | ".join(lines[0]) + " |", "|" + " --- |" * words + " ---: |" * (len(lines[0]) - words)]
    return head + ["| " + " | ".join(line) + " |" for line in lines[1:]] + [""]


def page(figures):
    # The figures of the studio need a browser, and those of the cloud gateway another gateway: `Interop/run-studio` and `Interop/compare-cloud` measure them,
    # and write these files.
    for name in ("cloud.json", "studio.json"):
        figures = [*figures, *json.loads((here / name).read_text())]
    out = ["# Performance", "", (here / "Chapters" / "introduction.md").read_text().strip(), ""]
    out += [f"This run: {processor()}, Linux {platform.release().split('-')[0]}, Swift release build.", ""]
    for word, heading in CHAPTERS:
        chosen = [f for f in figures if f["figure"].split(".")[0] == word]
        if not chosen:
            continue
        out += [f"## {heading}", ""]
        text = here / "Chapters" / f"{word}.md"
        if text.exists():
            out += [text.read_text().strip(), ""]
        if word == "host":
            chosen = [f for f in chosen if not f["figure"].startswith("host.against-bumble.")]
        over_stub = [f for f in chosen if f["figure"].startswith(("instructions.runtime.", "instructions.facade."))]
        out += markdown(rows([f for f in chosen if f not in over_stub]), 2)
        if over_stub:
            out += ["The operations of the chapter on the host's processor time, each with all that its process executes. Bold figures miss their target.", ""]
            out += markdown(operations(over_stub), 1)
        if word == "host":
            out += ["The same figures as ratios. The requirement is at most 1 for the runtime API, at most 2 for `CoreBluetooth`, and at least 10 compared with Bumble. Bold figures miss it.", ""]
            out += markdown(demands(chosen), 1)
        for caption, pattern in PLOTS.get(word, []):
            out += plot(caption, pattern, chosen)
    return "\n".join(out).rstrip() + "\n"


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
