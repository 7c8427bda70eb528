"""Attributes of Objective-C, protocols that are Objective-C's, and what has no meaning without it."""

from .declarations import plain

REMOVED = {"@objc", "@objcMembers", "@nonobjc", "@IBOutlet", "@IBAction", "@IBInspectable", "@IBDesignable", "@IBSegueAction", "@GKInspectable"}
CLASS_BOUND = {"AnyObject", "class", "NSObjectProtocol", "CBCentralManagerDelegate", "CBPeripheralDelegate", "CBPeripheralManagerDelegate", "CLLocationManagerDelegate"}


def rewrite(project):
    observable = {
        member.name for file in project.readable for member in file.declarations.members
        if member.kind == "var" and "@objc" in member.attributes and "dynamic" in member.modifiers and file.is_active(member.keyword)}
    extended = methods_in_extensions(project)
    for file in project.readable:
        remove_attributes(file)
        for type_ in file.declarations.types:
            if type_.kind == "protocol" and "@objc" in type_.attributes and file.is_active(type_.keyword):
                bind_to_classes(project, file, type_)
        for member in file.declarations.members:
            if "override" in member.modifiers and file.is_active(member.keyword):
                check_override(project, file, member, extended)
        check_names(file, observable)
        check_tables(project, file)


def remove_attributes(file):
    dynamic = set()
    for member in file.declarations.members:
        if "@objc" in member.attributes and "dynamic" in member.modifiers:
            dynamic.add(member.modifiers["dynamic"])
    for index, token in enumerate(file.tokens):
        if not file.is_active(index):
            continue
        if token.kind == "attribute" and token.text in REMOVED and file.at(index - 1) != "(":
            last = file.declarations.attribute_end(index)
            # `@objc (name)` has a space.
            if token.text == "@objc" and last == index and file.at(index + 1) == "(" and not file.tokens[index + 1].is_first:
                last = file.source.match[index + 1]
            file.remove(index, last)
            file.counts[token.text] += 1
        elif index in dynamic:
            file.remove(index, index)
            file.counts["dynamic"] += 1


def bind_to_classes(project, file, type_):
    named = {name for text in type_.inherits for name in text.replace("&", " ").split()}
    if named & CLASS_BOUND:
        return
    if any("@objc" in base.attributes for name in named for base in project.declared(name, {"protocol"})):
        return
    if type_.colon:
        file.insert(file.tokens[type_.colon].end, " AnyObject,")
    else:
        file.insert(file.tokens[type_.keyword + 1].end, ": AnyObject")
    file.counts["protocols bound to classes"] += 1


def methods_in_extensions(project):
    """The classes whose extensions declare each method."""
    found = {}
    for file in project.readable:
        for member in file.declarations.members:
            is_extended = member.owner and member.owner.kind == "extension" and not project.declared(member.owner.name, {"protocol"})
            if is_extended and member.kind in ("func", "var") and not member.is_local and file.is_active(member.keyword):
                found.setdefault(member.title, set()).add(member.owner.name)
    return found


def check_override(project, file, member, extended):
    if member.owner and member.owner.kind == "extension" and not member.is_local:
        file.find(member.keyword, f"An extension cannot override {member.title} without Objective-C: move it into the class.")
    elif member.owner and member.title in extended:
        names = project.inherited(member.owner.name)
        bodies = (type_ for name in names for type_ in project.declared(name, {"class"}))
        if any(other.title == member.title for type_ in bodies for other in type_.members):
            return
        for name in sorted(extended[member.title].intersection(names)):
            file.find(member.keyword, f"{member.title} cannot be overridden, because an extension of {name} declares it: move that declaration into the class.")


def check_names(file, observable):
    for index, token in enumerate(file.tokens):
        if token.kind == "name" and file.is_active(index):
            if token.text == "responds" and file.at(index + 1) == "(" and file.at(index + 2) == "to":
                file.find(index, "responds(to:) needs Objective-C: without it, the object has every method of the protocol. Remove the condition.")
            elif token.text == "NSSelectorFromString" or token.text == "Selector" and file.at(index - 1) != "." and file.at(index + 1) != ".":
                if not is_declared(file, index):
                    file.find(index, f"{token.text} does not exist on Linux: pass a closure.")
            elif token.text == "addObserver" and file.at(index + 1) == "(" and any(label == "forKeyPath" for label, _, _ in file.declarations.arguments(index + 1)):
                file.find(index, "Observing by a string needs Objective-C: let the property report its changes, for example in didSet.")
            elif token.text in ("observe", "publisher"):
                check_observer(file, index, observable)


def check_tables(project, file):
    """A protocol of Objective-C is a class for a table, and one of Swift is not."""
    for index, token in enumerate(file.tokens):
        if token.text in ("NSHashTable", "NSMapTable") and file.is_active(index) and file.at(index + 1) == "<":
            names = [file.at(position) for position in range(index + 2, file.declarations.skip_angles(index + 1))]
            for name in names:
                if any("@objc" in type_.attributes for type_ in project.declared(name, {"protocol"})):
                    file.find(index, f"{token.text} takes no protocol without Objective-C: use AnyObject in place of {name}, and convert the elements with `as?`.")


def is_declared(file, index):
    return file.at(index - 1) in ("class", "struct", "enum", "protocol", "typealias", "case", "let", "var", "func") or file.at(index + 1) == ":"


def check_observer(file, index, observable):
    opening = index + 1
    if file.at(opening) != "(":
        return
    start = opening + (3 if file.at(opening + 1) == "for" else 1)
    if file.at(start) != "\\":
        return
    # \.name or \Type.name
    position = start + 1
    while position < file.source.match[opening] and (file.at(position) in (".", "?", "!") or file.at(position)[:1].isupper()):
        position += 1
    name = plain(file.at(position))
    if name in observable:
        file.find(index, f"Without Objective-C nothing observes {name} if it is a property of the package: let it report its changes, for example in didSet.")
