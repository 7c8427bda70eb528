import BLEAdapter
import BLEWire
import ESPHomeAPI
import Testing

@testable import BLEGatewayAdapter

/// Operations as requests of the API, and the gateway's answers as their results.
@Suite struct GatewayLinkTests {
    private func descriptor(_ uuid: UInt32, _ handle: UInt32) -> GATTDescriptorRecord {
        GATTDescriptorRecord(uuid: [], handle: handle, shortUUID: uuid)
    }

    /// A link with the characteristics of the values 10, with a configuration at 12, and 20, without one.
    private func link() -> GatewayLink {
        var link = GatewayLink(address: 5)
        _ = link.begin(.discoverServices(nil))
        let service = GATTServiceRecord(
            uuid: [], handle: 8,
            characteristics: [
                GATTCharacteristicRecord(
                    uuid: [], handle: 10, properties: 0x12,
                    descriptors: [descriptor(0x2901, 11), descriptor(0x2902, 12)],
                    shortUUID: 0x2A37),
                GATTCharacteristicRecord(uuid: [], handle: 20, properties: 0x12, shortUUID: 0x2A38),
            ], shortUUID: 0x180D)
        #expect(isNothing(link.receive(GATTGetServicesResponse(address: 5, services: [service]))))
        #expect(result(link.receivedServices()) == "services [8]")
        return link
    }

    /// The request of a step; nil without one.
    private func request<Request: APIMessage>(_ step: GatewayLink.Step?) -> Request? {
        if case .send(let message) = step { message as? Request } else { nil }
    }

    /// The result of a step, as words; nil without one.
    private func result(_ step: GatewayLink.Step?) -> String? {
        guard case .end(let result) = step else { return nil }
        return switch result {
        case .success(.done): "done"
        case .success(.value(let value)): "value \(value.count)"
        case .success(.services(let services)): "services \(services.map(\.range.start))"
        case .success(.characteristics(let found)): "characteristics \(found.map(\.valueHandle))"
        case .success(.descriptors(let found)): "descriptors \(found.map(\.handle))"
        case .success: "another"
        case .failure(.attribute(let code)): "attribute \(code)"
        case .failure(let failure): "\(failure)"
        }
    }

    private func isNothing(_ step: GatewayLink.Step?) -> Bool {
        if case nil = step { true } else { false }
    }

    // MARK: Services

    @Test func theServicesAreRequestedOnce() {
        let range = HandleRange(start: 8, end: 20)
        var link = GatewayLink(address: 5)
        // Before the services are known, there is nothing in them.
        #expect(result(link.begin(.discoverCharacteristics(service: range, nil))) == "characteristics []")
        #expect(result(link.begin(.discoverDescriptors(after: 10, end: 20))) == "descriptors []")
        #expect(request(link.begin(.discoverServices(nil))) == GATTGetServicesRequest(address: 5))
        link = self.link()
        for _ in 0..<2 {
            #expect(result(link.begin(.discoverServices(nil))) == "services [8]")
            #expect(result(link.begin(.discoverServices([BluetoothUUID(0x180F as UInt16)]))) == "services []")
            #expect(result(link.begin(.discoverIncludedServices(service: range, nil))) == "services []")
            #expect(result(link.begin(.discoverCharacteristics(service: range, nil))) == "characteristics [10, 20]")
            #expect(result(link.begin(.discoverDescriptors(after: 10, end: 19))) == "descriptors [11, 12]")
        }
        // Services without a request change nothing.
        let other = GATTServiceRecord(uuid: [], handle: 99, shortUUID: 0x180F)
        for operation in [nil, GATTOperation.read(handle: 10)] {
            if let operation { _ = link.begin(operation) }
            #expect(isNothing(link.receive(GATTGetServicesResponse(address: 5, services: [other]))))
            #expect(isNothing(link.receivedServices()))
        }
        #expect(result(link.begin(.discoverServices(nil))) == "services [8]")
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
            var link = GatewayLink(address: 5)
            for last in attempts {
                #expect(request(link.begin(.discoverServices(nil))) == GATTGetServicesRequest(address: 5))
                // 65 times 990 + 3, and the rest: 65,535 attributes with the last 997.
                for _ in 0..<65 { #expect(isNothing(link.receive(response(990)))) }
                let end = link.receive(response(65_535 - 65 * 993 - 3 - 997 + last))
                #expect(result(end) == (last == 997 ? nil : "attribute 17"), "\(attempts)")
                // Insufficient Resources (Vol 3, Part F, 3.4.1.1). What follows is dropped.
                if last != 997 { for _ in 0..<70 { #expect(isNothing(link.receive(response(990)))) } }
            }
            #expect(result(link.receivedServices())?.hasPrefix("services [1, 1,") == true)
        }
    }

    /// Services of a discovery that failed are none of the next one.
    @Test func aDiscoveryThatFailedLeavesNoServices() {
        var link = GatewayLink(address: 5)
        let service = GATTServiceRecord(uuid: [], handle: 1, shortUUID: 0x180F)
        for round in 0..<2 {
            _ = link.begin(.discoverServices(nil))
            _ = link.receive(GATTGetServicesResponse(address: 5, services: [service]))
            guard round == 0 else { continue }
            #expect(result(link.receive(GATTErrorResponse(address: 5, handle: 0, error: 3))) == "attribute 3")
        }
        #expect(result(link.receivedServices()) == "services [1]")
    }

    // MARK: Values

    @Test func aDescriptorHasRequestsOfItsOwn() {
        var link = link()
        let isDescriptor: [(handle: UInt16, isDescriptor: Bool)] = [
            (10, false), (11, true), (12, true), (20, false), (9, false),
        ]
        for (handle, isDescriptor) in isDescriptor {
            let wide = UInt32(handle)
            let read = link.begin(.read(handle: handle))
            if isDescriptor {
                #expect(request(read) == GATTReadDescriptorRequest(address: 5, handle: wide))
            } else {
                #expect(request(read) == GATTReadRequest(address: 5, handle: wide))
            }
            // An answer for another handle is not the answer, nor is one of another kind.
            #expect(isNothing(link.receive(GATTReadResponse(address: 5, handle: wide ^ 1, data: [1]))))
            #expect(isNothing(link.receive(GATTReadResponse(address: 5, handle: wide | 0x1_0000, data: [1]))))
            #expect(isNothing(link.receive(GATTWriteResponse(address: 5, handle: wide))))
            #expect(result(link.receive(GATTReadResponse(address: 5, handle: wide, data: [1]))) == "value 1")
            #expect(isNothing(link.receive(GATTReadResponse(address: 5, handle: wide, data: [1]))), "it has ended")
            for count in [0, 512] {
                let value = [UInt8](repeating: 1, count: count)
                let write = link.begin(.write(handle: handle, value: value))
                if isDescriptor {
                    #expect(request(write) == GATTWriteDescriptorRequest(address: 5, handle: wide, data: value))
                } else {
                    #expect(
                        request(write) == GATTWriteRequest(address: 5, handle: wide, needsResponse: true, data: value))
                }
                #expect(isNothing(link.receive(GATTWriteResponse(address: 5, handle: wide ^ 1))))
                #expect(isNothing(link.receive(GATTReadResponse(address: 5, handle: wide, data: [1]))))
                #expect(result(link.receive(GATTWriteResponse(address: 5, handle: wide))) == "done")
                #expect(isNothing(link.receive(GATTWriteResponse(address: 5, handle: wide))))
            }
        }
        // Request Not Supported (Vol 3, Part F, 3.4.1.1).
        #expect(result(link.begin(.readRSSI)) == "attribute 6")
    }

    @Test func aValueHasAtMost512Octets() {
        var link = link()
        for (count, expected) in [(512, 512), (513, 512), (0, 0)] {
            _ = link.begin(.read(handle: 10))
            let data = [UInt8](repeating: 1, count: count)
            #expect(result(link.receive(GATTReadResponse(address: 5, handle: 10, data: data))) == "value \(expected)")
        }
    }

    // MARK: Subscriptions

    /// The bits of the configuration: 1 notifications, 2 indications (Vol 3, Part G, 3.3.3.3).
    @Test(arguments: [(.notification, 1), (.indication, 2), (.off, 0)] as [(GATTOperation.NotifyMode, UInt8)])
    func aSubscriptionRegistersAndWritesTheConfiguration(mode: GATTOperation.NotifyMode, value: UInt8) {
        var link = link()
        for _ in 0..<2 {
            #expect(
                request(link.begin(.setNotify(valueHandle: 10, end: 19, mode: mode)))
                    == GATTNotifyRequest(address: 5, handle: 10, isEnabled: mode != .off))
            #expect(
                request(link.receive(GATTNotifyResponse(address: 5, handle: 10)))
                    == GATTWriteDescriptorRequest(address: 5, handle: 12, data: [value, 0]))
            #expect(isNothing(link.receive(GATTNotifyResponse(address: 5, handle: 10))), "it has registered")
            #expect(result(link.receive(GATTWriteResponse(address: 5, handle: 12))) == "done")
        }
    }

    @Test func aSubscriptionTakesOnlyItsOwnResponses() {
        var link = link()
        _ = link.begin(.setNotify(valueHandle: 10, end: 20, mode: .notification))
        // The configuration is not written yet.
        #expect(isNothing(link.receive(GATTWriteResponse(address: 5, handle: 12))))
        #expect(isNothing(link.receive(GATTErrorResponse(address: 5, handle: 12, error: 3))))
        #expect(isNothing(link.receive(GATTNotifyResponse(address: 5, handle: 11))))
        #expect(!isNothing(link.receive(GATTNotifyResponse(address: 5, handle: 10))))
        for handle in [0, 10, 11, 13, 0x1_000C] as [UInt32] {
            #expect(isNothing(link.receive(GATTWriteResponse(address: 5, handle: handle))))
        }
        for handle in [0, 11, 13, 0x1_000A, 0x1_000C] as [UInt32] {
            #expect(isNothing(link.receive(GATTErrorResponse(address: 5, handle: handle, error: 3))))
        }
        #expect(result(link.receive(GATTWriteResponse(address: 5, handle: 12))) == "done")
    }

    /// The value's handle is that of a failed registration, and the configuration's that of a failed write.
    @Test(arguments: [(10, false), (10, true), (12, true)] as [(UInt32, Bool)])
    func aSubscriptionFails(handle: UInt32, isRegistered: Bool) {
        var link = link()
        for _ in 0..<2 {
            _ = link.begin(.setNotify(valueHandle: 10, end: 20, mode: .notification))
            if isRegistered { _ = link.receive(GATTNotifyResponse(address: 5, handle: 10)) }
            #expect(result(link.receive(GATTErrorResponse(address: 5, handle: handle, error: 3))) == "attribute 3")
        }
    }

    @Test func aCharacteristicWithoutConfigurationHasNoSubscription() {
        // Attribute Not Found (Vol 3, Part F, 3.4.1.1). The configuration must be within the characteristic.
        for (handle, end, isFound) in [(20, 30, false), (20, 30, false), (10, 11, false), (10, 12, true)]
            as [(UInt16, UInt16, Bool)]
        {
            var link = link()
            _ = link.begin(.setNotify(valueHandle: handle, end: end, mode: .notification))
            let step = link.receive(GATTNotifyResponse(address: 5, handle: UInt32(handle)))
            let write: GATTWriteDescriptorRequest? = request(step)
            #expect(result(step) == (isFound ? nil : "attribute 10") && (write != nil) == isFound)
        }
    }

    // MARK: Errors

    @Test func errorsOfTheGatewayAreThoseOfTheDevice() {
        let cases: [(error: Int32, code: Int)] = [
            (1, 1), (0x0E, 0x0E), (0x80, 0x80), (0x8E, 0x8E), (0x90, 0x90), (0xFF, 0xFF), (0, 0x0E), (0x100, 0x0E),
            (-2, 0x0E), (.max, 0x0E), (.min, 0x0E),
        ]
        for (error, code) in cases {
            var link = link()
            for (operation, handle) in [
                (.read(handle: 10), 10), (.write(handle: 10, value: [1]), 10), (.read(handle: 12), 12),
            ] as [(GATTOperation, UInt32)] {
                _ = link.begin(operation)
                // An error for another handle is not the answer.
                #expect(isNothing(link.receive(GATTErrorResponse(address: 5, handle: 9, error: error))))
                let step = link.receive(GATTErrorResponse(address: 5, handle: handle, error: error))
                #expect(result(step) == "attribute \(code)", "\(error)")
            }
            var unknown = GatewayLink(address: 5)
            _ = unknown.begin(.discoverServices(nil))
            #expect(isNothing(unknown.receive(GATTErrorResponse(address: 5, handle: 1, error: error))))
            let step = unknown.receive(GATTErrorResponse(address: 5, handle: 0, error: error))
            #expect(result(step) == "attribute \(code)")
            // Without an operation there is nothing to fail.
            #expect(isNothing(unknown.receive(GATTErrorResponse(address: 5, handle: 0, error: error))))
        }
    }

    /// The gateway fails the operations of a lost link before it reports the loss. Another answer still ends the operation.
    @Test(arguments: [0x8F, -1] as [Int32]) func anOperationOfALostLinkHasNoResult(error: Int32) {
        var link = link()
        _ = link.begin(.read(handle: 10))
        for handle in [10, 9] as [UInt32] {
            let step = link.receive(GATTErrorResponse(address: 5, handle: handle, error: error))
            #expect(result(step) == "notConnected")
        }
        #expect(result(link.receive(GATTErrorResponse(address: 5, handle: 10, error: 3))) == "attribute 3")
    }

    // MARK: Records

    /// Handles beyond 16 bits and UUIDs of one half come from a broken gateway. GAP and GATT stay hidden.
    @Test func recordsThatAreNoAttributesAreLeftOut() throws {
        let characteristic = GATTCharacteristicRecord(
            uuid: [], handle: 22, properties: 0x1FF,
            descriptors: [
                descriptor(0x2902, 23), descriptor(0x2905, 0x1_0018), GATTDescriptorRecord(uuid: [1], handle: 24),
            ], shortUUID: 0x2A19)
        let services = RemoteServices([
            GATTServiceRecord(uuid: [], handle: 0x1_0000, shortUUID: 0x180A),
            GATTServiceRecord(uuid: [1], handle: 5), GATTServiceRecord(uuid: [], handle: 1, shortUUID: 0x1800),
            GATTServiceRecord(uuid: [], handle: 10, shortUUID: 0x1801),
            GATTServiceRecord(
                uuid: [], handle: 20,
                characteristics: [
                    GATTCharacteristicRecord(uuid: [], handle: 0x1_0020, shortUUID: 0x2A40), characteristic,
                    GATTCharacteristicRecord(uuid: [1], handle: 50),
                ], shortUUID: 0x180F),
            GATTServiceRecord(uuid: [0x0046_7768_6228_2272, 0x4663_2774_7826_8000], handle: 40),
        ])
        let found = services.services(nil)
        #expect(found.map(\.range) == [HandleRange(start: 20, end: 39), HandleRange(start: 40, end: 0xFFFF)])
        #expect(
            found.map(\.uuid)
                == [BluetoothUUID(0x180F as UInt16), BluetoothUUID("00467768-6228-2272-4663-277478268000")])
        #expect(services.services([BluetoothUUID(0x1800 as UInt16)]).isEmpty)
        let values = services.characteristics(of: found[0].range, nil)
        #expect(values.map(\.valueHandle) == [22] && values.map(\.properties) == [0xFF])
        #expect(services.descriptors(after: 22, end: 39).map(\.handle) == [23])
    }
}
