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
        #expect(pair.central.sessions.context.links[0].operations.isEmpty)
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
        #expect(pair.central.sessions.context.links.isEmpty && pair.peripheral.sessions.context.links.isEmpty)
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
        let link = try #require(pair.central.sessions.context.links.first?.identifier)
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
        let link = try #require(pair.central.sessions.context.links.first?.identifier)
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
        #expect(pair.peripheral.sessions.context.links.contains { !$0.backlog.isEmpty })
        pair.run(.seconds(5))
        #expect(pair.central.takeValues().map { Int($0.value[0]) } == Array(0..<count))
        let sent = pair.peripheral.take().reduce(0) {
            if case .updatesSent(_, let count) = $1 { $0 + count } else { $0 }
        }
        #expect(sent == count)
    }

    /// The time until a subscriber has many values.
    private func timeOfUpdates(features: UInt8, count: Int = 2_000, length: Int = 2) -> TimeSpan {
        let pair = SessionPair(hasCrypto: true)
        pair.connect(1)
        pair.subscribe(session: 1)
        // The handle of Client Supported Features.
        pair.submit(.write(handle: 0x0B, value: [features]), session: 1)
        pair.run(.seconds(1))
        _ = pair.central.takeValues()
        _ = pair.peripheral.take()
        let begin = pair.now
        let rest = [UInt8](repeating: 0, count: length - 2)
        for number in 0..<count { pair.update([UInt8(number % 256), UInt8(number / 256)] + rest) }
        #expect(pair.peripheral.sessions.context.links.contains { !$0.backlog.isEmpty })
        var values: [[UInt8]] = []
        while values.count < count, pair.now - begin < .seconds(60) {
            pair.run(.milliseconds(10))
            values += pair.central.takeValues().map(\.value)
            // The host has what it has room for, and the rest waits.
            let most = HostConfiguration().transmitQueueOctets + 512
            for link in pair.peripheral.sessions.context.links {
                let queued = pair.peripheral.sessions.host.queuedOctets(on: link.identifier)
                #expect(queued <= most)
            }
        }
        #expect(values.map { Int($0[0]) + Int($0[1]) * 256 } == Array(0..<count))
        let sent = pair.peripheral.take().reduce(0) {
            if case .updatesSent(_, let count) = $1 { $0 + count } else { $0 }
        }
        #expect(sent == count)
        return pair.now - begin
    }

    @Test("GATT/SR/GAN/BV-02-C: what waits goes in few notifications to a client that supports it")
    func aBacklogIsSentInFewNotifications() {
        let alone = timeOfUpdates(features: 0)
        let together = timeOfUpdates(features: 4)
        #expect(together * 3 < alone * 2, "\(together) \(alone)")
        // Long values take as much room as they need.
        for length in [40, 240, 490] { _ = timeOfUpdates(features: 4, count: 40_000 / length, length: length) }
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
        #expect(pair.peripheral.sessions.context.links.contains { $0.subscriptions.contains(handle) })
        pair.peripheral.sessions.removeServices(of: 3, at: pair.now) { $0 == 7 }
        pair.run(.seconds(1))
        let events = pair.central.take()
        #expect(events.contains { if case .servicesChanged(pair.peer, _, _, _) = $0 { true } else { false } })
        #expect(!pair.peripheral.sessions.context.links.contains { $0.subscriptions.contains(handle) })
    }

    @Test func theUpdateLengthFollowsTheMTU() {
        let pair = SessionPair()
        pair.central.sessions.connect(pair.peer, options: ConnectionOptions(), session: 1, at: pair.now)
        pair.run(.seconds(2))
        let record = CentralRecord(identifier: pair.central.peer, maximumUpdateLength: 495)
        #expect(pair.peripheral.take().contains(.maximumUpdateLengthChanged(record)))
    }

    @Test func foundServicesArePublishedBeforeTheDiscoveryEnds() {
        let pair = SessionPair()
        pair.connect(1)
        for _ in 0..<2 {
            pair.submit(.discoverServices(nil), session: 1)
            pair.run(.seconds(1))
            let events = pair.central.take().filter {
                switch $0 {
                case .servicesFound, .completed: true
                default: false
                }
            }
            guard case .completed(_, _, .success(.services(let found)), session: 1)? = events.last else {
                Issue.record("\(events)")
                return
            }
            #expect(events.count == 2 && events.first == .servicesFound(pair.peer, found.map(\.uuid)))
            #expect(found.contains { $0.uuid == BluetoothUUID(UInt16(0xFEE7)) })
        }
    }

    /// A client confirms each indication (Vol 3, Part F, 3.4.7.3), also without a subscriber, and no notification.
    @Test func anIndicationWithoutASubscriberIsConfirmed() throws {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(0xC000_0000_0001, session: 1)
        bench.run(.seconds(30))
        let handle = try #require(bench.controller.handles.first)
        _ = bench.controller.takeAttributes()
        for _ in 0..<3 {
            bench.controller.attribute([0x1B, 9, 0, 1], on: handle)
            bench.settle()
            #expect(bench.controller.takeAttributes().isEmpty)
            bench.controller.attribute([0x1D, 9, 0, 1], on: handle)
            bench.settle()
            #expect(bench.controller.takeAttributes() == [[0x1E]])
        }
        #expect(bench.take().contains { if case .value = $0 { true } else { false } } == false)
    }

    private func counts(_ events: [SessionEvent]) -> [Int] {
        events.compactMap { if case .commandsSent(_, let count) = $0 { count } else { nil } }
    }

    @Test func sentCommandsAreCountedForEachRunOfASession() {
        let pair = SessionPair()
        pair.connect(1, 2)
        pair.write([1, 1, 2, 2, 2, 1].map { ([UInt8($0)], $0) })
        pair.settle()
        #expect(counts(pair.central.take()) == [2, 3, 1])
    }

    @Test func sentCommandsAreCountedForEachPeer() {
        let bench = SessionBench.ready(centrals: 1)
        let addresses = (1...3).map { 0xC000_0000_0000 | UInt64($0) }
        for address in addresses { bench.connect(address, session: 1) }
        bench.run(.seconds(30))
        for _ in 0..<2 {
            _ = bench.takeAll()
            var batch = WriteCommandBatch()
            // The last peer is not connected.
            for number in [0, 0, 1, 2, 2, 2, 0, 3] {
                let peer = SessionBench.peer(0xC000_0000_0001 + UInt64(number))
                batch.append([UInt8(number)].span, handle: 9, to: peer, session: 1)
            }
            bench.call { $0.write(batch, at: $1) }
            let sent = bench.takeAll().compactMap { event -> [UInt64]? in
                if case .commandsSent(let peer, let count) = event { [peer.low & 0xF, UInt64(count)] } else { nil }
            }
            #expect(sent == [[1, 2], [2, 1], [3, 3], [1, 1], [4, 1]])
        }
    }

    /// No count is zero, although the commands of most runs wait.
    @Test func commandsOfTwoSessionsWaitInOrderForAFullHostQueue() {
        let pair = SessionPair()
        pair.connect(1, 2)
        let count = 200
        for round in 0..<2 {
            pair.write((0..<count).map { ([UInt8($0)] + [UInt8](repeating: 0, count: 200), 1 + $0 % 2) })
            pair.run(.seconds(5))
            #expect(pair.peripheral.writes.map { Int($0[0][0]) } == (0...round).flatMap { _ in 0..<count })
            let sent = counts(pair.central.take())
            #expect(sent.reduce(0, +) == count && sent.allSatisfy { $0 > 0 })
        }
    }

    /// A batch of any size starts anew.
    @Test func anEmptiedBatchHoldsNothing() {
        let pair = SessionPair()
        pair.connect(1)
        var batch = WriteCommandBatch()
        for (round, length) in [1, 400, 3, 2].enumerated() {
            let value = [UInt8](repeating: UInt8(round), count: length)
            // More octets than the buffer that stays.
            for _ in 0..<(length == 400 ? 200 : 1) {
                batch.append(value.span, handle: pair.handle, to: pair.peer, session: 1)
            }
            pair.central.sessions.write(batch, at: pair.now)
            batch.removeAll()
            pair.run(.seconds(10))
        }
        let lengths = pair.peripheral.writes.map { $0[0].count }
        #expect(lengths == [1] + [Int](repeating: 400, count: 200) + [3, 2])
        #expect(pair.peripheral.writes.last == [[3, 3]])
    }
}

struct ChannelTests {
    private func publish(_ pair: SessionPair) -> UInt16 {
        pair.peripheral.sessions.publishChannel(requiresEncryption: false, session: 3)
        for case .channelPublished(.success(let psm), session: 3) in pair.peripheral.sessions.context.output.events {
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
        #expect(pair.central.sessions.context.output.events == [.channelWritable(near)])
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

    /// A notification carries at most ATT_MTU - 3 octets (Vol 3, Part F, 3.4.7.1).
    @Test func anAcceptedChannelNamesItsCentral() throws {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        pair.central.sessions.openChannel(psm: psm, to: pair.peer, session: 1, at: pair.now)
        pair.run(.seconds(1))
        let record = CentralRecord(identifier: pair.central.peer, maximumUpdateLength: 495)
        let accepted = pair.peripheral.take().filter {
            if case .channelAccepted(_, _, record, session: 3) = $0 { true } else { false }
        }
        #expect(accepted.count == 1)
    }

    @Test func aServiceOfAnotherSessionStays() {
        let pair = SessionPair()
        pair.connect(1)
        let psm = publish(pair)
        pair.settle()
        _ = pair.peripheral.take()
        pair.peripheral.sessions.unpublishChannel(psm, session: 4, at: pair.now)
        pair.settle()
        #expect(pair.peripheral.take() == [.channelUnpublished(psm: psm, .unknownPSM, session: 4)])
        #expect(throws: Never.self) { try open(pair, psm) }
        pair.peripheral.sessions.closePeripheral(3, at: pair.now)
        pair.run(.seconds(20))
        #expect(pair.central.sessions.channels.channels.isEmpty)
        #expect(pair.peripheral.sessions.channels.channels.isEmpty)
        _ = pair.central.take()
        pair.central.sessions.openChannel(psm: psm, to: pair.peer, session: 1, at: pair.now)
        pair.run(.seconds(1))
        #expect(pair.central.take() == [.channelRefused(.unknownPSM, psm: psm, pair.peer, session: 1)])
    }

    /// LE Credit Based Connection Response with success, and with No resources (Vol 3, Part A, 4.23).
    @Test(arguments: [0, 4] as [UInt8]) func aChannelThatItsSessionGaveUpIsNotReported(_ result: UInt8) throws {
        let bench = SessionBench.ready(centrals: 1, 2)
        let address: UInt64 = 0xC000_0000_0001
        for session in [1, 2] { bench.connect(address, session: session) }
        bench.run(.seconds(30))
        var signals: [[UInt8]] = []
        bench.controller.takeSignal = { signals.append($1) }
        let handle = try #require(bench.controller.handles.first)
        for _ in 0..<2 {
            signals = []
            bench.call { $0.openChannel(psm: 0x80, to: SessionBench.peer(address), session: 1, at: $1) }
            let request = try #require(signals.first)
            #expect(request[0] == 0x14 && signals.count == 1)
            bench.cancel(address, session: 1)
            _ = bench.take()
            bench.controller.signal(
                [0x15, request[1], 10, 0, 0x41, 0, 100, 0, 100, 0, 5, 0, result, 0], on: handle)
            bench.settle()
            #expect(bench.take() == [])
            // Disconnection Request for the channel that the peer accepted (Vol 3, Part A, 4.6).
            let ends = signals.dropFirst()
            #expect(ends.map { $0[0] } == (result == 0 ? [0x06] : []))
            for end in ends {
                #expect(Array(end[4..<6]) == [0x41, 0])
                bench.controller.signal([0x07, end[1], 4, 0] + end[4...], on: handle)
                bench.settle()
            }
            #expect(bench.sessions.channels.channels.isEmpty && bench.sessions.nextDeadline == nil)
            bench.connect(address, session: 1)
            _ = bench.take()
        }
    }

    /// A session that leaves a peer, or ends, takes along the channels for which it waits, and no others.
    @Test(arguments: [false, true]) func channelsThatWaitEndWithTheirUse(closes: Bool) {
        let bench = SessionBench.ready(centrals: 1, 2)
        let addresses: [UInt64] = [0xC000_0000_0001, 0xC000_0000_0002]
        for address in addresses {
            for session in [1, 2] { bench.connect(address, session: session) }
        }
        bench.run(.seconds(30))
        var signals: [(handle: UInt16, packet: [UInt8])] = []
        bench.controller.takeSignal = { signals.append(($0, $1)) }
        for psm in [0x80, 0x81] as [UInt16] {
            for address in addresses {
                for session in [1, 2] {
                    bench.call { $0.openChannel(psm: psm, to: SessionBench.peer(address), session: session, at: $1) }
                }
            }
        }
        _ = bench.take()
        if closes { bench.call { $0.closeCentral(1, at: $1) } } else { bench.cancel(addresses[0], session: 1) }
        while !signals.isEmpty {
            let (handle, request) = signals.removeFirst()
            // No resources (Vol 3, Part A, 4.23).
            bench.controller.signal([0x15, request[1], 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0], on: handle)
            bench.settle()
        }
        let refused = bench.take().compactMap { event -> [UInt64]? in
            guard case .channelRefused(.noResources, let psm, let peer, let session) = event else { return nil }
            return [UInt64(session), peer.low, UInt64(psm)]
        }
        var expected: [[UInt64]] = addresses.map { [2, $0, 0x80] } + addresses.map { [2, $0, 0x81] }
        if !closes { expected += [[1, addresses[1], 0x80], [1, addresses[1], 0x81]] }
        #expect(Set(refused) == Set(expected) && refused.count == expected.count)
        #expect(bench.sessions.channels.requests.isEmpty && bench.sessions.channels.channels.isEmpty)
    }

    /// The wait for the data of a closed channel ends with the channel.
    @Test func theEndOfAChannelEndsItsLinger() throws {
        let pair = SessionPair()
        pair.connect(1)
        pair.run(.seconds(30))
        let psm = publish(pair)
        pair.settle()
        for _ in 0..<2 {
            let (near, _) = try open(pair, psm)
            pair.central.sessions.closeChannel(near, at: pair.now)
            pair.central.sessions.closeChannel(near, at: pair.now)
            pair.central.sessions.channelFlushed(near, at: pair.now)
            pair.run(.seconds(1))
            #expect(pair.central.take().count { $0 == .channelClosed(near, .local) } == 1)
            #expect(pair.central.sessions.context.timers.next == nil)
            // The peer closes the channel before this side has sent its data.
            let (second, far) = try open(pair, psm)
            pair.central.sessions.closeChannel(second, at: pair.now)
            #expect(pair.central.sessions.context.timers.next == pair.now + .seconds(10))
            pair.peripheral.sessions.closeChannel(far, at: pair.now)
            pair.peripheral.sessions.channelFlushed(far, at: pair.now)
            pair.run(.seconds(1))
            #expect(pair.central.take().contains(.channelClosed(second, .peer)))
            #expect(
                pair.central.sessions.context.timers.next == nil && pair.peripheral.sessions.context.timers.next == nil)
        }
    }

    /// The last number that is free is found, wherever the search begins.
    @Test(arguments: [0x80, 0x81, 0xFE, 0xFF] as [UInt16]) func theLastFreePSMIsFound(free: UInt16) {
        var table = ChannelTable()
        for psm in 0x80...0xFF as ClosedRange<UInt16> {
            #expect(table.takePSM() == psm)
            table.services.append(.init(session: 3, psm: psm))
        }
        for _ in 0..<3 {
            #expect(table.takePSM() == nil)
            table.services.removeAll { $0.psm == free }
            #expect(table.takePSM() == free)
            table.services.append(.init(session: 3, psm: free))
        }
    }
}
