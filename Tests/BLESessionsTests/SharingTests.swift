import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Operations, subscriptions and values of sessions that share a link.
struct SharingTests {
    private func completed(_ events: [SessionEvent]) -> [Int] {
        events.compactMap { if case .completed(_, _, .success, let session) = $0 { session } else { nil } }
    }

    @Test func operationsCompleteInOrder() {
        let pair = SessionPair()
        pair.connect(1, 2)
        pair.submit(.read(handle: pair.handle), session: 1)
        pair.submit(.write(handle: pair.handle, value: [9]), session: 2)
        pair.submit(.read(handle: pair.handle), session: 2)
        pair.run(.seconds(1))
        let events = pair.central.take()
        #expect(completed(events) == [1, 2, 2])
        #expect(
            events.first
                == .completed(.read(handle: pair.handle), pair.peer, .success(.value([1, 2, 3])), session: 1))
        #expect(pair.peripheral.writes == [[[9]]])
        #expect(pair.central.sessions.links[0].operations.isEmpty)
    }

    @Test func anOperationWithoutAConnectionFails() {
        let pair = SessionPair()
        pair.connect(1)
        pair.submit(.readRSSI, session: 2)
        pair.settle()
        #expect(
            pair.central.take() == [.completed(.readRSSI, pair.peer, .failure(.notConnected), session: 2)])
    }

    @Test func aSubscriptionIsSharedAndEndsWithTheLastSession() {
        let pair = SessionPair()
        pair.connect(1, 2)
        pair.subscribe(session: 1)
        pair.subscribe(session: 2)
        #expect(completed(pair.central.take()) == [1, 2])
        func subscriptions() -> Int {
            pair.peripheral.take().count {
                switch $0 {
                case .subscribed, .unsubscribed: true
                default: false
                }
            }
        }
        #expect(subscriptions() == 1)
        pair.update([5])
        pair.run(.seconds(1))
        #expect(pair.central.takeValues().map(\.sessions) == [[1, 2]])

        pair.subscribe(.off, session: 1)
        #expect(subscriptions() == 0)
        pair.update([6])
        pair.run(.seconds(1))
        #expect(pair.central.takeValues().map(\.sessions) == [[2]])

        pair.subscribe(.off, session: 2)
        #expect(subscriptions() == 1)
    }

    @Test func aSessionThatCancelsEndsItsSubscription() {
        let pair = SessionPair()
        pair.connect(1, 2)
        pair.subscribe(session: 1)
        pair.subscribe(session: 2)
        pair.central.sessions.cancelConnection(pair.peer, session: 1, at: pair.now)
        pair.run(.seconds(1))
        pair.update([5])
        pair.run(.seconds(1))
        #expect(pair.central.takeValues().map(\.sessions) == [[2]])
        pair.central.sessions.closeCentral(2, at: pair.now)
        pair.run(.seconds(2))
        #expect(pair.central.sessions.links.isEmpty && pair.peripheral.sessions.links.isEmpty)
        #expect(
            pair.peripheral.take().contains {
                if case .unsubscribed(_, SessionPair.characteristic, session: 3) = $0 { true } else { false }
            })
    }

    @Test func anIndicationWaitsForItsConfirmation() throws {
        let pair = SessionPair()
        pair.connect(1)
        pair.subscribe(.indication, session: 1)
        pair.central.confirms = false
        _ = pair.peripheral.take()
        pair.update([1])
        pair.update([2])
        pair.run(.seconds(1))
        #expect(pair.central.takeValues().map(\.value) == [[1]])
        #expect(!pair.peripheral.take().contains(.updatesSent(pair.central.peer, 1)))
        let link = try #require(pair.central.sessions.links.first?.identifier)
        pair.central.sessions.host.confirmIndication(on: link, at: pair.now)
        pair.run(.seconds(1))
        #expect(pair.central.takeValues().map(\.value) == [[2]])
        #expect(pair.peripheral.take().count { $0 == .updatesSent(pair.central.peer, 1) } == 1)
    }

    @Test func aConfirmedServiceChangeSendsNoUpdate() throws {
        let pair = SessionPair()
        pair.connect(1)
        // The host subscribes to Service Changed in the pauses of the program.
        pair.run(.seconds(3))
        pair.subscribe(.indication, session: 1)
        pair.central.confirms = false
        _ = pair.peripheral.take()
        _ = pair.central.take()
        let service = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE8)), isPrimary: true, includedServices: [], characteristics: [])
        pair.peripheral.sessions.add(service, token: 8, session: 3, at: pair.now)
        pair.update([1])
        pair.run(.seconds(1))
        #expect(pair.central.take().contains { if case .servicesChanged = $0 { true } else { false } })
        #expect(pair.central.takeValues().map(\.value) == [[1]])
        #expect(!pair.peripheral.take().contains(.updatesSent(pair.central.peer, 1)))
        let link = try #require(pair.central.sessions.links.first?.identifier)
        pair.central.sessions.host.confirmIndication(on: link, at: pair.now)
        pair.run(.seconds(1))
        #expect(pair.peripheral.take().count { $0 == .updatesSent(pair.central.peer, 1) } == 1)
    }

    @Test func aContinuouslyUsedBacklogIsBounded() {
        var backlog = ValueBacklog()
        var next: UInt16 = 0
        func value(_ number: UInt16) -> [UInt8] { [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20) }
        for number in 0..<UInt16(20) { backlog.append(value(number).span, handle: number) }
        for number in UInt16(20)..<10_000 {
            backlog.append(value(number).span, handle: number)
            backlog.takeFirst { handle, octets in
                #expect(handle == next && octets.elementsEqual(value(next).span))
            }
            next += 1
        }
        #expect(backlog.octets.count < 4_000)
    }

    @Test func updatesWaitInOrderForAFullHostQueue() {
        let pair = SessionPair()
        pair.connect(1)
        pair.subscribe(session: 1)
        _ = pair.peripheral.take()
        let count = 200
        for number in 0..<count { pair.update([UInt8(number)] + [UInt8](repeating: 0, count: 200)) }
        #expect(pair.peripheral.sessions.links.contains { !$0.backlog.isEmpty })
        pair.run(.seconds(5))
        #expect(pair.central.takeValues().map { Int($0.value[0]) } == Array(0..<count))
        let sent = pair.peripheral.take().reduce(0) {
            if case .updatesSent(_, let count) = $1 { $0 + count } else { $0 }
        }
        #expect(sent == count)
    }

    @Test func writeCommandsWaitInOrderForAFullHostQueue() {
        let pair = SessionPair()
        pair.connect(1)
        let count = 200
        pair.write((0..<count).map { ([UInt8($0)] + [UInt8](repeating: 0, count: 200), 1) })
        pair.run(.seconds(5))
        #expect(pair.peripheral.writes.map { Int($0[0][0]) } == Array(0..<count))
        let sent = pair.central.take().reduce(0) {
            if case .commandsSent(_, let count) = $1 { $0 + count } else { $0 }
        }
        #expect(sent == count)
    }

    @Test func writeCommandsOfASessionThatIsNotConnectedAreDropped() {
        let pair = SessionPair()
        pair.connect(1, 2)
        pair.central.sessions.cancelConnection(pair.peer, session: 2, at: pair.now)
        pair.run(.seconds(1))
        _ = pair.central.take()
        pair.write([2, 7, 1].map { ([UInt8($0)], $0) })
        pair.run(.seconds(1))
        #expect(pair.peripheral.writes == [[[1]]])
        // Each value was counted for admission and is no longer waiting.
        #expect(
            pair.central.take() == [
                .commandsSent(pair.peer, 1), .commandsSent(pair.peer, 1), .commandsSent(pair.peer, 1),
            ])
    }

    @Test func aRequestIsAnsweredOnce() {
        let pair = SessionPair()
        pair.connect(1)
        pair.peripheral.answer = nil
        pair.submit(.read(handle: pair.handle), session: 1)
        pair.run(.seconds(1))
        let requests = pair.peripheral.take().compactMap { event -> RequestIdentifier? in
            if case .readRequest(let request, SessionPair.characteristic, offset: 0, _, session: 3) = event {
                request
            } else {
                nil
            }
        }
        #expect(requests.count == 1)
        for request in requests {
            pair.peripheral.sessions.respond(to: request, error: 0x05, value: nil, at: pair.now)
            pair.peripheral.sessions.respond(to: request, error: 0, value: [1], at: pair.now)
        }
        pair.run(.seconds(1))
        #expect(
            pair.central.take() == [
                .completed(
                    .read(handle: pair.handle), pair.peer, .failure(.attribute(0x05)), session: 1)
            ])
    }

    @Test func aLateResponseIsIgnoredAfterAPowerOff() {
        let pair = SessionPair()
        pair.connect(1)
        pair.peripheral.answer = nil
        func request() -> RequestIdentifier? {
            pair.submit(.read(handle: pair.handle), session: 1)
            pair.run(.seconds(1))
            for case .readRequest(let request, _, _, _, _) in pair.peripheral.take() { return request }
            return nil
        }
        let first = request()
        pair.peripheral.sessions.powerOff(at: pair.now)
        pair.run(.seconds(2))
        pair.peripheral.sessions.powerOn(at: pair.now)
        pair.run(.seconds(2))
        pair.connect(1)
        let second = request()
        #expect(first != nil && second != nil && first != second)
    }

    @Test func aClosedSessionRefusesItsPendingRequests() {
        let pair = SessionPair()
        pair.connect(1)
        pair.peripheral.answer = nil
        pair.submit(.read(handle: pair.handle), session: 1)
        pair.run(.seconds(1))
        #expect(completed(pair.central.take()).isEmpty)
        let read = GATTOperation.read(handle: pair.handle)
        pair.peripheral.sessions.closePeripheral(3, at: pair.now)
        pair.run(.seconds(1))
        #expect(
            pair.central.take().contains(
                .completed(read, pair.peer, .failure(.attribute(ATT.ErrorCode.unlikelyError.rawValue)), session: 1)))
    }

    @Test func aRemovedServiceIsIndicatedToItsClients() {
        let pair = SessionPair()
        pair.connect(1)
        // The host subscribes to Service Changed in the pauses of the program.
        pair.run(.seconds(3))
        pair.subscribe(session: 1)
        _ = pair.central.take()
        let handle = pair.handle
        #expect(pair.peripheral.sessions.links.contains { $0.subscriptions.contains(handle) })
        pair.peripheral.sessions.removeServices(of: 3, at: pair.now) { $0 == 7 }
        pair.run(.seconds(1))
        let events = pair.central.take()
        #expect(events.contains { if case .servicesChanged(pair.peer, _, _, _) = $0 { true } else { false } })
        #expect(!pair.peripheral.sessions.links.contains { $0.subscriptions.contains(handle) })
    }

    @Test func theUpdateLengthFollowsTheMTU() {
        let pair = SessionPair()
        pair.central.sessions.connect(pair.peer, options: ConnectionOptions(), session: 1, at: pair.now)
        pair.run(.seconds(2))
        let record = CentralRecord(identifier: pair.central.peer, maximumUpdateLength: 495)
        #expect(pair.peripheral.take().contains(.maximumUpdateLengthChanged(record)))
    }
}

struct ChannelTests {
    private func publish(_ pair: SessionPair) -> UInt16 {
        pair.peripheral.sessions.publishChannel(requiresEncryption: false, session: 3)
        for case .channelPublished(.success(let psm), session: 3) in pair.peripheral.sessions.output.events {
            return psm
        }
        return 0
    }

    /// The central's and the peripheral's end of a new channel.
    private func open(_ pair: SessionPair, _ psm: UInt16) throws -> (ChannelIdentifier, ChannelIdentifier) {
        pair.central.sessions.openChannel(psm: psm, to: pair.peer, session: 1, at: pair.now)
        pair.run(.seconds(1))
        var ends: [ChannelIdentifier] = []
        for case .channelOpened(let channel, _, pair.peer, session: 1) in pair.central.take() { ends.append(channel) }
        for case .channelAccepted(let channel, _, _, session: 3) in pair.peripheral.take() { ends.append(channel) }
        try #require(ends.count == 2)
        return (ends[0], ends[1])
    }

    @Test func psmsAreAssignedInTurnUntilExhausted() {
        let pair = SessionPair()
        let first = publish(pair)
        #expect(first == 0x0080)
        pair.peripheral.sessions.unpublishChannel(first, session: 3, at: pair.now)
        pair.settle()
        _ = pair.peripheral.take()
        #expect(publish(pair) == 0x0081, "the number of the removed service comes last")
        pair.settle()
        for _ in 0..<127 {
            pair.peripheral.sessions.publishChannel(requiresEncryption: false, session: 3)
        }
        pair.settle()
        _ = pair.peripheral.take()
        pair.peripheral.sessions.publishChannel(requiresEncryption: false, session: 3)
        pair.settle()
        #expect(pair.peripheral.take() == [.channelPublished(.failure(.noResources), session: 3)])
        pair.peripheral.sessions.unpublishChannel(0x0001, session: 3, at: pair.now)
        pair.settle()
        #expect(pair.peripheral.take() == [.channelUnpublished(psm: 1, .unknownPSM, session: 3)])
    }

    @Test func anUnknownServiceIsRefused() {
        let pair = SessionPair()
        pair.connect(1)
        pair.central.sessions.openChannel(psm: 0x00F0, to: pair.peer, session: 1, at: pair.now)
        pair.central.sessions.openChannel(psm: 0x00F0, to: pair.peer, session: 2, at: pair.now)
        pair.run(.seconds(1))
        #expect(
            pair.central.take() == [
                .channelRefused(.notConnected, psm: 0x00F0, pair.peer, session: 2),
                .channelRefused(.unknownPSM, psm: 0x00F0, pair.peer, session: 1),
            ])
    }

    @Test func anSDUArrivesAndAClosedChannelEndsAfterIt() throws {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        let (near, far) = try open(pair, psm)
        let sdu: [UInt8] = [1, 2, 3, 4]
        let isQueued = pair.central.sessions.send(sdu.span, on: near, at: pair.now)
        #expect(isQueued)
        pair.central.sessions.closeChannel(near, at: pair.now)
        #expect(pair.central.sessions.output.events == [.channelWritable(near)])
        pair.central.sessions.channelFlushed(near, at: pair.now)
        pair.run(.seconds(1))
        #expect(pair.peripheral.channelOctets == sdu)
        #expect(pair.peripheral.take().contains(.channelClosed(far, .peer)))
        #expect(pair.central.take().contains(.channelClosed(near, .local)))
    }

    @Test func aChannelThatIsNotFlushedEndsAfterTenSeconds() throws {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        let (near, _) = try open(pair, psm)
        pair.central.sessions.closeChannel(near, at: pair.now)
        pair.run(.milliseconds(9_900))
        #expect(!pair.central.take().contains(.channelClosed(near, .local)))
        pair.run(.milliseconds(500))
        #expect(pair.central.take().contains(.channelClosed(near, .local)))
    }

    @Test func aRemovedServiceEndsItsChannels() throws {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        let (near, far) = try open(pair, psm)
        pair.peripheral.sessions.unpublishChannel(psm, session: 3, at: pair.now)
        pair.settle()
        #expect(
            pair.peripheral.take() == [
                .channelClosing(far, .local), .channelWritable(far), .channelUnpublished(psm: psm, nil, session: 3),
            ])
        pair.peripheral.sessions.channelFlushed(far, at: pair.now)
        pair.run(.seconds(1))
        #expect(pair.central.take().contains(.channelClosed(near, .peer)))
    }

    @Test func aLostAdapterEndsChannels() throws {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        let (near, _) = try open(pair, psm)
        pair.central.sessions.detach(at: pair.now)
        pair.settle()
        #expect(pair.central.take().contains(.channelClosed(near, .linkLost)))
        #expect(pair.central.sessions.channels.channels.isEmpty)
    }
}
