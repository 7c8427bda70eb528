import BLEAdapter
import BLEWire
import ESPHomeAPI
import Testing

@testable import BLEGatewayAdapter

@Suite struct RemoteLinkTests {
    private static let configuration = GATTDescriptorRecord(uuid: [], handle: 12, shortUUID: 0x2902)
    private static let service = GATTServiceRecord(
        uuid: [], handle: 8,
        characteristics: [
            GATTCharacteristicRecord(
                uuid: [], handle: 10, properties: 0x12, descriptors: [configuration], shortUUID: 0x2A37)
        ], shortUUID: 0x180D)

    /// A link whose services are known.
    private func link() -> RemoteLink {
        var link = RemoteLink(address: 5)
        link.state = .up
        link.submit(.discoverServices(nil), session: 1, at: .zero)
        link.receive(GATTGetServicesResponse(address: 5, services: [Self.service]), at: .zero)
        link.receivedServices(at: .zero)
        _ = link.takeResults()
        _ = link.takeRequests()
        return link
    }

    @Test func attributesOfAHostileGatewayAreBounded() throws {
        var link = RemoteLink(address: 5)
        link.state = .up
        link.submit(.discoverServices(nil), session: 1, at: .zero)
        #expect(link.takeRequests() == [.getServices(GATTGetServicesRequest(address: 5))])
        let characteristic = GATTCharacteristicRecord(
            uuid: [], handle: 3, descriptors: Array(repeating: Self.configuration, count: 998))
        // 1 + 2 + 998 attributes in each message.
        let response = GATTGetServicesResponse(
            address: 5, services: [GATTServiceRecord(uuid: [], handle: 1, characteristics: [characteristic])])
        var all = link.takeResults()
        for count in 1...70 {
            link.receive(response, at: .zero)
            let results = link.takeResults()
            #expect(results.count == (count == 66 ? 1 : 0), "after \(count)")
            all += results
        }
        // Insufficient Resources (Vol 3, Part F, 3.4.1.1).
        try #require(all.count == 1)
        guard case .failure(.attribute(0x11)) = all[0].result else {
            Issue.record("\(all[0].result)")
            return
        }
        // The link works on.
        link.submit(.read(handle: 3), session: 1, at: .zero)
        #expect(link.takeRequests() == [.read(GATTReadRequest(address: 5, handle: 3))])
    }

    @Test func operationsRunOneAfterAnother() throws {
        var link = link()
        link.submit(.read(handle: 10), session: 1, at: .zero)
        link.submit(.write(handle: 10, value: [1]), session: 2, at: .zero)
        #expect(link.takeRequests() == [.read(GATTReadRequest(address: 5, handle: 10))])
        // An answer for another handle is not the answer.
        link.receive(GATTReadResponse(address: 5, handle: 11, data: [9]), at: .zero)
        #expect(link.takeResults().isEmpty)
        link.receive(GATTReadResponse(address: 5, handle: 10, data: [9]), at: .zero + .seconds(1))
        let results = link.takeResults()
        #expect(results.map(\.session) == [1])
        #expect(
            link.takeRequests()
                == [.write(GATTWriteRequest(address: 5, handle: 10, needsResponse: true, data: [1]))])
        #expect(link.deadline == Instant.zero + .seconds(1) + RemoteLink.timeout)
    }

    @Test func aSubscriptionRegistersAndWritesTheConfiguration() throws {
        var link = link()
        link.submit(.setNotify(valueHandle: 10, end: 20, mode: .notification), session: 1, at: .zero)
        #expect(link.takeRequests() == [.notify(GATTNotifyRequest(address: 5, handle: 10, isEnabled: true))])
        link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
        #expect(
            link.takeRequests() == [
                .writeDescriptor(GATTWriteDescriptorRequest(address: 5, handle: 12, data: [1, 0]))
            ])
        link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
        #expect(link.takeResults().count == 1)
        #expect(link.subscribers == [10: [1]])
        // A session that leaves gets no values.
        link.release(1)
        #expect(link.subscribers[10]?.isEmpty == true)
    }

    @Test func aSubscriptionTakesOnlyItsOwnResponses() {
        var link = link()
        link.submit(.setNotify(valueHandle: 10, end: 20, mode: .notification), session: 1, at: .zero)
        // The configuration is not written yet.
        link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
        link.receive(GATTErrorResponse(address: 5, handle: 12, error: 3), at: .zero)
        link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
        for handle in [0, 10, 11, 13, 0x1_000C] as [UInt32] {
            link.receive(GATTWriteResponse(address: 5, handle: handle), at: .zero)
        }
        for handle in [0, 11, 13, 0x1_000A, 0x1_000C] as [UInt32] {
            link.receive(GATTErrorResponse(address: 5, handle: handle, error: 3), at: .zero)
        }
        #expect(link.takeResults().isEmpty)
        #expect(link.subscribers == [10: [1]])
        link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
        #expect(link.takeResults().count == 1)
    }

    /// The value's handle is that of a failed registration, and the configuration's that of a failed write.
    @Test(arguments: [(10, false), (12, true)] as [(UInt32, Bool)])
    func aSubscriptionThatFailsHasNoSubscriber(handle: UInt32, isRegistered: Bool) throws {
        var link = link()
        link.submit(.setNotify(valueHandle: 10, end: 20, mode: .notification), session: 1, at: .zero)
        if isRegistered { link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero) }
        link.receive(GATTErrorResponse(address: 5, handle: handle, error: 3), at: .zero)
        let result = try #require(link.takeResults().first)
        guard case .failure(.attribute(3)) = result.result else {
            Issue.record("\(result.result)")
            return
        }
        #expect(link.subscribers[10]?.isEmpty == true)
    }

    @Test func aValueOfMoreThan512OctetsNeverLeaves() {
        var link = link()
        link.submit(.write(handle: 10, value: Array(repeating: 0, count: 513)), session: 1, at: .zero)
        #expect(link.takeRequests().isEmpty)
        #expect(link.takeResults().count == 1 && link.deadline == nil)
    }

    /// The gateway fails the operations of a lost link before it reports the loss: they have no result.
    @Test func anOperationOfALostLinkHasNoResult() {
        var link = link()
        link.submit(.read(handle: 10), session: 1, at: .zero)
        link.receive(GATTErrorResponse(address: 5, handle: 10, error: 0x8F), at: .zero + .seconds(2))
        #expect(link.takeResults().isEmpty)
        #expect(link.deadline == Instant.zero + .seconds(2) + RemoteLink.lossTimeout)
        link.receive(GATTErrorResponse(address: 5, handle: 10, error: 3), at: .zero + .seconds(3))
        #expect(link.takeResults().count == 1)
    }
}

@Suite struct WriteAdmissionTests {
    private let use = GatewayAdapter.Use(session: 1, peer: PeerIdentifier(high: 0, low: 1))
    private let other = GatewayAdapter.Use(session: 2, peer: PeerIdentifier(high: 0, low: 1))

    @Test func valuesAreBoundedAndWaitingSessionsAreCalledOnce() {
        var writes = WriteAdmission()
        var answers: [WriteAdmission.Answer: Int] = [:]
        for _ in 0..<400 { answers[writes.add(512, for: use), default: 0] += 1 }
        #expect(answers == [.accepted: 128, .full: 128, .dropped: 144])
        #expect(!writes.hasRoom)
        #expect(writes.add(1, for: other) == .dropped)
        // The connection has half of the values: the others are still on their way to it.
        writes.passed(128 * 512)
        #expect(writes.left().isEmpty)
        #expect(writes.add(512, for: use) == .accepted || !writes.hasRoom)
        writes.passed(129 * 512)
        #expect(writes.left() == [use, other])
        #expect(writes.left().isEmpty && writes.hasRoom)
    }

    /// A loss of the network while values are on their way leaves no octets behind.
    @Test func aLostNetworkLeavesNoOctets() {
        var writes = WriteAdmission()
        _ = writes.add(60_000, for: use)
        _ = writes.add(60_000, for: use)
        writes.passed(60_000)
        writes.reset()
        #expect(writes.hasRoom)
        writes.passed(60_000)
        #expect(writes.left().isEmpty)
        #expect(writes.add(60_000, for: use) == .accepted)
    }
}
