#!/usr/bin/env python3
"""The figures of measurements: their files, their tables and the pages made of them.

Figures/WORD.json has the figures of a chapter, with the date and the machine of each run. Documentation/Performance.md, the tables in
Documentation/Performance/ and the plots in Documentation/Pictures/ are made from these files.

usage: Benchmarks/report.py            writes the pages
       Benchmarks/report.py --check    compares the pages with the figures, and writes nothing
"""

import datetime
import json
import os
import platform
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
documents = here.parent / "Documentation"

# The chapters in order: the first word of a figure's name, and a heading. The text before a chapter's table is Chapters/WORD.md: the subject,
# the method, and the limiting factor.
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
    ("loop", "The developer's loop"),
]

# Figures that only have a threshold: the pages compute the same ratios.
UNLISTED = "host.against-bumble."

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


# MARK: Files


def load(word):
    """Returns the runs of a chapter: each has a date, a machine, a note and figures."""
    path = here / "Figures" / f"{word}.json"
    return json.loads(path.read_text())["runs"] if path.exists() else []


def store(word, runs):
    """Writes the runs of a chapter, one figure on a line."""
    parts = []
    for run in runs:
        lines = [f'      "{key}": {json.dumps(run[key], ensure_ascii=False)},' for key in ("date", "machine", "note") if key in run]
        figures = ",\n".join(f"        {json.dumps(figure, ensure_ascii=False)}" for figure in run["figures"])
        parts.append("    {\n" + "\n".join(lines) + '\n      "figures": [\n' + figures + "\n      ]\n    }")
    (here / "Figures").mkdir(exist_ok=True)
    (here / "Figures" / f"{word}.json").write_text(f'{{\n  "chapter": "{word}",\n  "runs": [\n' + ",\n".join(parts) + "\n  ]\n}\n")


def keep(figures, is_complete=False, note=None):
    """Adds the figures of a new run to the files of their chapters.

    They replace all earlier figures with the same names, also those of other stacks: figures stand beside each other only if they are of one
    run. A complete run replaces all earlier figures of its chapters.
    """
    chapters = {}
    for figure in figures:
        if not figure["figure"].startswith(UNLISTED):
            chapters.setdefault(figure["figure"].split(".")[0], []).append({**figure, "value": rounded(figure["value"])})
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    for word, new in chapters.items():
        if word not in dict(CHAPTERS):
            sys.exit(f"benchmarks: {new[0]['figure']} belongs to no chapter: add {word} to CHAPTERS in report.py.")
        replaced = {f["figure"] for f in new}
        runs = []
        for run in load(word):
            run["figures"] = [] if is_complete else [f for f in run["figures"] if f["figure"] not in replaced]
            if run["figures"]:
                runs.append(run)
        store(word, [*runs, {"date": today, "machine": machine(), "note": note, "figures": new}])


def problems():
    """Returns a sentence for each figure without a date or a machine, and for each one whose stacks are of several runs."""
    found = []
    for word, _ in CHAPTERS:
        names = set()
        for run in load(word):
            if not run.get("date") or not run.get("machine"):
                found.append(f"Figures/{word}.json has a run without a date or a machine: remove it, or measure again.")
            own = {figure["figure"] for figure in run["figures"]}
            found += [f"Figures/{word}.json has {name} in two runs: keep the newer one." for name in sorted(own & names)]
            names |= own
    return found


def rounded(value):
    """Returns a number with at most seven significant digits."""
    if value is None or value == int(value):
        return None if value is None else int(value)
    return float(f"{value:.7g}")


def machine():
    """Returns the processor, the number of processors and the kernel of this machine."""
    name = platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    return f"{name}, {os.cpu_count()} processors, Linux {platform.release().split('-')[0]}"


# MARK: Tables


def number(value):
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:,.3g}" if abs(value) < 1 else f"{value:,.2f}"


def rows(figures):
    """Returns one row for each title, and one column for each stack. The column "measured" is there if the figures are of several days."""
    stacks = list(dict.fromkeys(f["stack"] for f in figures))
    days = len({f.get("date") for f in figures}) > 1
    titles = {}
    dates = {}
    for figure in figures:
        key = (figure["title"], figure["unit"])
        titles.setdefault(key, {})[figure["stack"]] = figure["value"]
        dates.setdefault(key, []).append(figure.get("date") or "not recorded")
    body = []
    for key, values in titles.items():
        cells = [*key, *(number(values[s]) if s in values else "" for s in stacks)]
        body.append(cells + [", ".join(dict.fromkeys(dates[key]))] if days else cells)
    head = ["", "unit", *("OpenCoreBluetooth" if stack == "ours" else stack for stack in stacks)]
    return [head + ["measured"] if days else head, *body]


def table(figures):
    """Returns the table for a terminal."""
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


def operations(figures):
    """Returns the instructions of the operations over the stub, beside their targets."""
    values = {(f["figure"], f["stack"]): f["value"] for f in figures}
    lines = [["", "runtime API", "target", "CoreBluetooth", "target"]]
    for name, targets in TARGETS.items():
        cells = [name.replace("-", " ")]
        for kind, target in zip(["runtime", "facade"], targets):
            value = values.get((f"instructions.{kind}.{name}", "ours"))
            cells.append("-" if value is None else f"{value:,}" if value <= target else f"**{value:,}**")
            cells.append(f"{target:,}")
        lines.append(cells)
    return lines


# MARK: Pages


def when(word):
    """Returns a sentence for each run of a chapter: its date, its machine and its note."""
    sentences = []
    for run in load(word):
        count = len(run["figures"])
        what = f"{count} figure{'s' if count > 1 else ''}"
        first = f"{run['date']}, {run['machine']}: {what}."
        sentences.append("- " + " ".join(part for part in (first, run.get("note")) if part))
    return sentences


def chapter(word, heading):
    """Returns the page of a chapter: its text, its runs and its tables."""
    figures = [{**f, "date": run["date"]} for run in load(word) for f in run["figures"]]
    out = [f"# {heading}", "", f"A chapter of [Performance](../Performance.md). Its figures are in [{word}.json](../../Benchmarks/Figures/{word}.json)."]
    out += ["", (here / "Chapters" / f"{word}.md").read_text().strip(), "", "## Figures", "", "Measured:", "", *when(word), ""]
    own = [f for f in figures if not f["figure"].startswith(("instructions.runtime.", "instructions.facade."))]
    out += markdown(rows(own), 2)
    if word == "instructions":
        out += ["The operations of [the host's processor time](host.md), each with all that its process executes. Bold figures miss their target.", ""]
        out += markdown(operations([f for f in figures if f not in own]), 1)
    return "\n".join(out).rstrip() + "\n"


def pages():
    """Returns the texts of all files that the figures make."""
    import questions

    files = {documents / "Performance" / f"{word}.md": chapter(word, heading) for word, heading in CHAPTERS if load(word)}
    page, plots = questions.page()
    files[documents / "Performance.md"] = page
    for name, plot in plots.items():
        files[documents / "Pictures" / f"performance-{name}.svg"] = plot
    return files


def present():
    """Returns the files of earlier pages."""
    return {*(documents / "Performance").glob("*.md"), *(documents / "Pictures").glob("performance-*.svg")}


def write():
    files = pages()
    for path in present() - files.keys():
        path.unlink()
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def main():
    if sys.argv[1:] in ([], ["--check"]) and (found := problems()):
        sys.exit("\n".join(found))
    if sys.argv[1:] == ["--check"]:
        files = pages()
        wrong = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
        wrong += present() - files.keys()
        for path in sorted(wrong):
            print(f"{path.relative_to(here.parent)} is not what Benchmarks/Figures makes: run Benchmarks/report.py")
        if wrong:
            sys.exit(1)
        print(f"performance: {len(files)} files agree with the figures")
    elif len(sys.argv) == 1:
        write()
    else:
        sys.exit("usage: Benchmarks/report.py [--check]")


if __name__ == "__main__":
    main()
