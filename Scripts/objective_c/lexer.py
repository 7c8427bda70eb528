"""Divides a Swift source into tokens. Comments and the text of strings are no code; what a string interpolates is."""

import bisect
import re
import typing


class Unreadable(Exception):
    """The source is no Swift as this module knows it."""

    def __init__(self, offset, reason):
        super().__init__(reason)
        self.offset, self.reason = offset, reason


class Token(typing.NamedTuple):
    kind: str  # name, attribute, directive, number, string, mark
    text: str
    start: int
    end: int
    is_first: bool  # the first token on its line


CODE = re.compile(
    r"""(?P<space>[ \t\r\n\f\v\0\ufeff]+)
    |(?P<comment>//[^\r\n]*)
    |(?P<block>/\*)
    |(?P<string>\#*"(?:"")?)
    |(?P<pattern>\#+/)
    |(?P<name>`[^`\r\n]+`|[^\W\d]\w*|\$\w+)
    |(?P<attribute>@[^\W\d]\w*)
    |(?P<directive>\#[^\W\d]\w*)
    |(?P<number>\d\w*(?:\.\d\w*)?)
    |(?P<mark>->|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\.\.\.|\.\.<|.)""",
    re.X | re.S,
)
LINE = re.compile(r"[^\r\n]*")
COMMENT_END = re.compile(r"/\*|\*/")
# What can stand before a literal `/pattern/`: a place where no operator between two values can be.
BEFORE_PATTERN = set("(,=:[{;!?&|<>") | {"&&", "||", "==", "!=", "->", "??", "return", "in", "case", "where", "try", "await", "if", "guard", "while", "switch"}
PAIRS = {"(": ")", "[": "]", "{": "}"}
# The compiler reads no deeper. The rules look at what a bracket encloses, and in nests without a bound that would take the square of their depth.
NESTING_LIMIT = 256


def block_comment(text, start):
    depth, position = 1, start + 2
    while depth:
        found = COMMENT_END.search(text, position)
        if not found:
            raise Unreadable(start, "a comment does not end")
        depth += 1 if found[0] == "/*" else -1
        position = found.end()
    return position


def bare_pattern(text, start):
    """The end of a literal `/pattern/`, or None if this is an operator."""
    position, depth = start + 1, 0
    if text[position : position + 1] in ("", " ", "\t", ")", ",", "/"):
        return None
    while position < len(text) and text[position] not in "\r\n":
        char = text[position]
        if char == "\\":
            position += 1
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if depth < 0:
                return None
        elif char == "/":
            return position + 1
        position += 1
    return None


class StringMode(typing.NamedTuple):
    start: int
    hashes: int
    is_long: bool


def string_part(text, position, mode):
    """The end of a part of a string, and whether an interpolation begins there."""
    escape, quotes = "\\" + "#" * mode.hashes, ('"""' if mode.is_long else '"') + "#" * mode.hashes
    end = re.compile(re.escape(escape) + "|" + re.escape(quotes) + ("" if mode.is_long else "|[\r\n]"))
    while found := end.search(text, position):
        if found[0] == quotes:
            return found.end(), False
        if found[0] in "\r\n":
            break
        if text.startswith("(", found.end()):
            return found.end(), True
        # The escaped character, which may be a quote.
        position = found.end() + 1
    raise Unreadable(mode.start, "a string does not end")


def tokens(text):
    """The tokens of a source. Raises Unreadable."""
    found, position, is_first = [], 0, True
    # Strings around the code here, each with the number of open parentheses of its interpolation.
    strings, depths = [], []
    if text.startswith("#!"):
        position = re.search(r"$|[\r\n]", text).start()

    def add(kind, start, end):
        nonlocal is_first
        found.append(Token(kind, text[start:end], start, end, is_first))
        is_first = False

    def go_on(start, mode, begin):
        """Reads the rest of a string from `begin`, as a token from `start`."""
        end, is_open = string_part(text, begin, mode)
        add("string", start, end)
        if is_open:
            strings.append(mode)
            depths.append(0)
        return end

    while position < len(text):
        match = CODE.match(text, position)
        kind, start, end = match.lastgroup, position, match.end()
        previous = found[-1] if found else None
        if kind == "space":
            is_first = is_first or "\n" in match[0] or "\r" in match[0]
        elif kind == "block":
            end = block_comment(text, start)
            is_first = is_first or "\n" in text[start:end]
        elif kind == "string":
            mode = StringMode(start, match[0].count("#"), match[0].endswith('"""'))
            if mode.is_long and mode.hashes and '"' + "#" * mode.hashes in LINE.match(text, start + mode.hashes + 1)[0]:
                # `#""""#` has quotes as its text.
                mode, end = mode._replace(is_long=False), start + mode.hashes + 1
            end = go_on(start, mode, end)
        elif kind == "pattern":
            close = text.find("/" + "#" * (end - start - 1), end)
            if close < 0:
                raise Unreadable(start, "a regular expression does not end")
            end = close + end - start
            add("string", start, end)
        elif kind != "comment":
            if match[0] == "/" and (previous is None or previous.text in BEFORE_PATTERN or is_first):
                if pattern := bare_pattern(text, start):
                    kind, end = "string", pattern
            add(kind, start, end)
            if depths and kind == "mark" and match[0] in "()":
                depths[-1] += 1 if match[0] == "(" else -1
                if depths[-1] == 0:
                    depths.pop()
                    end = go_on(end, strings.pop(), end)
        position = end
    if strings:
        raise Unreadable(strings[-1].start, "a string does not end")
    return found


class Source:
    """The tokens of a file with their brackets and conditions."""

    def __init__(self, text, unavailable=frozenset()):
        self.text = text
        self.tokens = tokens(text)
        self.starts = [found.end() for found in re.finditer(r"\r\n|\n|\r", text)]
        # The other bracket of each bracket, and the innermost open bracket around each token.
        self.match, self.around = {}, []
        self._pair()
        # Whether each token is inside of `#if`.
        self.is_conditional = bytearray(len(self.tokens))
        self.active = self._conditions(unavailable)

    def line(self, offset):
        return bisect.bisect_right(self.starts, offset) + 1

    def _pair(self):
        stack = []
        for index, token in enumerate(self.tokens):
            if token.kind == "mark" and token.text in ")]}":
                if not stack or PAIRS[self.tokens[stack[-1]].text] != token.text:
                    raise Unreadable(token.start, f"the bracket {token.text} closes nothing")
                opening = stack.pop()
                self.match[opening], self.match[index] = index, opening
            self.around.append(stack[-1] if stack else None)
            if token.kind == "mark" and token.text in PAIRS:
                stack.append(index)
                if len(stack) > NESTING_LIMIT:
                    raise Unreadable(token.start, f"more than {NESTING_LIMIT} brackets are open")
        if stack:
            token = self.tokens[stack[-1]]
            raise Unreadable(token.start, f"the bracket {token.text} is not closed")

    def _conditions(self, unavailable):
        """Whether each token is compiled on Linux, as far as that is certain."""
        active, stack = bytearray(b"\1") * len(self.tokens), []
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            begin = index
            if token.kind == "directive" and token.text in ("#if", "#elseif", "#else", "#endif"):
                if token.text != "#if" and not stack:
                    raise Unreadable(token.start, f"{token.text} has no #if")
                end = index + 1
                while end < len(self.tokens) and not self.tokens[end].is_first:
                    end += 1
                value = condition(self.tokens[index + 1 : end], unavailable)
                if token.text == "#if":
                    # Whether this branch is compiled, whether an earlier one is certainly, and the start.
                    stack.append([value, value is True, token.start])
                elif token.text == "#endif":
                    stack.pop()
                else:
                    was_taken = stack[-1][1]
                    value = True if token.text == "#else" else value
                    stack[-1][0] = False if was_taken else value
                    stack[-1][1] = was_taken or value is True
                index = end
            else:
                index += 1
            if stack:
                self.is_conditional[begin:index] = b"\1" * (index - begin)
            if any(level[0] is False for level in stack):
                active[begin:index] = bytes(index - begin)
        if stack:
            raise Unreadable(stack[-1][2], "#if has no #endif")
        return active


def condition(words, unavailable):
    """The value of a condition on Linux: True, False, or None if it depends on the build."""
    texts = [word.text for word in words]
    position = 0

    def either():
        nonlocal position
        value = both()
        while texts[position : position + 1] == ["||"]:
            position += 1
            other = both()
            value = True if value is True or other is True else None if None in (value, other) else False
        return value

    def both():
        nonlocal position
        value = single()
        while texts[position : position + 1] == ["&&"]:
            position += 1
            other = single()
            value = False if value is False or other is False else None if None in (value, other) else True
        return value

    def single():
        nonlocal position
        is_negative = False
        while texts[position : position + 1] == ["!"]:
            is_negative = not is_negative
            position += 1
        word = texts[position] if position < len(texts) else ""
        position += 1
        value = None
        if word == "(":
            # Nesting deeper than anybody writes could exhaust the stack.
            if position > 200:
                return None
            value = either()
            position += 1
        elif texts[position : position + 1] == ["("]:
            end = texts.index(")", position) if ")" in texts[position:] else len(texts)
            argument = "".join(texts[position + 1 : end])
            position = end + 1
            if word == "os":
                value = argument == "Linux"
            elif word == "canImport" and argument.split(",")[0].split(".")[0] in unavailable:
                value = False
            elif word in ("targetEnvironment", "_runtime"):
                value = argument == "_Native"
        elif word in ("true", "false"):
            value = word == "true"
        return (not value) if is_negative and value is not None else value

    return either()
