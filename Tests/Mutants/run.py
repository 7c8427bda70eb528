#!/usr/bin/env python3
"""Plants defects, one at a time, and shows that the soak fails with each and passes without.

A mutant is a file NAME.mutant beside this one: what it is about, a part of the sentence with which the soak has to fail, and
replacements of text in files of the product. In a new text, PLANTED is true in the run of that mutant alone. All mutants are
built at once, in a copy of the tree; the product itself holds none of this.

usage: Scripts/soak --mutants [--short] [NAME ...]
       Scripts/soak --mutants --fit      only checks that every mutant fits its files: the form of CI, which builds nothing
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COPY = ROOT / ".build" / "mutants" / "tree"
SCRATCH = ROOT / ".build" / "mutants" / "build"
PARTS = ["Package.swift", "Sources", "Tests", "Examples", "Interop"]
SWITCH = """import Glibc

/// Which defect is planted in this run; 0: none.
package let plantedMutant = getenv("FAULT_SOAK_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0
"""
# A run ends with the first failure. One that never ends has not noticed the defect.
TIME_LIMIT = 240
RUN = ["--first", "60", "1", "2"]


def fail(sentence):
    print(f"failed  {sentence}")
    print("0 passed, 1 failed, 0 skipped")
    sys.exit(1)


def parse(path):
    """The fields of a mutant: about, fails, short, and its edits as (file, old, new)."""
    fields, edits = {}, []
    file, part, text = None, None, {"old": [], "new": []}

    def close():
        if file:
            edits.append((file, "\n".join(text["old"]), "\n".join(text["new"])))

    for line in path.read_text().split("\n"):
        word, _, rest = line.partition(": ")
        if line == "end" or word == "file":
            close()
            text = {"old": [], "new": []}
            file, part = (rest if word == "file" else None), None
        elif line in ("old:", "new:"):
            part = line[:-1]
        elif part:
            text[part].append(line)
        elif word in ("about", "fails", "short"):
            fields[word] = rest
    if not edits or "about" not in fields:
        fail(f"{path.name} is no mutant: it needs 'about', 'file', 'old', 'new' and 'end'.")
    return fields, edits


def write(path, text):
    """Leaves a file alone that holds this already, so that it is not built again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy(mutants):
    changed = {}
    for number, (name, (_, edits)) in enumerate(mutants.items(), 1):
        for file, old, new in edits:
            text = changed.get(file) or (ROOT / file).read_text()
            if text.count(old) != 1:
                fail(
                    f"{name}.mutant does not fit: its old text is {text.count(old)} times in {file}. "
                    "Change the mutant to what the file says now."
                )
            changed[file] = text.replace(old, new.replace("PLANTED", f"(plantedMutant == {number})"))
    changed["Sources/Protocol/BLEWire/PlantedMutant.swift"] = SWITCH
    wanted = set(changed)
    for part in PARTS:
        source = ROOT / part
        for path in [source] if source.is_file() else source.rglob("*"):
            if not path.is_file() or "__pycache__" in path.parts or ".build" in path.parts:
                continue
            name = str(path.relative_to(ROOT))
            wanted.add(name)
            if name in changed:
                continue
            target = COPY / name
            if not target.exists() or target.read_bytes() != path.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
    for name, text in changed.items():
        if not text.lstrip().startswith("import BLEWire") and "import BLEWire" not in text and "Sources/Protocol/BLEWire/" not in name:
            text = "import BLEWire\n" + text
        write(COPY / name, text)
    for path in COPY.rglob("*"):
        if path.is_file() and str(path.relative_to(COPY)) not in wanted and path.name != "Package.resolved":
            path.unlink()


def build():
    command = ["swift", "build", "-c", "release", "--product", "fault-soak", "--package-path", str(COPY)]
    command += ["--scratch-path", str(SCRATCH)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        print((result.stdout + result.stderr)[-6000:])
        fail("the copy with the mutants does not build.")
    show = subprocess.run(command + ["--show-bin-path"], capture_output=True, text=True, check=True)
    return pathlib.Path(show.stdout.strip()) / "fault-soak"


def run(program, number):
    """What the soak says with a mutant: its failures; None if it passes."""
    environment = dict(os.environ, FAULT_SOAK_MUTANT=str(number))
    try:
        result = subprocess.run([program] + RUN, capture_output=True, text=True, env=environment, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        return [f"it did not end within {TIME_LIMIT} s"], False
    failures = [line[8:] for line in result.stdout.split("\n") if line.startswith("failed  ")]
    ended = result.stdout.rstrip().split("\n")[-1].endswith(" failed, 0 skipped")
    if not ended:
        failures = [f"it ended with {result.returncode} and without a last line"]
    return failures, ended


def main():
    words = sys.argv[1:]
    short = "--short" in words
    names = [word for word in words if not word.startswith("-")]
    mutants = {path.stem: parse(path) for path in sorted(HERE.glob("*.mutant"))}
    unknown = [name for name in names if name not in mutants]
    if unknown:
        fail(f"there is no {unknown[0]}.mutant; there are {', '.join(mutants)}.")
    # All are built, so that every one has to fit.
    copy(mutants)
    if "--fit" in words:
        print(f"{len(mutants)} passed, 0 failed, 0 skipped")
        return 0
    program = build()
    numbers = {name: number for number, name in enumerate(mutants, 1)}
    chosen = names or [name for name in mutants if not short or mutants[name][0].get("short") == "yes"]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        clean = pool.submit(run, program, 0)
        runs = {name: pool.submit(run, program, numbers[name]) for name in chosen}
        failures, ended = clean.result()
        if failures or not ended:
            print(f"failed  without a mutant: {failures[0]}")
            failed += 1
        else:
            passed += 1
        for name, future in runs.items():
            fields = mutants[name][0]
            failures, ended = future.result()
            if ended and failures and any(fields.get("fails", "") in failure for failure in failures):
                print(f"noticed {name}: {failures[0][:140]}")
                passed += 1
            else:
                told = f"it says: {failures[0][:140]}" if failures else "it passes"
                print(f"failed  the soak does not notice {name} ({fields['about']}): {told}")
                failed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if failed == 0 else 1


sys.exit(main())
