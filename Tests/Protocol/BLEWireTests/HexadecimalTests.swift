import BLEWire
import Testing

@Suite struct HexadecimalTests {
    @Test func eachOctetIsTwoDigits() {
        for value in 0...255 as ClosedRange<UInt8> {
            let digits = Hexadecimal.digits([value])
            #expect(digits.utf8.count == 2 && UInt8(digits, radix: 16) == value && digits == digits.lowercased())
            #expect(Hexadecimal.octets(digits) == [value])
            #expect(Hexadecimal.octets(digits.uppercased()) == [value])
        }
        #expect(Hexadecimal.text([0, 0xAB, 0xFF]) == "00 ab ff")
        #expect(Hexadecimal.text([1, 2], separator: UInt8(ascii: ":")) == "01:02")
        #expect(Hexadecimal.text([]) == "" && Hexadecimal.digits([]) == "")
    }

    @Test(arguments: ["01 ff", "01ff", "0x01FF", "01:ff", "01-ff", "01,ff", "0X01 0xff", " 01\tff\n"])
    func pairsHaveSeparators(text: String) {
        #expect(Hexadecimal.octets(text) == [1, 0xFF])
    }

    @Test(arguments: [
        "0", "012", "0 1", "0x", "+1", "-1-1", "g0", "0g", "é1", "\u{FF10}\u{FF11}", "0\u{301}1", "01\r\nff", "0\u{80}",
    ])
    func otherTextIsRefused(text: String) {
        #expect(Hexadecimal.octets(text) == nil)
    }

    @Test func pairsAloneHaveNoPrefixAndNoSeparator() {
        #expect(Hexadecimal.octets(pairs: "01fF".utf8) == [1, 0xFF])
        #expect(Hexadecimal.octets(pairs: "".utf8) == [])
        for text in ["0x01", "01 2", "1", "+1", "01:2"] { #expect(Hexadecimal.octets(pairs: text.utf8) == nil) }
        for octet in 0x80...0xFF as ClosedRange<UInt8> { #expect(Hexadecimal.octets(pairs: [octet, 0x30]) == nil) }
    }

    @Test func numbersHaveLeadingZeros() {
        #expect(hexadecimal(0xAB, digits: 4) == "00AB")
        #expect(hexadecimal(0x12345, digits: 2) == "12345")
    }
}
