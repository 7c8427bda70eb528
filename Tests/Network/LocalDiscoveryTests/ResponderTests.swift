import Testing

@testable import LocalDiscovery

/// RFC 6762, sections 5 to 10, in virtual time.
struct ResponderTests {
    private let type = DNSName("_lamp._tcp.local")!

    private func query(_ name: DNSName, _ type: DNSType, unicast: Bool = false) -> DNSMessage {
        var message = DNSMessage()
        message.questions = [DNSQuestion(name, type, wantsUnicast: unicast)]
        return message
    }

    private func established(_ services: [LocalService]? = nil) throws -> (Link, Link.Node) {
        let link = Link()
        let node = try link.responder("lamp", services ?? [service()])
        link.run(.seconds(10))
        #expect(node.responder!.isEstablished)
        return (link, node)
    }

    @Test func threeProbesPrecedeTwoAnnouncements() throws {
        let (link, node) = try established()
        let name = DNSName(labels: ["Lamp"], in: type)!
        let probes = link.queries(from: node).filter { $0.message.questions.contains { $0.name == name } }
        #expect(probes.count == 3)
        #expect(probes[0].time <= .milliseconds(251))
        #expect(zip(probes, probes.dropFirst()).allSatisfy { $1.time - $0.time == .milliseconds(250) })
        #expect(probes.allSatisfy { $0.message.questions == [DNSQuestion(name, .any, wantsUnicast: true)] })
        #expect(Set(probes[0].message.authorities.map(\.type)) == [.srv, .txt])
        let announcements = link.responses(from: node).filter { $0.message.answers.contains { $0.name == name } }
        #expect(announcements.count == 2)
        #expect(announcements[0].time - probes[2].time == .milliseconds(250))
        #expect(announcements[1].time - announcements[0].time == .seconds(1))
        for record in announcements[0].message.answers {
            #expect(record.isUnique == (record.type != .ptr))
        }
    }

    @Test func aSharedRecordIsAnsweredAfterARandomDelay() throws {
        var delays: Set<Duration> = []
        for seed in 1...20 as ClosedRange<UInt64> {
            let link = Link()
            let node = try link.responder("lamp", [service()], seed: seed)
            link.run(.seconds(10))
            link.forgetSent()
            link.inject(query(type, .ptr))
            link.run(.seconds(2))
            let answers = link.responses(from: node)
            #expect(answers.count == 1)
            let delay = answers[0].time - .milliseconds(10_002)
            #expect((Duration.milliseconds(20)...(.milliseconds(120))).contains(delay))
            delays.insert(delay)
            #expect(Set(answers[0].message.additionals.map(\.type)) == [.srv, .txt, .a])
        }
        #expect(delays.count > 5)
    }

    @Test func aUniqueRecordIsAnsweredAtOnceAndAMissingTypeIsDenied() throws {
        let (link, node) = try established()
        link.forgetSent()
        link.inject(query(DNSName("LAMP.local")!, .a))
        link.run(.milliseconds(1))
        #expect(link.responses(from: node).map(\.message.answers.first?.data) == [.address(node.endpoint.address)])
        link.run(.seconds(5))
        link.forgetSent()
        link.inject(query(DNSName("lamp.local")!, .aaaa))
        link.run(.seconds(1))
        let host = DNSName("lamp.local")!
        #expect(link.responses(from: node).map(\.message.answers.first?.data) == [.existing(next: host, [.a])])
    }

    @Test func aKnownAnswerIsNotSentAgain() throws {
        let (link, node) = try established()
        link.forgetSent()
        var message = query(type, .ptr)
        let target = DNSName(labels: ["lamp"], in: type)!
        message.answers = [DNSRecord(type, .ptr, isUnique: false, timeToLive: 2250, .pointer(target))]
        link.inject(message)
        link.run(.seconds(2))
        #expect(link.responses(from: node).isEmpty)
        // Less than half of its time is left.
        message.answers[0].timeToLive = 2249
        link.inject(message)
        link.run(.seconds(2))
        #expect(link.responses(from: node).count == 1)
    }

    @Test func knownAnswersOfAFollowingMessageCount() throws {
        let (link, node) = try established()
        link.forgetSent()
        var first = query(type, .ptr)
        first.isTruncated = true
        link.inject(first)
        link.run(.milliseconds(300))
        #expect(link.responses(from: node).isEmpty)
        var second = DNSMessage()
        let target = DNSName(labels: ["Lamp"], in: type)!
        second.answers = [DNSRecord(type, .ptr, isUnique: false, timeToLive: 4500, .pointer(target))]
        // From another host the same records say nothing about the first one.
        link.inject(second, from: Endpoint(IPAddress(192, 0, 2, 201), 5353))
        link.run(.milliseconds(300))
        #expect(link.responses(from: node).count == 1)
        link.run(.seconds(2))
        link.forgetSent()
        link.inject(first)
        link.run(.milliseconds(100))
        link.inject(second)
        link.run(.seconds(2))
        #expect(link.responses(from: node).isEmpty)
    }

    @Test func anotherHostsAnswerReplacesThisOne() throws {
        let (link, node) = try established()
        link.forgetSent()
        let target = DNSName(labels: ["Lamp"], in: type)!
        var answer = DNSMessage()
        answer.isResponse = true
        answer.answers = [DNSRecord(type, .ptr, isUnique: false, timeToLive: 4500, .pointer(target))]
        link.inject(query(type, .ptr))
        link.run(.milliseconds(5))
        link.inject(answer)
        link.run(.seconds(2))
        #expect(link.responses(from: node).isEmpty)
    }

    @Test func aRecordIsSentToTheGroupAtMostOnceInASecond() throws {
        let (link, node) = try established()
        link.forgetSent()
        for _ in 0..<300 {
            link.inject(query(type, .ptr))
            link.run(.milliseconds(10))
        }
        link.run(.seconds(1))
        let times = link.responses(from: node).filter { $0.message.answers.contains { $0.type == .ptr } }.map(\.time)
        #expect((2...4).contains(times.count), "\(times)")
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
    }

    @Test func aUnicastQuestionGetsAUnicastResponseWhileTheGroupKnowsTheRecord() throws {
        let (link, node) = try established()
        link.forgetSent()
        let asker = Endpoint(IPAddress(192, 0, 2, 77), 5353)
        link.inject(query(type, .ptr, unicast: true), from: asker)
        link.run(.seconds(1))
        #expect(link.responses(from: node).map(\.destination) == [asker])
        // A quarter of the time to live has passed: the group is told again.
        link.run(.seconds(1130))
        link.forgetSent()
        link.inject(query(type, .ptr, unicast: true), from: asker)
        link.run(.seconds(1))
        #expect(link.responses(from: node).map(\.destination) == [nil])
    }

    @Test func aClientOnAnotherPortGetsAResponseOfItsKind() throws {
        let (link, node) = try established()
        link.forgetSent()
        let asker = Endpoint(IPAddress(192, 0, 2, 77), 40_000)
        var message = query(DNSName("lamp.local")!, .a)
        message.identifier = 0x1234
        link.inject(message, from: asker)
        link.run(.seconds(1))
        let response = try #require(link.responses(from: node).first)
        #expect(response.destination == asker)
        #expect(response.message.identifier == 0x1234)
        #expect(response.message.questions == message.questions)
        #expect(response.message.answers.map(\.timeToLive) == [10])
        #expect(response.message.answers.allSatisfy { !$0.isUnique })
    }

    @Test func aWithdrawnServiceSaysGoodbye() throws {
        let (link, node) = try established([service("One"), service("Two")])
        link.forgetSent()
        node.responder!.withdraw(try service("One"))
        link.run(.seconds(1))
        let goodbye = try #require(link.responses(from: node).first).message.answers
        #expect(goodbye.allSatisfy { $0.timeToLive == 0 })
        #expect(Set(goodbye.map(\.type)) == [.ptr, .srv, .txt])
        #expect(!goodbye.contains { $0.name == MulticastResponder.services }, "the other service has the type")
        link.forgetSent()
        link.inject(query(type, .ptr))
        link.run(.seconds(1))
        let target = DNSName(labels: ["Two"], in: type)!
        #expect(link.responses(from: node).flatMap(\.message.answers).map(\.data) == [.pointer(target)])
    }

    // MARK: Conflicts

    @Test func hostsThatStartTogetherShareOutTheNames() throws {
        for seed in 0..<30 as Range<UInt64> {
            let link = Link()
            let nodes = try (0..<4).map { number in
                try link.responder("lamp", [service(port: 80 + UInt16(number))], seed: seed * 10 + UInt64(number))
            }
            link.run(.seconds(60))
            #expect(nodes.allSatisfy { $0.responder!.isEstablished })
            let names = try nodes.map {
                $0.responder!.name(of: try service(port: 80 + UInt16(nodes.firstIndex(of: $0)!)))
            }
            #expect(Set(names) == ["Lamp", "Lamp (2)", "Lamp (3)", "Lamp (4)"], "seed \(seed)")
            #expect(Set(nodes.map { $0.responder!.hostName.description }).count == 4, "seed \(seed)")
        }
    }

    @Test func aNewcomerTakesAnotherName() throws {
        let (link, first) = try established()
        let second = try link.responder("lamp", [service(port: 81)])
        link.run(.seconds(20))
        #expect(try first.responder!.name(of: service()) == "Lamp")
        #expect(try second.responder!.name(of: service(port: 81)) == "Lamp (2)")
        #expect(second.responder!.hostName.description == "lamp-2.local")
        // The records name the new host.
        let browser = try link.browser("_lamp._tcp")
        link.run(.seconds(10))
        #expect(browser.browser!.found.map(\.host) == ["lamp.local", "lamp-2.local"])
    }

    @Test func anEstablishedNameIsDefendedThenGivenUp() throws {
        let (link, node) = try established()
        let name = DNSName(labels: ["Lamp"], in: type)!
        var claim = DNSMessage()
        claim.isResponse = true
        claim.answers = [
            DNSRecord(
                name, .srv, isUnique: true, timeToLive: 120,
                .service(priority: 0, weight: 0, port: 9, host: DNSName("other.local")!))
        ]
        link.inject(claim)
        link.run(.milliseconds(2))
        #expect(!node.responder!.isEstablished)
        #expect(try node.responder!.name(of: service()) == "Lamp", "it probes for the same name first")
        link.inject(claim)
        link.run(.seconds(10))
        #expect(try node.responder!.name(of: service()) == "Lamp (2)")
        #expect(node.responder!.isEstablished)
    }

    /// A host that answers every probe cannot make this one flood the network (RFC 6762, 8.1).
    @Test func aHostileHostSlowsTheProbesDown() throws {
        let link = Link()
        let node = try link.responder("lamp")
        link.react = { [unowned link] _ in
            var claim = DNSMessage()
            claim.isResponse = true
            claim.answers = [
                DNSRecord(
                    node.responder!.hostName, .a, isUnique: true, timeToLive: 120, .address(IPAddress(9, 9, 9, 9)))
            ]
            link.inject(claim)
        }
        link.run(.seconds(60))
        let late = link.queries(from: node).filter { $0.time > .seconds(30) }
        #expect(late.count <= 7, "\(late.count) probes in 30 s")
        #expect(node.responder!.conflicts > 15)
    }

    @Test func ownMessagesThatReturnAreNoConflict() throws {
        let link = Link()
        let node = try link.responder("lamp", [service()])
        // Two interfaces on one link: what is sent on one arrives on the other.
        node.responder!.setInterfaces(
            [Link.interface: [node.endpoint.address], 7: [IPAddress(192, 0, 2, 99)]], at: .zero)
        link.run(.seconds(20))
        #expect(node.responder!.isEstablished)
        #expect(node.responder!.conflicts == 0)
        #expect(node.responder!.hostName.description == "lamp.local")
    }

    @Test func aFloodOfQueriesDoesNotGrowTheResponder() throws {
        let (link, node) = try established((0..<32).map { try service("Lamp \($0)") })
        #expect(throws: LocalServiceError.tooManyServices) {
            try node.responder!.publish(service("one more"), at: link.now)
        }
        var message = DNSMessage()
        message.isTruncated = true
        for number in 0..<200 {
            message.questions.append(DNSQuestion(DNSName(labels: ["x\(number)"], in: type)!, .any))
        }
        message.questions.append(DNSQuestion(type, .ptr))
        link.forgetSent()
        for number in 0..<100 as Range<UInt16> {
            link.inject(message, from: Endpoint(IPAddress(192, 0, 2, 200), 5353))
            link.inject(
                query(type, .ptr), from: Endpoint(IPAddress(192, 0, UInt8(number >> 8), UInt8(number & 255)), 5353))
        }
        link.run(.seconds(3))
        #expect(link.responses(from: node).count < 100)
    }
}

extension Link.Node: Equatable {
    static func == (left: Link.Node, right: Link.Node) -> Bool { left === right }
}
