import Testing

@testable import SystemBus

struct CodingTests {
    private var message: BusMessage {
        var message = BusMessage(.call, serial: 7)
        message.path = "/org/freedesktop/DBus"
        message.interface = "org.freedesktop.DBus"
        message.member = "Hello"
        message.destination = "org.freedesktop.DBus"
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
        let octets = message.encoded
        #expect(try BusMessage(decoding: octets) == message)
        #expect(try BusMessage.length(of: octets) == octets.count)
    }

    /// The octets of Hello as the specification lays them out: header, fields in structures that begin at multiples of 8.
    @Test func aCallHasTheOctetsOfTheSpecification() {
        var hello = BusMessage(.call, serial: 1)
        hello.path = "/"
        hello.member = "Hello"
        let octets: [UInt8] =
            [0x6C, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 30, 0, 0, 0]
            + [1, 1, 0x6F, 0, 1, 0, 0, 0, 0x2F, 0, 0, 0, 0, 0, 0, 0]
            + [3, 1, 0x73, 0, 5, 0, 0, 0] + Array("Hello".utf8) + [0, 0, 0]
        #expect(hello.encoded == octets)
    }

    @Test func aMessageWithTheMostSignificantOctetFirstIsRead() throws {
        let octets: [UInt8] =
            [0x42, 2, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 15] + [5, 1, 0x75, 0, 0, 0, 0, 1]
            + [8, 1, 0x67, 0, 1, 0x75, 0, 0] + [0, 0, 0, 3]
        let message = try BusMessage(decoding: octets)
        #expect(message.kind == .reply)
        #expect(message.serial == 9)
        #expect(message.replySerial == 1)
        #expect(message.body == [.uint32(3)])
    }

    @Test func hostileOctetsNeitherTrapNorGrow() throws {
        let octets = message.encoded
        for count in 0..<octets.count {
            #expect(throws: BusError.self) { try BusMessage(decoding: Array(octets[..<count])) }
        }
        var state: UInt64 = 1
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        var decoded = 0
        for _ in 0..<20_000 {
            var changed = octets
            for _ in 0...random(3) { changed[random(changed.count)] = UInt8(random(256)) }
            guard let message = try? BusMessage(decoding: changed) else { continue }
            decoded += 1
            #expect(try BusMessage(decoding: message.encoded).body == message.body)
        }
        #expect(decoded > 100)
        #expect(throws: BusError.tooLong) {
            try BusMessage.length(of: [0x6C, 1, 0, 1, 255, 255, 255, 127, 1, 0, 0, 0, 0, 0, 0, 0])
        }
    }

    @Test(arguments: [
        "a", "(", "()", "{sv}", "(s", "a{s}", "a{sv", "z", "a()", String(repeating: "a", count: 200) + "y",
    ])
    func signaturesOfNoTypeAreRefused(_ signature: String) {
        var reader = BusReader([UInt8](repeating: 1, count: 64), isBig: false)
        #expect(throws: BusError.self) { try reader.values(signature) }
    }

    @Test func aVariantInAVariantHasABottom() {
        var octets: [UInt8] = []
        for _ in 0..<100 { octets += [1, 0x76, 0] }
        var reader = BusReader(octets, isBig: false)
        #expect(throws: BusError.invalid) { try reader.values("v") }
    }

    @Test func theBusIsFoundInTheEnvironment() {
        #expect(BusConnection.systemPath(environment: nil) == "/run/dbus/system_bus_socket")
        #expect(BusConnection.systemPath(environment: "unix:abstract=x;unix:guid=1,path=/tmp/bus") == "/tmp/bus")
    }

    @Test func aMissingBusIsNamed() {
        do {
            _ = try BusConnection(path: "/nowhere/bus")
            Issue.record("there is a bus")
        } catch {
            #expect("\(error)".contains("/nowhere/bus"))
            #expect("\(error)".contains("apt-get install dbus"))
        }
    }
}
