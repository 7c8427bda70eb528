"""Attributes, protocols, and what has no meaning without Objective-C."""

import pytest


@pytest.mark.parametrize("source, result", [
    ("@objc func a() {}\n", "func a() {}\n"),
    ("@objc public func a() {}\n", "public func a() {}\n"),
    ("public @objc func a() {}\n", "public func a() {}\n"),
    ("  @objc\n  func a() {}\n", "\n  func a() {}\n"),
    ("@objc(B) class A: NSObject {}\n", "class A: NSObject {}\n"),
    ("@objc(b:c:) func a(_ b: Int, c: Int) {}\n", "func a(_ b: Int, c: Int) {}\n"),
    ("@objc (b) func a() {}\n", "func a() {}\n"),
    ("@objcMembers public class A: NSObject {}\n", "public class A: NSObject {}\n"),
    ("@nonobjc\n@available(iOS 13, *)\nvar a = 1\n", "\n@available(iOS 13, *)\nvar a = 1\n"),
    ("@IBOutlet private weak var a: B!\n", "private weak var a: B!\n"),
    ("@IBAction func a(_ b: Any) {}\n", "func a(_ b: Any) {}\n"),
    ("@IBDesignable class A {\n  @IBInspectable var b = 1\n}\n", "class A {\n  var b = 1\n}\n"),
    ("@objc dynamic var a = 1\n", "var a = 1\n"),
    ("@objc public dynamic private(set) var a = 1\n", "public private(set) var a = 1\n"),
    ("dynamic @objc var a = 1\n", "var a = 1\n"),
    ("dynamic var a = 1\n", "dynamic var a = 1\n"),
    ("@objc enum A: Int { case b, c }\n", "enum A: Int { case b, c }\n"),
    ("@objc extension A {\n  @objc class func b() {}\n}\n", "extension A {\n  class func b() {}\n}\n"),
    ("class A {\n  @objc init?(b: Int) {}\n  @objc deinit {}\n}\n", "class A {\n  init?(b: Int) {}\n  deinit {}\n}\n"),
    ("@objc // why\nfunc a() {}\n", "// why\nfunc a() {}\n"),
    ("@objc @IBAction\nfunc a() {}\n", "\nfunc a() {}\n"),
    ("@objc /* why */ func a() {}\n", "/* why */ func a() {}\n"),
    ("@objc var a: Int { @objc(isA) get { 1 } }\n", "var a: Int { get { 1 } }\n"),
])
def test_attributes_are_removed(rewritten, source, result):
    assert rewritten(source).text == result


def test_changes_are_counted(rewritten):
    assert rewritten("@objc dynamic var a = 1\n@objc func b() {}\n").counts == {"@objc": 2, "dynamic": 1}


@pytest.mark.parametrize("source", [
    "@objcDirect func a() {}\n", "@NSManaged var a: Int\n", "@NSCopying var a: NSString\n", "@MainActor func a() {}\n", "let dynamic = 1\n", "protocol P { func optional() }\n",
    "class A { func objc() {} }\n", "let optional = a.optional, dynamic = b.dynamic\n",
])
def test_other_attributes_and_names_stay(unchanged, source):
    unchanged(source)


@pytest.mark.parametrize("head, result", [
    ("P", "P: AnyObject"), ("P: Q", "P: AnyObject, Q"), ("P: AnyObject", "P: AnyObject"), ("P : class", "P : class"), ("P: NSObjectProtocol", "P: NSObjectProtocol"),
    ("P: Q, NSObjectProtocol", "P: Q, NSObjectProtocol"), ("P: CBPeripheralDelegate", "P: CBPeripheralDelegate"), ("P: Q & AnyObject", "P: Q & AnyObject"),
    ("P: Own", "P: Own"),
])
def test_protocols_are_bound_to_classes(rewritten, head, result):
    found = rewritten(f"@objc public protocol {head} {{ func a() }}\n", "@objc protocol Own {}\n")
    assert found.texts == [f"public protocol {result} {{ func a() }}\n", "protocol Own: AnyObject {}\n"]


def test_other_protocols_stay(unchanged):
    unchanged("protocol P { func a() }\n")


def test_overrides_with_extensions_are_named(rewritten):
    found = rewritten(
        "class A: NSObject {}\nextension A { @objc func a() {} }\nclass B: A {\n  override func a() {}\n  override func b() {}\n}\nextension B {\n  @objc override func c() {}\n}\n")
    assert found.places == [("0.swift", 4), ("0.swift", 8)]
    assert "extension of A declares it" in found.sentences[0] and "An extension cannot override c()" in found.sentences[1]


def test_overrides_of_methods_in_classes_are_not(rewritten):
    found = rewritten(
        "protocol P {}\nextension P { func a() {} }\nclass A: NSObject, P {\n  func a() {}\n  func b() {}\n}\nclass B: A {\n  override func a() {}\n  override func b() {}\n}\n"
        "extension Other { func b() {} }\n")
    assert found.sentences == []


@pytest.mark.parametrize("source", [
    "if a.responds(to: b) {}\n", "func a(_ b: Selector) {}\n", "let a = NSSelectorFromString(\"b\")\n", "let a = Selector((\"b\"))\n",
    "a.addObserver(self, forKeyPath: b, options: [], context: nil)\n", "class A { @objc dynamic var c = 1\n}\nlet d = a.observe(\\.c) { _, _ in }\n",
    "class A { @objc dynamic var c: D?\n}\nlet d = a.observe(\\A.c?.e) { _, _ in }\n", "class A { @objc dynamic var c = 1\n}\nlet d = a.publisher(for: \\.c)\n",
    "@objc protocol P {}\nlet a = NSHashTable<P>.weakObjects()\n", "@objc protocol P {}\nlet a: NSMapTable<NSString, any P>\n", "if a?.responds(to: #selector(P.m)) == true {}\n",
])
def test_what_needs_objective_c_is_named(rewritten, source):
    found = rewritten(source)
    assert found.places == [("0.swift", source.count("\n"))]


@pytest.mark.parametrize("source", [
    "a.respond(to: b)\n", "struct Selector {}\n", "enum A { case Selector }\n", "manager.observe(\\.state) { _, _ in }\n", "a.addObserver(forName: b, object: c, queue: d) { _ in }\n",
    "let a = B.Selector.c\n", "f(Selector: 1)\n", "protocol P {}\nlet a = NSHashTable<A>(), b = NSMapTable<A, B>()\n",
])
def test_similar_names_are_not(unchanged, source):
    unchanged(source)
