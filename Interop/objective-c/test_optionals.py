"""Optional requirements, their calls, and classes that inherit a conformance."""

import pathlib
import re

import pytest
from objective_c import optionals

PROTOCOL = "@objc protocol P {\n  @objc optional func m(a: Int)\n  @objc optional func r(_ a: Int, b: [Int]) -> Int\n}\n"
VARIABLE = "weak var p: P?\n"
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = [ROOT / "Sources/CoreBluetooth/CoreBluetooth", ROOT / "AppleModules/Sources/CoreLocation"]


def test_requirements_have_a_default(rewritten):
    found = rewritten("@objc public protocol P {\n  /// Says a.\n  @objc optional func m(a: Int)\n  func n()\n}\n")
    assert found.text == "public protocol P: AnyObject {\n  /// Says a.\n  func m(a: Int)\n  func n()\n}; extension P { public func m(a: Int) { } }\n"
    assert found.counts["optional requirements with a default"] == 1


def test_a_requirement_with_a_result_throws_by_default(rewritten):
    found = rewritten("@objc protocol P {\n  @objc optional func m(_ a: Int,\n    b: (Int) -> Void) -> [Int: String]?\n  @objc optional func n() -> Bool // why\n}\n")
    assert found.text == (
        "protocol P: AnyObject {\n  func m(_ a: Int,\n    b: (Int) -> Void) throws -> [Int: String]?\n  func n() throws -> Bool // why\n}; "
        "extension P { func m(_ a: Int, b: (Int) -> Void) throws -> [Int: String]? { throw SelectorNames.NotImplemented() }; "
        "func n() throws -> Bool { throw SelectorNames.NotImplemented() } }\nimport SelectorNames\n")


@pytest.mark.parametrize("requirement, result, default", [
    ("func m() async", "func m() async", "func m() async { }"),
    ("func m() async -> Int", "func m() async throws -> Int", "func m() async throws -> Int { throw SelectorNames.NotImplemented() }"),
    ("func m() throws", "func m() throws", "func m() throws { }"),
    ("func m() -> Void", "func m() -> Void", "func m() -> Void { }"),
    ("@available(iOS 13, *) func m(a: @escaping () -> Void)", "@available(iOS 13, *) func m(a: @escaping () -> Void)", "@available(iOS 13, *) func m(a: @escaping () -> Void) { }"),
    ("var m: Int { get }", "var m: Int { get throws }", "var m: Int { get throws { throw SelectorNames.NotImplemented() } }"),
    ("var m: [Int]? { get set }", "var m: [Int]? { get throws }", "var m: [Int]? { get throws { throw SelectorNames.NotImplemented() } }"),
])
def test_kinds_of_requirements(rewritten, requirement, result, default):
    text = rewritten("@objc protocol P: AnyObject {\n  @objc optional " + requirement + "\n}\n").text
    assert text.removesuffix("import SelectorNames\n") == f"protocol P: AnyObject {{\n  {result}\n}}; extension P {{ {default} }}\n"


def test_a_default_is_isolated_as_the_requirement(rewritten):
    text = rewritten("@MainActor @objc protocol P: AnyObject {\n  @objc optional nonisolated func m()\n}\n").text
    assert text == "@MainActor protocol P: AnyObject {\n  nonisolated func m()\n}; extension P { nonisolated func m() { } }\n"


def test_a_protocol_in_a_type_has_its_extension_behind_it(rewritten):
    text = rewritten("public class A {\n  @objc public protocol P { @objc optional func m() }\n}\n").text
    assert text == "public class A {\n  public protocol P: AnyObject { func m() }\n}; extension A.P { public func m() { } }\n"


def test_a_static_requirement_is_named(rewritten):
    assert rewritten("@objc protocol P {\n  @objc optional static func m()\n}\n").places == [("0.swift", 2)]


@pytest.mark.parametrize("call, result", [
    ("p?.m?(a: 1)", "p?.m(a: 1)"), ("p!.m?(a: 1)", "p!.m(a: 1)"), ("self.p?.m?(a: f(1, [2]))", "self.p?.m(a: f(1, [2]))"), ("_ = p?.m?(a: 1)", "_ = p?.m(a: 1)"),
    ("q { p?.m?(a: 1) }", "q { p?.m(a: 1) }"), ("q { [weak self] in self?.p?.m?(a: 1) }", "q { [weak self] in self?.p?.m(a: 1) }"), ("p?\n  .m?(\n a: 1)", "p?\n  .m(\n a: 1)"),
    ("switch x { case .y: p?.m?(a: 1)\ndefault: p?.m?(a: 2) }", "switch x { case .y: p?.m(a: 1)\ndefault: p?.m(a: 2) }"), ("p?.m!(a: 1)", "p?.m(a: 1)"),
    ("if let p { p.m?(a: 1) }", "if let p { p.m(a: 1) }"), ("d[0].m?(a: 1)", "d[0].m(a: 1)"), ("p?.m?(a: 1); f()", "p?.m(a: 1); f()"), ("defer { p?.m?(a: 1) }", "defer { p?.m(a: 1) }"),
    ("f() // x\np?.m?(a: 1) // y", "f() // x\np?.m(a: 1) // y"),
])
def test_calls_without_a_result(rewritten, call, result):
    found = rewritten(f"func f() {{\n{call}\n}}\n", PROTOCOL + VARIABLE)
    assert found.text == f"func f() {{\n{result}\n}}\n"
    assert found.sentences == [] and found.counts["calls of optional methods"] == call.count(".m")


@pytest.mark.parametrize("call", [
    "if p?.m?(a: 1) != nil {}", "let x = p?.m?(a: 1)", "guard let _ = p?.m?(a: 1) else { return }", "x(p?.m?(a: 1))", "p?.m?(a: 1) ?? f()", "return p?.m?(a: 1)",
    "if p?.m != nil {}", "let x = p!.m", "y ? p?.m?(a: 1) : nil",
])
def test_uses_that_ask_whether_a_method_exists_are_named(rewritten, call):
    found = rewritten(f"func f() {{\n{call}\n}}\n", PROTOCOL + VARIABLE)
    assert found.places == [("0.swift", 2)]
    assert found.text == f"func f() {{\n{call}\n}}\n"


@pytest.mark.parametrize("call, result", [
    ("let x = p?.r?(1, b: [2]) ?? 3", "let x = (try? p?.r(1, b: [2])) ?? 3"), ("if let x = p?.r?(1, b: []) {}", "if let x = (try? p?.r(1, b: [])) {}"),
    ("guard self.p?.r?(1, b: []) == 2 else { return }", "guard (try? self.p?.r(1, b: [])) == 2 else { return }"), ("f(a: p!.r?(1, b: []))", "f(a: (try? p!.r(1, b: [])))"),
    ("let x = p?.r?(1, b: []).y", "let x = (try? p?.r(1, b: []))?.y"), ("let x = p?.r?(1, b: [])?.y", "let x = (try? p?.r(1, b: []))?.y"),
    ("let x = d(1)[2].q.r?(1, b: [])", "let x = (try? d(1)[2].q.r(1, b: []))"), ("return p.r!(1, b: [])", "return (try! p.r(1, b: []))"),
    ("let x = p?.r?(p?.r?(1, b: []) ?? 2, b: [])", "let x = (try? p?.r((try? p?.r(1, b: [])) ?? 2, b: []))"),
    ("p?.r?(1, b: [])", "(try? p?.r(1, b: []))"), ("let x = try? p?.r?(1, b: [])", "let x = try? (try? p?.r(1, b: []))"),
])
def test_calls_with_a_result(rewritten, call, result):
    found = rewritten(f"func f() {{\n{call}\n}}\n", PROTOCOL + VARIABLE)
    assert found.text == f"func f() {{\n{result}\n}}\n"
    assert found.sentences == []


@pytest.mark.parametrize("call", ["let x = try g(p?.r?(1, b: []))", "let x = p?.r?(try g(), b: [])"])
def test_errors_of_the_statement_are_not_hidden(rewritten, call):
    found = rewritten(f"func f() throws {{\n{call}\n}}\n", PROTOCOL + VARIABLE)
    assert found.places == [("0.swift", 2)] and found.text == f"func f() throws {{\n{call}\n}}\n"


def test_a_throwing_requirement_with_a_result_is_named(rewritten):
    found = rewritten("@objc protocol P: AnyObject { @objc optional func m() throws -> Int }\nfunc f(p: P) throws {\n  _ = try p.m?()\n}\n")
    assert found.places == [("0.swift", 3)]


def test_optional_properties_are_read_with_try(rewritten):
    source = "@objc protocol P: AnyObject { @objc optional var v: Int { get } }\n"
    found = rewritten("class A {\n  weak var p: P?\n  func f() -> Int { p?.v ?? 1 }\n}\n", source)
    assert found.text == "class A {\n  weak var p: P?\n  func f() -> Int { (try? p?.v) ?? 1 }\n}\n"
    found = rewritten("class A {\n  var v = 1\n  func f() -> Int { other.v + self.v }\n}\n", source)
    assert "try" not in found.text and found.sentences == []


@pytest.mark.parametrize("source", [
    "class A {\n  var m: ((Int) -> Void)?\n  func f() { self.m?(1); completion?(); self.completion?(1) }\n}\n",
    "func f(_ x: X) { x.m?(b: 1); x.m?(); x.m?(a: 1, b: 2) }\n",
    "class A {\n  var m: ((_ a: Int) -> Void)?\n}\nfunc g(_ x: A) { x.m?(1) }\n",
])
def test_closures_are_called_as_before(rewritten, source):
    found = rewritten(source, PROTOCOL)
    assert found.text == source and found.sentences == []


def test_a_closure_and_a_method_of_one_name_are_told_apart_by_the_receiver(rewritten):
    protocol = "@objc protocol P: AnyObject { @objc optional func m(_ a: Int) }\n"
    source = "class A {\n  var m: ((Int) -> Void)?\n  weak var delegate: P?\n  func f(a: A) { delegate?.m?(1); a.m?(1) }\n}\n"
    found = rewritten(source, protocol)
    assert found.text == source.replace("delegate?.m?(", "delegate?.m(") and found.sentences == []
    # The property of the class itself decides, then that of its superclass.
    other = "class B {\n  var delegate: A?\n}\nclass C: A {\n  func g() { delegate?.m?(1) }\n}\nclass D: B {\n  func g() { delegate?.m?(1) }\n}\n"
    found = rewritten(other, protocol, source)
    assert found.text == other.replace("delegate?.m?(", "delegate?.m(", 1) and found.sentences == []
    # Nothing decides.
    free = "func g() {\n  x.delegate?.m?(1)\n}\n"
    found = rewritten(free, protocol, source, other)
    assert found.text == free and found.places == [("0.swift", 2)]


def test_delegates_of_core_bluetooth(rewritten):
    source = (
        "func f() {\n  delegate?.centralManager?(central, didConnect: peripheral)\n  delegate?.peripheral?(peripheral, didReadRSSI: rssi, error: nil)\n"
        "  manager.delegate?.peripheralManagerIsReady?(toUpdateSubscribers: manager)\n  peripheral?(1)\n  x.peripheral?(1)\n}\n"
        "class A {\n  let peripheral: CBPeripheral\n  var own: Own?\n}\n")
    found = rewritten(source)
    assert found.text == source.replace("centralManager?(", "centralManager(").replace("?.peripheral?(", "?.peripheral(").replace("IsReady?", "IsReady")
    assert found.sentences == []


def test_delegates_of_core_location(rewritten):
    source = "#if canImport(CoreLocation)\nfunc f() { delegate?.locationManager?(manager, didEnterRegion: region) }\n#endif\n"
    found = rewritten(source, "@objc protocol P: CLLocationManagerDelegate {}\n")
    assert found.texts == [source.replace("Manager?(", "Manager("), "protocol P: CLLocationManagerDelegate {}\n"] and found.sentences == []


def test_the_table_has_the_optional_methods_of_the_modules():
    for protocol, titles in optionals.DELEGATES.items():
        path, = (path for folder in MODULES for path in folder.rglob(f"{protocol}.swift"))
        defaults = path.read_text(encoding="utf-8").split(f"extension {protocol}", 1)[1]
        found = set()
        for name, parameters in re.findall(r"func (\w+)\((.*?)\) \{", re.sub(r"\s+", " ", defaults)):
            labels = re.findall(r"(?:^|, )\s*(\w+)(?: \w+)?:", re.sub(r"\[.*?\]|\(.*?\)", "X", parameters))
            found.add(f"{name}({''.join(label + ':' for label in labels)})")
        assert set(titles.split()) == found


BASE = "class Base: NSObject, CBCentralManagerDelegate, CLLocationManagerDelegate {\n  func centralManagerDidUpdateState(_ c: CBCentralManager) {}\n}\n"
METHOD = "  func centralManager(_ c: CBCentralManager, didConnect p: CBPeripheral) { f() }\n"


def test_a_class_gets_the_method_that_only_its_subclass_has(rewritten):
    found = rewritten(BASE, "class Sub: Base {\n" + METHOD + "}\nclass Other: Base {\n" + METHOD + "}\n")
    assert found.texts[0] == BASE.replace("Delegate {", "Delegate { func centralManager(_ c: CBCentralManager, didConnect p: CBPeripheral) { };")
    assert found.texts[1].count("override func centralManager") == 2 and found.sentences == []


def test_a_method_of_a_protocol_with_a_result_is_added_too(rewritten):
    found = rewritten("@objc protocol P: AnyObject { @objc optional func m() -> Int }\nopen class Base: P {}\npublic class Sub: Base {\n  public func m() -> Int { 1 }\n}\n")
    assert "open class Base: P { open func m() throws -> Int { throw SelectorNames.NotImplemented() };}" in found.text
    assert "  public override func m() -> Int { 1 }" in found.text


@pytest.mark.parametrize("other", [
    "class Sub: Base {\n" + METHOD.replace("func", "override func") + "}\nextension Base {\n" + METHOD + "}\n",
    "class Sub: Other {\n" + METHOD + "}\n", "struct Sub {\n" + METHOD + "}\n", "class Sub: NSObject, CBCentralManagerDelegate {\n" + METHOD + "}\n",
])
def test_classes_that_need_no_method(rewritten, other):
    found = rewritten(BASE, other)
    assert found.texts[0] == BASE and "methods that override an added one" not in found.counts


@pytest.mark.parametrize("other", [
    "class Sub<T>: Base {}\nextension Sub {\n" + METHOD + "}\n", "class Sub: Base {}\nextension Sub {\n" + METHOD.replace(" p:", " _:") + "}\n",
    "class Sub: Base {}\nprivate extension Sub {\n" + METHOD + "}\n", "private class Sub: Base {}\nextension Sub {\n" + METHOD + "}\n", "class Sub: Base {}\n#if DEBUG\nextension Sub {" + METHOD + "}\n#endif\n",
    "class Sub: Base {\n\n  func centralManager(_ c: CBCentralManager, didDisconnectPeripheral p: CBPeripheral, error: Error?) {}\n}\n",
    "class Sub: Base {\n\n  func locationManagerDidChangeAuthorization(_ m: CLLocationManager) {}\n}\n",
])
def test_methods_that_cannot_be_added_are_named(rewritten, other):
    found = rewritten(BASE, other)
    assert found.places == [("1.swift", 3)] and "Base, which states the conformance, lacks it" in found.sentences[0]
    assert found.texts == [BASE, other]


def test_a_method_that_linux_does_not_compile_is_none(rewritten):
    found = rewritten(BASE.replace("}\n}", "}\n#if os(iOS)\n" + METHOD + "#endif\n}"), "class Sub: Base {\n" + METHOD + "}\n")
    assert "override func" in found.texts[1]


def test_nested_classes_of_one_name_are_told_apart(rewritten):
    types = "enum A {\n  class D: NSObject {}\n  class R: D {}\n}\nenum B {\n  class D: NSObject {}\n  class R: D {}\n}\n"
    found = rewritten(types, "extension A.D: CBCentralManagerDelegate {}\nextension A.R {\n" + METHOD + "}\nextension B.R {\n" + METHOD + "}\n")
    assert found.sentences == [] and found.texts[1].count("centralManagerOfR(") == 1
    assert "enum A {\n  class D: NSObject { func centralManager(_ c: CBCentralManager, didConnect p: CBPeripheral) { (self as? A.R)?.centralManagerOfR(c, didConnect: p) };}\n" in found.texts[0]


def test_methods_of_extensions_are_called_by_an_added_one(rewritten):
    found = rewritten(BASE, "class Sub: Base {}\nclass Other: Base {}\nextension Sub {\n" + METHOD + "}\nextension Other {\n" + METHOD.replace("c:", "d:") + "}\n")
    assert found.texts[0] == BASE.replace(
        "Delegate {", "Delegate { func centralManager(_ c: CBCentralManager, didConnect p: CBPeripheral) { (self as? Sub)?.centralManagerOfSub(c, didConnect: p); "
        "(self as? Other)?.centralManagerOfOther(c, didConnect: p) };")
    assert found.sentences == [] and found.counts["methods that an added one calls"] == 2
    both = "class Sub: Base {}\nextension Sub {\n" + METHOD + "}\nclass Other: Base {\n" + METHOD + "}\n"
    found = rewritten(BASE, both)
    assert found.places == [("1.swift", 3)] and "override func" in found.texts[1]


def test_other_classes_of_one_name_have_no_part_in_it(rewritten):
    types = "enum A {\n  class D: NSObject {}\n  class R: D {}\n}\nenum B {\n  class D: NSObject {}\n  class R: D {}\n}\n"
    found = rewritten(types, "extension A.D: CBCentralManagerDelegate {}\nextension B.R {\n" + METHOD + "}\n")
    assert found.texts[0] == types and found.sentences == []
