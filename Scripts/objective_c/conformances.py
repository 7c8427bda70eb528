"""Classes that inherit the conformance to a protocol with optional requirements."""

import re

from .declarations import plain

# The manager calls one of two, by which of them the delegate has: an added method without effect would change that.
DEPENDENT = {
    "centralManager(_:didDisconnectPeripheral:error:)", "centralManager(_:didDisconnectPeripheral:timestamp:isReconnecting:error:)",
    "locationManagerDidChangeAuthorization(_:)",
}


def names_in(text):
    return set(re.findall(r"\w+", text))


def rewrite(project, requirements):
    """The class that states a conformance decides which methods are called: one that only its subclass has is not. Such a class gets the method, and the
    subclass overrides it."""
    by_protocol, added, forwarded = {}, set(), {}
    for requirement in requirements:
        by_protocol.setdefault(requirement.protocol, {})[requirement.title] = requirement
    for types in list(project.types.values()):
        for type_ in types:
            class_ = project.class_of(type_) if type_.kind == "extension" else type_ if type_.kind == "class" else None
            if not class_:
                continue
            for member in type_.members:
                if member.kind in ("func", "var") and not {"override", "static", "class"}.intersection(member.modifiers) and member.file.is_active(member.keyword):
                    for protocol, titles in by_protocol.items():
                        if member.title in titles:
                            check_subclass(project, class_, member, titles[member.title], added, forwarded)
    for (stating, title), found in forwarded.items():
        if (stating, title) in added:
            for class_, member in found:
                name_subclass(stating, class_, member, True, "The protocol")
        else:
            forward(stating, found)


def can_forward(class_, stating, member):
    """Whether a method of an extension, which cannot override, can be called from a method of the class that states the conformance."""
    hidden = {"private", "fileprivate"}
    declarations = [*outward(class_), member, member.owner]
    is_visible = class_.file is stating.file is member.file or not any(hidden.intersection(one.modifiers) for one in declarations)
    has_names = all(plain(name).isidentifier() and name != "_" for name in member.names)
    # A class that is not public has all its subclasses in one module.
    is_plain = not stating.access and class_.file.at(class_.keyword + 2) != "<" and not member.file.source.is_conditional[member.keyword]
    return is_visible and has_names and is_plain and member.kind == "func" and not member.result and not member.effects and not any(
        type_.is_local or type_.file.source.is_conditional[type_.keyword] for type_ in outward(class_))


def outward(type_):
    """A type and the types around it."""
    while type_:
        yield type_
        type_ = type_.outer


def forward(stating, found):
    """Adds a method that calls those of the subclasses' extensions, which get names of their own."""
    calls = []
    for class_, member in found:
        name = f"{member.name}Of{class_.name}"
        token = member.file.tokens[member.keyword + 1]
        member.file.replace(token.start, token.end, name)
        member.file.counts["methods that an added one calls"] += 1
        arguments = ", ".join(value if label == "_" else f"{label}: {value}" for label, value in zip(member.labels, found[0][1].names))
        calls.append(f"(self as? {class_.full})?.{name}({arguments})")
    member = found[0][1]
    signature = member.file.declarations.text(member.keyword, member.end)
    stating.file.insert(stating.file.tokens[stating.body].end, f" {signature} {{ {'; '.join(calls)} }};")


def check_subclass(project, class_, member, requirement, added, forwarded):
    supers = superclasses(project, class_)
    stating = next((base for base in reversed(supers) if conforms(project, base, requirement.protocol)), None)
    if not stating or any(has(project, base, member.title) for base in supers):
        return
    access = "open " if "open" in stating.modifiers else stating.access
    is_open = {"public", "open", "package"}.intersection(member.modifiers) or not {"public", "open", "package"}.intersection(class_.modifiers)
    is_extended = member.owner.kind == "extension"
    if is_extended and can_forward(class_, stating, member) and requirement.title not in DEPENDENT:
        forwarded.setdefault((stating, member.title), []).append((class_, member))
        return
    if is_extended or member.kind == "var" or access and not is_open or requirement.title in DEPENDENT:
        name_subclass(stating, class_, member, is_extended, requirement.protocol)
        return
    if (stating, member.title) not in added:
        added.add((stating, member.title))
        signature = member.file.declarations.text(member.keyword, member.arrow)
        rest = member.file.declarations.text(member.arrow, member.end)
        throws, body = (" throws", "throw SelectorNames.NotImplemented()") if member.result and not member.effects else ("", "")
        stating.file.insert(stating.file.tokens[stating.body].end, f" {access}{signature}{throws} {rest} {{ {body} }};".replace("  ", " "))
        stating.file.needs_import = stating.file.needs_import or bool(body)
    member.file.insert(member.file.tokens[member.keyword].start, "override ")
    member.file.counts["methods that override an added one"] += 1


def name_subclass(stating, class_, member, is_extended, protocol):
    member.file.find(
        member.keyword,
        f"{protocol} does not call this method: {stating.path}, which states the conformance, lacks it. "
        f"Add {member.title} to {stating.path}, and override it {f'in the class {class_.path}' if is_extended else 'here'}.")


def superclasses(project, class_):
    """The superclasses of a class, the nearest first."""
    found = []
    while (class_ := project.superclass(class_)) and class_ not in found:
        found.append(class_)
    return found


def conforms(project, class_, protocol):
    """Whether a class itself states the conformance."""
    for type_ in [class_, *project.extensions(class_)]:
        for text in type_.inherits:
            for part in names_in(text):
                if part == protocol or not project.declared(part, {"class"}) and protocol in project.inherited(part):
                    return True
    return False


def has(project, class_, title):
    return any(member.title == title for type_ in [class_, *project.extensions(class_)] for member in type_.members)
