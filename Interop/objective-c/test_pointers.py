"""Octets of an object that ends with the expression."""

import pytest


@pytest.mark.parametrize("expression", ["(data as NSData)", "(a.b() as NSData)", "( data as NSData )", "NSData(data: data)", "foo((data as NSData)"])
def test_a_passing_object(rewritten, expression):
    ending = ")" if expression.startswith("foo") else ""
    found = rewritten(f"let p = {expression}.bytes.bindMemory(to: UInt8.self, capacity: 3){ending}\n")
    assert found.text == f"let p = {expression}.autoreleasedBytes.bindMemory(to: UInt8.self, capacity: 3){ending}\n"
    assert found.counts == {"octets of a passing NSData": 1} and found.sentences == []


@pytest.mark.parametrize("source", [
    # An object with a name lives as long as its name is used, and other types have octets of their own.
    "let p = stored.bytes\n", "let n = (data as NSData).length\n", "let p = (data as NSMutableData).bytes\n", "let b = Other.NSData(x).bytes\n",
    "let c = (data as NSData).bytes()\n", "let s = \"(data as NSData).bytes\"\n", "// (data as NSData).bytes\n", "let b = bytes\n", ".bytes\n", ").bytes\n",
    "#if os(iOS)\nlet p = (data as NSData).bytes\n#endif\n",
])
def test_others_stay(unchanged, source):
    unchanged(source)
