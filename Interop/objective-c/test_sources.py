"""What is code and what is not: strings, comments, conditions, damaged files."""

import time

import pytest


@pytest.mark.parametrize("source", [
    '// @objc func a()\n/* @objc /* @objc */ @objc */ func b() {}\n',
    'let a = "@objc \\"@objc\\" #selector(b)"\n',
    'let a = """\n@objc "quoted" \\""" #keyPath(X.y)\n"""\n',
    'let a = #"@objc " \\(b) "#, c = ##"@objc "# "##\n',
    'let a = #"""\n@objc """ \\(x) \\#(y)\n"""#\n',
    'let a = #"""#, b = "@objc"\n',
    'let a = "\\("@objc \\("@objc")")"\n',
    'let a = "\\(f(")", b: "@objc")) @objc"\n',
    'let a = /@objc (b)/, c = #/ @objc "/#\n',
    'let a = b / c, d = "@objc", e = f / g\n',
    'let a = [1, 2].reduce(1, /), b = "@objc" // "\n',
    'let a = "", b = "@objc", c = ""\n',
    "#!/usr/bin/env swift @objc \"\nlet a = 1\n",
    "let `class` = 1, objc = 2\n@available(iOS 13, *) func objc() {}\n",
])
def test_strings_and_comments_stay(unchanged, source):
    unchanged(source)


def test_code_in_an_interpolation_is_code(rewritten):
    assert rewritten('let a = "\\(#keyPath(X.y)) #keyPath(X.y)"\n').text == 'let a = "\\("y") #keyPath(X.y)"\n'
    assert rewritten('let a = ##"\\#(b) \\##(#keyPath(X.y))"##\n').text == 'let a = ##"\\#(b) \\##("y")"##\n'


@pytest.mark.parametrize("condition", [
    "os(iOS)", "os(macOS) || os(iOS)", "!os(Linux)", "canImport(UIKit)", "canImport(UIKit) && DEBUG", "!(os(Linux) || DEBUG)", "targetEnvironment(simulator)",
    "false", "_runtime(_ObjC)", "(os(iOS))",
])
def test_what_linux_does_not_compile_stays(unchanged, condition):
    unchanged(f"#if {condition}\n@objc func a() {{ b(#selector(c)) }}\n#endif\n")


@pytest.mark.parametrize("condition", ["DEBUG", "os(Linux)", "canImport(ObjectiveC)", "swift(>=5.9)", "compiler(<6) || os(iOS)", "!os(iOS)", "canImport(Own)", "true", "("])
def test_what_linux_can_compile_changes(rewritten, condition):
    assert rewritten(f"#if {condition}\n@objc func a() {{}}\n#endif\n").text == f"#if {condition}\nfunc a() {{}}\n#endif\n" or condition == "("


def test_one_branch_of_a_condition_changes(rewritten):
    source = "#if os(iOS)\n@objc func a() {}\n#elseif DEBUG\n@objc func b() {}\n#else\n@objc func c() {}\n#endif\n@objc func d() {}\n"
    assert rewritten(source).text == source.replace("@objc func b", "func b").replace("@objc func c", "func c").replace("@objc func d", "func d")
    source = "#if os(Linux)\n@objc func a() {}\n#else\n@objc func b() {}\n#endif\n"
    assert rewritten(source).text == source.replace("@objc func a", "func a")
    source = "#if os(iOS)\n#if DEBUG\n@objc func a() {}\n#endif\n@objc func b() {}\n#endif\n"
    assert rewritten(source).text == source


@pytest.mark.parametrize("source, line, word", [
    ("@objc func a() {\n", 1, "{ is not closed"), ("@objc func a() {}\n}\n", 2, "} closes nothing"), ("@objc func a() { (] }\n", 1, "] closes nothing"),
    ('@objc func a() {}\nlet b = "c\n', 2, "string does not end"), ("@objc func a() {}\n\n/* /* */\n", 3, "comment does not end"),
    ('@objc func a() {}\nlet b = """\n', 2, "string does not end"), ('@objc func a() {}\nlet b = "\\(c\n', 2, "string does not end"),
    ("@objc func a() {}\n#if DEBUG\n", 2, "#if has no #endif"), ("@objc func a() {}\n#else\n", 2, "#else has no #if"), ("@objc func a() {}\n#endif\n", 2, "#endif has no #if"),
    ("@objc func a() {}\nlet b = #/ c\n", 2, "regular expression does not end"),
])
def test_a_damaged_file_stays_and_is_named(rewritten, source, line, word):
    found = rewritten(source, "@objc func good() {}\n")
    assert found.texts == [source, "func good() {}\n"]
    assert found.places == [("0.swift", line)]
    assert word in found.sentences[0] and found.sentences[0].startswith("The file is not changed: ")


def test_brackets_are_read_as_deep_as_the_compiler_reads_them(rewritten):
    source = "@objc func a() {}\nlet b = %s\n"
    deep, deeper = source % ("(" * 256 + "1" + ")" * 256), source % ("(" * 257 + "1" + ")" * 257)
    found = rewritten(deep, deeper)
    assert found.texts == [deep.replace("@objc ", ""), deeper] and found.places == [("1.swift", 2)]


def test_a_damaged_file_without_objective_c_is_not_named(unchanged):
    unchanged("func a() {\n", "")


@pytest.mark.parametrize("source", ["@", "#", "\\", "`", '"', "@objc", "@objc(", "#selector", "#selector(", "#selector()", "#keyPath()", "class", "@objc protocol", "func", "func (", "class A:",
    "@objc optional", "optional", ".m?(", "a.?()", "extension", "var", "let a:", "init", "<", "func a<(", "#if", "#if (", "#if os(", "}", "\0", "@objc\0", "x.peripheral?()", "().peripheral?()",
    "@objc protocol P { @objc optional func }", "@objc protocol P { @objc optional var }", "@objc protocol P { @objc optional func a( }", "protocol P: {", "class A: A {}", "class A: B {} ; class B: A {}",
    "protocol P: Q {} ; protocol Q: P {}", "func a(b", "func a(b:) {}", "func a(:) {}", "case .a: x.peripheral?(1)", "a = [.peripheral?(b)]", "/", "x = /", "\r", "\ufeff@objc func a() {}"])
def test_incomplete_sources_end_no_rule(rewritten, source):
    rewritten(source, source + "\n@objc func b() {}\n", "@objc protocol Q { @objc optional func m(a: Int) -> Int }\n" + source)


def test_every_prefix_of_a_source_is_read(rewritten):
    source = (
        "@objc protocol P: Q { @objc optional func m(a: @escaping (Int) -> Void) -> [Int]? }\nclass C<T: P>: NSObject, P where T: Q {\n"
        "  weak var p: P?\n  func a() { if let b = p?.m?(a: { _ in }) { print(\"\\(b) \\(#keyPath(C.d))\") }\n"
        "    Timer(timeInterval: 1, target: self, selector: #selector(a), userInfo: nil, repeats: false) }\n#if DEBUG\n#endif\n}\n")
    for end in range(len(source)):
        rewritten(source[:end])


def test_octets_that_are_no_text_stay(rewritten):
    source = b"// \xe4\xff name\n@objc func a() {}\nlet b = \"\xc3\x28\"\n"
    assert rewritten(source).contents[0] == source.replace(b"@objc ", b"")


def test_line_ends_stay(rewritten):
    source = b"\xef\xbb\xbf@objc\r\nclass A {\r\n  @objc func a() {}\r\n  @objc(\r\n b)\r\n  func c() {} // @objc\r\n}"
    assert rewritten(source).contents[0] == b"\xef\xbb\xbf\r\nclass A {\r\n  func a() {}\r\n\r\n\r\n  func c() {} // @objc\r\n}"
    source = b"class A {\r\n  func a() { b.addObserver(self, selector: #selector(a), name: nil, object: nil) }\r\n}"
    assert rewritten(source).contents[0].endswith(b"}\r\nimport SelectorNames\r\n")


@pytest.mark.parametrize("source", [
    "class A { @objc func a() { b(c: [1, 2], \"d \\(e)\") } }\n" * 4_000, "(" * 20_000 + ")" * 20_000, "let a = " + '"\\(' * 2_000 + "1" + ')"' * 2_000, "/*" * 50_000 + "*/" * 50_000,
    "#if " + "!" * 10_000 + "os(iOS)\n#endif", "#if " + "(" * 5_000 + ")" * 5_000 + "\n#endif", "#if DEBUG\n" * 1_000 + "#endif\n" * 1_000, "a.b?.c().peripheral?(" * 1_000 + ")" * 1_000,
    "func a<" + "<" * 20_000, "class A<" * 2_000, "@objc " * 20_000, "{" * 5_000 + "}" * 5_000, "class A {" * 2_000 + "}" * 2_000, "func a() where A: B, C: D " * 1_000,
    "let a = b / c\n" * 10_000, '"' * 3_001, "`" * 5_000, "#" * 5_000, "@" * 5_000, "\\" * 5_000, "q.m?(a: " * 2_000 + ")" * 2_000, "x = q.m?(a: 1) + " * 1_000, "q.v " * 1_000, "q.v." * 1_000,
    "f(#selector(a), " * 2_000 + ")" * 2_000, "let a: [" * 2_000 + "]" * 2_000,
], ids=range(26))
def test_large_files_and_deep_nesting_take_seconds(rewritten, source):
    start = time.monotonic()
    found = rewritten(source + "\n", "@objc func good() {}\n", "var q: Q?\n@objc protocol Q { @objc optional func m(a: Int) -> Int\n@objc optional var v: Int { get } }\n")
    assert found.texts[1] == "func good() {}\n"
    # A loaded machine takes ten times as long as a quiet one.
    assert time.monotonic() - start < 60
