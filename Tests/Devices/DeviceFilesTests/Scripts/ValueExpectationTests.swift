import BLEValues
import Testing

@testable import DeviceFiles

@Suite struct ValueExpectationTests {
    private let pulse = ObservedValue([0x00, 0x48], text: "72 bpm", number: 72)
    private let goal = ObservedValue([0x40, 0x1F], text: "40 1f  u16 8000", number: nil)

    private func format(_ name: String) -> ValueFormat? { ValueFormat(name: name) }

    @Test func aValueEqualsItsTextOrItsOctetsInAFormat() {
        #expect(ValueExpectation(.equals("72 bpm")).accepts(pulse))
        #expect(!ValueExpectation(.equals("72")).accepts(pulse))
        #expect(ValueExpectation(.equals("8000"), format: format("u16")).accepts(goal))
        #expect(ValueExpectation(.equals("0x1f40"), format: format("u16")).accepts(goal))
        #expect(!ValueExpectation(.equals("8000"), format: format("u16be")).accepts(goal))
        #expect(ValueExpectation(.equals("40-1F"), format: format("hex")).accepts(goal))
        #expect(!ValueExpectation(.equals("64"), format: format("u8")).accepts(goal))
        let text = ObservedValue(Array("on".utf8), text: "\"on\"", number: nil)
        #expect(ValueExpectation(.equals("on")).accepts(text))
    }

    @Test func aRangeContainsItsEnds() {
        #expect(ValueExpectation(.range(60...72)).accepts(pulse))
        #expect(!ValueExpectation(.range(73...90)).accepts(pulse))
        #expect(ValueExpectation(.range(8000...8000), format: format("u16")).accepts(goal))
        // A value without a number is in no range.
        #expect(!ValueExpectation(.range(0...1e9)).accepts(goal))
    }

    @Test func aPatternMatchesTheWholeText() {
        #expect(ValueExpectation(.matches("[0-9]+ bpm")).accepts(pulse))
        #expect(!ValueExpectation(.matches("[0-9]+")).accepts(pulse))
    }

    @Test func aFormatAloneChecksTheLength() {
        #expect(ValueExpectation(format: format("u16")).accepts(goal))
        #expect(!ValueExpectation(format: format("u32")).accepts(goal))
        #expect(goal.shown(in: format("u32")) == "40 1f, which is not u32")
        #expect(goal.shown(in: format("u16")) == "8000 (u16)")
    }

    @Test func expectationsHaveWords() {
        #expect(ValueExpectation(.range(60...90.5)).text == "a number from 60 to 90.5")
        #expect(ValueExpectation(.equals("5"), format: format("u8")).text == "5 (u8)")
        #expect(ValueExpectation().text == nil)
    }
}
