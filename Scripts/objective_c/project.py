"""The sources that are rewritten together, and what they declare."""

import collections
import functools
import re
import typing

from . import attributes, optionals, pointers, selectors
from .declarations import Declarations
from .lexer import Source, Unreadable

# Frameworks of Apple's systems. `#if canImport` of one of them is false on Linux. What depends on ObjectiveC is not certain: Scripts/build-with-corebluetooth
# offers a module of that name to packages that import it.
UNAVAILABLE = frozenset(
    "AppKit ARKit AVFoundation AVKit CloudKit Cocoa CoreData CoreGraphics CoreImage CoreMotion CoreNFC CoreTelephony CryptoKit ExternalAccessory "
    "GameKit HealthKit IOKit MapKit Metal NetworkExtension Photos QuartzCore Security SwiftData SwiftUI SystemConfiguration UIKit UserNotifications WatchConnectivity "
    "WatchKit WebKit WidgetKit".split())
WORD = re.compile(
    r"@objc|@nonobjc|@IB|@GKInspectable|#selector|#keyPath|\bSelector\b|NSSelectorFromString|responds\s*\(|forKeyPath|\boverride\b|[?!]\(|removeObserver|"
    r"cancelPreviousPerformRequests|\bNSData\b|observe\s*\(|publisher\s*\(|Delegate\b")


class Finding(typing.NamedTuple):
    path: str
    line: int
    sentence: str


class File:
    """A source with the edits that it needs. Octets that are no UTF-8 stay as they are."""

    def __init__(self, path, content):
        self.path = path
        self.text = content.decode("utf-8", "surrogateescape")
        self.source = self.declarations = None
        # Each place once, in order.
        self.edits, self.findings, self.counts = [], {}, collections.Counter()
        self.needs_import = False
        self._removed = 0
        try:
            self.source = Source(self.text, UNAVAILABLE)
            self.declarations = Declarations(self)
        except Unreadable as error:
            line = len(re.findall(r"\r\n|\n|\r", self.text[: error.offset])) + 1
            # A file that has nothing to rewrite needs no sentence: the compiler reports its errors.
            if WORD.search(self.text):
                self.findings[Finding(path, line, f"The file is not changed: {error.reason}.")] = None

    @property
    def tokens(self):
        return self.source.tokens

    def at(self, index):
        return self.declarations.at(index)

    def is_active(self, index):
        return bool(self.source.active[index])

    def find(self, index, sentence):
        """Notes a place that needs an edit by hand."""
        self.findings[Finding(self.path, self.source.line(self.tokens[index].start), sentence)] = None

    def replace(self, start, end, text):
        self.edits.append((start, end, text))

    def insert(self, offset, text):
        self.edits.append((offset, offset, text))

    def remove(self, first, last):
        """Removes tokens with the spaces behind them, and keeps the lines of the file."""
        start, end = self.tokens[first].start, self.tokens[last].end
        lines = re.findall(r"\r\n|\n|\r", self.text[start:end])
        after = re.compile(r"[ \t]*").match(self.text, end).end()
        if after == len(self.text) or self.text[after] in "\r\n":
            while start > self._removed and self.text[start - 1] in " \t":
                start -= 1
        else:
            end = after
        self._removed = end
        self.replace(start, end, "".join(lines))

    def result(self):
        """The rewritten source."""
        parts, position = [], 0
        # Edits of one place keep their order.
        for start, end, text in sorted(self.edits, key=lambda edit: edit[:2]):
            parts += [self.text[position:start], text]
            position = end
        parts.append(self.text[position:])
        text = "".join(parts)
        if self.needs_import:
            newline = "\r\n" if "\r\n" in self.text else "\n"
            text += ("" if text.endswith(("\n", "\r")) else newline) + "import SelectorNames" + newline
        return text.encode("utf-8", "surrogateescape")


class Project:
    """Files that see each other's declarations: a package with its dependencies."""

    def __init__(self, contents):
        """`contents` has the content of each file by its path."""
        self.files = [File(path, content) for path, content in contents.items()]
        self.readable = [file for file in self.files if file.source]
        # Names of properties and parameters with the texts of their types, and those of members alone.
        self.types, self.names, self.properties = {}, {}, {}
        for file in self.readable:
            for type_ in file.declarations.types:
                if file.is_active(type_.keyword):
                    self.types.setdefault(type_.name, []).append(type_)
            for member in file.declarations.members:
                if member.kind == "var" and member.owner and not member.is_local and "optional" not in member.modifiers:
                    self.properties.setdefault(member.name, set()).add(member.result)
            for name, texts in file.declarations.names.items():
                self.names.setdefault(name, set()).update(texts)

    def rewrite(self):
        for rule in (attributes, optionals, selectors, pointers):
            rule.rewrite(self)
        return {file.path: file.result() for file in self.files}

    @property
    def counts(self):
        return sum((file.counts for file in self.files), collections.Counter())

    @property
    def findings(self):
        return sorted(finding for file in self.files for finding in file.findings)

    @functools.cache
    def may_be_closure(self, name):
        """Whether a property of this name can hold a closure, as far as its type shows."""
        return any(
            "->" in text or not text or re.fullmatch(r"[\w.]+[?!]?", text) and not text.startswith("CB") and text.strip("?!") not in self.types
            for text in self.properties.get(name, ()))

    def property_types(self, type_, name):
        """The types of a property as seen from a type: its own, an inherited one, or that of a type around it."""
        while type_:
            class_ = self.class_of(type_) or type_ if type_.kind == "extension" else type_
            seen = []
            while class_ and class_ not in seen:
                seen.append(class_)
                parts = [class_, *self.extensions(class_)] if class_.kind == "class" else [class_]
                if found := {member.result for part in parts for member in part.members if member.kind == "var" and member.name == name}:
                    return found
                class_ = self.superclass(class_) if class_.kind == "class" else None
            type_ = type_.outer
        return set()

    @functools.cached_property
    def renamed(self):
        """The properties that have another name in Objective-C."""
        return {
            member.name for file in self.readable for member in file.declarations.members
            if member.kind == "var" and "@objc" in member.attributes and len(set(member.attributes["@objc"])) > 1}

    def declared(self, name, kinds):
        return [type_ for type_ in self.types.get(name, ()) if type_.kind in kinds]

    @functools.cache
    def class_of(self, type_):
        """The class that an extension extends."""
        found = self.declared(type_.name, {"class"})
        exact = [class_ for class_ in found if class_.full == type_.path]
        near = exact or [class_ for class_ in found if class_.file is type_.file and "." not in type_.path] or found
        return near[0] if len(near) == 1 else None

    @functools.cache
    def superclass(self, class_):
        """The superclass, if the sources declare it."""
        for text in class_.inherits:
            path = re.sub(r"<.*", "", text)
            found = self.declared(path.rpartition(".")[2], {"class"})
            # A neighbour, the only one that has this path, or one in the same file.
            for near in (
                [one for one in found if one.full == path or one.outer and class_.outer and one.full == f"{class_.outer.full}.{path}"],
                [one for one in found if one.file is class_.file], found,
            ):
                if len(near) == 1 and near[0] is not class_:
                    return near[0]
        return None

    @functools.cache
    def extensions(self, class_):
        return [type_ for type_ in self.declared(class_.name, {"extension"}) if self.class_of(type_) is class_]

    @functools.cache
    def inherited(self, name):
        """The names of a type's superclasses and protocols, in all steps, as far as the sources declare them."""
        seen, waiting = {}, [name]
        while waiting:
            for type_ in self.types.get(waiting.pop(), ()):
                for text in type_.inherits:
                    for part in text.split("&"):
                        base = re.sub(r"<.*", "", part.strip().rpartition("any ")[2]).rpartition(".")[2]
                        base = base.split()[-1] if base.split() else base
                        if base not in seen:
                            seen[base] = None
                            waiting.append(base)
        return list(seen)
