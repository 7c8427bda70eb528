"""#selector and #keyPath."""

import pytest


def in_class(statement, members="", head="class A: NSObject"):
    return f"{head} {{\n  func f() {{\n    {statement}\n  }}\n  func tick() {{}}\n  func fire(_ t: Timer) {{}}\n{members}}}\n"


TIMER = "Timer.scheduledTimer(timeInterval: 1, target: self, selector: {}, userInfo: [1, 2], repeats: true)"


@pytest.mark.parametrize("selector, method", [
    ("#selector(tick)", "A.tick"), ("#selector(self.tick)", "A.tick"), ("#selector(Self.tick)", "A.tick"), ("#selector(A.tick)", "A.tick"), ("#selector(fire)", "A.fire(_:)"),
    ("#selector(fire(_:))", "A.fire(_:)"), ("#selector(B.C.other(d:))", "B.C.other(d:)"), ("#selector( tick )", "A.tick"), ("#selector(inherited)", "A.inherited"),
    ("#selector(A\n.tick)", "A.tick"),
])
def test_timers(rewritten, selector, method):
    found = rewritten(in_class(TIMER.format(selector)).replace("\n.tick", ".tick"))
    assert found.text == in_class(TIMER.format(method)) + "import SelectorNames\n"
    assert found.sentences == [] and found.counts["#selector of timers"] == 1


@pytest.mark.parametrize("call, result", [
    ("let t = Timer(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: false)",
     "let t = Timer.makeTimer(timeInterval: 1, target: self, selector: A.tick, userInfo: nil, repeats: false)"),
    ("let t = Timer.init(timeInterval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: false)",
     "let t = Timer.makeTimer(timeInterval: 1, target: self, selector: A.tick, userInfo: nil, repeats: false)"),
    ("t = Timer(fireAt: d, interval: 1, target: self, selector: #selector(tick), userInfo: nil, repeats: false)",
     "t = Timer.makeTimer(fireAt: d, interval: 1, target: self, selector: A.tick, userInfo: nil, repeats: false)"),
    ("NotificationCenter.default.addObserver(self, selector: #selector(tick), name: .n, object: nil)",
     "NotificationCenter.default.addObserver(self, selector: A.tick, name: .n, object: nil)"),
    ("perform(#selector(tick), with: nil, afterDelay: 1)", 'perform(A.tick, named: "tick", with: nil, afterDelay: 1)'),
    ("self.perform(#selector(A.fire(_:)), with: x, afterDelay: 1)", 'self.perform(A.fire(_:), named: "fire", with: x, afterDelay: 1)'),
    ("NSObject.cancelPreviousPerformRequests(withTarget: self, selector: #selector(tick), object: nil)",
     'NSObject.cancelPreviousPerformRequests(withTarget: self, selector: "tick", object: nil)'),
])
def test_calls(rewritten, call, result):
    found = rewritten(in_class(call))
    assert found.text == in_class(result) + "import SelectorNames\n" and found.sentences == []


def test_an_extension_names_its_type(rewritten):
    source = "extension Outer.A {\n  @objc func tick() {}\n  func f() { x { " + TIMER.format("#selector(tick)") + " } }\n}\n"
    assert "selector: Outer.A.tick, " in rewritten(source).text


@pytest.mark.parametrize("statement, members", [
    ("let s = #selector(tick)", ""), ("b.addTarget(self, action: #selector(tick), for: .c)", ""), (TIMER.format("c ? #selector(tick) : #selector(f)"), ""),
    (TIMER.format("#selector(getter: A.x)"), ""), (TIMER.format("#selector(tick as () -> Void)"), ""), (TIMER.format("#selector(other.tick)"), ""), (TIMER.format("#selector()"), ""),
    (TIMER.format("#selector(two)"), "  func two(_ a: Int, b: Int) {}\n"), (TIMER.format("#selector(all)"), "  class func all(_ t: Timer) {}\n"),
    ("perform(#selector(twice), with: nil, afterDelay: 1)", "  func twice() {}\n  func twice(_ a: Int) {}\n"), ("perform(#selector(tick))", ""),
    ("c.addObserver(self, selector: #selector(all), name: nil, object: nil)", "  static func all(_ n: Notification) {}\n"),
])
def test_other_selectors_are_named(rewritten, statement, members):
    source = in_class(statement, members)
    found = rewritten(source)
    assert set(found.places) == {("0.swift", 3)} and found.text == source
    assert all(sentence.startswith("#selector needs Objective-C") for sentence in found.sentences)


def test_a_selector_without_a_class_is_named(rewritten):
    for source in (TIMER.format("#selector(tick)") + "\n", "protocol P {}\nextension P { func f() { " + TIMER.format("#selector(tick)") + " } }\n"):
        found = rewritten(source)
        assert found.text == source and len(found.sentences) == 1


def test_a_static_method_of_a_timer(rewritten):
    found = rewritten(in_class(TIMER.format("#selector(self.all(timer:))"), "  private static func all(timer: Timer) {}\n"))
    assert "selector: A.all(timer:), " in found.text and found.sentences == []


def test_a_file_that_removes_an_observer_sees_the_module(rewritten):
    adding = in_class("NotificationCenter.default.addObserver(self, selector: #selector(tick), name: nil, object: nil)")
    found = rewritten(adding, "class B: A {\n  deinit { NotificationCenter.default.removeObserver(self) }\n}\n", "let c = 1\n")
    assert [text.endswith("import SelectorNames\n") for text in found.texts] == [True, True, False]
    found = rewritten("class B {\n  deinit { NotificationCenter.default.removeObserver(token) }\n}\n")
    assert "SelectorNames" not in found.text


def test_cancelling_all_calls_needs_the_module(rewritten):
    assert rewritten("NSObject.cancelPreviousPerformRequests(withTarget: self)\n").text.endswith("import SelectorNames\n")


@pytest.mark.parametrize("source, result", [
    ("#keyPath(A.b)", '"b"'), ("#keyPath(b)", '"b"'), ("#keyPath(A.b.c)", '"b.c"'), ("#keyPath(Outer.A.b)", '"b"'), ("#keyPath(A.b?.c)", '"b.c"'), ("#keyPath(A.`default`)", '"default"'),
])
def test_key_paths_become_strings(rewritten, source, result):
    found = rewritten(f"let a = {source}\n")
    assert found.text == f"let a = {result}\n" and found.counts == {"#keyPath": 1}


@pytest.mark.parametrize("source", ["let a = #keyPath(A)\n", "let a = #keyPath()\n", "let a = #keyPath(A.b)\nclass A { @objc(isB) var b = true\n}\n"])
def test_other_key_paths_are_named(rewritten, source):
    found = rewritten(source)
    assert found.places == [("0.swift", 1)] and "#keyPath(" in found.text
