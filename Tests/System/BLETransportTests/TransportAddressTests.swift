import Testing

@testable import BLETransport

@Suite struct TransportAddressTests {
    @Test func addressesAreParsedAndPrinted() throws {
        let known: [(String, TransportAddress)] = [
            ("tcp:127.0.0.1:6402", .tcp(host: "127.0.0.1", port: 6402)),
            ("tcp:[::1]:6402", .tcp(host: "::1", port: 6402)),
            ("tcp:[fe80::1%eth0]:1", .tcp(host: "fe80::1%eth0", port: 1)),
            ("tcp:lab-3.example:65535", .tcp(host: "lab-3.example", port: 65535)),
            ("tcp:localhost:0", .tcp(host: "localhost", port: 0)),
            ("unix:/tmp/hci.sock", .unix(path: "/tmp/hci.sock")),
            ("unix:relative:odd", .unix(path: "relative:odd")),
            ("serial:/dev/ttyACM0@1000000", .serial(device: "/dev/ttyACM0", speed: 1_000_000)),
        ]
        for (text, address) in known {
            #expect(try TransportAddress(parsing: text) == address)
            #expect(address.description == text)
        }
        #expect(try TransportAddress(parsing: "serial:/dev/ttyS0") == .serial(device: "/dev/ttyS0", speed: 115_200))
    }

    @Test(arguments: [
        "", "tcp", "tcp:", "tcp:host", "tcp:host:", "tcp::6402", "tcp:host:65536", "tcp:host:-1", "tcp:host:+1",
        "tcp:host:1x", "tcp:host:٣", "tcp:::1:6402", "tcp:[::1]", "tcp:[::1]6402", "tcp:[]:1", "tcp:[::1:6402", "unix:",
        "serial:", "serial:@115200", "serial:/dev/ttyS0@", "serial:/dev/ttyS0@fast", "serial:/dev/ttyS0@1199",
        "serial:/dev/ttyS0@4294967297", "udp:host:1", "TCP:host:1", "hci", "hcix", "hci0x", "virtual ", "radio",
    ])
    func anUnknownTransportHasAMessage(text: String) {
        let error = #expect(throws: TransportError.self) { _ = try TransportAddress(parsing: text) }
        #expect(error?.kind == .unknownTransport)
        #expect(error?.description.hasPrefix("\"\(text)\" is no transport: ") == true)
        #expect(error?.description.hasSuffix(".") == true)
    }

    @Test func adaptersAreSelectedByNumber() throws {
        #expect(try TransportAddress(parsing: "hci0") == .adapter(index: 0))
        #expect(try TransportAddress(parsing: "hci12") == .adapter(index: 12))
        #expect(TransportAddress.adapter(index: 12).description == "hci12")
        for text in ["hci65535", "hci99999999999999999999"] {
            let error = #expect(throws: TransportError.self) { _ = try TransportAddress(parsing: text) }
            #expect(error?.kind == .unknownTransport)
        }
    }

    @Test func namesWithAZeroOctetAreRefused() {
        for text in ["tcp:a\0b:1", "unix:a\0b"] {
            #expect(throws: TransportError.self) { _ = try TransportAddress(parsing: text) }
        }
    }

    @Test func aPathTooLongForASocketAddressIsRefused() throws {
        let longest = String(repeating: "a", count: 107)
        #expect(try TransportAddress(parsing: "unix:" + longest) == .unix(path: longest))
        #expect(SocketAddress(path: longest) != nil)
        #expect(throws: TransportError.self) { _ = try TransportAddress(parsing: "unix:" + longest + "a") }
    }
}
