import BLETransport
import BLEWire
import TestConditions
import Testing

@testable import SystemBus

struct CodingTests {
    private var message: BusMessage {
        var message = BusMessage(.call, serial: 7)
        message.path = "/org/freedesktop/DBus"
        message.interface = "org.freedesktop.DBus"
        message.member = "Hello"
        message.destination = "org.freedesktop.DBus"
        message.sender = ":1.42"
        message.isReplyExpected = false
        message.body = [
            .byte(1), .bool(true), .int16(-2), .uint16(3), .int32(-4), .uint32(5), .int64(-6), .uint64(7), .double(8),
            .string("näh"), .path("/a"), .signature("a{sv}"), .array("s", []), .octets([1, 2, 3]),
            .properties(["k": .string("v"), "n": .variant(.uint32(1))]),
            .structure([.byte(9), .array("(ys)", [.structure([.byte(1), .string("")])])]),
            .array("{sa{sv}}", [.entry(.string("g"), .properties(["x": .octets([0])]))]),
        ]
        return message
    }

    @Test func aMessageSurvivesEncoding() throws {
        let octets = try message.encoded()
        #expect(try BusMessage(decoding: octets.span) == message)
        #expect(try BusMessage.length(of: octets.span) == octets.count)
    }

    /// The octets of Hello as the specification lays them out: header, fields in structures that begin at multiples of 8.
    @Test func aCallHasTheOctetsOfTheSpecification() throws {
        var hello = BusMessage(.call, serial: 1)
        hello.path = "/"
        hello.member = "Hello"
        let octets: [UInt8] =
            [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0]
            + [1, 1, 0x6F, 0, 1, 0, 0, 0, 0x2F, 0, 0, 0, 0, 0, 0, 0]
            + [3, 1, 0x73, 0, 5, 0, 0, 0] + Array("Hello".utf8) + [0, 0, 0]
        #expect(try hello.encoded() == octets)
    }

    @Test func aMessageWithTheMostSignificantOctetFirstIsRead() throws {
        let octets: [UInt8] =
            [0x42, 2, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 15] + [5, 1, 0x75, 0, 0, 0, 0, 1]
            + [8, 1, 0x67, 0, 1, 0x75, 0, 0] + [0, 0, 0, 3]
        let message = try BusMessage(decoding: octets.span)
        #expect(message.kind == .reply)
        #expect(message.serial == 9)
        #expect(message.replySerial == 1)
        #expect(message.body == [.uint32(3)])
    }

    @Test func anArrayOfBytesIsOneValue() throws {
        var message = message
        message.body = [.array("y", [.byte(1), .byte(2)]), .variant(.octets([3]))]
        let octets = try message.encoded()
        #expect(try BusMessage(decoding: octets.span).body == [.octets([1, 2]), .variant(.octets([3]))])
    }

    // MARK: Random values

    /// A value of any type, with its levels of containers bounded.
    private func value(_ random: inout Seeded, _ depth: Int = 0) -> BusValue {
        let text = String(repeating: "ä", count: random.next(4)) + "x"
        switch random.next(depth < 4 ? 18 : 13) {
        case 0: return .byte(UInt8(truncatingIfNeeded: random.next()))
        case 1: return .bool(random.next(2) == 1)
        case 2: return .int16(Int16(truncatingIfNeeded: random.next()))
        case 3: return .uint16(UInt16(truncatingIfNeeded: random.next()))
        case 4: return .int32(Int32(truncatingIfNeeded: random.next()))
        case 5: return .uint32(UInt32(truncatingIfNeeded: random.next()))
        case 6: return .int64(Int64(truncatingIfNeeded: random.next()))
        case 7: return .uint64(random.next())
        case 8: return .double(random.next())
        case 9: return .string(text)
        case 10: return .path(["/", "/a", "/a/b_1"][random.next(3)])
        case 11: return .signature(["", "ay", "a{sv}(ii)"][random.next(3)])
        case 12: return .octets((0..<random.next(9)).map { UInt8($0) })
        case 13: return .variant(value(&random, depth + 1))
        case 14: return .structure((0...random.next(3)).map { _ in value(&random, depth + 1) })
        case 15:
            // Elements of one type: an array of the same value.
            let element = value(&random, depth + 1)
            if case .byte(let octet) = element { return .octets([octet]) }
            return .array(element.signature, Array(repeating: element, count: random.next(4)))
        case 16:
            let content = value(&random, depth + 1)
            return .array(
                "{s\(content.signature)}",
                (0..<random.next(4)).map { .entry(.string("\($0)"), content) })
        default:
            return .array("v", (0..<random.next(4)).map { _ in .variant(value(&random, depth + 1)) })
        }
    }

    @Test(arguments: 0..<20) func randomMessagesSurviveEncoding(_ seed: UInt64) throws {
        var random = Seeded(seed)
        for _ in 0..<100 {
            var message = message
            message.serial = UInt32(truncatingIfNeeded: random.next()) | 1
            message.body = (0..<random.next(5)).map { _ in value(&random) }
            let octets = try message.encoded()
            #expect(try BusMessage(decoding: octets.span) == message)
        }
    }

    /// Messages with the most significant octet first, which this module does not write: the same values from both orders.
    @Test func bothOrdersOfOctetsHaveTheSameValues() throws {
        let codes = Array("ynqiuxtd".utf8)
        var little = BusWriter()
        let values: [BusValue] = [
            .byte(1), .int16(-2), .uint16(0xFEDC), .int32(-70_000), .uint32(0xFEDC_BA98), .int64(-5_000_000_000),
            .uint64(0xFEDC_BA98_7654_3210), .double(0x4000_0000_0000_0001),
        ]
        for value in values { try little.value(value) }
        // Where each number begins, and its length.
        let fields = [(0, 1), (2, 2), (4, 2), (8, 4), (12, 4), (16, 8), (24, 8), (32, 8)]
        var big = little.octets
        for (start, length) in fields { big[start..<start + length].reverse() }
        var reader = BusReader(big.span, isBig: true)
        let read = try reader.values(codes)
        #expect(read == values)
    }

    // MARK: Hostile octets

    @Test func hostileOctetsNeitherTrapNorGrow() throws {
        let octets = try message.encoded()
        for count in 0..<octets.count {
            #expect(throws: BusError.self) { try BusMessage(decoding: octets.span.extracting(first: count)) }
        }
        var random = Seeded(1)
        var decoded = 0
        for _ in 0..<20_000 {
            var changed = octets
            for _ in 0...random.next(3) { changed[random.next(changed.count)] = UInt8(random.next(256)) }
            guard let message = try? BusMessage(decoding: changed.span), message.kind != .unknown else { continue }
            decoded += 1
            let again = try message.encoded()
            #expect(try BusMessage(decoding: again.span) == message)
        }
        #expect(decoded > 100)
    }

    @Test(arguments: [
        "a", "(", "()", "{sv}", "(s", "a{s}", "a{sv", "a{vs}", "a{(s)s}", "a{svs}", "z", "a()", "aa{sv}}", "r", "s)",
        String(repeating: "a", count: 33) + "y",
        String(repeating: "(", count: 33) + "y" + String(repeating: ")", count: 33),
        String(repeating: "y", count: 256),
    ])
    func signaturesOfNoTypeAreRefused(_ signature: String) {
        let octets = [UInt8](repeating: 0, count: 600)
        #expect(!BusSignature.isValid(Array(signature.utf8)))
        #expect(throws: BusError.invalid) {
            var reader = BusReader(octets.span, isBig: false)
            _ = try reader.values(Array(signature.utf8))
        }
    }

    @Test func theDeepestSignaturesAreRead() {
        #expect(BusSignature.isValid(Array((String(repeating: "a", count: 32) + "y").utf8)))
        let nested = String(repeating: "(", count: 32) + "y" + String(repeating: ")", count: 32)
        #expect(BusSignature.isValid(Array(nested.utf8)))
        // The braces of entries are no parentheses.
        let dictionary = String(repeating: "(", count: 32) + "a{sv}" + String(repeating: ")", count: 32)
        #expect(BusSignature.isValid(Array(dictionary.utf8)))
        let dictionaries = String(repeating: "a{s", count: 32) + "y" + String(repeating: "}", count: 32)
        #expect(BusSignature.isValid(Array(dictionaries.utf8)))
        #expect(!BusSignature.isValid(Array("a{s\(dictionaries)}".utf8)))
        #expect(BusSignature.isValid(Array(repeating: UInt8(ascii: "y"), count: 255)))
        #expect(BusSignature.isValid([]))
        #expect(!BusSignature.isSingle([]))
        #expect(!BusSignature.isSingle(Array("yy".utf8)))
    }

    private func read(_ octets: [UInt8], _ signature: String) throws -> [BusValue] {
        var reader = BusReader(octets.span, isBig: false)
        return try reader.values(Array(signature.utf8))
    }

    @Test func aVariantInAVariantHasABottom() throws {
        var octets: [UInt8] = []
        for _ in 0..<100 { octets += [1, 0x76, 0] }
        #expect(throws: BusError.invalid) { try read(octets, "v") }
        // 64 variants around a byte.
        let deepest = Array([[UInt8]](repeating: [1, 0x76, 0], count: 63).joined()) + [1, 0x79, 0, 5]
        #expect(try read(deepest, "v").count == 1)
        #expect(throws: BusError.invalid) { try read([1, 0x76, 0] + deepest, "v") }
        // Two types in one variant, and none.
        #expect(throws: BusError.invalid) { try read([2, 0x79, 0x79, 0, 1, 2], "v") }
        #expect(throws: BusError.invalid) { try read([0, 0], "v") }
    }

    /// Structures around a dictionary with an array, whose values have 64 levels around them: the array of numbers is none.
    static func deepest(around variants: Int = 29) -> BusValue {
        var value = BusValue.array("u", [.uint32(1)])
        for _ in 0..<variants { value = .variant(value) }
        value = .properties(["k": value])
        for _ in 0..<32 { value = .structure([value]) }
        return value
    }

    @Test func theDeepestValuesAreWrittenAndRead() throws {
        var message = message
        for variants in [28, 29] {
            message.body = [Self.deepest(around: variants)]
            let octets = try message.encoded()
            #expect(try BusMessage(decoding: octets.span).body == message.body)
        }
        message.body = [Self.deepest(around: 30)]
        #expect(throws: BusError.invalid) { try message.encoded() }
    }

    @Test func valuesOutsideOfTheirRangesAreRefused() {
        // A bool of 2, padding that is not zero, an array that ends within an element, an array that ends behind the message.
        #expect(throws: BusError.invalid) { try read([2, 0, 0, 0], "b") }
        #expect(throws: BusError.invalid) { try read([1, 9, 0, 0, 1, 0, 0, 0], "yu") }
        #expect(throws: BusError.invalid) { try read([6, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0], "au") }
        #expect(throws: BusError.truncated) { try read([5, 0, 0, 0, 1, 0, 0, 0], "au") }
        #expect(throws: BusError.truncated) { try read([255, 255, 255, 255, 1, 0, 0, 0], "ay") }
        #expect(throws: BusError.truncated) { try read([255, 255, 255, 255], "s") }
        // A text without its NUL, with a NUL inside, and without UTF-8.
        #expect(throws: BusError.truncated) { try read([1, 0, 0, 0, 0x61], "s") }
        #expect(throws: BusError.invalid) { try read([1, 0, 0, 0, 0x61, 1], "s") }
        #expect(throws: BusError.invalid) { try read([2, 0, 0, 0, 0x61, 0, 0], "s") }
        #expect(throws: BusError.invalid) { try read([1, 0, 0, 0, 0xFF, 0], "s") }
        #expect(throws: BusError.invalid) { try read([3, 0, 0, 0, 0xED, 0xA0, 0x80, 0], "s") }
        // Paths and signatures of no form; a descriptor that the message does not have.
        #expect(throws: BusError.invalid) { try read([2, 0, 0, 0, 0x2F, 0x2F, 0], "o") }
        #expect(throws: BusError.invalid) { try read([1, 0x61, 0], "g") }
        #expect(throws: BusError.invalid) { try read([0, 0, 0, 0], "h") }
    }

    @Test func aMessageHasABoundedNumberOfValues() throws {
        let count = BusReader.mostValues
        var octets: [UInt8] = []
        withUnsafeBytes(of: UInt32(2 * count).littleEndian) { octets.append(contentsOf: $0) }
        octets += [UInt8](repeating: 0, count: 2 * count)
        #expect(throws: BusError.tooLong) { try read(octets, "aq") }
        octets = [UInt8](repeating: 0, count: 4)
        withUnsafeBytes(of: UInt32(2 * count - 4).littleEndian) { for index in 0..<4 { octets[index] = $0[index] } }
        octets += [UInt8](repeating: 0, count: 2 * count - 4)
        #expect(try read(octets, "aq").first?.elements?.count == count - 2)
    }

    // MARK: Headers

    /// A header with these fields; each begins at a multiple of 8.
    private func header(
        kind: UInt8 = 1, serial: UInt8 = 1, version: UInt8 = 1, order: UInt8 = 0x6C, body: UInt8 = 0,
        _ fields: [[UInt8]]
    ) -> [UInt8] {
        var content: [UInt8] = []
        for field in fields {
            while content.count % 8 != 0 { content.append(0) }
            content += field
        }
        let length = UInt8(content.count)
        while content.count % 8 != 0 { content.append(0) }
        return [order, kind, 0, version, body, 0, 0, 0, serial, 0, 0, 0, length, 0, 0, 0] + content
    }

    private func field(_ code: UInt8, _ type: String, _ text: String) -> [UInt8] {
        [code, 1] + Array(type.utf8) + [0, UInt8(text.utf8.count), 0, 0, 0] + Array(text.utf8) + [0]
    }

    private var path: [UInt8] { field(1, "o", "/a") }
    private var member: [UInt8] { field(3, "s", "Do") }
    private func number(_ code: UInt8, _ number: UInt8) -> [UInt8] { [code, 1, 0x75, 0, number, 0, 0, 0] }

    private func decodes(_ octets: [UInt8]) -> Bool { (try? BusMessage(decoding: octets.span)) != nil }

    @Test func aHeaderHasTheFieldsOfItsType() {
        let interface = field(2, "s", "a.b")
        #expect(decodes(header([path, member])))
        #expect(!decodes(header([path])))
        #expect(!decodes(header([member])))
        #expect(decodes(header(kind: 4, [path, interface, member])))
        #expect(!decodes(header(kind: 4, [path, member])))
        #expect(!decodes(header(kind: 4, [interface, member])))
        #expect(!decodes(header(kind: 4, [path, interface])))
        #expect(decodes(header(kind: 2, [number(5, 1)])))
        #expect(!decodes(header(kind: 2, [])))
        #expect(!decodes(header(kind: 2, [number(5, 0)])))
        #expect(decodes(header(kind: 3, [number(5, 1), field(4, "s", "a.b")])))
        #expect(!decodes(header(kind: 3, [number(5, 1)])))
        #expect(!decodes(header(kind: 3, [field(4, "s", "a.b")])))
    }

    @Test func aHeaderOfNoFormIsRefused() {
        #expect(!decodes(header(serial: 0, [path, member])))
        #expect(!decodes(header(version: 2, [path, member])))
        #expect(!decodes(header(order: 0x6D, [path, member])))
        #expect(!decodes(header(kind: 0, [path, member])))
        #expect(!decodes(header([path, member, path])))
        #expect(!decodes(header([path, member, field(0, "s", "x")])))
        // Types other than those of the table of fields, and names of no form.
        #expect(!decodes(header([field(1, "s", "/a"), member])))
        #expect(!decodes(header([path, field(3, "o", "/a")])))
        #expect(!decodes(header([path, member, field(5, "s", "a")])))
        #expect(!decodes(header([path, field(3, "s", "D.o")])))
        #expect(!decodes(header([path, member, field(2, "s", "a")])))
        #expect(!decodes(header([path, member, field(6, "s", "a")])))
        #expect(!decodes(header([path, member, field(7, "s", ":1")])))
        #expect(!decodes(header([path, member, field(2, "s", "org.freedesktop.DBus.Local")])))
        #expect(!decodes(header([field(1, "o", "/org/freedesktop/DBus/Local"), member])))
        // A body without a signature, a signature without a body, descriptors that nobody passed.
        #expect(!decodes(header(body: 1, [path, member]) + [1]))
        #expect(!decodes(header([path, member, [8, 1, 0x67, 0, 1, 0x79, 0]])))
        #expect(!decodes(header(body: 2, [path, member, [8, 1, 0x67, 0, 1, 0x79, 0]]) + [1, 1]))
        #expect(!decodes(header([path, member, number(9, 1)])))
    }

    @Test func fieldsAndTypesOfLaterVersionsAreRead() throws {
        #expect(decodes(header([path, member, field(10, "s", "x"), field(200, "s", "x"), field(200, "s", "y")])))
        #expect(try BusMessage(decoding: header(kind: 9, []).span).kind == .unknown)
    }

    @Test func aLengthAboveTheLimitIsRefusedBeforeItsOctets() throws {
        #expect(throws: BusError.tooLong) {
            try BusMessage.length(of: ([0x6C, 1, 0, 1, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0] as [UInt8]).span)
        }
        #expect(throws: BusError.tooLong) {
            try BusMessage.length(of: ([0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255] as [UInt8]).span)
        }
        let most = BusMessage.longest - 16
        var octets: [UInt8] = [0x6C, 1, 0, 1]
        withUnsafeBytes(of: UInt32(most).littleEndian) { octets.append(contentsOf: $0) }
        octets += [1, 0, 0, 0, 0, 0, 0, 0]
        #expect(try BusMessage.length(of: octets.span) == BusMessage.longest)
        octets[4] += 1
        #expect(throws: BusError.tooLong) { try BusMessage.length(of: octets.span) }
    }

    // MARK: What cannot be written

    @Test(
        arguments: [
            .string("a\0b"), .path("a"), .path("/a/"), .signature("a"), .array("", []), .array("sv", []),
            .array("{vs}", []),
            .array("s", [.byte(1)]), .structure([]), .entry(.byte(1), .byte(2)), .variant(.structure([])),
            .descriptor(0),
            .variant(.entry(.byte(1), .byte(2))), .array("{ss}", [.entry(.string("a"), .byte(1))]),
        ] as [BusValue])
    func valuesOfNoFormAreNotWritten(_ value: BusValue) {
        var message = message
        message.body = [value]
        #expect(throws: BusError.invalid) { try message.encoded() }
    }

    @Test func messagesOfNoFormAreNotWritten() {
        var message = message
        message.body = [.octets([UInt8](repeating: 0, count: BusMessage.longest))]
        #expect(throws: BusError.tooLong) { try message.encoded() }
        message.body = (0..<70).reduce([.byte(1)]) { value, _ in [.variant(value[0])] }
        #expect(throws: BusError.invalid) { try message.encoded() }
        message.body = []
        for change in [
            { $0.serial = 0 }, { $0.path = nil }, { $0.member = "1a" }, { $0.interface = "a..b" },
            { $0.destination = "a" }, { $0.replySerial = 0 },
        ] as [(inout BusMessage) -> Void] {
            var changed = message
            change(&changed)
            #expect(throws: BusError.invalid) { try changed.encoded() }
        }
    }

    @Test func descriptorsAreCountedInTheHeader() throws {
        let descriptor = Descriptor(dup(0), kind: .file)
        var message = message
        message.body = [.descriptor(0), .array("h", [.descriptor(0)])]
        message.descriptors = [descriptor]
        let octets = try message.encoded()
        #expect(try BusMessage(decoding: octets.span, descriptors: [descriptor]) == message)
        #expect(throws: BusError.invalid) { try BusMessage(decoding: octets.span) }
        #expect(throws: BusError.invalid) {
            try BusMessage(decoding: octets.span, descriptors: [descriptor, descriptor])
        }
        message.body = [.descriptor(1)]
        #expect(throws: BusError.invalid) { try message.encoded() }
    }
}
