import Testing

@testable import LocalDiscovery

struct MessageTests {
    private let lamp = DNSName(labels: ["Desk. Lamp", "_http", "_tcp"], in: .local)!
    private let host = DNSName(labels: ["lamp"], in: .local)!

    private var response: DNSMessage {
        var message = DNSMessage()
        message.isResponse = true
        message.answers = [
            DNSRecord(lamp.parent!, .ptr, isUnique: false, timeToLive: 4500, .pointer(lamp)),
            DNSRecord(
                lamp, .srv, isUnique: true, timeToLive: 120, .service(priority: 1, weight: 2, port: 80, host: host)),
            DNSRecord(lamp, .txt, isUnique: true, timeToLive: 4500, .text([Array("a=1".utf8), Array("b".utf8)])),
        ]
        message.additionals = [
            DNSRecord(host, .a, isUnique: true, timeToLive: 120, .address(IPAddress(192, 0, 2, 1))),
            DNSRecord(
                host, .nsec, isUnique: true, timeToLive: 120,
                .existing(next: host, [.a, .aaaa, DNSType(rawValue: 257)])),
        ]
        return message
    }

    @Test func aMessageSurvivesEncodingWithCompressedNames() throws {
        let octets = response.encoded
        #expect(try DNSMessage(decoding: octets) == response)
        // The type's name is written once, and each further name refers to it.
        let local = Array("\u{5}local\u{0}".utf8)
        let places = octets.indices.filter { octets[$0...].starts(with: local) }
        #expect(places.count == 2, "once compressed, and once in NSEC, whose name is whole")
    }

    /// The octets of a query as another implementation writes them (RFC 1035, 4.1).
    @Test func aQueryHasTheOctetsOfTheSpecification() throws {
        var query = DNSMessage()
        query.questions = [DNSQuestion(DNSName("_http._tcp.local")!, .ptr, wantsUnicast: true)]
        let octets: [UInt8] =
            [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5] + Array("_http".utf8) + [4] + Array("_tcp".utf8) + [5]
            + Array("local".utf8) + [0, 0, 12, 0x80, 1]
        #expect(query.encoded == octets)
        #expect(try DNSMessage(decoding: octets) == query)
    }

    @Test func namesCompareWithoutCaseAndShowTheirDots() {
        #expect(DNSName("Lamp.LOCAL") == DNSName("lamp.local"))
        #expect(DNSName("Lamp.LOCAL").hashValue == DNSName("lamp.local").hashValue)
        #expect(lamp.description == "Desk\\. Lamp._http._tcp.local")
        #expect(DNSName(labels: [String(repeating: "a", count: 64)]) == nil)
        #expect(DNSName(labels: Array(repeating: String(repeating: "a", count: 63), count: 4)) == nil)
    }

    @Test func addressesHaveTheirShortestForm() {
        func text(_ groups: [UInt16]) -> String {
            IPAddress(groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })!.description
        }
        #expect(text([0xFE80, 0, 0, 0, 0, 0, 0, 1]) == "fe80::1")
        #expect(text([0, 0, 0, 0, 0, 0, 0, 0]) == "::")
        #expect(text([0x2001, 0xDB8, 0, 1, 0, 0, 0, 1]) == "2001:db8:0:1::1")
        #expect(text([1, 0, 2, 3, 4, 5, 6, 7]) == "1:0:2:3:4:5:6:7")
        #expect(IPAddress([1, 2, 3]) == nil)
    }

    private func header(questions: UInt8 = 0, answers: UInt8 = 0) -> [UInt8] {
        [0, 0, 0, 0, 0, questions, 0, answers, 0, 0, 0, 0]
    }

    /// Pointers to themselves, forward, into the header, in circles, and chains that grow beyond 255 octets.
    @Test func pointersThatLeadNowhereAreRefused() {
        let tail: [UInt8] = [0, 1, 0, 1]
        let bad: [[UInt8]] = [
            [0xC0, 12], [0xC0, 14], [0xC0, 0], [0xFF, 0xFF], [0x40, 1], [0x80, 1],
            [1, 0x61, 0xC0, 12], [1, 0x61, 0xC0, 14],
        ]
        for name in bad {
            #expect(throws: DNSError.invalidName, "\(name)") {
                try DNSMessage(decoding: self.header(questions: 1) + name + tail)
            }
        }
        // Each name is 63 octets and a pointer to the name before it.
        var octets = header(questions: 5)
        var last: Int?
        for _ in 0..<5 {
            let start = octets.count
            octets += [63] + [UInt8](repeating: 0x61, count: 63)
            if let last { octets += [0xC0 | UInt8(last >> 8), UInt8(last & 0xFF)] } else { octets.append(0) }
            octets += tail
            last = start
        }
        #expect(throws: DNSError.invalidName) { try DNSMessage(decoding: octets) }
    }

    @Test func recordsWithWrongLengthsAreRefused() throws {
        func record(_ type: UInt8, _ data: [UInt8], length: Int? = nil) -> [UInt8] {
            header(answers: 1) + [0, 0, type, 0, 1, 0, 0, 0, 9, 0, UInt8(length ?? data.count)] + data
        }
        for (type, data) in [
            (1, [1, 2, 3]), (1, [1, 2, 3, 4, 5]), (28, [1, 2, 3, 4]), (33, [0, 1, 0, 2, 0, 3]), (12, []),
            (12, [0, 0]), (16, [5, 1]), (47, [0, 0]), (47, [0, 0, 0]), (47, [0, 0, 33]), (47, [0, 1, 1, 1, 1, 1, 1]),
        ] as [(UInt8, [UInt8])] {
            #expect(throws: DNSError.self, "type \(type), data \(data)") {
                try DNSMessage(decoding: record(type, data))
            }
        }
        #expect(throws: DNSError.truncated) { try DNSMessage(decoding: record(1, [1, 2, 3, 4], length: 5)) }
        // A count that promises more than there is.
        #expect(throws: DNSError.truncated) { try DNSMessage(decoding: self.header(answers: 255)) }
        #expect(try DNSMessage(decoding: record(16, [0])).answers[0].data == .text([]))
    }

    /// Every beginning of a message, and messages with changed octets, decode or fail. What decodes survives another round.
    @Test func hostileOctetsNeitherTrapNorChangeInARound() throws {
        let octets = response.encoded
        for count in 0..<octets.count {
            #expect(throws: DNSError.self) { try DNSMessage(decoding: Array(octets[..<count])) }
        }
        var random = DelayGenerator(seed: 1)
        var decoded = 0
        for _ in 0..<20_000 {
            var changed = octets
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            guard let message = try? DNSMessage(decoding: changed) else { continue }
            decoded += 1
            let again = try DNSMessage(decoding: message.encoded)
            #expect(again == message)
        }
        #expect(decoded > 1000)
    }

    @Test func aLongMessageIsSentInParts() throws {
        var query = DNSMessage()
        query.questions = [DNSQuestion(lamp.parent!, .ptr)]
        for number in 0..<200 {
            let name = DNSName(labels: ["Lamp \(number)"], in: lamp.parent!)!
            query.answers.append(DNSRecord(lamp.parent!, .ptr, isUnique: false, timeToLive: 4000, .pointer(name)))
        }
        let parts = try query.encoded(limit: 1440).map { octets throws in
            #expect(octets.count <= 1440)
            return try DNSMessage(decoding: octets)
        }
        #expect(parts.count > 2)
        #expect(parts.flatMap(\.answers) == query.answers)
        #expect(parts.map(\.isTruncated) == parts.indices.map { $0 < parts.count - 1 })
        #expect(parts.map(\.questions.count) == [1] + [Int](repeating: 0, count: parts.count - 1))
    }

    @Test(arguments: ["_http._tcp.", "http._tcp", "_http._sctp", "_._tcp", "_aaaaaaaaaaaaaaaaa._tcp", "", "_http"])
    func typesOfAnotherFormAreRefused(_ type: String) {
        #expect(throws: LocalServiceError.type(type)) { try LocalService("x", type: type, port: 1) }
    }

    @Test func attributesThatDoNotFitAreRefused() {
        #expect(throws: LocalServiceError.name) { try LocalService("", type: "_a._tcp", port: 1) }
        #expect(throws: LocalServiceError.name) {
            try LocalService(String(repeating: "灯", count: 22), type: "_a._tcp", port: 1)
        }
        for key in ["", "a=b", "é", String(repeating: "k", count: 254)] {
            #expect(throws: LocalServiceError.text(key)) {
                try LocalService("x", type: "_a._tcp", port: 1, text: [key: ""])
            }
        }
    }
}
