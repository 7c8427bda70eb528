"""The tokens of a Swift file: enough of the language to find statements and operands, with the place of each token in the text."""

import re

WORD = re.compile(r"`?[A-Za-z_$][\w]*`?")
NUMBER = re.compile(r"0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?")
OPERATOR = re.compile(r"[-+*/=<>!&|^~%?]+|\.\.[.<]")
OPENING, CLOSING = "([{", ")]}"


class Token:
    """`kind` is word, number, string, mark (`@name`, `#name`), operator or punctuation. An operator is binary, prefix or postfix."""

    __slots__ = ("kind", "text", "start", "end", "line", "first", "fixity")

    def __init__(self, kind, text, start, line, first):
        self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
        # Whether the token is the first one of its line.
        self.line, self.first, self.fixity = line, first, None

    def __repr__(self):
        return f"{self.text}@{self.line}"


def string_end(text, at):
    """Where the string that begins at `at` ends, with its interpolations."""
    hashes = 0
    while text[at] == "#":
        hashes, at = hashes + 1, at + 1
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    close, escape = quote + "#" * hashes, "\\" + "#" * hashes
    while at < len(text):
        if text.startswith(close, at):
            return at + len(close)
        if text.startswith(escape, at):
            at += len(escape)
            if text[at] != "(":
                at += 1
                continue
            depth = 0
            while True:
                if text[at] == '"':
                    at = string_end(text, at)
                    continue
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
                if depth == 0:
                    break
            continue
        at += 1
    raise ValueError("a string does not end")


def comment_end(text, at):
    if text.startswith("//", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    depth = 0
    while True:
        if text.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif text.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                return at
        else:
            at += 1


def scan(text, at):
    """The kind and text of the token at `at`."""
    if text[at] == '"' or (text[at] == "#" and text[at:].lstrip("#").startswith('"')):
        return "string", text[at : string_end(text, at)]
    if text[at] in "@#":
        return "mark", text[at] + WORD.match(text, at + 1).group()
    for kind, pattern in (("word", WORD), ("number", NUMBER), ("operator", OPERATOR)):
        found = pattern.match(text, at)
        if found:
            return kind, found.group()
    return "punctuation", text[at]


def set_fixity(text, token, before):
    """Swift decides by the space on both sides."""
    left = before is None or text[token.start - 1] in " \n\t([{,;:"
    right = token.end >= len(text) or text[token.end] in " \n\t)]},;:."
    if token.text in ("..<", "..."):
        right = token.end >= len(text) or text[token.end] in " \n\t)]},;:"
    token.fixity = "binary" if left == right else "prefix" if left else "postfix"


def tokens(text):
    result, at, line, first = [], 0, 1, True
    while at < len(text):
        if text[at] in " \t\n\r":
            line, first, at = line + (text[at] == "\n"), first or text[at] == "\n", at + 1
            continue
        if text.startswith(("//", "/*"), at):
            end = comment_end(text, at)
            line, at = line + text.count("\n", at, end), end
            continue
        kind, content = scan(text, at)
        before = result[-1] if result else None
        if kind == "operator" and content[0] in "?!" and before and before.end == at and before.text not in "([{,":
            # A postfix `?` or `!` stands alone: `value?.count`, `value!`.
            content = content[0]
        elif kind == "operator" and content[0] == ">" and before and before.end == at and set(content) <= set(">?!"):
            content = ">"
        token = Token(kind, content, at, line, first)
        if kind == "operator":
            set_fixity(text, token, before)
        result.append(token)
        line, at, first = line + content.count("\n"), token.end, False
    return result


def pairs(found):
    """The index of the bracket that closes each opening one."""
    result, stack = {}, []
    for index, token in enumerate(found):
        if token.kind != "punctuation":
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in CLOSING:
            result[stack.pop()] = index
    if stack:
        raise ValueError("brackets do not match")
    return result
