"""Checks of the rules, without a build: the form of CI. The sample has each rule, and the places where nothing may be planted."""

import faults
import plantedbuild
import report
import swifttokens

SAMPLE = '''import Glibc

/// A comment: a < b && true.
struct Lane {
    enum State { case idle, busy, closed(Int) }
    enum Code: UInt8 { case first = 0x01, second = 0x02 }
    static let limit = 16
    var state: State = .idle
    var description: String { "1 < 2" }

    func send(from first: Int, to last: Int, times: UInt8 = 1) -> Bool { first < last }

    @inlinable mutating func run(_ values: [Int], flag: Bool = true) -> Int {
        precondition(values.count > 1)
        var total = 0
        guard !values.isEmpty, flag || total == 3 else { return -1 }
        for index in 0..<values.count where values[index] >= 2 {
            total += values[index]
            note("a \\(total + 1) < 3")
        }
        if case .closed(7) = state { state = .busy }
        switch total {
        case 5, 6 where flag: close()
        default: break
        }
        _ = send(from: total, to: values[0])
        return max(total, 4) << 1 & 0x0F
    }

    init(_ state: State) { self.state = state }
}
'''
EXPECTED = """7 constant 16 -> 17
8 constant .idle -> .busy
11 bound first < last -> first <= last
15 constant 0 -> 1
16 condition !values.isEmpty -> values.isEmpty
16 condition flag || total == 3 -> flag && total == 3
16 condition flag || total == 3 -> flag || total != 3
16 constant 1 -> 0
16 constant 3 -> 2
17 bound values.count -> (values.count) - 1
17 bound values[index] >= 2 -> values[index] > 2
17 constant 0 -> 1
17 constant 2 -> 3
18 arithmetic total += values[index] -> total -= values[index]
18 removed total += values[index] -> 
19 removed note("a \\(total + 1) < 3") -> 
21 constant .busy -> .idle
21 removed state = .busy -> 
23 removed close() -> 
26 arguments total, to: values[0] -> values[0], to: total
26 constant 0 -> 1
26 removed _ = send(from: total, to: values[0]) -> 
27 arithmetic max(total, 4) << 1 & 0x0F -> max(total, 4) << 1 | 0x0F
27 arithmetic max(total, 4) << 1 & 0x0F -> max(total, 4) >> 1 & 0x0F
27 bound max(total, 4) << 1 & 0x0F -> min(total, 4) << 1 & 0x0F
27 constant 0x0F -> 0xe
27 constant 1 -> 0
27 constant 4 -> 5""".split("\n")


def check_rules(problems):
    found = faults.faults({"Lane.swift": SAMPLE})
    shown = sorted(f"{fault.line} {fault.rule} {fault.old} -> {fault.new}" for fault in found)
    wanted = sorted(EXPECTED)
    problems += [f"the rules miss: {line}" for line in wanted if line not in shown]
    problems += [f"the rules find in addition: {line}" for line in shown if line not in wanted]
    order = [fault.key for fault in faults.order(found, "1")]
    if order != [fault.key for fault in faults.order(faults.faults({"Lane.swift": SAMPLE}), "1")]:
        problems.append("a seed gives two orders")
    if order == [fault.key for fault in faults.order(found, "2")]:
        problems.append("two seeds give the same order")
    if not all(fault.inlined == (14 <= fault.line <= 27) for fault in found if fault.line > 8 and fault.line != 11):
        problems.append("the faults in inlinable functions are not known")


def check_verdict(problems):
    """A summary without a survivor passes, also at the limit; fewer, and a suite that was left out, fail."""
    for killed, left_out, is_good in ((30, [], True), (27, [], True), (26, [], False), (30, ["BLELinkTests: it fails"], False)):
        if (report.complaints(30, killed, left_out) == []) != is_good:
            problems.append(f"the verdict of {killed} killed of 30 with {len(left_out)} suites left out is wrong")


def warn(candidates):
    """Names the targets whose sources have changed much since the last run on the page."""
    old = [
        f"{target} ({count}, now {candidates.get(target, 0)})"
        for target, count in report.candidates_of_page().items()
        if abs(candidates.get(target, 0) - count) > count / 10
    ]
    if old:
        print(f"warning: Documentation/Mutation.md has other numbers of candidates than the sources: {', '.join(old)}. Scripts/mutate --report renews it.")


def check_sources(problems):
    """Every file of the sources can be read, a planted fault leaves its brackets in order, and each equivalent fault still exists. Prints what is old on
    the page."""
    rows, candidates = report.equivalent(), {}
    known = frozenset(rows)
    count = len(rows)
    for folder in sorted(plantedbuild.ROOT.glob("Sources/*/*")):
        sources = {str(path.relative_to(plantedbuild.ROOT)): path.read_text() for path in sorted(folder.rglob("*.swift"))}
        found = faults.faults(sources)
        count += len(sources)
        candidates[folder.name] = sum(not fault.inlined and not report.is_equivalent(fault, known) for fault in found)
        rows -= {(fault.file, fault.line_text, fault.rule, fault.new) for fault in found}
        for fault in found[::50]:
            text = sources[fault.file]
            for start, end, new in sorted(fault.edits, reverse=True):
                text = text[:start] + new.replace("{n}", "1") + text[end:]
            try:
                swifttokens.pairs(swifttokens.tokens(text))
            except (ValueError, IndexError):
                problems.append(f"{fault.file}:{fault.line}: the brackets do not match with a fault of the rule {fault.rule}")
    problems += [f"{row[0]}: mutation-equivalent.tsv has a fault that the file no longer has: {row[1]}" for row in sorted(rows)]
    warn(candidates)
    return count


def main():
    problems = []
    check_rules(problems)
    check_verdict(problems)
    count = check_sources(problems)
    for problem in problems:
        print(f"failed  {problem}")
    count += len(EXPECTED) + 3 + 4
    print(f"{count - len(problems)} passed, {len(problems)} failed, 0 skipped")
    return 0 if not problems else 1
