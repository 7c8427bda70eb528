import Testing

@testable import LocalDiscovery

struct ProbeTests {
    /// A responder that gets the query by broadcast, and the probe that gets its response.
    @Test func aServiceAnswersAQueryWithoutMulticast() throws {
        let link = Link()
        let lamp = try link.responder("desk", [service("Lamp", text: ["id": "7"])])
        link.run(.seconds(5))
        link.forgetSent()
        let asker = Endpoint(IPAddress(192, 0, 2, 77), 40_000)
        var probe = try ServiceProbe(type: "_lamp._tcp", identifier: 0x1234, at: .zero)
        let octets = probe.handleTimeout(at: .zero)
        let query = try DNSMessage(decoding: #require(octets))
        link.inject(query, from: asker)
        link.run(.seconds(1))
        let response = try #require(link.responses(from: lamp).first { $0.destination == asker })
        probe.receive(response.message.encoded, from: lamp.endpoint, at: .milliseconds(5))
        #expect(probe.found.map(\.name) == ["Lamp"])
        #expect(probe.found.map(\.text) == [["id": "7"]])
        #expect(probe.found.map(\.addresses) == [[FoundService.Address(address: lamp.endpoint.address, interface: 0)]])
    }

    @Test func theQueryIsRepeatedAndEndsAfterThreeSeconds() throws {
        var probe = try ServiceProbe(type: "_lamp._tcp", identifier: 1, at: .seconds(10))
        var times: [Duration] = []
        while let deadline = probe.deadline {
            if probe.handleTimeout(at: deadline) != nil { times.append(deadline - .seconds(10)) }
            #expect(probe.handleTimeout(at: deadline) == nil)
        }
        #expect(times == [.zero, .milliseconds(250), .seconds(1), .seconds(2)])
        #expect(probe.isOver)
    }

    @Test func responsesToAnotherQueryAreIgnored() throws {
        var probe = try ServiceProbe(type: "_lamp._tcp", identifier: 1, at: .zero)
        let type = DNSName("_lamp._tcp.local")!
        let name = DNSName(labels: ["Lamp"], in: type)!
        let host = DNSName("desk.local")!
        var message = DNSMessage()
        message.isResponse = true
        message.answers = [
            DNSRecord(type, .ptr, isUnique: false, timeToLive: 10, .pointer(name)),
            DNSRecord(
                name, .srv, isUnique: false, timeToLive: 10, .service(priority: 0, weight: 0, port: 1, host: host)),
            DNSRecord(host, .a, isUnique: false, timeToLive: 10, .address(IPAddress(192, 0, 2, 1))),
        ]
        let source = Endpoint(IPAddress(192, 0, 2, 1), 5353)
        message.identifier = 2
        probe.receive(message.encoded, from: source, at: .zero)
        probe.receive([1, 2, 3], from: source, at: .zero)
        #expect(probe.found.isEmpty)
        message.identifier = 1
        probe.receive(message.encoded, from: source, at: .zero)
        #expect(probe.found.map(\.port) == [1])
    }

    @Test func aNetworkHasItsBroadcastAddress() {
        func broadcast(_ prefix: Int) -> IPAddress? {
            NetworkInterface.Address(address: IPAddress(192, 0, 2, 77), prefix: prefix).broadcast
        }
        #expect(broadcast(24) == IPAddress(192, 0, 2, 255))
        #expect(broadcast(27) == IPAddress(192, 0, 2, 95))
        #expect(broadcast(15) == IPAddress(192, 1, 255, 255))
        #expect(broadcast(31) == nil)
        let address = NetworkInterface.Address(address: IPAddress(192, 0, 2, 77), prefix: 27)
        #expect(address.contains(IPAddress(192, 0, 2, 94)))
        #expect(!address.contains(IPAddress(192, 0, 2, 96)))
        #expect(!address.contains(IPAddress([UInt8](repeating: 0, count: 16))!))
    }
}
