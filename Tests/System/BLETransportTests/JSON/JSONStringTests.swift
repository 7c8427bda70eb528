import BLETransport
import Foundation
import Testing

@Suite struct JSONStringTests {
    /// C0, U+007F and C1, the marks of text direction, and the separators of lines and paragraphs.
    private static let escaped: [UInt32] =
        Array(0..<0x20) + Array(0x7F...0x9F) + [0x061C, 0x200E, 0x200F] + Array(0x2028...0x202E)
        + Array(0x2066...0x2069)

    private func parsed(_ json: String) throws -> String {
        try JSONDecoder().decode(String.self, from: Data(json.utf8))
    }

    @Test func whatATerminalInterpretsIsANumber() throws {
        for value in Self.escaped {
            let text = "a\(try #require(Unicode.Scalar(value)))b"
            let digits = String(value, radix: 16)
            let json = "\"a\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)b\""
            #expect(JSONString.quoted(text) == json)
            #expect(try parsed(json) == text)
        }
    }

    @Test func everyOtherCharacterOfTheBasicPlaneStays() throws {
        var text = ""
        for value in 0...0xFFFF as ClosedRange<UInt32>
        where !Self.escaped.contains(value) && value != 0x22 && value != 0x5C {
            if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
        }
        #expect(JSONString.quoted(text) == "\"\(text)\"")
        #expect(JSONString.escaping(text) == text)
    }

    @Test(arguments: [
        "", "Pulse", "日本 é", "a\"b", "\\", "\\u202e", "\u{0}\n\u{1F}\u{7F}", "\u{85}end\"", "😀\u{202E}é", "\r\n",
        "e\u{301}\u{9B}",
        String(repeating: "x", count: 300),
    ])
    func aTextIsTheSameAfterParsing(text: String) throws {
        #expect(try parsed(JSONString.quoted(text)) == text)
        let encoded = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        #expect(try JSONDecoder().decode([String].self, from: Data(JSONString.escaping(encoded).utf8)) == [text])
    }

    @Test func quotesAndBackslashesHaveABackslash() {
        #expect(JSONString.quoted("\"\\\n\u{1}\u{7F}ä") == #""\"\\\u000a\u0001\u007fä""#)
    }

    @Test func theEncoderKeepsNoMark() throws {
        for value in Self.escaped {
            let text = String(Character(try #require(Unicode.Scalar(value))))
            let json = JSONString.escaping(String(decoding: try JSONEncoder().encode(text), as: UTF8.self))
            #expect(json.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F }, "\(value)")
            #expect(try parsed(json) == text)
        }
    }
}
