import Testing

@testable import LocalDiscovery

/// RFC 6762, sections 5.2 and 10, and RFC 6763, in virtual time.
struct BrowserTests {
    private let type = DNSName("_lamp._tcp.local")!

    @Test func aServiceIsFoundWithItsAddressPortAndText() throws {
        let link = Link()
        let lamp = try link.responder("desk", [service("Desk. 灯", port: 8080, text: ["id": "7", "empty": ""])])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        let found = FoundService(
            name: "Desk. 灯", type: "_lamp._tcp", host: "desk.local", port: 8080, text: ["id": "7", "empty": ""],
            addresses: [FoundService.Address(address: lamp.endpoint.address, interface: Link.interface)])
        #expect(browser.events == [.found(found)])
        #expect(browser.browser!.found == [found])
    }

    @Test func theQuestionsBecomeRare() throws {
        let link = Link()
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(36_000))
        let times = link.queries(from: browser).map(\.time)
        let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(pauses.prefix(12).elementsEqual((0..<12).map { .seconds(min(1 << $0, 3600)) }))
        #expect(pauses.last == .seconds(3600))
        #expect(
            link.queries(from: browser).map { $0.message.questions[0].wantsUnicast } == [true]
                + times.dropFirst().map { _ in false })
    }

    @Test func knownServicesAreInTheQuestionsAndNotAnsweredAgain() throws {
        let link = Link()
        let lamp = try link.responder("desk", [service()])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(20))
        link.forgetSent()
        link.run(.seconds(100))
        let queries = link.queries(from: browser).filter { $0.message.questions.contains { $0.type == .ptr } }
        #expect(!queries.isEmpty)
        #expect(queries.allSatisfy { $0.message.answers.map(\.type) == [.ptr] })
        #expect(!link.responses(from: lamp).contains { $0.message.answers.contains { $0.type == .ptr } })
    }

    @Test func aGoodbyeEndsAServiceAfterASecond() throws {
        let link = Link()
        let lamp = try link.responder("desk", [service()])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        lamp.responder!.withdraw(try service())
        link.run(.milliseconds(900))
        #expect(browser.events.count == 1)
        link.run(.milliseconds(200))
        #expect(browser.browser!.found.isEmpty)
        guard case .lost = browser.events.last else {
            Issue.record("no loss: \(browser.events)")
            return
        }
    }

    /// A device that loses its power is lost when its records end; the browser asks for them before, at 80, 85, 90 and 95 %.
    @Test func aSilentServiceEndsWithItsTimeToLive() throws {
        let link = Link()
        _ = try link.responder("desk", [service()])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        link.nodes.removeFirst()
        link.forgetSent()
        link.run(.seconds(121))
        #expect(browser.browser!.found.isEmpty, "the address and the port are valid for 120 s")
        let refreshes = link.queries(from: browser).filter { $0.message.questions.contains { $0.type == .srv } }
        #expect(refreshes.count >= 4)
        link.run(.seconds(4500))
        #expect(browser.browser!.recordCount == 0)
        #expect(browser.events.count == 2)
    }

    @Test func aLivingServiceStaysThroughLoss() throws {
        let link = Link()
        _ = try link.responder("desk", [service()])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        var random = DelayGenerator(seed: 5)
        link.loses = { _ in Int.random(in: 0..<100, using: &random) < 20 }
        link.run(.seconds(7200))
        #expect(browser.browser!.found.count == 1)
    }

    @Test func aChangedPortReplacesTheOldOne() throws {
        let link = Link()
        let lamp = try link.responder("desk", [service(port: 80)])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        lamp.responder!.withdraw(try service(port: 80))
        try lamp.responder!.publish(service(port: 81), at: link.now)
        link.run(.seconds(5))
        #expect(browser.browser!.found.map(\.port) == [81])
    }

    @Test func anInterfaceThatGoesTakesItsServicesAlong() throws {
        let link = Link()
        _ = try link.responder("desk", [service()])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        browser.browser!.setInterfaces([], at: link.now)
        #expect(browser.browser!.found.isEmpty)
        #expect(browser.browser!.recordCount == 0)
    }

    // MARK: Hostile hosts

    private func response(_ records: [DNSRecord]) -> DNSMessage {
        var message = DNSMessage()
        message.isResponse = true
        message.answers = records
        return message
    }

    @Test func aFloodOfRecordsIsBounded() throws {
        let link = Link()
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(1))
        for batch in 0..<24 {
            link.inject(
                response(
                    (0..<50).map {
                        let name = DNSName(labels: ["x\(batch * 50 + $0)"], in: type)!
                        return DNSRecord(type, .ptr, isUnique: false, timeToLive: 4500, .pointer(name))
                    }))
            link.run(.milliseconds(2))
        }
        #expect(browser.browser!.recordCount == RecordCache.capacityOfSource)
        #expect(browser.browser!.refusedRecords == 24 * 50 - RecordCache.capacityOfSource)
        link.forgetSent()
        link.run(.seconds(10))
        let octets = link.queries(from: browser).reduce(0) { $0 + $1.message.encoded.count }
        #expect(octets < 1 << 18, "\(octets) octets in 10 s")
    }

    /// Names alone, from many sources and with a long time to live: a service that comes later is found, and one that was found stays.
    @Test func aFloodOfNamesKeepsNoServiceOut() throws {
        let link = Link()
        _ = try link.responder("desk", [service("zz before")])
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(5))
        #expect(browser.browser!.found.map(\.name) == ["zz before"])
        func flood(_ round: Int) {
            for batch in 0..<24 {
                let records = (0..<50).map {
                    let name = DNSName(labels: ["a\(round)-\(batch * 50 + $0)"], in: type)!
                    return DNSRecord(type, .ptr, isUnique: false, timeToLive: 86_400, .pointer(name))
                }
                link.inject(response(records), from: Endpoint(IPAddress(192, 0, 2, UInt8(100 + batch % 8)), 5353))
                link.run(.milliseconds(2))
            }
        }
        flood(0)
        #expect(browser.browser!.recordCount == RecordCache.capacity)
        _ = try link.responder("shelf", [service("zz after")])
        link.run(.seconds(5))
        flood(1)
        link.run(.seconds(30))
        #expect(browser.browser!.found.map(\.name) == ["zz after", "zz before"])
        #expect(!browser.events.contains { if case .lost = $0 { true } else { false } })
    }

    /// A source with SRV records, too, takes half of the places at most.
    @Test func oneSourceFillsHalfOfTheCache() throws {
        let link = Link()
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(1))
        for batch in 0..<24 {
            let records = (0..<25).flatMap { number -> [DNSRecord] in
                let name = DNSName(labels: ["a\(batch * 25 + number)"], in: type)!
                let host = DNSName(labels: ["h\(batch * 25 + number)"], in: .local)!
                return [
                    DNSRecord(type, .ptr, isUnique: false, timeToLive: 86_400, .pointer(name)),
                    DNSRecord(
                        name, .srv, isUnique: true, timeToLive: 86_400,
                        .service(priority: 0, weight: 0, port: 9, host: host)),
                ]
            }
            link.inject(response(records))
            link.run(.milliseconds(2))
        }
        #expect(browser.browser!.recordCount <= RecordCache.capacityOfSource)
        _ = try link.responder("shelf", [service("zz")])
        link.run(.seconds(5))
        #expect(browser.browser!.found.map(\.name) == ["zz"])
    }

    @Test func recordsOfOthersAreNotKept() throws {
        let link = Link()
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(1))
        let other = DNSName("_other._tcp.local")!
        link.inject(
            response([
                DNSRecord(other, .ptr, isUnique: false, timeToLive: 9, .pointer(DNSName(labels: ["a"], in: other)!)),
                DNSRecord(type, .ptr, isUnique: false, timeToLive: 9, .pointer(DNSName(labels: ["a"], in: other)!)),
                DNSRecord(
                    type, .ptr, isUnique: false, timeToLive: 9, .pointer(DNSName(labels: ["a", "b"], in: type)!)),
                DNSRecord(DNSName("a.local")!, .a, isUnique: true, timeToLive: 9, .address(IPAddress(1, 2, 3, 4))),
            ]))
        link.run(.milliseconds(10))
        #expect(browser.browser!.recordCount == 0)
        // A response comes from port 5353.
        let name = DNSName(labels: ["a"], in: type)!
        link.inject(
            response([DNSRecord(type, .ptr, isUnique: false, timeToLive: 9, .pointer(name))]),
            from: Endpoint(IPAddress(192, 0, 2, 200), 4000))
        link.run(.milliseconds(10))
        #expect(browser.browser!.recordCount == 0)
    }
}
