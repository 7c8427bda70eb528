"""The rules: where a small fault can be planted in a Swift file, and with which text."""

import hashlib
import re

import swiftcode
import swifttokens

# The word `{n}` in a new text becomes the number of the fault.
PLANTED = "planted({n})"
EXCHANGED = {
    "<": ("bound", "<="), "<=": ("bound", "<"), ">": ("bound", ">="), ">=": ("bound", ">"),
    "==": ("condition", "!="), "!=": ("condition", "=="), "===": ("condition", "!=="), "!==": ("condition", "==="),
    "&&": ("condition", "||"), "||": ("condition", "&&"),
    "+": ("arithmetic", "-"), "-": ("arithmetic", "+"), "&+": ("arithmetic", "&-"), "&-": ("arithmetic", "&+"),
    "<<": ("arithmetic", ">>"), ">>": ("arithmetic", "<<"), "&<<": ("arithmetic", "&>>"), "&>>": ("arithmetic", "&<<"),
    "&": ("arithmetic", "|"), "|": ("arithmetic", "&"),
    "+=": ("arithmetic", "-="), "-=": ("arithmetic", "+="), "|=": ("arithmetic", "&="), "&=": ("arithmetic", "|="),
    "&+=": ("arithmetic", "&-="), "&-=": ("arithmetic", "&+="), "<<=": ("arithmetic", ">>="), ">>=": ("arithmetic", "<<="),
}  # fmt: skip
BELOW_RANGES = {"??", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "===", "!==", "~="}
LONGEST = 240


class Fault:
    """A fault that can be planted: replacements of parts of the file as (start, end, text), and how a person reads it."""

    def __init__(self, rule, file, line, old, new, edits, inlined):
        self.rule, self.file, self.line, self.old, self.new, self.edits = rule, file, line, old, new, edits
        self.inlined = inlined
        self.start, self.end = min(edit[0] for edit in edits), max(edit[1] for edit in edits)
        self.occurrence, self.line_text, self.first_line, self.last_line = 0, "", line, line

    @property
    def key(self):
        """The same for the same code in a file that has changed elsewhere."""
        return (self.file, self.line_text, self.rule, self.old, self.new)

    def rank(self, seed):
        return hashlib.sha256(repr((seed, self.key, self.occurrence)).encode()).hexdigest()

    def overlaps(self, other):
        return self.file == other.file and self.start < other.end and other.start < self.end


class Declarations:
    """What a target declares, for the faults that need types: the parameters of functions, and the cases of enumerations."""

    def __init__(self):
        self.functions, self.cases = {}, {}

    def signature(self, walker, kind, name, opening):
        if kind == "subscript" or (kind == "init" and not walker.types):
            return
        parameters = []
        for first, last in arguments(walker, opening):
            colon = walker.find({":"}, first, last)
            equals = walker.find({"="}, colon, last)
            words = [walker.text(index) for index in range(first, colon) if walker.tokens[index].kind == "word"]
            if colon >= last or not words:
                return
            spelled = "".join(walker.text(index) for index in range(colon + 1, equals))
            parameters.append((words[0].strip("`"), spelled, equals < last))
        self.functions.setdefault(walker.types[-1][1] if kind == "init" else name, []).append(parameters)

    def enum_cases(self, walker, first, last):
        if not walker.types or walker.types[-1][0] != "enum":
            return
        plain = []
        for index in range(first + 1, last):
            if walker.text(index - 1) in ("case", ",") and walker.text(index + 1) != "(" and walker.text(index)[0].islower():
                plain.append(walker.text(index))
        self.cases.setdefault((id(walker), walker.types[-1][1]), []).extend(plain)

    def types_of(self, name, labels):
        """The spelled types of the arguments of a call; None if they are not the same for all functions of the name."""
        found = set()
        for parameters in self.functions.get(name, []):
            types, rest = [], list(labels)
            for label, spelled, has_default in parameters:
                if rest and rest[0] == label:
                    types.append(spelled)
                    rest.pop(0)
                elif not has_default:
                    rest = ["?"]
                    break
            if not rest:
                found.add(tuple(types))
        return found.pop() if len(found) == 1 else None

    def other_case(self, name):
        """Another case of the only enumeration with a case of this name."""
        owners = [cases for cases in self.cases.values() if name in cases]
        if len(owners) != 1 or len(owners[0]) < 2:
            return None
        cases = owners[0]
        return cases[(cases.index(name) + 1) % len(cases)]

    def statement(self, *_):
        pass

    condition = call = operand = statement


def arguments(walker, opening):
    """The arguments or parameters in parentheses, as (first, last)."""
    first, close = opening + 1, walker.close[opening]
    while first < close:
        last = walker.find({","}, first, close)
        yield first, last
        first = last + 1


class Rules:
    """A visitor of a file that collects its faults."""

    def __init__(self, file, text, declarations):
        self.file, self.source, self.declarations, self.found = file, text, declarations, []

    def signature(self, *_):
        pass

    enum_cases = signature

    # Helpers

    def part(self, walker, first, last):
        return self.source[walker.tokens[first].start : walker.tokens[last - 1].end]

    def flat(self, text):
        """The text in one line; None if that is another program, or too long."""
        if "//" in text or "/*" in text or '"""' in text or re.search(r"\{[^}]*\n", text) or len(text) > LONGEST:
            return None
        return re.sub(r"\s*\n\s*", " ", text)

    def add(self, walker, rule, index, old, new, edits, context):
        fault = Fault(rule, self.file, walker.tokens[index].line, old, new, edits, context.inlined)
        fault.first_line = self.source.count("\n", 0, fault.start) + 1
        fault.last_line = self.source.count("\n", 0, fault.end) + 1
        start = self.source.rfind("\n", 0, walker.tokens[index].start) + 1
        fault.line_text = self.source[start : self.source.find("\n", start)].strip()
        self.found.append(fault)

    def choice(self, walker, rule, first, last, new, index, context):
        """A fault in an operand: the operand is written twice."""
        old = self.part(walker, first, last)
        flat = self.flat(old)
        if flat is None or new is None:
            return
        start, end = walker.tokens[first].start, walker.tokens[last - 1].end
        self.add(walker, rule, index, flat, new, [(start, end, f"({PLANTED} ? ({new}) : ({old}))")], context)

    def with_token(self, walker, first, last, index, text):
        """The operand with another text for one of its tokens."""
        start, token = walker.tokens[first].start, walker.tokens[index]
        old = self.part(walker, first, last)
        return self.flat(old[: token.start - start] + text + old[token.end - start :])

    # What the walker calls

    def condition(self, walker, first, last, context):
        texts = {walker.text(index) for index in range(first, last)}
        if not texts & set(EXCHANGED) and walker.text(first) != "!":
            flat = self.flat(self.part(walker, first, last))
            if walker.text(first) not in ("try", "await"):
                self.choice(walker, "condition", first, last, flat and f"!({flat})", first, context)

    def statement(self, walker, first, last, context):
        if self.tokens_of(walker, first, last) & {"reserveCapacity"}:
            return
        assigned = walker.find(swiftcode.ASSIGNMENTS, first, last)
        token = walker.tokens[first]
        if walker.text(assigned) in EXCHANGED and assigned < last:
            self.exchange_assignment(walker, first, last, assigned, context)
        if context.value and assigned == last:
            return
        if token.kind not in ("word", "punctuation") or (context.initial and assigned < last):
            return
        if assigned == last and walker.text(last - 1) not in (")", "}", "?"):
            return
        text = self.part(walker, first, last)
        if text.count("\n") > 12 or text.startswith(("[", "super", "self.init", "try self.init")):
            return
        start, end = token.start, walker.tokens[last - 1].end
        shown = re.sub(r"\s*\n\s*", " ", text)
        self.add(walker, "removed", first, shown, "", [(start, end, f"if !{PLANTED} {{ {text} }}")], context)

    def tokens_of(self, walker, first, last):
        return {walker.text(index) for index in range(first, last)}

    def exchange_assignment(self, walker, first, last, assigned, context):
        rule, other = EXCHANGED[walker.text(assigned)]
        new = self.with_token(walker, first, last, assigned, other)
        old = self.part(walker, first, last)
        if new is None:
            return
        start, end = walker.tokens[first].start, walker.tokens[last - 1].end
        edit = (start, end, f"if {PLANTED} {{ {new} }} else {{ {old} }}")
        self.add(walker, rule, assigned, self.flat(old), new, [edit], context)

    def call(self, walker, opening, context):
        name = walker.tokens[opening - 1]
        if opening == 0 or name.kind != "word" or name.end != walker.tokens[opening].start:
            return
        found = list(arguments(walker, opening))
        labels, values = [], []
        for first, last in found:
            labelled = walker.text(first + 1) == ":" and walker.tokens[first].kind == "word"
            labels.append(walker.text(first) if labelled else "_")
            values.append((first + 2 if labelled else first, last))
        types = self.declarations.types_of(name.text, labels)
        if types is None or len(values) > 8:
            return
        for left in range(len(values)):
            for right in range(left + 1, len(values)):
                if types[left] == types[right]:
                    self.exchange_arguments(walker, opening, values[left], values[right], context)

    def exchange_arguments(self, walker, opening, left, right, context):
        one, other = (self.flat(self.part(walker, *place)) for place in (left, right))
        if not one or not other or one == other or re.search(r"[{&]|\btry\b|\bawait\b", one + other):
            return
        edits = []
        for (first, last), old, new in ((left, one, other), (right, other, one)):
            edits.append((walker.tokens[first].start, walker.tokens[last - 1].end, f"({PLANTED} ? {new} : {old})"))
        start = walker.tokens[left[0]].start
        old = self.source[start : walker.tokens[right[1] - 1].end]
        middle = self.source[walker.tokens[left[1] - 1].end : walker.tokens[right[0]].start]
        flat = re.sub(r"\s*\n\s*", " ", old)
        self.add(walker, "arguments", left[0], flat, re.sub(r"\s*\n\s*", " ", other + middle + one), edits, context)

    def operand(self, walker, first, last, context):
        index = first
        while index < last:
            token = walker.tokens[index]
            if token.kind == "operator":
                self.operator(walker, first, last, index, context)
            elif token.text in ("min", "max") and walker.text(index + 1) == "(":
                other = "max" if token.text == "min" else "min"
                new = self.with_token(walker, first, last, index, other)
                self.choice(walker, "bound", first, last, new, index, context)
            else:
                self.constant(walker, index, context)
            index = walker.after(index)

    def operator(self, walker, first, last, index, context):
        token = walker.tokens[index]
        inside = first < index < last - 1
        if token.text in ("..<", "...") and token.fixity == "binary" and inside:
            if not self.tokens_of(walker, index + 1, last) & BELOW_RANGES:
                flat = self.flat(self.part(walker, index + 1, last))
                self.choice(walker, "bound", index + 1, last, flat and f"({flat}) - 1", index, context)
        elif token.text == "!" and token.fixity == "prefix":
            new = self.with_token(walker, first, last, index, "")
            self.choice(walker, "condition", first, last, new, index, context)
        elif token.text in EXCHANGED and token.fixity == "binary" and inside and self.source[token.start - 1] in " \n":
            rule, other = EXCHANGED[token.text]
            if rule == "arithmetic" and any(part.kind == "string" for part in walker.tokens[first:last]):
                return
            self.choice(walker, rule, first, last, self.with_token(walker, first, last, index, other), index, context)

    def constant(self, walker, index, context):
        token = walker.tokens[index]
        new = None
        if token.kind == "number" and walker.text(index - 1) != "." and not re.search(r"[.e]", token.text.lower().replace("0x", "")):
            new = self.next_number(token.text)
        elif token.text in ("true", "false") and walker.text(index - 2) != "keepingCapacity":
            new = "false" if token.text == "true" else "true"
        elif token.kind == "word" and walker.text(index - 1) == "." and self.is_implicit(walker, index - 1):
            other = self.declarations.other_case(token.text)
            if other:
                edit = (token.start - 1, token.end, f"({PLANTED} ? .{other} : .{token.text})")
                self.add(walker, "constant", index, f".{token.text}", f".{other}", [edit], context)
            return
        if new:
            edit = (token.start, token.end, f"({PLANTED} ? {new} : {token.text})")
            self.add(walker, "constant", index, token.text, new, [edit], context)

    def next_number(self, text):
        value = int(text.replace("_", ""), 0)
        # The larger neighbour of an even number and the smaller one of an odd number, so that both are planted.
        other = value + 1 if value % 2 == 0 else value - 1
        return {"0x": hex, "0o": oct, "0b": bin}.get(text[:2], str)(other)

    def is_implicit(self, walker, dot):
        """Whether the dot begins an operand: `.success`, not `result.success`."""
        token, before = walker.tokens[dot], walker.tokens[dot - 1]
        follows = before.end == token.start and before.text not in ("(", "[", "!")
        return not follows and not token.first and walker.text(dot + 2) not in ("(", ".") and before.text != "\\"


def faults(sources):
    """All faults of a target, in the order of its files. `sources`: the text of each file by its name."""
    declarations, result = Declarations(), []
    walkers = {name: swiftcode.Walker(text, declarations) for name, text in sources.items()}
    for walker in walkers.values():
        walker.walk()
    for name, walker in walkers.items():
        walker.visitor = Rules(name, sources[name], declarations)
        walker.walk()
        result += sorted(walker.visitor.found, key=lambda fault: (fault.start, fault.end))
    places, seen, kept = set(), {}, []
    for fault in result:
        place = (fault.file, tuple(fault.edits))
        if place in places:
            continue
        places.add(place)
        seen[fault.key] = fault.occurrence = seen.get(fault.key, -1) + 1
        kept.append(fault)
    return kept


def order(candidates, seed):
    """The order in which faults are drawn: spread over the files by the number of their faults."""
    files = {}
    for fault in candidates:
        files.setdefault(fault.file, []).append(fault)
    result = []
    for found in files.values():
        ranked = sorted(found, key=lambda fault: fault.rank(seed))
        # A file with few faults has its chance too.
        shift = int(ranked[0].rank(f"{seed}, the file")[:8], 16) / (1 << 32)
        result += [((place + shift) / len(ranked), fault.rank(seed), fault) for place, fault in enumerate(ranked)]
    return [entry[2] for entry in sorted(result, key=lambda entry: entry[:2])]
