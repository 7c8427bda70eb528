"""The declarations of a Swift source: types, functions, properties and their attributes."""

import dataclasses
import re

TYPES = {"class", "struct", "enum", "actor", "protocol", "extension"}
MODIFIERS = {
    "public", "open", "internal", "package", "private", "fileprivate", "final", "override", "dynamic", "optional", "required", "static", "class", "convenience",
    "lazy", "weak", "unowned", "mutating", "nonmutating", "nonisolated", "isolated", "distributed", "indirect", "borrowing", "consuming", "prefix", "postfix",
    "infix",
}
ACCESS = ("public", "open", "package")
# Tokens of a generic parameter list or a clause. What is longer is no declaration, and reading on from each `<` of a damaged file would take its square.
LOOKAHEAD = 1_000
OPENING = {"(": ")", "[": "]"}


def plain(name):
    return name.strip("`")


@dataclasses.dataclass(eq=False)
class Type:
    kind: str
    path: str  # as written: Outer.Inner for an extension of it
    inherits: list
    attributes: dict  # name: (first token, last token)
    modifiers: dict  # name: token
    file: object
    keyword: int  # tokens
    colon: int  # 0 without an inheritance clause
    body: int  # of the opening brace
    end: int
    outer: object = None
    is_local: bool = False
    members: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        return self.path.rpartition(".")[2]

    @property
    def full(self):
        """The path from the file's scope."""
        return f"{self.outer.full}.{self.path}" if self.outer else self.path

    @property
    def access(self):
        return next((f"{word} " for word in ACCESS if word in self.modifiers), "").replace("open", "public")


@dataclasses.dataclass(eq=False)
class Member:
    kind: str  # func, var, init, subscript, case, import and others
    name: str
    labels: tuple
    names: tuple  # of the parameters inside the function
    types: tuple  # of the parameters, as text
    result: str  # "" for Void
    attributes: dict
    modifiers: dict
    keyword: int
    end: int  # after the declaration without its body
    arrow: int  # of the function: the arrow, or where it would be
    effects: tuple
    owner: object
    is_local: bool
    file: object

    @property
    def title(self):
        return f"{self.name}({''.join(label + ':' for label in self.labels)})" if self.kind == "func" else self.name


class Declarations:
    """Reads the declarations in one pass over the tokens."""

    def __init__(self, file):
        self.file, self.source = file, file.source
        self.tokens = self.source.tokens
        self.types, self.members = [], []
        # Names of properties and parameters, each with the texts of its types; "" if the type is inferred.
        self.names = {}
        # The innermost type around each token.
        self.enclosing = []
        self._scan()

    def text(self, start, end):
        """The tokens of a range as text on one line. Tokens that stand together stay together."""
        words = []
        for index in range(start, min(end, len(self.tokens))):
            token = self.tokens[index]
            if words and token.start > self.tokens[index - 1].end:
                words.append(" ")
            words.append(token.text)
        return "".join(words)

    def at(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def _scan(self):
        # The closing bracket of each scope around, its innermost type, and whether it is code.
        attributes, modifiers, scopes = {}, {}, []
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            while scopes and index > scopes[-1][0]:
                scopes.pop()
            scope, is_local = (scopes[-1][1], scopes[-1][2]) if scopes else (None, False)
            while len(self.enclosing) <= index:
                self.enclosing.append(scope)
            if token.kind == "attribute":
                last = self.attribute_end(index)
                attributes[token.text] = (index, last)
                index = last + 1
                continue
            if token.text in MODIFIERS and self._is_modifier(index):
                modifiers[token.text] = index
                index += 1
                # private(set), unowned(safe)
                if self.at(index) == "(" and self.at(index + 2) == ")" and not self.tokens[index].is_first:
                    index += 3
                continue
            if token.kind == "name" and self.at(index - 1) != ".":
                if token.text in TYPES and self._names_type(index):
                    if type_ := self._type(index, attributes, modifiers, scope, is_local):
                        for inner in range(len(self.enclosing), type_.body):
                            self.enclosing.append(scope)
                        self.types.append(type_)
                        scopes.append((type_.end, type_, False))
                        attributes, modifiers, index = {}, {}, type_.body + 1
                        continue
                elif token.text == "func":
                    self._function(index, attributes, modifiers, scope, is_local)
                elif token.text in ("var", "let"):
                    self._property(index, attributes, modifiers, scope, is_local)
                elif token.text in ("init", "subscript") and self.at(index + 1) in ("(", "?", "<", "!") and (attributes or modifiers or token.is_first):
                    self._other(index, attributes, modifiers, scope, is_local)
            if token.text == "{" and token.kind == "mark":
                scopes.append((self.source.match[index], scope, True))
            if token.kind != "directive":
                attributes, modifiers = {}, {}
            index += 1
        while len(self.enclosing) < len(self.tokens):
            self.enclosing.append(None)

    def attribute_end(self, index):
        """The last token of an attribute. Only what stands directly behind it can be its argument."""
        following = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        while following and following.text == "." and following.start == self.tokens[index].end:
            index += 2
            following = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        if following and following.text == "(" and following.start == self.tokens[index].end:
            return self.source.match[index + 1]
        return index

    def _is_modifier(self, index):
        if self.at(index - 1) == ".":
            return False
        following = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        if not following:
            return False
        if self.tokens[index].text == "class":
            return following.text in ("func", "var", "let", "subscript", "override", "final") or following.text in ACCESS + ("internal", "private", "fileprivate", "dynamic")
        return following.kind in ("name", "attribute") or following.text == "(" and self.at(index + 3) in (")", ".") or following.kind == "directive"

    def _names_type(self, index):
        following = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        return bool(following) and following.kind == "name" and following.text not in ("in", "is", "as") and self.at(index - 1) not in ("case", "let", "var", "func")

    def _type(self, index, attributes, modifiers, outer, is_local):
        position, path = index + 2, self.at(index + 1)
        while self.at(position) == "." and position + 1 < len(self.tokens):
            path, position = f"{path}.{self.at(position + 1)}", position + 2
        if self.at(position) == "<":
            position = self.skip_angles(position)
        inherits, colon = [], 0
        if self.at(position) == ":":
            colon, position = position, position + 1
            while position < len(self.tokens) and self.at(position) not in ("{", "where"):
                end = self.skip_type(position)
                if end == position:
                    break
                inherits.append(self.text(position, end))
                position = end + 1 if self.at(end) == "," else end
        limit = position + LOOKAHEAD
        while position < len(self.tokens) and position < limit and self.at(position) not in ("{", "}", ";"):
            position = self.source.match.get(position, position) + 1 if self.at(position) in OPENING else position + 1
        if self.at(position) != "{":
            return None
        return Type(
            self.at(index), ".".join(plain(part) for part in path.split(".")), inherits, attributes, modifiers, self.file, index, colon, position,
            self.source.match[position], outer, is_local)

    def skip_angles(self, position):
        """The position after `<...>`, or the same position if this is no list of generic arguments."""
        begin, depth, steps = position, 0, 0
        while position < len(self.tokens) and steps < LOOKAHEAD:
            steps += 1
            text = self.at(position)
            if text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
                if depth == 0:
                    return position + 1
            elif text in OPENING:
                position = self.source.match[position]
            elif text in ("{", "}", ";", ")", "]"):
                return begin
            position += 1
        return begin

    def skip_type(self, position):
        """The position after a type."""
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "attribute":
                position = self.attribute_end(position) + 1
                continue
            if token.text in ("inout", "some", "any", "borrowing", "consuming", "__owned", "sending", "repeat", "each", "~"):
                position += 1
                continue
            if token.text in OPENING:
                position = self.source.match[position] + 1
            elif token.kind == "name" and token.text not in ("where", "async", "throws", "rethrows"):
                position += 1
            else:
                return position
            while True:
                text = self.at(position)
                if text == "." and self.tokens[position].start == self.tokens[position - 1].end:
                    position += 2
                elif text == "<":
                    end = self.skip_angles(position)
                    if end == position:
                        return position
                    position = end
                elif text in ("?", "!", "??", "...") and self.tokens[position].start == self.tokens[position - 1].end:
                    position += 1
                else:
                    break
            if self.at(position) in ("async", "throws", "rethrows") and "->" in (self.at(position + 1), self.at(position + 2)):
                while self.at(position) != "->":
                    position += 1
            if self.at(position) not in ("->", "&"):
                return position
            position += 1
        return position

    def _parameters(self, opening):
        """Labels, names and types of the parameters."""
        labels, names, types, position, close = [], [], [], opening + 1, self.source.match[opening]
        while position < close:
            while self.tokens[position].kind == "attribute":
                position = self.attribute_end(position) + 1
            label = self.at(position)
            name = label if self.at(position + 1) == ":" else self.at(position + 1)
            while position < close and self.at(position) != ":":
                position += 1
            end = self.skip_type(position + 1)
            labels.append(plain(label))
            names.append(name)
            types.append(self.text(position + 1, end))
            self.names.setdefault(plain(name), set()).add(types[-1])
            position = self._comma(end, close) + 1
        return tuple(labels), tuple(names), tuple(types)

    def _comma(self, position, close):
        """The comma after an argument, or the closing bracket."""
        while position < close and self.at(position) != ",":
            position = self.source.match[position] + 1 if self.at(position) in (*OPENING, "{") else position + 1
        return position

    def arguments(self, opening):
        """The arguments of a call: the label of each, "_" without one, with the first token of its value and the one behind it."""
        found, position, close = [], opening + 1, self.source.match[opening]
        while position < close:
            has_label = self.at(position + 1) == ":" and self.tokens[position].kind == "name"
            value = position + 2 if has_label else position
            end = self._comma(value, close)
            found.append((plain(self.at(position)) if has_label else "_", value, end))
            position = end + 1
        return found

    def _function(self, index, attributes, modifiers, owner, is_local):
        position = index + 2
        # An operator has several characters.
        while position < len(self.tokens) and self.at(position) not in ("(", "<", "{", "}") and not self.tokens[position].is_first:
            position += 1
        if self.at(position) == "<":
            position = self.skip_angles(position)
        if self.at(position) != "(":
            return
        labels, names, types = self._parameters(position)
        position = self.source.match[position] + 1
        effects = []
        while self.at(position) in ("async", "throws", "rethrows", "reasync"):
            effects.append(self.at(position))
            position += 1
            if effects[-1] == "throws" and self.at(position) == "(":
                position = self.source.match[position] + 1
        arrow, result = position, ""
        if self.at(position) == "->":
            end = self.skip_type(position + 1)
            result, position = self.text(position + 1, end), end
        if self.at(position) == "where":
            limit = min(len(self.tokens), position + LOOKAHEAD)
            while position < limit and self.at(position) not in ("{", "}", ";", "func") and not (self.tokens[position].is_first and self.at(position - 1) not in (",", "where", ":", "==", "&") and self.at(position) != "where"):
                position += 1
        if result in ("Void", "()", "Swift.Void"):
            result = ""
        self._add("func", plain(self.at(index + 1)), labels, names, types, result, attributes, modifiers, index, position, arrow, tuple(effects), owner, is_local)

    def _property(self, index, attributes, modifiers, owner, is_local):
        name, position, text = plain(self.at(index + 1)), index + 2, ""
        if index + 1 >= len(self.tokens) or self.tokens[index + 1].kind != "name":
            return
        if self.at(position) == ":":
            end = self.skip_type(position + 1)
            text, position = self.text(position + 1, end), end
        # `if let delegate`, `guard let delegate = delegate`: the type is that of another name.
        is_binding = self.at(index - 1) in ("if", "guard", "while", "case", ",", "(", "for")
        if not is_binding:
            if not text and self.at(position) == "=" and re.fullmatch(r"[A-Z]\w*", self.at(position + 1)) and self.at(position + 2) == "(":
                text = self.at(position + 1)
            self.names.setdefault(name, set()).add(text)
        self._add("var", name, (), (), (), text, attributes, modifiers, index, position, position, (), owner, is_local)

    def _other(self, index, attributes, modifiers, owner, is_local):
        self._add(self.at(index), self.at(index), (), (), (), "", attributes, modifiers, index, index + 1, index + 1, (), owner, is_local)

    def _add(self, kind, name, labels, names, types, result, attributes, modifiers, keyword, end, arrow, effects, owner, is_local):
        member = Member(kind, name, labels, names, types, result, attributes, modifiers, keyword, end, arrow, effects, owner, is_local, self.file)
        self.members.append(member)
        if owner and not is_local and self.source.active[keyword]:
            owner.members.append(member)
