import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Clients of the services of two peripheral sessions.
struct ClientTests {
    private let bench = SessionBench.ready()
    private let address: UInt64 = 0xC000_0000_0002
    private let first = CharacteristicReference(service: 7, index: 0)
    private let second = CharacteristicReference(service: 7, index: 1)

    init() {
        for session in [3, 4] { bench.call { $0.openPeripheral(session, at: $1) } }
        bench.run(.milliseconds(5))
        // The sessions use the same token.
        add(7, count: 2, session: 3)
        add(7, count: 1, session: 4)
        _ = bench.takeAll()
    }

    private var peer: PeerIdentifier { SessionBench.peer(address) }
    private var record: CentralRecord { CentralRecord(identifier: peer, maximumUpdateLength: 20) }

    private func add(_ token: Int, count: Int, session: Int, including: [Int] = []) {
        let characteristics = (0..<count).map {
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0x36F5 + $0)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
        }
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: including,
            characteristics: characteristics)
        bench.call { $0.add(definition, token: token, session: session, at: $1) }
    }

    private func handle(_ characteristic: CharacteristicReference, session: Int = 3) throws -> UInt8 {
        UInt8(try #require(bench.sessions.server.services.valueHandle(of: characteristic, session: session)))
    }

    private func connect() -> UInt16 {
        let link = bench.controller.acceptLink(from: address)
        bench.settle()
        _ = bench.takeAll()
        return link
    }

    /// The answers of the host to a PDU.
    private func answers(_ pdu: [UInt8], on link: UInt16) -> [[UInt8]] {
        _ = bench.controller.takeAttributes()
        bench.controller.attribute(pdu, on: link)
        bench.settle()
        return bench.controller.takeAttributes()
    }

    @Test func requestsReachTheSessionOfTheirService() throws {
        let link = connect()
        for (characteristic, session) in [(first, 3), (second, 3), (first, 4)] {
            for offset in [0, 5] as [UInt8] {
                let handle = try handle(characteristic, session: session)
                // Read Request and Read Blob Request.
                let request: [UInt8] = offset == 0 ? [0x0A, handle, 0] : [0x0C, handle, 0, offset, 0]
                #expect(answers(request, on: link).isEmpty)
                let events = bench.take()
                guard
                    case .readRequest(let number, characteristic, offset: Int(offset), record, session: session)? =
                        events.first
                else {
                    Issue.record("\(events)")
                    continue
                }
                bench.call { $0.respond(to: number, error: 0, value: [9, offset], at: $1) }
                #expect(bench.controller.takeAttributes() == [[request[0] + 1, 9, offset]])
            }
        }
    }

    @Test func anErrorOfTheSessionReachesTheClient() throws {
        let link = connect()
        let handle = try handle(first)
        for request in [[0x0A, handle, 0], [0x12, handle, 0, 1]] as [[UInt8]] {
            for error in [0x80, 0, 0x03] as [UInt8] {
                #expect(answers(request, on: link).isEmpty)
                for event in bench.take() {
                    switch event {
                    case .readRequest(let number, _, _, _, _):
                        bench.call { $0.respond(to: number, error: error, value: nil, at: $1) }
                    case .writeRequest(let number, _, needsResponse: true, _, _):
                        bench.call { $0.respond(to: number, error: error, value: nil, at: $1) }
                    default: Issue.record("\(event)")
                    }
                }
                let answer = error == 0 ? [request[0] + 1] : [0x01, request[0], handle, 0, error]
                #expect(bench.controller.takeAttributes() == [answer])
            }
        }
    }

    /// Output that the driver has not taken stays where it is.
    @Test func valuesOfSeveralPacketsKeepTheirPlaces() throws {
        let link = connect()
        let values: [[UInt8]] = [[1], [2, 3], [], [4, 5, 6], [7]]
        // Write Commands.
        let handle = try handle(first)
        for value in values { bench.controller.attribute([0x52, handle, 0] + value, on: link) }
        for packet in bench.controller.takeOutput() {
            bench.sessions.receive(packet.span, at: bench.now)
            bench.sessions.processHostEvents(at: bench.now)
        }
        #expect(
            bench.sessions.context.output.items.map {
                bench.sessions.host.output.events.attributes.arena.copy($0.value)
            } == values)
        bench.settle()
        #expect(bench.written == values.map { [$0] })
    }

    /// Prepared values are written together (Vol 3, Part F, 3.4.6.3), by one session or not at all.
    @Test func preparedValuesOfTwoSessionsAreRefused() throws {
        let link = connect()
        let handles = [try handle(first), try handle(second), try handle(first, session: 4)]
        func execute(_ targets: [UInt8]) -> [[UInt8]] {
            for (number, target) in targets.enumerated() {
                let request: [UInt8] = [0x16, target, 0, 0, 0, UInt8(number)]
                #expect(answers(request, on: link) == [[0x17] + request.dropFirst()])
            }
            return answers([0x18, 1], on: link)
        }
        for _ in 0..<2 {
            #expect(execute([handles[0], handles[2], handles[1]]).map { [$0.first, $0.last] } == [[0x01, 0x0E]])
            #expect(bench.take() == [])
            #expect(execute([handles[0], handles[1]]).isEmpty)
            let events = bench.take()
            guard case .writeRequest(let number, _, needsResponse: true, record, session: 3)? = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(events.count == 1 && bench.written.last == [[0], [1]])
            bench.call { $0.respond(to: number, error: 0, value: nil, at: $1) }
            #expect(bench.controller.takeAttributes() == [[0x19]])
        }
    }

    /// Bit 0 of the configuration enables notifications, bit 1 indications (Vol 3, Part G, 3.3.3.3).
    /// A client whose ATT_MTU is agreed before its link is reported has the length of its updates from the start.
    @Test func aLinkMayBeginWithItsMTU() throws {
        for round in 1...2 {
            let link = bench.controller.acceptLink(from: address)
            bench.controller.attribute([0x02, 100, 0], on: link)
            bench.settle()
            let events = bench.takeAll()
            #expect(events.first == .linkUp(peer, .peripheral, mtu: 100) && events.count == 1, "round \(round)")
            #expect(answers([0x12, try handle(first) + 1, 0, 1, 0], on: link).last == [0x13])
            let record = CentralRecord(identifier: peer, maximumUpdateLength: 97)
            #expect(bench.take() == [.subscribed(record, first, session: 3)])
            bench.controller.end(link, 0x13)
            bench.settle()
            _ = bench.takeAll()
        }
    }

    @Test func aSubscriptionIsReportedAtItsStartAndAtItsEnd() throws {
        let link = connect()
        let configuration = try handle(first) + 1
        func write(_ bits: UInt8) -> [SessionEvent] {
            #expect(answers([0x12, configuration, 0, bits, 0], on: link) == [[0x13]])
            return bench.take()
        }
        let subscribed = SessionEvent.subscribed(record, first, session: 3)
        let unsubscribed = SessionEvent.unsubscribed(record, first, session: 3)
        #expect(write(0) == [])
        for start in [1, 2, 3] as [UInt8] {
            #expect(write(start) == [subscribed])
            for bits in [1, 2, 3, 1] as [UInt8] { #expect(write(bits) == []) }
            #expect(write(0) == [unsubscribed])
            #expect(write(0) == [])
        }
        #expect(write(2) == [subscribed])
        bench.controller.end(link, 0x13)
        bench.settle()
        #expect(bench.take() == [unsubscribed])
    }

    /// A client that enabled both gets notifications. An indication counts as sent when it is confirmed.
    @Test func theConfigurationSelectsNotificationOrIndication() throws {
        let link = connect()
        let handle = try handle(first)
        let sent = SessionEvent.updatesSent(peer, 1)
        func update(_ value: UInt8) -> [[UInt8]] {
            _ = bench.controller.takeAttributes()
            bench.call { $0.update([value].span, of: first, session: 3, targets: [peer], at: $1) }
            return bench.controller.takeAttributes()
        }
        // Without a subscription nothing is sent and nothing waits.
        #expect(update(1).isEmpty && bench.takeAll().contains(sent))
        for (bits, opcode) in [(1, 0x1B), (2, 0x1D), (3, 0x1B), (2, 0x1D)] as [(UInt8, UInt8)] {
            #expect(answers([0x12, handle + 1, 0, bits, 0], on: link) == [[0x13]])
            _ = bench.takeAll()
            for value in [5, 6] as [UInt8] {
                #expect(update(value) == [[opcode, handle, 0, value]])
                #expect(bench.takeAll().count { $0 == sent } == (opcode == 0x1B ? 1 : 0))
                guard opcode == 0x1D else { continue }
                #expect(answers([0x1E], on: link).isEmpty)
                #expect(bench.takeAll().count { $0 == sent } == 1)
            }
        }
    }

    /// A second value waits for the confirmation of the first, and the end of the link ends both.
    @Test func aNewLinkOwesNoConfirmations() throws {
        let handle = try handle(first)
        let sent = SessionEvent.updatesSent(peer, 1)
        for _ in 0..<3 {
            let link = connect()
            #expect(answers([0x12, handle + 1, 0, 2, 0], on: link) == [[0x13]])
            _ = bench.takeAll()
            for value in [1, 2, 3] as [UInt8] {
                bench.call { $0.update([value].span, of: first, session: 3, targets: [peer], at: $1) }
            }
            #expect(bench.controller.takeAttributes() == [[0x1D, handle, 0, 1]])
            #expect(answers([0x1E], on: link) == [[0x1D, handle, 0, 2]])
            #expect(bench.takeAll().count { $0 == sent } == 1)
            bench.controller.end(link, 0x08)
            bench.settle()
            #expect(bench.takeAll().count { $0 == sent } == 0)
        }
    }

    /// A request that the host took before the end of its service reaches no session.
    @Test func aRequestForARemovedServiceIsRefused() throws {
        let link = connect()
        let handle = try handle(first)
        _ = bench.controller.takeAttributes()
        bench.controller.attribute([0x0A, handle, 0], on: link)
        for packet in bench.controller.takeOutput() { bench.sessions.receive(packet.span, at: bench.now) }
        bench.call { $0.removeServices(of: 3, at: $1) { _ in true } }
        #expect(bench.take() == [])
        #expect(bench.controller.takeAttributes() == [[0x01, 0x0A, handle, 0, 0x0E]])
    }

    @Test func removedServicesLeaveThoseOfOthers() throws {
        let link = connect()
        let removed = try handle(second)
        let kept = try handle(first, session: 4)
        for handle in [removed, kept] { #expect(answers([0x12, handle + 1, 0, 1, 0], on: link) == [[0x13]]) }
        _ = bench.takeAll()
        bench.call { $0.removeServices(of: 3, at: $1) { $0 == 7 } }
        #expect(bench.takeAll() == [.serviceRemoved(token: 7, session: 3)])
        #expect(bench.sessions.context.links.map(\.subscriptions) == [[UInt16(kept)]])
        #expect(bench.sessions.server.services.valueHandle(of: first, session: 3) == nil)
        // Invalid Handle.
        #expect(answers([0x0A, removed, 0], on: link) == [[0x01, 0x0A, removed, 0, 0x01]])
        #expect(answers([0x0A, kept, 0], on: link).isEmpty)
        guard case .readRequest(_, first, offset: 0, record, session: 4)? = bench.take().first else {
            Issue.record("no request")
            return
        }
        // The second service of the session, with the same characteristics.
        add(8, count: 2, session: 3)
        #expect(bench.take() == [.serviceAdded(token: 8, nil, session: 3)])
        #expect(try handle(CharacteristicReference(service: 8, index: 1)) > 0)
        #expect(bench.sessions.server.services.valueHandle(of: first, session: 3) == nil)
        for index in [-1, 2] {
            let missing = CharacteristicReference(service: 8, index: index)
            #expect(bench.sessions.server.services.valueHandle(of: missing, session: 3) == nil)
        }
        bench.call { $0.closePeripheral(3, at: $1) }
        #expect(bench.sessions.server.services.services.map(\.session) == [4])
    }

    @Test func aServiceIncludesThoseOfItsOwnSession() {
        add(8, count: 1, session: 4)
        add(9, count: 1, session: 3, including: [8])
        add(9, count: 1, session: 3, including: [7])
        #expect(
            bench.take() == [
                .serviceAdded(token: 8, nil, session: 4),
                .serviceAdded(token: 9, .unknownIncludedService, session: 3),
                .serviceAdded(token: 9, nil, session: 3),
            ])
    }

    @Test func aServiceNeedsAnAdapterThatIsOnOrOff() {
        bench.call { $0.powerOff(at: $1) }
        _ = bench.take()
        add(8, count: 1, session: 3)
        #expect(bench.take() == [.serviceAdded(token: 8, nil, session: 3)])
        bench.call { $0.detach(at: $1) }
        let other = SessionBench()
        let definition = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [], characteristics: [])
        other.call { $0.add(definition, token: 1, session: 3, at: $1) }
        #expect(other.take() == [.serviceAdded(token: 1, .notPoweredOn, session: 3)])
    }

    /// Connection Parameter Update Request (Vol 3, Part A, 4.20): intervals of 1.25 ms and a timeout of 10 ms as `setLatency` describes them.
    @Test(arguments: [
        (RequestedLatency.low, 15.0, 30.0, 0), (.medium, 60, 90, 0), (.high, 300, 400, 2),
    ])
    func aLatencyIsRequestedInItsUnits(
        _ latency: RequestedLatency, shortest: Double, longest: Double, skipped: UInt16
    ) throws {
        let link = connect()
        var requests: [[UInt8]] = []
        bench.controller.takeSignal = { [bench] handle, packet in
            guard packet[0] == 0x12 else { return }
            requests.append(packet)
            bench.controller.signal([0x13, packet[1], 2, 0, 0, 0], on: handle)
        }
        bench.call { $0.setLatency(latency, of: peer, at: $1) }
        let request = try #require(requests.first)
        let values = stride(from: 4, to: request.count, by: 2).map {
            UInt16(request[$0]) | UInt16(request[$0 + 1]) << 8
        }
        try #require(values.count == 4)
        #expect(values[0] == UInt16(shortest / 1.25) && values[1] == UInt16(longest / 1.25) && values[2] == skipped)
        // The timeout is longer than (1 + latency) * interval * 2 and at most 32 s.
        #expect(Double(values[3]) * 10 > Double(1 + skipped) * longest * 2 && values[3] <= 3200)
        #expect(bench.controller.handles == [link])
    }
}
