"""`#selector` where the module SelectorNames has a variant for a method, and `#keyPath`."""

from .declarations import plain

TIMER = ["timeInterval", "target", "selector", "userInfo", "repeats"]
TIMER_AT = ["fireAt", "interval", "target", "selector", "userInfo", "repeats"]
HINT = "#selector needs Objective-C: pass a closure."


def rewrite(project):
    for file in project.readable:
        for index, token in enumerate(file.tokens):
            if token.kind == "directive" and file.is_active(index) and file.at(index + 1) == "(":
                if token.text == "#selector":
                    Selector(project, file, index).rewrite()
                elif token.text == "#keyPath":
                    key_path(project, file, index)
    # Another file than the one that adds an observer can remove it.
    if any(file.counts["#selector of notifications"] for file in project.readable):
        for file in project.readable:
            if any(token.text == "removeObserver" and file.is_active(index) for index, token in enumerate(file.tokens)):
                file.needs_import = True
    for file in project.readable:
        for index, token in enumerate(file.tokens):
            if token.text == "cancelPreviousPerformRequests" and file.is_active(index):
                file.needs_import = True


class Selector:
    """One `#selector(...)` and the call around it."""

    def __init__(self, project, file, index):
        self.project, self.file, self.index = project, file, index
        self.at, self.tokens, self.match = file.at, file.tokens, file.source.match
        self.close = self.match[index + 1]

    def rewrite(self):
        opening = self.file.source.around[self.index]
        if opening and self.at(opening - 1) == "responds":
            # It has its own sentence.
            return
        call = self._call()
        if call is None:
            self.file.find(self.index, HINT)
            return
        kind, callee = call
        method = self._method(kind)
        if method is None:
            return
        start, end = self.tokens[self.index].start, self.tokens[self.close].end
        if kind == "cancelled calls":
            self.file.replace(start, end, f'"{method.rpartition(".")[2].partition("(")[0]}"')
        else:
            name = method.rpartition(".")[2].partition("(")[0]
            self.file.replace(start, end, method + (f', named: "{plain(name)}"' if kind == "delayed calls" else ""))
        if kind == "timers" and callee is not None:
            self.file.replace(*callee, ".makeTimer")
        self.file.needs_import = True
        self.file.counts[f"#selector of {kind}"] += 1

    def _call(self):
        """The kind of the call whose argument this is. For a timer that is made by its initializer, also what becomes `.makeTimer`."""
        opening = self.file.source.around[self.index]
        if opening is None or self.at(opening) != "(":
            return None
        labels = self._labels(opening)
        name = self.at(opening - 1)
        if name == "scheduledTimer" and labels == TIMER:
            return "timers", None
        if labels in (TIMER, TIMER_AT):
            if name == "Timer":
                return "timers", (self.tokens[opening - 1].end, self.tokens[opening - 1].end)
            if name == "init" and self.at(opening - 2) == "." and self.at(opening - 3) == "Timer":
                return "timers", (self.tokens[opening - 2].start, self.tokens[opening - 1].end)
        if name == "addObserver" and labels == ["_", "selector", "name", "object"]:
            return "notifications", None
        if name == "perform" and labels == ["_", "with", "afterDelay"]:
            return "delayed calls", None
        if name == "cancelPreviousPerformRequests" and labels == ["withTarget", "selector", "object"]:
            return "cancelled calls", None
        return None

    def _labels(self, opening):
        """The labels of a call, or none if the selector is only a part of an argument."""
        arguments = self.file.declarations.arguments(opening)
        is_whole = any((value, end) == (self.index, self.close + 1) for _, value, end in arguments)
        return [label for label, _, _ in arguments] if is_whole else []

    def _method(self, kind):
        """The method as an expression: Type.method or Type.method(_:)."""
        first, last = self.index + 2, self.close - 1
        labels = None
        if self.at(last) == ")":
            last = self.match[last]
            labels = [self.at(position) for position in range(last + 1, self.close - 2) if self.at(position) != ":"]
            last -= 1
        path = [self.at(position) for position in range(first, last + 1)]
        if not path or path[1::2] != ["."] * (len(path) // 2) or len(path) % 2 == 0 or any(self.tokens[first + step].kind != "name" for step in range(0, len(path), 2)):
            self.file.find(self.index, HINT)
            return None
        names = path[::2]
        if len(names) == 1 or names[0] in ("self", "Self") and len(names) == 2:
            enclosing = self.file.declarations.enclosing[self.index]
            if enclosing is None or enclosing.kind == "protocol" or self.project.declared(enclosing.name, {"protocol"}):
                self.file.find(self.index, HINT)
                return None
            owner = enclosing.path
        elif all(name[:1].isupper() for name in names[:-1]):
            owner = ".".join(names[:-1])
        else:
            self.file.find(self.index, HINT)
            return None
        return self._checked(owner, plain(names[-1]), names[-1], labels, kind)

    def _checked(self, owner, name, written, labels, kind):
        simple = owner.rpartition(".")[2]
        classes = [simple, *self.project.inherited(simple)]
        found = [
            member for class_ in classes for type_ in self.project.declared(class_, {"class", "extension"}) for member in type_.members
            if member.kind == "func" and member.name == name and (labels is None or list(member.labels) == labels)]
        is_static = bool(found) and all("static" in member.modifiers and len(member.labels) == 1 for member in found)
        if any("static" in member.modifiers or "class" in member.modifiers for member in found) and not (is_static and kind == "timers"):
            self.file.find(self.index, f"#selector needs Objective-C, and {name} belongs to the type: pass a closure.")
            return None
        if any(len(member.labels) > 1 for member in found):
            self.file.find(self.index, f"#selector needs Objective-C, and {name} has several parameters: pass a closure.")
            return None
        if kind in ("delayed calls", "cancelled calls") and len({member.labels for class_ in classes for type_ in self.project.types.get(class_, ()) for member in type_.members if member.kind == "func" and member.name == name}) > 1:
            self.file.find(self.index, f"#selector needs Objective-C, and {name} has several variants: pass a closure.")
            return None
        if labels is None and len(found) == 1:
            labels = list(found[0].labels)
        suffix = f"({''.join(label + ':' for label in labels)})" if labels else ""
        return f"{owner}.{written}{suffix}"


def key_path(project, file, index):
    close = file.source.match[index + 1]
    path = [file.at(position) for position in range(index + 2, close) if file.at(position) not in (".", "?", "!")]
    if path and path[0] in ("self", "Self"):
        path = path[1:]
    while path and path[0][:1].isupper():
        path = path[1:]
    names = [plain(name) for name in path]
    if not names or project.renamed.intersection(names) or not all(name.isidentifier() for name in names):
        file.find(index, "#keyPath needs Objective-C: write the key as a string.")
        return
    file.replace(file.tokens[index].start, file.tokens[close].end, '"' + ".".join(names) + '"')
    file.counts["#keyPath"] += 1
