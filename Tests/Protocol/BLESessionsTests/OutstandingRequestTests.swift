import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// The requests that a host has outstanding on a link.
struct OutstandingRequestTests {
    private let bench = SessionBench.ready(centrals: 1, 2)
    private let address: UInt64 = 0xC000_0000_0001

    /// The peer answers late. Operations of two sessions, the read of the device name and the subscription to Service Changed wait for
    /// each other: a client has one outstanding request (Vol 3, Part F, 3.3.2).
    @Test func aLinkHasOneOutstandingRequest() throws {
        bench.controller.holdsRequests = true
        bench.connect(address, session: 1)
        bench.connect(address, session: 2)
        var opcodes: [UInt8] = []
        var hasSubmitted = false
        for _ in 0..<100 {
            bench.run(.seconds(2))
            // check-tests: exit: the peer has answered the last request, and the expectations after the loop count all of them.
            guard let request = bench.controller.heldRequests.first else { break }
            #expect(bench.controller.heldRequests.count == 1)
            opcodes.append(request.pdu[0])
            bench.controller.answerRequest()
            bench.settle()
            #expect(bench.controller.heldRequests.count <= 1)
            guard opcodes.count == 1, !hasSubmitted else { continue }
            hasSubmitted = true
            for session in [1, 2] {
                bench.call {
                    $0.submit(.read(handle: 9), to: SessionBench.peer(address), session: session, at: $1)
                    $0.submit(.discoverServices(nil), to: SessionBench.peer(address), session: session, at: $1)
                }
            }
        }
        // Exchange MTU, two reads, two discoveries, the device name, and the search for Service Changed.
        #expect(opcodes.count { $0 == 0x02 } == 1 && opcodes.count { $0 == 0x0A } == 2)
        #expect(opcodes.count { $0 == 0x10 } >= 2 && opcodes.count { $0 == 0x08 || $0 == 0x06 } >= 2)
        #expect(bench.controller.heldRequests.isEmpty)
    }

    /// A host sends nothing on a link whose end it has read, although the read of the device name was due.
    @Test func theEndOfALinkWithdrawsItsRequests() {
        bench.controller.holdsRequests = true
        bench.connect(address, session: 1)
        let handle = bench.controller.handles[0]
        bench.controller.answerRequest()
        bench.settle()
        bench.controller.outcomes = [.pending]
        bench.controller.end(handle, 0x08)
        bench.settle()
        bench.controller.holdsRequests = false
        let before = bench.controller.lateFrames
        bench.run(.seconds(60))
        #expect(bench.controller.heldRequests.isEmpty)
        #expect(bench.controller.lateFrames == before && before == 0)
    }

    /// The host refuses an operation on a link that it no longer has during the call. Its event follows those that wait.
    @Test(arguments: [false, true]) func anEventThatAHandlerCausesIsHandled(isAlone: Bool) {
        let link = LinkIdentifier(rawValue: 99)
        let peer = bench.sessions.context.peers.claim(DeviceAddress(kind: .random, value: address))
        bench.sessions.context.links.append(Link(link, to: peer, SessionBench.peer(address), role: .central))
        let range = HandleRange(start: 1, end: 9)
        // The handler reads the device name.
        bench.sessions.context.host.output.events.pending =
            isAlone ? [.servicesChanged(link, range)] : [.servicesChanged(link, range), .mtuChanged(link, 100)]
        bench.sessions.processHostEvents(at: bench.now)
        #expect(bench.sessions.context.links.map(\.isReadingName) == [false])
        #expect(bench.sessions.host.output.events.pending.isEmpty)
    }

    /// The octets of a value without subscribers do not stay until the next event of a session.
    @Test func aReportThatFollowsAnUnwantedValueEmptiesTheArena() {
        bench.connect(address, session: 1)
        bench.run(.seconds(60))
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        _ = bench.takeAll()
        for _ in 0..<2 {
            bench.controller.attribute([0x1B, 0x55, 0, 1, 2, 3], on: bench.controller.handles[0])
            bench.controller.report(from: 0xC000_0000_0002)
            for packet in bench.controller.takeOutput() { bench.sessions.receive(packet.span, at: bench.now) }
            bench.sessions.context.output.removeAll()
        }
        #expect(bench.sessions.host.output.events.attributes.arena.octets.isEmpty)
    }

    /// The end of a read that passes by itself leaves no octets in the arena.
    @Test func theEndOfAnOperationEmptiesTheArena() {
        bench.connect(address, session: 1)
        bench.run(.seconds(60))
        bench.sessions.submit(.read(handle: 9), to: SessionBench.peer(address), session: 1, at: bench.now)
        bench.controller.receive(bench.sessions.host.output.packets)
        bench.sessions.host.output.packets.removeAll()
        for packet in bench.controller.takeOutput() { bench.sessions.receive(packet.span, at: bench.now) }
        #expect(!bench.sessions.host.output.events.attributes.arena.octets.isEmpty)
        #expect(bench.sessions.takeSoleCompletion()?.session == 1)
        #expect(bench.sessions.host.output.events.attributes.arena.octets.isEmpty)
    }

    /// A read without other events passes by itself, each time, and waits behind other output.
    @Test func theEndOfAReadPassesByItself() throws {
        let peer = SessionBench.peer(address)
        bench.connect(address, session: 1)
        bench.connect(address, session: 2)
        bench.run(.seconds(60))
        _ = bench.takeAll()
        for session in [1, 2, 1] {
            bench.sessions.submit(.read(handle: 9), to: peer, session: session, at: bench.now)
            bench.controller.receive(bench.sessions.host.output.packets)
            bench.sessions.host.output.packets.removeAll()
            for packet in bench.controller.takeOutput() { bench.sessions.receive(packet.span, at: bench.now) }
            var octets: [UInt8] = []
            bench.sessions.context.output.events.append(.note(.writeCommandDropped))
            let early = bench.sessions.takeSoleRead(into: &octets)
            #expect(early == nil)
            bench.sessions.context.output.removeAll()
            let end = bench.sessions.takeSoleRead(into: &octets)
            let read = try #require(end)
            #expect(octets[read.value].elementsEqual([0x2A]))
            #expect(read.handle == 9 && read.peer == peer && read.session == session)
            #expect(bench.sessions.context.links.map(\.operations.count) == [0] && !bench.sessions.hasEvents)
        }
        bench.settle()
        #expect(bench.takeAll() == [])
    }

    /// The host's own operations have numbers of their own: their ends end no operation of a session.
    @Test func theEndsOfTheHostsOwnOperationsEndNoOther() throws {
        let peer = SessionBench.peer(address)
        let read = GATTOperation.read(handle: 9)
        bench.controller.holdsRequests = true
        bench.connect(address, session: 1)
        bench.controller.answerRequest()
        bench.settle()
        #expect(bench.take() == [.connected(PeerRecord(identifier: peer, name: nil), session: 1)])
        // The device name, and the search for Service Changed.
        for opcode in [0x08, 0x06] as [UInt8] {
            bench.run(.seconds(1))
            #expect(bench.controller.heldRequests.map(\.pdu.first) == [opcode])
            bench.call { $0.submit(read, to: peer, session: 1, at: $1) }
            try #require(bench.controller.heldRequests.count == 1)
            bench.controller.answerRequest()
            bench.settle()
            #expect(bench.take() == [] && bench.controller.heldRequests.map(\.pdu) == [[0x0A, 9, 0]])
            try #require(bench.controller.heldRequests.count == 1)
            bench.controller.answerRequest()
            bench.settle()
            #expect(bench.take() == [.completed(read, peer, .success(.value([0x2A])), session: 1)])
        }
    }

    /// The same for the first operation of all.
    @Test func theFirstOperationOutlivesTheSearchForServiceChanged() throws {
        let peer = SessionBench.peer(address)
        bench.controller.holdsRequests = true
        bench.connect(address, session: 1)
        for opcode in [0x02, 0x08] as [UInt8] {
            bench.run(.seconds(1))
            #expect(bench.controller.heldRequests.map(\.pdu.first) == [opcode])
            bench.controller.answerRequest()
            bench.settle()
        }
        bench.run(.seconds(1))
        #expect(bench.controller.heldRequests.map(\.pdu.first) == [0x06])
        _ = bench.take()
        bench.call { $0.submit(.read(handle: 9), to: peer, session: 1, at: $1) }
        bench.controller.answerRequest()
        bench.settle()
        #expect(bench.take() == [] && bench.controller.heldRequests.map(\.pdu) == [[0x0A, 9, 0]])
    }
}
