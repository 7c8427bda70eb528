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

/// The second of each kind, and values at the limits.
@Suite struct RemoteLinkRoundsTests {
    private func descriptor(_ uuid: UInt32, _ handle: UInt32) -> GATTDescriptorRecord {
        GATTDescriptorRecord(uuid: [], handle: handle, shortUUID: uuid)
    }

    /// A link with the characteristics of the values 10, with a configuration at 12, and 20, without one.
    private func link() -> RemoteLink {
        var link = RemoteLink(address: 5)
        link.state = .up
        link.submit(.discoverServices(nil), session: 1, at: .zero)
        let service = GATTServiceRecord(
            uuid: [], handle: 8,
            characteristics: [
                GATTCharacteristicRecord(
                    uuid: [], handle: 10, properties: 0x12,
                    descriptors: [descriptor(0x2901, 11), descriptor(0x2902, 12)],
                    shortUUID: 0x2A37),
                GATTCharacteristicRecord(uuid: [], handle: 20, properties: 0x12, shortUUID: 0x2A38),
            ], shortUUID: 0x180D)
        link.receive(GATTGetServicesResponse(address: 5, services: [service]), at: .zero)
        link.receivedServices(at: .zero)
        _ = (link.takeResults(), link.takeRequests())
        return link
    }

    /// The results since the last call, as words.
    private func results(_ link: inout RemoteLink) -> [String] {
        link.takeResults().map { result in
            let text =
                switch result.result {
                case .success(.done): "done"
                case .success(.value(let value)): "value \(value.count)"
                case .success(.services(let services)): "services \(services.map(\.range.start))"
                case .success(.characteristics(let found)): "characteristics \(found.map(\.valueHandle))"
                case .success(.descriptors(let found)): "descriptors \(found.map(\.handle))"
                case .success: "another"
                case .failure(.attribute(let code)): "attribute \(code)"
                case .failure(let failure): "\(failure)"
                }
            return "\(result.session): \(text)"
        }
    }

    @Test func theServicesAreAskedForOnce() {
        var link = RemoteLink(address: 5)
        link.state = .up
        // Before the services are known, there is nothing in them.
        link.submit(.discoverCharacteristics(service: HandleRange(start: 8, end: 20), nil), session: 1, at: .zero)
        link.submit(.discoverDescriptors(after: 10, end: 20), session: 1, at: .zero)
        #expect(results(&link) == ["1: characteristics []", "1: descriptors []"])
        #expect(link.takeRequests().isEmpty && link.deadline == nil)
        link = self.link()
        for _ in 0..<2 {
            link.submit(.discoverServices(nil), session: 2, at: .zero)
            link.submit(.discoverServices([BluetoothUUID(0x180F as UInt16)]), session: 2, at: .zero)
            link.submit(.discoverIncludedServices(service: HandleRange(start: 8, end: 20), nil), session: 2, at: .zero)
            link.submit(.discoverCharacteristics(service: HandleRange(start: 8, end: 20), nil), session: 2, at: .zero)
            link.submit(.discoverDescriptors(after: 10, end: 19), session: 2, at: .zero)
            #expect(
                results(&link) == [
                    "2: services [8]", "2: services []", "2: services []", "2: characteristics [10, 20]",
                    "2: descriptors [11, 12]",
                ])
            #expect(link.takeRequests().isEmpty && link.deadline == nil)
        }
        // Services that nobody asked for change nothing.
        link.receive(
            GATTGetServicesResponse(address: 5, services: [GATTServiceRecord(uuid: [], handle: 99, shortUUID: 0x180F)]),
            at: .zero)
        link.receivedServices(at: .zero)
        link.submit(.discoverServices(nil), session: 1, at: .zero)
        #expect(results(&link) == ["1: services [8]"])
    }

    /// Service declarations, characteristic declarations and values, and descriptors: 65,535 attributes and no more (Vol 3, Part F, 3.2.2).
    @Test func aServerHasAtMost65535Attributes() {
        func response(_ descriptors: Int) -> GATTGetServicesResponse {
            let characteristic = GATTCharacteristicRecord(
                uuid: [], handle: 3, descriptors: Array(repeating: descriptor(0x2902, 4), count: descriptors))
            return GATTGetServicesResponse(
                address: 5,
                services: [GATTServiceRecord(uuid: [], handle: 1, characteristics: [characteristic], shortUUID: 0x180F)]
            )
        }
        // A discovery that failed leaves no count behind.
        for attempts in [[997], [998, 997], [998, 998, 997]] {
            var link = RemoteLink(address: 5)
            link.state = .up
            for last in attempts {
                link.submit(.discoverServices(nil), session: 1, at: .zero)
                #expect(link.takeRequests() == [.getServices(GATTGetServicesRequest(address: 5))])
                // 65 times 990 + 3, and the rest: 65,535 attributes with the last 997.
                for _ in 0..<65 { link.receive(response(990), at: .zero) }
                link.receive(response(65_535 - 65 * 993 - 3 - 997 + last), at: .zero)
                #expect(results(&link) == (last == 997 ? [] : ["1: attribute 17"]), "\(attempts)")
            }
            link.receivedServices(at: .zero)
            #expect(results(&link).count == 1)
        }
    }

    /// Services of a discovery that failed are none of the next one.
    @Test func aDiscoveryThatFailedLeavesNoServices() {
        var link = RemoteLink(address: 5)
        link.state = .up
        let service = GATTServiceRecord(uuid: [], handle: 1, shortUUID: 0x180F)
        for round in 0..<2 {
            link.submit(.discoverServices(nil), session: 1, at: .zero)
            link.receive(GATTGetServicesResponse(address: 5, services: [service]), at: .zero)
            if round == 0 { link.receive(GATTErrorResponse(address: 5, handle: 0, error: 3), at: .zero) }
        }
        link.receivedServices(at: .zero)
        #expect(results(&link) == ["1: attribute 3", "1: services [1]"])
    }

    @Test func aDescriptorHasRequestsOfItsOwn() {
        var link = link()
        let isDescriptor: [(handle: UInt16, isDescriptor: Bool)] = [
            (10, false), (11, true), (12, true), (20, false), (9, false),
        ]
        for (handle, isDescriptor) in isDescriptor {
            link.submit(.read(handle: handle), session: 1, at: .zero)
            let read = GATTReadRequest(address: 5, handle: UInt32(handle))
            let readDescriptor = GATTReadDescriptorRequest(address: 5, handle: UInt32(handle))
            #expect(link.takeRequests() == [isDescriptor ? .readDescriptor(readDescriptor) : .read(read)])
            link.receive(GATTReadResponse(address: 5, handle: UInt32(handle), data: [1]), at: .zero)
            for count in [0, 512] {
                let value = [UInt8](repeating: 1, count: count)
                link.submit(.write(handle: handle, value: value), session: 1, at: .zero)
                let write = GATTWriteRequest(address: 5, handle: UInt32(handle), needsResponse: true, data: value)
                let writeDescriptor = GATTWriteDescriptorRequest(address: 5, handle: UInt32(handle), data: value)
                #expect(link.takeRequests() == [isDescriptor ? .writeDescriptor(writeDescriptor) : .write(write)])
                link.receive(GATTWriteResponse(address: 5, handle: UInt32(handle) ^ 1), at: .zero)
                link.receive(GATTWriteResponse(address: 5, handle: UInt32(handle)), at: .zero)
            }
            #expect(results(&link) == ["1: value 1", "1: done", "1: done"])
        }
        link.submit(.write(handle: 10, value: [UInt8](repeating: 1, count: 513)), session: 1, at: .zero)
        #expect(results(&link) == ["1: valueTooLong"] && link.takeRequests().isEmpty && link.deadline == nil)
        // What needs no request does not hold up what waits behind it.
        for operation in [GATTOperation.read(handle: 10), .write(handle: 10, value: [UInt8](repeating: 1, count: 513))]
        {
            link.submit(operation, session: 1, at: .zero)
        }
        link.submit(.setNotify(valueHandle: 10, end: 19, mode: .off), session: 2, at: .zero)
        link.submit(.readRSSI, session: 1, at: .zero)
        link.submit(.read(handle: 20), session: 1, at: .zero)
        link.receive(GATTReadResponse(address: 5, handle: 10, data: []), at: .zero)
        link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
        link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
        #expect(results(&link) == ["1: value 0", "1: valueTooLong", "2: done", "1: attribute 6"])
        #expect(link.takeRequests().last == .read(GATTReadRequest(address: 5, handle: 20)))
        link.receive(GATTReadResponse(address: 5, handle: 20, data: []), at: .zero)
        _ = results(&link)
        link.submit(.readRSSI, session: 1, at: .zero)
        #expect(results(&link) == ["1: attribute 6"], "Request Not Supported")
        // A value of more than 512 octets is cut.
        for (count, expected) in [(512, 512), (513, 512), (0, 0)] {
            link.submit(.read(handle: 10), session: 1, at: .zero)
            let data = [UInt8](repeating: 1, count: count)
            link.receive(GATTReadResponse(address: 5, handle: 10, data: data), at: .zero)
            #expect(results(&link) == ["1: value \(expected)"])
        }
    }

    /// The first session subscribes on the air and the last one unsubscribes, again and again.
    @Test func theLastSubscriberUnsubscribes() {
        var link = link()
        func configure(_ session: Int, _ mode: GATTOperation.NotifyMode) -> [RemoteLink.Request] {
            link.submit(.setNotify(valueHandle: 10, end: 19, mode: mode), session: session, at: .zero)
            let first = link.takeRequests()
            link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
            let second = link.takeRequests()
            link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
            #expect(results(&link) == ["\(session): done"] && link.deadline == nil)
            return first + second
        }
        func expected(_ isEnabled: Bool, _ value: UInt8) -> [RemoteLink.Request] {
            [
                .notify(GATTNotifyRequest(address: 5, handle: 10, isEnabled: isEnabled)),
                .writeDescriptor(GATTWriteDescriptorRequest(address: 5, handle: 12, data: [value, 0])),
            ]
        }
        // The bits of the configuration: 1 notifications, 2 indications (Vol 3, Part G, 3.3.3.3).
        for _ in 0..<2 {
            #expect(configure(1, .notification) == expected(true, 1))
            #expect(configure(2, .indication) == expected(true, 2))
            #expect(link.subscribers == [10: [1, 2]])
            #expect(configure(1, .off) == [] && link.subscribers == [10: [2]])
            #expect(configure(2, .off) == expected(false, 0) && link.subscribers == [:])
            // One that is off is switched off on the air again.
            #expect(configure(2, .off) == expected(false, 0))
        }
    }

    @Test func aCharacteristicWithoutConfigurationHasNoSubscription() {
        var link = link()
        for _ in 0..<2 {
            link.submit(.setNotify(valueHandle: 20, end: 30, mode: .notification), session: 1, at: .zero)
            link.receive(GATTNotifyResponse(address: 5, handle: 20), at: .zero)
            // Attribute Not Found (Vol 3, Part F, 3.4.1.1).
            #expect(results(&link) == ["1: attribute 10"] && link.subscribers == [:])
        }
        // The configuration must be within the characteristic.
        for (end, isFound) in [(11, false), (12, true)] as [(UInt16, Bool)] {
            link.submit(.setNotify(valueHandle: 10, end: end, mode: .notification), session: 1, at: .zero)
            link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
            #expect(results(&link) == (isFound ? [] : ["1: attribute 10"]))
        }
    }

    @Test func errorsOfTheGatewayAreThoseOfTheDevice() {
        let cases: [(error: Int32, code: Int)] = [
            (1, 1), (0x0E, 0x0E), (0x80, 0x80), (0x8E, 0x8E), (0x90, 0x90), (0xFF, 0xFF), (0, 0x0E), (0x100, 0x0E),
            (-2, 0x0E), (.max, 0x0E), (.min, 0x0E),
        ]
        for (error, code) in cases {
            var link = link()
            for operation in [GATTOperation.read(handle: 10), .write(handle: 10, value: [1]), .read(handle: 12)] {
                link.submit(operation, session: 1, at: .zero)
                // An error for another handle is not the answer.
                link.receive(GATTErrorResponse(address: 5, handle: 9, error: error), at: .zero)
                #expect(results(&link) == [])
                link.receive(
                    GATTErrorResponse(address: 5, handle: operation == .read(handle: 12) ? 12 : 10, error: error),
                    at: .zero)
                #expect(results(&link) == ["1: attribute \(code)"], "\(error)")
            }
            var unknown = RemoteLink(address: 5)
            unknown.submit(.discoverServices(nil), session: 1, at: .zero)
            unknown.receive(GATTErrorResponse(address: 5, handle: 1, error: error), at: .zero)
            #expect(results(&unknown) == [])
            unknown.receive(GATTErrorResponse(address: 5, handle: 0, error: error), at: .zero)
            #expect(results(&unknown) == ["1: attribute \(code)"] && unknown.deadline == nil)
            // Without an operation there is nothing to fail.
            unknown.receive(GATTErrorResponse(address: 5, handle: 0, error: error), at: .zero)
            #expect(results(&unknown) == [])
        }
    }

    /// A subscription of one session that fails leaves those of the others.
    @Test func aFailedSubscriptionRemovesItsOwnSession() {
        for handle in [10, 12] as [UInt32] {
            var link = link()
            link.submit(.setNotify(valueHandle: 10, end: 19, mode: .notification), session: 1, at: .zero)
            link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero)
            link.receive(GATTWriteResponse(address: 5, handle: 12), at: .zero)
            link.submit(.setNotify(valueHandle: 10, end: 19, mode: .notification), session: 2, at: .zero)
            if handle == 12 { link.receive(GATTNotifyResponse(address: 5, handle: 10), at: .zero) }
            link.receive(GATTErrorResponse(address: 5, handle: handle, error: 3), at: .zero)
            #expect(results(&link) == ["1: done", "2: attribute 3"] && link.subscribers == [10: [1]])
        }
    }

    /// A lost link is given 5 s from the first failure on, or what is left of the 40 s of its operation.
    @Test func theTimeOfALostLinkIsTheEarlierOne() {
        for error in [0x8F, -1] as [Int32] {
            var link = link()
            link.submit(.read(handle: 10), session: 1, at: .zero)
            #expect(link.deadline == .zero + .seconds(40))
            link.receive(GATTErrorResponse(address: 5, handle: 10, error: error), at: .zero + .seconds(2))
            #expect(link.deadline == .zero + .seconds(7))
            link.receive(GATTErrorResponse(address: 5, handle: 10, error: error), at: .zero + .seconds(4))
            #expect(link.deadline == .zero + .seconds(7), "the first failure counts")
            var late = self.link()
            late.submit(.read(handle: 10), session: 1, at: .zero)
            late.receive(GATTErrorResponse(address: 5, handle: 10, error: error), at: .zero + .seconds(38))
            #expect(late.deadline == .zero + .seconds(40))
        }
    }

    /// Each operation has 40 s from its own beginning, and none without one.
    @Test func eachOperationHasItsTime() {
        var link = link()
        for second in [0, 100, 5000] {
            let now = Instant.zero + .seconds(second)
            for handle in [10, 20] as [UInt16] { link.submit(.read(handle: handle), session: 1, at: now) }
            #expect(link.deadline == now + .seconds(40))
            link.receive(GATTReadResponse(address: 5, handle: 10, data: []), at: now + .seconds(30))
            #expect(link.deadline == now + .seconds(70))
            link.receive(GATTReadResponse(address: 5, handle: 20, data: []), at: now + .seconds(31))
            #expect(link.deadline == nil)
        }
    }

    /// A session that leaves takes what it waits for along, and not what runs, nor what others wait for.
    @Test func aSessionThatLeavesTakesItsOperationsAlong() {
        var link = link()
        (link.sessions[1], link.sessions[2]) = (ConnectionOptions(), ConnectionOptions())
        for (session, handle) in [(1, 10), (1, 11), (2, 20), (1, 12)] as [(Int, UInt16)] {
            link.submit(.read(handle: handle), session: session, at: .zero)
        }
        link.release(1)
        #expect(link.sessions.keys.sorted() == [2])
        for handle in [10, 20] as [UInt32] {
            link.receive(GATTReadResponse(address: 5, handle: handle, data: []), at: .zero)
        }
        #expect(results(&link) == ["1: value 0", "2: value 0"] && link.deadline == nil)
        link.submit(.setNotify(valueHandle: 10, end: 19, mode: .notification), session: 2, at: .zero)
        link.release(1)
        #expect(link.subscribers == [10: [2]])
        link.release(2)
        #expect(link.subscribers[10]?.isEmpty == true && link.sessions.isEmpty)
    }
}

/// The services of a gateway's messages as the façade knows them.
@Suite struct RemoteServicesTests {
    private func service(_ uuid: UInt32, _ handle: UInt32, _ characteristics: [GATTCharacteristicRecord] = [])
        -> GATTServiceRecord
    {
        GATTServiceRecord(uuid: [], handle: handle, characteristics: characteristics, shortUUID: uuid)
    }

    private func characteristic(_ uuid: UInt32, _ handle: UInt32, _ descriptors: [(UInt32, UInt32)] = [])
        -> GATTCharacteristicRecord
    {
        GATTCharacteristicRecord(
            uuid: [], handle: handle, properties: 0x1FF,
            descriptors: descriptors.map { GATTDescriptorRecord(uuid: [], handle: $0.1, shortUUID: $0.0) },
            shortUUID: uuid)
    }

    /// A service ends before the next one, and the last one at the last handle (Vol 3, Part G, 2.6.2). GAP and GATT stay hidden.
    @Test func servicesEndBeforeTheNext() {
        let services = RemoteServices([
            service(0x180D, 40), service(0x1800, 1), service(0x180F, 20), service(0x1801, 10), service(0x180A, 0xFFFF),
        ])
        let found = services.services(nil)
        #expect(found.map(\.range.start) == [20, 40, 0xFFFF] && found.map(\.range.end) == [39, 0xFFFE, 0xFFFF])
        #expect(found.map(\.uuid) == [0x180F, 0x180D, 0x180A].map { BluetoothUUID($0 as UInt16) })
        #expect(found.map(\.isPrimary) == [true, true, true])
        #expect(services.services([]).count == 3)
        for (wanted, starts) in [([0x180F], [20]), ([0x180A, 0x180D], [40, 0xFFFF]), ([0x1234], []), ([0x1800], [])]
            as [([UInt16], [UInt16])]
        {
            #expect(services.services(wanted.map { BluetoothUUID($0) }).map(\.range.start) == starts)
        }
    }

    /// Handles beyond 16 bits, UUIDs of one half and services at the same handle come from a broken gateway.
    @Test func whatIsNoServiceIsLeftOut() {
        let services = RemoteServices([
            service(0x180F, 20), service(0x180D, 20), service(0x180A, 0x1_0000), service(0x1809, 0x2_0005),
            GATTServiceRecord(uuid: [1], handle: 5),
        ])
        let found = services.services(nil)
        #expect(found.map(\.range.start) == [20, 20] && found.map(\.range.end) == [20, 0xFFFF])
        let long = RemoteServices([GATTServiceRecord(uuid: [0x0046_7768_6228_2272, 0x4663_2774_7826_8000], handle: 5)])
        #expect(long.services(nil).map(\.uuid) == [BluetoothUUID("00467768-6228-2272-4663-277478268000")])
        #expect(RemoteServices().services(nil).isEmpty)
    }

    /// A characteristic is declared before its value, and ends before the declaration of the next one (Vol 3, Part G, 3.3).
    @Test func characteristicsEndBeforeTheNextDeclaration() {
        let services = RemoteServices([
            service(0x180D, 30, [characteristic(0x2A38, 40), characteristic(0x2A37, 32), characteristic(0x2A39, 42)]),
            service(0x180F, 20, [characteristic(0x2A19, 22)]),
        ])
        let range = HandleRange(start: 30, end: 0xFFFF)
        let found = services.characteristics(of: range, nil)
        #expect(found.map(\.valueHandle) == [32, 40, 42] && found.map(\.declarationHandle) == [31, 39, 41])
        #expect(found.map(\.end) == [38, 40, 0xFFFF] && found.map(\.properties) == [0xFF, 0xFF, 0xFF])
        #expect(services.characteristics(of: range, []).count == 3)
        #expect(services.characteristics(of: range, [BluetoothUUID(0x2A38 as UInt16)]).map(\.valueHandle) == [40])
        #expect(services.characteristics(of: HandleRange(start: 20, end: 29), nil).map(\.end) == [29])
        #expect(services.characteristics(of: HandleRange(start: 31, end: 40), nil).isEmpty)
        // Values at or before the service's declaration, beyond 16 bits, and one right after another.
        let broken = RemoteServices([
            service(
                0x180D, 30,
                [
                    characteristic(0x2A37, 30), characteristic(0x2A38, 31), characteristic(0x2A39, 32),
                    characteristic(0x2A40, 0x1_0020), GATTCharacteristicRecord(uuid: [1], handle: 50),
                ])
        ])
        let rest = broken.characteristics(of: range, nil)
        #expect(rest.map(\.valueHandle) == [31, 32] && rest.map(\.end) == [31, 48])
    }

    @Test func descriptorsAreBehindTheirValue() {
        let services = RemoteServices([
            service(0x180F, 1, [characteristic(0x2A19, 3)]),
            service(
                0x180D, 20,
                [
                    characteristic(
                        0x2A37, 22, [(0x2904, 30), (0x2902, 23), (0x2901, 22), (0x2903, 31), (0x2905, 0x1_0018)])
                ]),
        ])
        #expect(services.descriptors(after: 22, end: 30).map(\.handle) == [23, 30])
        #expect(services.descriptors(after: 22, end: 29).map(\.handle) == [23])
        #expect(
            services.descriptors(after: 22, end: 31).map(\.uuid)
                == [0x2902, 0x2904, 0x2903].map { BluetoothUUID($0 as UInt16) })
        #expect(services.descriptors(after: 3, end: 31).isEmpty && services.descriptors(after: 21, end: 31).isEmpty)
        for (handle, isDescriptor) in [(22, true), (23, true), (24, false), (3, false), (31, true)] as [(UInt16, Bool)]
        {
            #expect(services.isDescriptor(handle) == isDescriptor)
        }
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

    /// 64 KiB are accepted, and 128 KiB are the most that waits.
    @Test func theBufferIsFullBeyond64KiB() {
        for (count, hasRoom, answer) in [
            (65_535, true, WriteAdmission.Answer.accepted), (65_536, false, .accepted), (65_537, false, .full),
            (131_072, false, .full), (131_073, true, .dropped),
        ] {
            var writes = WriteAdmission()
            #expect(writes.hasRoom)
            #expect(writes.add(count, for: use) == answer)
            #expect(writes.hasRoom == hasRoom, "\(count)")
            // A session that was accepted waits for nothing.
            writes.passed(count)
            #expect(writes.hasRoom == hasRoom, "the connection has them, and the network has not")
            #expect(writes.left() == (answer == .accepted ? [] : [use]))
            #expect(writes.hasRoom)
        }
        // What the connection has counts like what is on its way.
        for isPassed in [true, false] {
            var writes = WriteAdmission()
            #expect(writes.add(65_000, for: use) == .accepted)
            if isPassed { writes.passed(65_000) }
            #expect(writes.add(536, for: use) == .accepted)
            #expect(writes.add(1, for: use) == .full)
            #expect(writes.add(65_536, for: other) == .dropped)
            #expect(writes.add(65_535, for: other) == .full)
            #expect(writes.add(0, for: other) == .full)
        }
    }

    /// The connection cannot have more than was given to it, and an empty connection forgets what it had.
    @Test func whatLeftMakesRoomEachTime() {
        var writes = WriteAdmission()
        for _ in 0..<3 {
            #expect(writes.add(60_000, for: other) == .accepted)
            #expect(writes.add(60_000, for: use) == .full)
            writes.passed(60_000)
            #expect(writes.left() == [], "the rest is on its way")
            #expect(writes.hasRoom)
            #expect(writes.add(60_000, for: other) == .full)
            writes.passed(1_000_000)
            #expect(!writes.hasRoom)
            #expect(writes.left() == [use, other])
            #expect(writes.hasRoom && writes.left() == [])
        }
        var waiting = WriteAdmission()
        let uses = [(2, 0, 1), (1, 1, 0), (1, 0, 2), (1, 0, 1)].map {
            GatewayAdapter.Use(session: $0.0, peer: PeerIdentifier(high: $0.1, low: $0.2))
        }
        for use in uses { _ = waiting.add(200_000, for: use) }
        #expect(waiting.left() == uses.reversed())
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
