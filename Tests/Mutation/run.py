#!/usr/bin/env python3
"""Plants small faults by rules in targets, and lists those that no test notices. All faults of a run are in one test program, and the environment
variable PLANTED_FAULT selects one. The sources and the ordinary build hold none of this. BUILD_OPTIONS, if set, has more options of `swift build`.
"""

import argparse
import concurrent.futures
import datetime
import os
import sys

import check
import faults
import plantedbuild
import report
import testruns

ROOT = plantedbuild.ROOT


def fail(sentence):
    print(f"mutate: {sentence}", file=sys.stderr)
    sys.exit(2)


class Target:
    """The candidates of a target in the order in which they are drawn, and which of them are in the build."""

    def __init__(self, name, seed, count, inlined):
        self.name, self.count = name, count
        folder = next(iter(ROOT.glob(f"Sources/*/{name}")), None)
        if folder is None:
            fail(f"there is no target {name} in Sources.")
        self.folder = folder.relative_to(ROOT)
        self.sources = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(folder.rglob("*.swift"))}
        rows = report.equivalent()
        found = [fault for fault in faults.faults(self.sources) if inlined or not fault.inlined]
        self.candidates = faults.order([fault for fault in found if not report.is_equivalent(fault, rows)], seed)
        self.rejected, self.planted = set(), []

    def reject(self, dropped):
        print(f"mutate: {self.name}: {len(dropped)} faults do not compile and are replaced", file=sys.stderr)
        self.rejected |= dropped

    def draw(self):
        self.planted, count = [], self.count
        for fault in self.candidates:
            if len(self.planted) < count and fault not in self.rejected:
                if not any(fault.overlaps(other) for other in self.planted):
                    self.planted.append(fault)

    def changed(self, numbers):
        """The texts of the files with faults, and the switch."""
        result = {f"{self.folder}/PlantedFault.swift": plantedbuild.SWITCH}
        edits = {}
        for fault in self.planted:
            for start, end, text in fault.edits:
                edits.setdefault(fault.file, []).append((start, end, text.replace("planted({n})", f"planted({numbers[fault]})")))
        for file, places in edits.items():
            text = self.sources[file]
            for start, end, new in sorted(places, reverse=True):
                text = text[:start] + new + text[end:]
            result[file] = text
        return result


class Suites:
    """The suites that can notice the faults of a target, with what they reach and how long they take without a fault."""

    def __init__(self, target, tests):
        self.target, self.tests = target, tests
        self.clean, self.left_out = {}, []
        own = testruns.own_suites(target.name, tests)
        run = self.record(tuple(own))
        if run is not None and run.seconds < 10:
            self.own = [tuple(own)]
        else:
            self.own = [(suite,) for suite in own if self.record((suite,)) is not None]
        self.others = None

    def record(self, suites):
        """Runs suites without a fault; None if they fail, and then they are left out."""
        if suites not in self.clean:
            run = self.tests.run(suites)
            if run.failure:
                self.left_out.append(f"{', '.join('.'.join(suite) for suite in suites)}: {run.failure}")
            self.clean[suites] = None if run.failure else run
        return self.clean[suites]

    def prepare_others(self):
        """Runs the suites of other test targets that are about the target too."""
        if self.others is None:
            own = {suite for group in self.own for suite in group}
            groups = [(suite,) for suite in testruns.importing_suites(self.target.name, self.tests) if suite not in own]
            self.others = [group for group in groups if self.record(group) is not None]
            self.others.sort(key=lambda group: self.clean[group].seconds)

    def reaching(self, number, groups):
        return [group for group in groups if number in self.clean[group].reached]

    def notice(self, number, groups, budget=None):
        """What notices a fault; None if nothing does."""
        reaching, spent = self.reaching(number, groups), 0.0
        for group in [tuple(suite for group in reaching for suite in group)] if budget is None and reaching else reaching:
            expected = sum(self.clean[part].seconds for part in reaching) if budget is None else self.clean[group].seconds
            if budget is not None and spent > budget:
                return None
            run = self.tests.run(group, number, testruns.limit_of(expected))
            spent += run.seconds
            if run.failure:
                return f"{run.failure}"
        return None


def examine(target, tests, numbers, options):
    """Runs the suites of a target once for each of its faults, and prints the survivors. Returns its section of the report, and what is wrong."""
    suites = Suites(target, tests)
    sample = target.planted
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        noticed = dict(zip(sample, pool.map(lambda fault: suites.notice(numbers[fault], suites.own), sample)))
        left = [fault for fault in sample if noticed[fault] is None]
        if left and options.others:
            suites.prepare_others()
            more = pool.map(lambda fault: suites.notice(numbers[fault], suites.others, options.others), left)
            noticed |= dict(zip(left, more))
    if options.verbose:
        for fault in sample:
            print(f"{fault.file}:{fault.line}: {fault.rule}: {noticed[fault]}")
    survivors = []
    for fault in sample:
        if noticed[fault] is None:
            reached = suites.reaching(numbers[fault], suites.own + (suites.others or []))
            survivors.append((fault, "survived" if reached else "not reached"))
    for fault, state in survivors:
        print(f"{state}: {fault.file}:{fault.line}: {fault.rule}\n    {fault.old}\n    {fault.new or '(removed)'}")
    killed, unreached = len(sample) - len(survivors), sum(state == "not reached" for _, state in survivors)
    summary = (
        f"Seed {options.seed}, {datetime.date.today()}: {len(target.candidates)} candidates, {len(sample)} planted, "
        f"{killed} killed ({100 * killed // max(1, len(sample))} %), {unreached} not reached."
    )
    print(f"{target.name}: {summary}")
    complaints = report.complaints(len(sample), killed, suites.left_out)
    for complaint in complaints:
        print(f"failed  {target.name}: {complaint}")
    names = sorted({suite[0] if len(group) > 1 else ".".join(suite) for group in suites.own for suite in group})
    shown = ", ".join(names if len(names) <= 6 else sorted({name.split(".")[0] for name in names}))
    used = {suite[0] for group in suites.others or [] for suite in group if suites.clean[group].reached & set(numbers.values())}
    if used:
        shown += "; for what they leave, those that reach it of " + ", ".join(sorted(used))
    return report.section(target.name, summary, shown, survivors), complaints


def main():
    parser = argparse.ArgumentParser(prog="Scripts/mutate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seed", default="1", help="the same seed plants the same faults in the same sources")
    parser.add_argument("--count", type=int, default=30, help="the faults for each target")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--others", type=int, default=60, metavar="SECONDS", help="the time for suites of other targets, for each fault that is left")
    parser.add_argument("--list", action="store_true", help="prints the faults that would be planted")
    parser.add_argument("--inlined", action="store_true", help="plants also in inlinable functions; suites of other targets do not see these faults")
    parser.add_argument("--report", action="store_true", help="writes the results to Documentation/Mutation.md")
    parser.add_argument("--verbose", action="store_true", help="prints what noticed each fault")
    parser.add_argument("--no-build", action="store_true", help="takes the last debug build of the tests, which has to be of these sources")
    parser.add_argument("--check", action="store_true", help="only checks the rules and the list of equivalent faults: the form of CI, which builds nothing")
    options = parser.parse_args()
    if options.check:
        return check.main()
    if not options.targets:
        parser.error("name a target of Sources")
    targets = [Target(name, options.seed, options.count, options.inlined) for name in options.targets]
    if options.list:
        for target in targets:
            target.draw()
            for fault in target.planted:
                print(f"{fault.file}:{fault.line}: {fault.rule}\n    {fault.old}\n    {fault.new or '(removed)'}")
        return 0
    # Without it, the tests take twice as long.
    os.environ.setdefault("OPENCOREBLUETOOTH_OPTIMIZED", "1")
    try:
        if not options.no_build:
            plantedbuild.debug_build()
        numbers, program = plantedbuild.build(targets, options.jobs)
    except plantedbuild.BuildFailure as failure:
        fail(f"the build failed: {failure}")
    tests = testruns.Tests(program)
    examined = {target.name: examine(target, tests, numbers, options) for target in targets}
    sections = {name: section for name, (section, _) in examined.items()}
    if options.report:
        report.write(sections)
    failed = sum(complaints != [] for _, complaints in examined.values())
    print(f"\n{report.table(sections)}\n\n{len(targets) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


sys.exit(main())
