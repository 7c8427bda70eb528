"""Documentation/Mutation.md and the list of faults that change nothing."""

import re

import plantedbuild

PAGE = plantedbuild.ROOT / "Documentation" / "Mutation.md"
EQUIVALENT = plantedbuild.ROOT / "Documentation" / "mutation-equivalent.tsv"
BEGIN = """# Planted faults

For a contributor who asks how strong the tests of a target are.

`Scripts/mutate` plants small faults by rules in a target, runs the suites that reach each of them, and lists those that no test notices. This page holds the
last run for each target; `Scripts/mutate --report` writes it. A fault counts as killed if a test fails, if the process traps, or if the run takes longer
than five times the run without a fault and longer than 15 seconds. A fault that no suite reaches counts as survived.

The rules are: conditions inverted (`==`, `!`, `&&`, whole conditions), bounds off by one (`<`, `..<`, `min`), statements removed, constants exchanged (numbers,
`true`, cases of an enumeration), arguments of the same type exchanged, and operators exchanged (`+`, `<<`, `&`). Inlinable functions are left out
unless `--inlined` is given, because other targets hold copies of them. `mutation-equivalent.tsv` lists the faults that change nothing that a test could see, with the reason; they are not
planted.

"""
# Less than this share of killed faults, in percent, is a failure.
LEAST_KILLED = 90
SUMMARY = re.compile(r"Seed (\S+), (\S+): (\d+) candidates, (\d+) planted, (\d+) killed \((\d+) %\), (\d+) not reached\.")


def equivalent():
    """The keys of faults that are listed as equivalent."""
    if not EQUIVALENT.exists():
        return set()
    rows = [line.split("\t") for line in EQUIVALENT.read_text().split("\n")[1:] if line]
    return {(row[0], row[1], row[2], row[3]) for row in rows}


def is_equivalent(fault, rows):
    return (fault.file, fault.line_text, fault.rule, fault.new) in rows


def code(text):
    text = text if len(text) <= 90 else text[:87] + "..."
    return f"`{text}`".replace("|", "\\|") if text else "(nothing)"


def section(target, summary, suites, survivors):
    lines = [f"## {target}", "", summary, "", f"Suites: {suites}.", ""]
    if survivors:
        lines += ["| place | rule | text | planted | |", "| --- | --- | --- | --- | --- |"]
        for fault, state in survivors:
            lines.append(f"| {fault.file}:{fault.line} | {fault.rule} | {code(fault.old)} | {code(fault.new)} | {state} |")
        lines.append("")
    return "\n".join(lines)


def complaints(planted, killed, left_out):
    """What is wrong with the run of a target."""
    found = [f"left out, because it fails without a fault: {suite}" for suite in left_out]
    if 100 * killed < LEAST_KILLED * planted:
        found.append(f"{killed} of {planted} faults are killed, less than {LEAST_KILLED} %")
    return found


def table(summaries):
    """The rows of a table with a summary for each target."""
    rows = ["| target | seed | candidates | planted | killed | not reached |", "| --- | --- | --- | --- | --- | --- |"]
    for target in sorted(summaries):
        found = SUMMARY.search(summaries[target])
        if found:
            rows.append(f"| {target} | {found[1]} | {found[3]} | {found[4]} | {found[5]} ({found[6]} %) | {found[7]} |")
    return "\n".join(rows)


def candidates_of_page():
    """The number of candidates of each target in the last run on the page."""
    text = PAGE.read_text() if PAGE.exists() else ""
    return {target: int(count) for target, count in re.findall(r"^\| (\w+) \| \S+ \| (\d+) \|", text, re.MULTILINE)}


def write(sections):
    """Replaces the sections of the targets of a run."""
    old = PAGE.read_text() if PAGE.exists() else ""
    kept = {}
    for part in re.split(r"^(?=## )", old, flags=re.MULTILINE)[1:]:
        kept[part.split("\n")[0][3:]] = part.strip() + "\n"
    kept.update(sections)
    page = BEGIN + table(kept) + "\n\n" + "\n".join(kept[target].strip() + "\n" for target in sorted(kept))
    PAGE.write_text(page)
