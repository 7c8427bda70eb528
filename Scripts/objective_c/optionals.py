"""Optional requirements of protocols.

A requirement without a result gets an empty default, and a call of it loses its second question mark. A requirement with a result throws `NotImplemented`
by default: a method that does not throw satisfies a requirement that does. `object.method?()` becomes `(try? object.method())`, which is nil in the same
cases as before.
"""

import typing

from . import conformances
from .conformances import names_in
from .declarations import plain

# The optional methods of the delegates of CoreBluetooth and CoreLocation. The modules have a default of each.
DELEGATES = {
    "CBCentralManagerDelegate": (
        "centralManager(_:willRestoreState:) centralManager(_:didDiscover:advertisementData:rssi:) centralManager(_:didConnect:) "
        "centralManager(_:didFailToConnect:error:) centralManager(_:didDisconnectPeripheral:error:) "
        "centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:) centralManager(_:connectionEventDidOccur:for:) "
        "centralManager(_:didUpdateANCSAuthorizationFor:)"),
    "CBPeripheralDelegate": (
        "peripheralDidUpdateName(_:) peripheral(_:didModifyServices:) peripheralDidUpdateRSSI(_:error:) peripheral(_:didReadRSSI:error:) "
        "peripheral(_:didDiscoverServices:) peripheral(_:didDiscoverIncludedServicesFor:error:) peripheral(_:didDiscoverCharacteristicsFor:error:) "
        "peripheral(_:didUpdateValueFor:error:) peripheral(_:didWriteValueFor:error:) peripheral(_:didUpdateNotificationStateFor:error:) "
        "peripheral(_:didDiscoverDescriptorsFor:error:) peripheralIsReady(toSendWriteWithoutResponse:) peripheral(_:didOpen:error:) "
        "peripheral(_:didReceive:error:) peripheral(_:didCompleteChannelSoundingSession:)"),
    "CBPeripheralManagerDelegate": (
        "peripheralManager(_:willRestoreState:) peripheralManagerDidStartAdvertising(_:error:) peripheralManager(_:didAdd:error:) "
        "peripheralManager(_:central:didSubscribeTo:) peripheralManager(_:central:didUnsubscribeFrom:) peripheralManager(_:didReceiveRead:) "
        "peripheralManager(_:didReceiveWrite:) peripheralManagerIsReady(toUpdateSubscribers:) peripheralManager(_:didPublishL2CAPChannel:error:) "
        "peripheralManager(_:didUnpublishL2CAPChannel:error:) peripheralManager(_:didOpen:error:)"),
    "CLLocationManagerDelegate": (
        "locationManagerDidChangeAuthorization(_:) locationManager(_:didChangeAuthorization:) locationManager(_:didFailWithError:) "
        "locationManager(_:didStartMonitoringFor:) locationManager(_:monitoringDidFailFor:withError:) locationManager(_:didDetermineState:for:) "
        "locationManager(_:didEnterRegion:) locationManager(_:didExitRegion:) locationManager(_:didRange:satisfying:) "
        "locationManager(_:didFailRangingFor:error:) locationManager(_:didRangeBeacons:in:) locationManager(_:rangingBeaconsDidFailFor:withError:)"),
}
# The tokens of a statement that a rule looks at before a call: each call of a long one does.
STATEMENT_LIMIT = 300
# Words that are no part of the expression behind them.
KEYWORDS = {"return", "try", "await", "in", "case", "if", "guard", "while", "switch", "where", "else", "throw", "do", "default", "defer", "as", "is", "yield", "consume"}


class Requirement(typing.NamedTuple):
    protocol: str
    name: str
    labels: tuple
    result: str
    throws: bool
    kind: str

    @property
    def title(self):
        return self.name + ("(" + "".join(label + ":" for label in self.labels) + ")" if self.kind == "func" else "")


def delegate_requirements():
    for protocol, titles in DELEGATES.items():
        for title in titles.split():
            name, _, labels = title[:-1].partition("(")
            yield Requirement(protocol, name, tuple(labels.split(":")[:-1]), "", False, "func")


def rewrite(project):
    requirements = list(delegate_requirements())
    for file in project.readable:
        for type_ in file.declarations.types:
            if type_.kind == "protocol" and "@objc" in type_.attributes and file.is_active(type_.keyword):
                requirements += requirements_of(file, type_)
    by_name = {}
    for requirement in requirements:
        by_name.setdefault(requirement.name, []).append(requirement)
    for file in project.readable:
        Calls(project, file, by_name).rewrite()
    conformances.rewrite(project, requirements)


def requirements_of(file, type_):
    """Rewrites the optional requirements of a protocol, adds their defaults behind it, and returns them."""
    defaults = []
    for member in type_.members:
        if "optional" not in member.modifiers or member.kind not in ("func", "var"):
            continue
        if "static" in member.modifiers or "class" in member.modifiers:
            file.find(member.keyword, f"The optional requirement {member.title} is static: make it required, or give it a default in an extension of {type_.path}.")
            continue
        index = member.modifiers["optional"]
        file.remove(index, index)
        throws = "throws" in member.effects
        if member.kind == "var":
            text = property_default(file, member)
        else:
            text = method_default(file, member, throws)
        # In a protocol of an actor, the default would belong to the actor.
        defaults.append(type_.access + ("nonisolated " if "nonisolated" in member.modifiers else "") + text)
        file.counts["optional requirements with a default"] += 1
        yield Requirement(type_.name, member.name, member.labels, member.result, throws, member.kind)
    if defaults:
        outermost = list(conformances.outward(type_))[-1]
        file.insert(file.tokens[outermost.end].end, f"; extension {type_.full} {{ {'; '.join(defaults)} }}")
        if any("NotImplemented" in text for text in defaults):
            file.needs_import = True


def attributes_of(file, member):
    kept = [span for name, span in member.attributes.items() if name not in ("@objc", "@nonobjc")]
    return "".join(file.declarations.text(first, last + 1) + " " for first, last in kept)


def method_default(file, member, throws):
    signature = file.declarations.text(member.keyword, member.arrow)
    rest = file.declarations.text(member.arrow, member.end)
    if member.result and not throws:
        file.insert(file.tokens[member.arrow].start, "throws ")
        signature += " throws"
    body = "throw SelectorNames.NotImplemented()" if member.result else ""
    return f"{attributes_of(file, member)}{signature} {rest} {{ {body} }}".replace("  ", " ")


def property_default(file, member):
    opening = member.end
    if file.at(opening) == "{":
        file.replace(file.tokens[opening].start, file.tokens[file.source.match[opening]].end, "{ get throws }")
    return f"{attributes_of(file, member)}var {member.name}: {member.result} {{ get throws {{ throw SelectorNames.NotImplemented() }} }}"


class Calls:
    """The uses of optional requirements in a file."""

    def __init__(self, project, file, requirements):
        self.project, self.file, self.requirements = project, file, requirements
        self.tokens, self.at, self.match = file.tokens, file.at, file.source.match

    def rewrite(self):
        for index in range(1, len(self.tokens) - 1):
            if self.at(index) == "." and self.tokens[index].kind == "mark" and self.file.is_active(index):
                name = plain(self.at(index + 1))
                if name in self.requirements and self.tokens[index + 1].kind == "name":
                    self._use(index, name)

    def _use(self, dot, name):
        mark, opening = self.at(dot + 2), dot + 3
        is_call = mark in ("?", "!") and self.at(opening) == "(" and self.tokens[opening].start == self.tokens[dot + 1].end + 1
        if not is_call:
            self._mention(dot, name)
            return
        labels, end = self._arguments(opening)
        found = [one for one in self.requirements[name] if one.kind == "func" and fits(one.labels, labels)]
        if not found:
            return
        if self.project.may_be_closure(name):
            types = self._receiver_types(dot)
            if not self._is_one(types, found):
                return
            if any(not text or not self._is_one({text}, found) for text in types):
                self.file.find(dot + 1, f"{name} is an optional method or a property that holds a closure: if it is the method, remove the question mark behind it.")
                return
        if len({(bool(one.result), one.throws) for one in found}) > 1:
            self.file.find(dot + 1, f"Several protocols have an optional method {name}, and differ in the result: write the call for the right one.")
        elif found[0].result:
            self._result(dot, mark, end, found[0])
        else:
            self._void(dot, mark, end, found[0])

    def _arguments(self, opening):
        """The labels of a call and its last token. A label is None for a trailing closure."""
        close = self.match[opening]
        labels = [label for label, _, _ in self.file.declarations.arguments(opening)]
        if self.at(close + 1) == "{" and not self.tokens[close + 1].is_first and not self._is_condition(opening):
            labels.append(None)
            close = self.match[close + 1]
        return labels, close

    def _is_condition(self, index):
        """Whether the braces behind a call are the body of a statement."""
        limit = max(0, index - STATEMENT_LIMIT)
        while index > limit and self.at(index) not in ("{", "}", ";"):
            if self.at(index) in ("if", "guard", "while", "switch", "for", "else"):
                return True
            if self.tokens[index].is_first and self.file.source.around[index] is None:
                return False
            index -= 1
        return False

    def _receiver_types(self, dot):
        """The texts of the types that the receiver can have by its name."""
        index = dot - 1
        while self.at(index) in ("?", "!"):
            index -= 1
        if self.tokens[index].kind != "name":
            return set()
        if self.at(index) == "self":
            enclosing = self.file.declarations.enclosing[dot]
            return {enclosing.path} if enclosing else set()
        name = plain(self.at(index))
        return self.project.property_types(self.file.declarations.enclosing[dot], name) or self.project.names.get(name, set())

    def _is_one(self, types, requirements):
        """Whether a type is one of the protocols, or a protocol that inherits from one. A class that conforms has no optional methods."""
        protocols = {one.protocol for one in requirements}
        return any(
            name in protocols or self.project.declared(name, {"protocol"}) and protocols.intersection(self.project.inherited(name))
            for text in types for name in names_in(text))

    def _mention(self, dot, name):
        """A use without a call: a condition, or an optional property."""
        found = self.requirements[name]
        types = self._receiver_types(dot)
        if not self._is_one(types, found):
            return
        following = self.at(dot + 2)
        properties = [one for one in found if one.kind == "var"]
        if properties:
            if following == "=" or any(not text or not self._is_one({text}, found) for text in types):
                self.file.find(dot + 1, f"{name} is an optional property: read it with `try?`, which is nil if the object does not implement it.")
            else:
                self._result(dot, "", dot + 1, properties[0])
        elif following != "(" and not self._is_inside_selector(dot):
            self.file.find(dot + 1, f"Without Objective-C an object has every optional method, also {name}: remove the condition, or ask the object in another way.")

    def _is_inside_selector(self, index):
        around = self.file.source.around[index]
        return around is not None and self.at(around - 1) in ("#selector", "#keyPath")

    def start_of(self, dot):
        """The first token of the expression before a dot. A chain of more tokens than anybody writes is cut."""
        limit = dot - STATEMENT_LIMIT
        while True:
            index = dot - 1
            if index < limit:
                return dot + 1
            while True:
                while self.at(index) in ("?", "!") and index and self.tokens[index - 1].end == self.tokens[index].start:
                    index -= 1
                if self.at(index) not in (")", "]"):
                    break
                start = index = self.match[index]
                if index == 0 or self.tokens[index - 1].end != self.tokens[index].start or self.tokens[index - 1].kind == "mark" and self.at(index - 1) not in "?!)]":
                    return start
                index -= 1
            if index < 0 or self.tokens[index].kind not in ("name", "string", "number", "directive") or self.at(index) in KEYWORDS:
                return index + 1
            if self.at(index - 1) != ".":
                return index
            dot = index - 1

    def _is_statement(self, start, end):
        previous, following = self.at(start - 1), self.tokens[end + 1] if end + 1 < len(self.tokens) else None
        if previous in ("try", "await"):
            return self._is_statement(start - 1, end)
        if previous == "=" and self.at(start - 2) == "_":
            return self.at(start - 3) not in ("let", "var")
        begins = start == 0 or previous in ("{", "}", ";", "in", "else", "do", "defer") or previous == ":" and self._is_label(start - 1) or (
            self.tokens[start].is_first and previous not in ("=", ",", "(", "[", "return", "&&", "||", "??", "==", "!=", "?", ":", "+"))
        ends = following is None or following.text in ("}", ";") or following.kind == "directive" or (
            following.is_first and following.text not in (".", "?", "??", "==", "!=", "&&", "||"))
        return begins and ends

    def _is_label(self, colon):
        """Whether a colon ends `case` or `default`."""
        index = colon - 1
        limit = max(0, colon - STATEMENT_LIMIT)
        while index >= limit and self.at(index) not in ("{", ";", "?"):
            if self.at(index) in ("case", "default"):
                return True
            index = self.match[index] - 1 if self.at(index) in (")", "]", "}") else index - 1
        return False

    def _has_try(self, start, end):
        """Whether a `try` of the statement would no longer see the errors of the arguments."""
        if any(self.at(index) == "try" and self.at(index + 1) not in ("?", "!") for index in range(start, end)):
            return True
        index = start - 1
        while index >= 0 and self.at(index) not in ("{", "}", ";"):
            if start - index > STATEMENT_LIMIT:
                return True
            if self.at(index) == "try" and self.at(index + 1) not in ("?", "!"):
                return True
            around = self.file.source.around[index + 1]
            if self.tokens[index + 1].is_first and (around is None or self.at(around) == "{"):
                return False
            index -= 1
        return False

    def _void(self, dot, mark, end, requirement):
        if mark == "?" and not self._is_statement(self.start_of(dot), end):
            self.file.find(dot + 1, f"The value of {requirement.title} shows whether the object implements it, which needs Objective-C: use another condition.")
            return
        self.file.replace(self.tokens[dot + 2].start, self.tokens[dot + 2].end, "")
        self.file.counts["calls of optional methods"] += 1

    def _result(self, dot, mark, end, requirement):
        start = self.start_of(dot)
        if requirement.throws:
            self.file.find(dot + 1, f"{requirement.title} throws and has a result: catch NotImplemented of the module SelectorNames, which means that the object lacks the method.")
            return
        if self._has_try(start, end):
            self.file.find(dot + 1, f"{requirement.title} would hide the errors of this statement: call it in a statement of its own.")
            return
        if mark:
            self.file.replace(self.tokens[dot + 2].start, self.tokens[dot + 2].end, "")
        self.file.insert(self.tokens[start].start, f"(try{mark or '?'} ")
        # What follows belonged to the chain that ended at a missing method.
        following = "?" if mark != "!" and self.at(end + 1) in (".", "[") and not (self.at(end + 1) == "[" and self.tokens[end + 1].is_first) else ""
        self.file.insert(self.tokens[end].end, ")" + following)
        self.file.counts["calls of optional methods" if mark else "uses of optional properties"] += 1


def fits(labels, given):
    if len(given) > len(labels) or None in given[:-1]:
        return False
    if given and given[-1] is None:
        return len(given) == len(labels) and list(labels[:-1]) == given[:-1]
    return list(labels) == given
