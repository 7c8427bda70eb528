import TestConditions
import Testing

@testable import DeviceLink

/// Hostile and correct envelopes.
struct EnvelopeTests {
    private func value(_ text: String) throws(LinkFormatError) -> LinkValue { try LinkValue(json: Array(text.utf8)) }

    @Test func valuesOfAllKindsReadAndWrite() throws {
        let text = #"{"a":[1,-2,2.5,true,false,null],"b":{"c":"d\"\\\n灯"},"e":""}"#
        let read = try value(text)
        #expect(
            read == [
                "a": [1, -2, 2.5, true, false, nil], "b": ["c": "d\"\\\n灯"], "e": "",
            ])
        #expect(try LinkValue(json: Array(read.json.utf8)) == read)
        #expect(try value(#" [ "\u0041\u706f\ud83d\udca1" , 1e3 , 0 ] "#) == ["A灯💡", 1000.0, 0])
        #expect(read["a"] != nil && read["a"]?["x"] == nil)
        #expect(LinkValue.text("\u{202E}\u{1B}").json == #""\u202e\u001b""#, "no terminal is controlled")
        #expect(LinkValue.number(.infinity).json == "null")
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}", "\"", "\"\\", "\"\\u12\"",
        "\"\\x\"", "\"\u{1}\"", "tru", "nul", "01", "-", "1.", ".5", "1e", "1e+", "+1", "NaN", "1 2", "[1]]", "'a'",
        "\u{FEFF}1",
    ])
    func textsThatAreNoJSONAreRefused(_ text: String) {
        #expect(throws: LinkFormatError.notJSON) { try LinkValue(json: Array(text.utf8)) }
    }

    @Test func hostileTextsAreRefused() {
        #expect(throws: LinkFormatError.tooDeep) {
            try LinkValue(json: Array(repeating: UInt8(ascii: "["), count: 8000))
        }
        #expect(throws: LinkFormatError.tooDeep) {
            try LinkValue(json: Array(String(repeating: #"{"a":"#, count: 1600).utf8))
        }
        #expect(throws: Never.self) {
            try LinkValue(json: Array((String(repeating: "[", count: 16) + String(repeating: "]", count: 16)).utf8))
        }
        #expect(throws: LinkFormatError.tooLong) { try LinkValue(json: Array(repeating: 0x20, count: 8193)) }
        for number in ["1e400", "-1e400", "9223372036854775808", String(repeating: "9", count: 4000)] {
            #expect(throws: LinkFormatError.number) { try LinkValue(json: Array(number.utf8)) }
        }
        #expect(throws: LinkFormatError.duplicateName) { try value(#"{"op":"a","op":"b"}"#) }
        #expect(throws: LinkFormatError.duplicateName) { try value(#"{"op":"a","\u006fp":"b"}"#) }
        for octets: [UInt8] in [
            [0xFF], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22],
        ] {
            #expect(throws: LinkFormatError.notUTF8) { try LinkValue(json: octets) }
        }
        for text in [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#] {
            #expect(throws: LinkFormatError.notUTF8) { try value(text) }
        }
    }

    @Test func envelopesOfAllKindsReadAndWrite() throws {
        for kind in LinkEnvelope.Kind.allCases {
            var envelope = LinkEnvelope(kind, target: "lamp", session: "a-1", id: 7)
            envelope.op = "set"
            (envelope.first, envelope.seen) = (3, 4)
            envelope.args = ["on": true]
            envelope.error = LinkError("no", "It is off.")
            #expect(try LinkEnvelope(decoding: envelope.encoded()) == envelope)
        }
        let text = #"{"v":1,"kind":"request","target":"lamp","session":"a-1","id":1,"op":"set","new":[]}"#
        #expect(try LinkEnvelope(decoding: Array(text.utf8)).op == "set", "unknown members are ignored")
    }

    @Test(arguments: [
        (#"[]"#, LinkFormatError.notJSON),
        (#"{"kind":"hello","target":"a"}"#, .version),
        (#"{"v":2,"kind":"hello","target":"a"}"#, .version),
        (#"{"v":1,"kind":"other","target":"a"}"#, .field("kind")),
        (#"{"v":1,"kind":"hello"}"#, .field("target")),
        (#"{"v":1,"kind":"hello","target":""}"#, .field("target")),
        (#"{"v":1,"kind":"hello","target":"a","id":-1}"#, .field("id")),
        (#"{"v":1,"kind":"hello","target":"a","id":9007199254740992}"#, .field("id")),
        (#"{"v":1,"kind":"hello","target":"a","id":1.5}"#, .field("id")),
        (#"{"v":1,"kind":"hello","target":"a","id":"1"}"#, .field("id")),
        (#"{"v":1,"kind":"ping","target":"a"}"#, .field("session")),
        (#"{"v":1,"kind":"request","target":"a","session":"s"}"#, .field("op")),
        (#"{"v":1,"kind":"reply","target":"a","session":"s","error":5}"#, .field("error")),
    ])
    func envelopesWithWrongFieldsAreRefused(_ text: String, _ error: LinkFormatError) {
        #expect(throws: error) { try LinkEnvelope(decoding: Array(text.utf8)) }
    }

    /// Random changes of a genuine envelope: nothing traps, and what reads is within its bounds.
    @Test func changedEnvelopesTrapNothing() throws {
        var random = Seeded(1)
        var envelope = LinkEnvelope(.request, target: "lamp", session: "a-1", id: 7)
        envelope.op = "set"
        envelope.args = ["on": true, "level": 2.5, "name": "灯\n", "list": [1, 2, nil]]
        let genuine = try envelope.encoded()
        var device = LinkDevice<Int>(identifier: "lamp", run: 0xA)!
        var read = 0
        for _ in 0..<20_000 {
            var octets = genuine
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0..<octets.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: octets[place] = UInt8.random(in: 0...255, using: &random)
                case 1: octets.remove(at: place)
                default: octets.insert(Array("{}[]\",:0-e\\".utf8).randomElement(using: &random)!, at: place)
                }
            }
            if let envelope = try? LinkEnvelope(decoding: octets) {
                read += 1
                #expect((0...LinkEnvelope.greatestNumber).contains(envelope.id))
                #expect(LinkEnvelope.isName(envelope.target))
            }
            device.receive(octets, from: 0, at: .zero)
        }
        #expect(read > 100)
        #expect(device.dropped.malformed > 1000)
        #expect(device.takeRequests().isEmpty)
    }

    @Test func aResultThatDoesNotFitBecomesAnError() throws {
        var device = LinkDevice<Int>(identifier: "lamp", run: 1)!
        device.receive(try LinkEnvelope(.hello, target: "lamp", id: 1).encoded(), from: 0, at: .zero)
        let session = try LinkEnvelope(decoding: device.takeOutgoing()[0].octets).session
        for (id, result) in [
            LinkValue.text(String(repeating: "x", count: 9000)),
            (0..<50).reduce(LinkValue.null) { value, _ in .list([value]) },
        ].enumerated() {
            var request = LinkEnvelope(.request, target: "lamp", session: session, id: Int64(id) + 1)
            request.op = "read"
            device.receive(try request.encoded(), from: 0, at: .zero)
            device.finish(try #require(device.takeRequests().first), with: .success(result))
            let reply = try #require(device.takeOutgoing().last)
            #expect(try LinkEnvelope(decoding: reply.octets).error?.code == "tooLong")
        }
        #expect(throws: LinkFormatError.tooLong) {
            try device.send(event: "e", .text(String(repeating: "x", count: 8100)))
        }
    }
}
