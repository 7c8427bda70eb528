import BLEAdapter
import BLESecurity
import BLEWire
import ESPHomeAPI
import Testing

@testable import BluetoothGateway

/// The session at its limits, its codes, and the second of each kind.
struct GatewayLimitsTests {
    private let address = SessionBench.address
    private let peer = SessionBench.peer

    // MARK: Codes

    /// The HCI error codes of the Core Specification (Vol 1, Part F, 1.3).
    private static let codes: [(ConnectionError, Int32)] = [
        (.endedByPeer, 0x13), (.supervisionTimeout, 0x08), (.attributeTimeout, 0x22), (.protocolViolation, 0x16),
        (.endedByHost, 0x16), (.establishmentFailed, 0x3E), (.limitReached, 0x09), (.adapterLost, 0x03),
        (.peerRemovedPairingInformation, 0x06), (.encryptionTimedOut, 0x22), (.encryptionFailed, 0x3D),
        (.controller(0x00), 0x00), (.controller(0x1F), 0x1F), (.controller(0xFF), 0xFF),
    ]

    @Test func theEndOfALinkHasItsCode() throws {
        for (failure, code) in Self.codes {
            var bench = try SessionBench()
            try bench.connect()
            bench.session.disconnected(peer, .failed(failure))
            #expect(
                try bench.take(DeviceConnectionResponse.self)
                    == [DeviceConnectionResponse(address: address, error: code)], "\(failure)")
            try bench.send(SessionBench.connectRequest)
            bench.session.connectionFailed(peer, failure)
            #expect(
                try bench.take(DeviceConnectionResponse.self)
                    == [DeviceConnectionResponse(address: address, error: code)], "\(failure)")
            #expect(bench.session.linkCount == 0)
        }
        var bench = try SessionBench()
        try bench.connect()
        bench.session.disconnected(peer, .cancelled)
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x16])
    }

    /// ATT error codes pass; others are those of the ESP32's host (esp_gatt_defs.h).
    @Test func theFailureOfAnOperationHasItsCode() throws {
        let cases: [(GATTError, Int32)] = [
            (.attribute(0x01), 0x01), (.attribute(0x0E), 0x0E), (.attribute(0xFF), 0xFF), (.bearerLost, 0x8F),
            (.notConnected, 0x8F), (.valueTooLong, 0x0D),
        ]
        for (failure, code) in cases {
            var bench = try SessionBench()
            try bench.connect()
            try bench.send(GATTReadRequest(address: address, handle: 3))
            try bench.send(GATTReadDescriptorRequest(address: address, handle: 4))
            try bench.send(GATTWriteRequest(address: address, handle: 5, needsResponse: true, data: [1]))
            try bench.send(GATTGetServicesRequest(address: address))
            for _ in 0..<4 { try bench.complete(.failure(failure)) }
            #expect(
                try bench.take(GATTErrorResponse.self)
                    == [3, 4, 5, 0].map { GATTErrorResponse(address: address, handle: $0, error: code) })
        }
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTReadRequest(address: address, handle: 3))
        try bench.complete(.success(.done))
        #expect(
            try bench.take(GATTErrorResponse.self)
                == [GATTErrorResponse(address: address, handle: 3, error: 0x85)], "a result of another kind")
        try bench.send(SetConnectionParametersRequest(address: address))
        #expect(
            try bench.take(SetConnectionParametersResponse.self)
                == [SetConnectionParametersResponse(address: address, error: 0x85)])
        #expect(
            (GatewayError.noResources, GatewayError.failed, GatewayError.notConnected) == (0x80, 0x85, 0x8F))
    }

    @Test func theEndOfAPairingHasItsCode() throws {
        let cases: [(PairingProcedureError, Int32)] = [
            (.local(SMP.FailureReason(rawValue: 0x03)), 0x03), (.remote(SMP.FailureReason(rawValue: 0x0B)), 0x0B),
            (.timeout, 0x85), (.encryption, 0x85), (.keyMissing, 0x85), (.disconnected, 0x85),
        ]
        var bench = try SessionBench()
        try bench.connect()
        for (failure, code) in cases {
            try bench.send(DeviceRequest(address: address, kind: 2))
            #expect(bench.commands() == [.pair(peer)])
            bench.session.pairingCompleted(PeerIdentifier(high: 9, low: 9), .failure(failure))
            #expect(try bench.take(DevicePairingResponse.self) == [])
            for expected in [[DevicePairingResponse(address: address, isSuccess: false, error: code)], []] {
                bench.session.pairingCompleted(peer, .failure(failure))
                #expect(try bench.take(DevicePairingResponse.self) == expected)
            }
        }
        try bench.send(DeviceRequest(address: address, kind: 2))
        bench.session.pairingCompleted(peer, .success(.none))
        #expect(
            try bench.take(DevicePairingResponse.self) == [DevicePairingResponse(address: address, isSuccess: true)])
        // A link that ended has no pairing.
        try bench.send(DeviceRequest(address: address, kind: 2))
        bench.session.disconnected(peer, .failed(.endedByPeer))
        #expect(
            try bench.take(DevicePairingResponse.self)
                == [DevicePairingResponse(address: address, isSuccess: false, error: 0x8F)])
        try bench.connect()
        bench.session.disconnected(peer, .failed(.endedByPeer))
        #expect(try bench.take(DevicePairingResponse.self) == [])
        _ = bench.commands()
        try bench.send(DeviceRequest(address: address, kind: 2))
        #expect(
            try bench.take(DevicePairingResponse.self)
                == [DevicePairingResponse(address: address, isSuccess: false, error: 0x8F)])
        #expect(bench.commands() == [])
    }

    // MARK: Requests

    /// Bit 0 of the type is set for a random address.
    @Test(arguments: [(0, 0), (1, 1), (2, 0), (3, 1)] as [(UInt32, UInt64)])
    func theTypeOfAnAddressIsItsLowestBit(type: UInt32, kind: UInt64) throws {
        for (request, isKnown) in [(0, true), (4, true), (5, true), (7, false), (UInt32.max, false)] as [(UInt32, Bool)]
        {
            var bench = try SessionBench()
            try bench.send(DeviceRequest(address: 0x1234, kind: request, hasAddressType: true, addressType: type))
            #expect(
                bench.commands() == (isKnown ? [.connect(PeerIdentifier(high: kind, low: 0x1234))] : []))
        }
        var bench = try SessionBench()
        try bench.send(DeviceRequest(address: 0x1234, kind: 3, hasAddressType: true, addressType: type))
        #expect(bench.commands() == [.unpair(PeerIdentifier(high: kind, low: 0x1234))])
        #expect(
            try bench.take(DeviceUnpairingResponse.self) == [DeviceUnpairingResponse(address: 0x1234, isSuccess: true)])
    }

    /// An address has 48 bits.
    @Test func theLargestAddressIsConnected() throws {
        var bench = try SessionBench(slots: 8)
        for (address, isPossible) in [
            (0xFFFF_FFFF_FFFF, true), (0x1_0000_0000_0000, false), (UInt64.max, false), (0, true),
        ] {
            try bench.send(DeviceRequest(address: address, kind: 5, hasAddressType: true, addressType: 1))
            #expect(bench.commands().count == (isPossible ? 1 : 0))
            let errors = try bench.take(DeviceConnectionResponse.self).map(\.error)
            #expect(errors == (isPossible ? [] : [0x80]))
        }
    }

    @Test func aBondIsRemovedForALinkWithItsIdentifier() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(DeviceRequest(address: address, kind: 3, hasAddressType: true, addressType: 0))
        #expect(bench.commands() == [.unpair(peer)])
        try bench.send(DeviceRequest(address: address, kind: 6))
        #expect(
            try bench.take(DeviceClearCacheResponse.self)
                == [DeviceClearCacheResponse(address: address, isSuccess: true)])
    }

    /// A client that asks again gets the state of the link, once for each answer.
    @Test func aRequestForALinkThatIsUpIsAnsweredEachTime() throws {
        var bench = try SessionBench()
        try bench.send(SessionBench.connectRequest)
        try bench.send(SessionBench.connectRequest)
        #expect(bench.commands() == [.connect(peer)])
        bench.session.connected(peer)
        bench.session.connected(peer)
        try bench.send(SessionBench.connectRequest)
        #expect(bench.commands() == [.submit(.readRSSI, peer)])
        for _ in 0..<3 {
            try bench.complete(.success(.rssi(-50)))
            #expect(
                try bench.take(DeviceConnectionResponse.self)
                    == [DeviceConnectionResponse(address: address, isConnected: true, mtu: 247)])
            try bench.send(SessionBench.connectRequest)
            try bench.send(SessionBench.connectRequest)
            #expect(bench.commands() == [.submit(.readRSSI, peer)])
        }
        #expect(bench.session.slots.free == 1)
        // Operations that wait are no answer.
        try bench.complete(.success(.rssi(-50)))
        try bench.send(GATTReadRequest(address: address, handle: 3))
        try bench.send(SessionBench.connectRequest)
        #expect(bench.commands() == [.submit(.read(handle: 3), peer), .submit(.readRSSI, peer)])
    }

    @Test func theEndOfALinkIsAnsweredOnce() throws {
        var bench = try SessionBench()
        try bench.send(SubscribeConnectionsFreeRequest())
        bench.received = []
        let request = DeviceRequest(address: address, kind: 1)
        for _ in 0..<2 {
            // Without a link the client hears of it, and of the slots.
            try bench.send(request)
            #expect(
                bench.received.map(\.type) == [DeviceConnectionResponse.type, ConnectionsFreeResponse.type])
            #expect(
                try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: address)])
            try bench.connect()
            try bench.send(request)
            try bench.send(request)
            #expect(bench.commands() == [.cancelConnection(peer)])
            // A link that is ending takes no operations and no other request.
            try bench.send(GATTReadRequest(address: address, handle: 3))
            #expect(try bench.take(GATTErrorResponse.self).map(\.error) == [0x8F])
            try bench.send(SessionBench.connectRequest)
            #expect(bench.commands() == [])
            // The reason of the request counts, not that of the adapter.
            bench.session.disconnected(peer, .failed(.endedByPeer))
            #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x16])
            bench.session.disconnected(peer, .failed(.endedByPeer))
            #expect(try bench.take(DeviceConnectionResponse.self) == [])
        }
    }

    @Test func theScannerHasItsState() throws {
        func states(_ bench: inout SessionBench) throws -> [UInt32] {
            let found = try bench.take(ScannerStateResponse.self)
            #expect(found.allSatisfy { $0.mode == 1 && $0.configuredMode == 1 })
            return found.map(\.state)
        }
        var bench = try SessionBench(state: .unknown)
        try bench.send(ScannerSetModeRequest(mode: 0))
        #expect(try states(&bench) == [0])
        try bench.send(SubscribeAdvertisementsRequest(flags: 1))
        #expect(try states(&bench) == [1])
        bench.session.adapterStateChanged(.unknown)
        #expect(try states(&bench) == [1] && bench.commands() == [])
        for _ in 0..<2 {
            bench.session.adapterStateChanged(.poweredOn)
            #expect(try states(&bench) == [2] && bench.commands() == [.startScan])
            bench.session.adapterStateChanged(.poweredOff)
            #expect(try states(&bench) == [3] && bench.commands() == [])
        }
        // An adapter that is off has no scan that could stop.
        try bench.send(UnsubscribeAdvertisementsRequest())
        #expect(try states(&bench) == [0] && bench.commands() == [])
        bench.session.adapterStateChanged(.poweredOn)
        #expect(try states(&bench) == [] && bench.commands() == [] && !bench.session.isScanning)
        for _ in 0..<2 {
            try bench.send(SubscribeAdvertisementsRequest(flags: 1))
            try bench.send(SubscribeAdvertisementsRequest(flags: 1))
            #expect(try states(&bench) == [2, 2] && bench.commands() == [.startScan])
            try bench.send(UnsubscribeAdvertisementsRequest())
            try bench.send(UnsubscribeAdvertisementsRequest())
            #expect(try states(&bench) == [0, 0] && bench.commands() == [.stopScan])
        }
        bench.session.close()
        #expect(bench.commands() == [])
    }

    @Test func slotsAreToldToThoseWhoAsked() throws {
        var bench = try SessionBench()
        bench.session.reportSlots()
        #expect(try bench.take(ConnectionsFreeResponse.self) == [])
        try bench.send(SubscribeConnectionsFreeRequest())
        #expect(try bench.take(ConnectionsFreeResponse.self).map(\.free) == [2])
        bench.session.reportSlots()
        #expect(try bench.take(ConnectionsFreeResponse.self).map(\.free) == [2])
    }

    // MARK: Operations

    @Test func handlesAndValuesAreTakenUpToTheirLimits() throws {
        var bench = try SessionBench()
        try bench.connect()
        for handle in [0, 1, 0xFFFF, 0x1_0000, UInt32.max] {
            try bench.send(GATTReadRequest(address: address, handle: handle))
            try bench.send(GATTReadDescriptorRequest(address: address, handle: handle))
            try bench.send(GATTNotifyRequest(address: address, handle: handle, isEnabled: true))
            let errors = try bench.take(GATTErrorResponse.self)
            if handle > 0xFFFF {
                #expect(
                    errors
                        == [GATTErrorResponse](
                            repeating: .init(address: address, handle: handle, error: 0x80), count: 3))
                #expect(bench.commands() == [])
            } else {
                let read = GatewayCommand.submit(.read(handle: UInt16(handle)), peer)
                #expect(errors == [] && bench.commands() == [read, read])
            }
        }
        // A value has at most 512 octets (Vol 3, Part F, 3.2.9).
        for (count, isTaken) in [(0, true), (511, true), (512, true), (513, false)] {
            let value = [UInt8](repeating: 7, count: count)
            try bench.send(GATTWriteRequest(address: address, handle: 9, needsResponse: true, data: value))
            try bench.send(GATTWriteRequest(address: address, handle: 9, needsResponse: false, data: value))
            try bench.send(GATTWriteDescriptorRequest(address: address, handle: 9, data: value))
            let write = GatewayCommand.submit(.write(handle: 9, value: value), peer)
            #expect(bench.commands() == (isTaken ? [write, .writeCommand(value, handle: 9, peer), write] : []))
            let errors = try bench.take(GATTErrorResponse.self)
            #expect(
                errors
                    == (isTaken
                        ? []
                        : [GATTErrorResponse](repeating: .init(address: address, handle: 9, error: 0x0D), count: 3)))
        }
    }

    /// 256 operations of a link wait, and each that ends makes room.
    @Test func twoHundredFiftySixOperationsWait() throws {
        var bench = try SessionBench()
        try bench.connect()
        for _ in 0..<255 { try bench.send(GATTReadRequest(address: address, handle: 3)) }
        for _ in 0..<3 {
            try bench.send(GATTReadRequest(address: address, handle: 4))
            #expect(try bench.take(GATTErrorResponse.self) == [])
            try bench.send(GATTReadRequest(address: address, handle: 5))
            #expect(
                try bench.take(GATTErrorResponse.self)
                    == [GATTErrorResponse(address: address, handle: 5, error: 0x80)])
            try bench.complete(.success(.value([1])))
            #expect(try bench.take(GATTReadResponse.self).count == 1)
        }
    }

    /// The bits of the configuration: 0 notifications, 1 indications (Vol 3, Part G, 3.3.3.3). Other values are written as they are.
    @Test func aConfigurationIsASubscriptionOrAWrite() throws {
        let cases: [(value: [UInt8], mode: GATTOperation.NotifyMode?)] = [
            ([0, 0], .off), ([1, 0], .notification), ([2, 0], .indication), ([3, 0], .notification), ([4, 0], nil),
            ([0, 1], nil), ([1, 1], nil), ([0xFF, 0xFF], nil), ([1], nil), ([], nil), ([1, 0, 0], nil),
        ]
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTGetServicesRequest(address: address))
        let range = HandleRange(start: 1, end: 0xFFFF)
        let services = [DiscoveredService(uuid: BluetoothUUID(0x180D as UInt16), range: range, isPrimary: true)]
        try bench.complete(.success(.services(services)))
        let found = DiscoveredCharacteristic(
            uuid: BluetoothUUID(0x2A37 as UInt16), properties: 16, declarationHandle: 2, valueHandle: 3, end: 6)
        try bench.complete(.success(.characteristics([found])))
        try bench.complete(
            .success(
                .descriptors([
                    DiscoveredDescriptor(uuid: BluetoothUUID(0x2901 as UInt16), handle: 4),
                    DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 5),
                ])))
        _ = bench.commands()
        for (value, mode) in cases {
            try bench.send(GATTWriteDescriptorRequest(address: address, handle: 5, data: value))
            let expected: GATTOperation =
                mode.map { .setNotify(valueHandle: 3, end: 6, mode: $0) } ?? .write(handle: 5, value: value)
            #expect(bench.commands() == [.submit(expected, peer)])
            _ = try bench.take(GATTWriteResponse.self)
            try bench.complete(.success(.done))
            #expect(try bench.take(GATTWriteResponse.self) == [GATTWriteResponse(address: address, handle: 5)])
            // The description is known as another descriptor.
            try bench.send(GATTNotifyRequest(address: address, handle: 3, isEnabled: true))
            try bench.send(GATTWriteDescriptorRequest(address: address, handle: 4, data: value))
            #expect(bench.commands() == [.submit(.write(handle: 4, value: value), peer)])
            try bench.complete(.success(.done))
        }
    }

    /// A write of two octets after a registered characteristic is looked up, once for each handle.
    @Test func anUnknownDescriptorIsLookedUp() throws {
        var bench = try SessionBench()
        try bench.connect()
        func write(_ handle: UInt32, _ data: [UInt8]) throws -> [GatewayCommand] {
            try bench.send(GATTWriteDescriptorRequest(address: address, handle: handle, data: data))
            return bench.commands()
        }
        #expect(try write(12, [1, 0]) == [.submit(.write(handle: 12, value: [1, 0]), peer)], "nothing is registered")
        try bench.complete(.success(.done))
        for handle in [10, 20, 30] as [UInt32] {
            try bench.send(GATTNotifyRequest(address: address, handle: handle, isEnabled: true))
        }
        // The characteristic before the handle, not the one of the handle itself.
        #expect(try write(20, [1, 0]) == [.submit(.discoverDescriptors(after: 10, end: 20), peer)])
        try bench.complete(.success(.descriptors([])))
        #expect(bench.commands() == [.submit(.write(handle: 20, value: [1, 0]), peer)])
        try bench.complete(.success(.done))
        #expect(try write(20, [2, 0]) == [.submit(.write(handle: 20, value: [2, 0]), peer)], "it is known now")
        try bench.complete(.success(.done))
        for value in [[1], [1, 0, 0], []] as [[UInt8]] {
            #expect(try write(22, value) == [.submit(.write(handle: 22, value: value), peer)])
            try bench.complete(.success(.done))
        }
        _ = try bench.take(GATTErrorResponse.self)
        // A look-up that fails is the answer to the write, and the next one looks again.
        for code in [0x05, 0x0E] as [UInt8] {
            #expect(try write(22, [1, 0]) == [.submit(.discoverDescriptors(after: 20, end: 22), peer)])
            try bench.complete(.failure(.attribute(code)))
            #expect(
                try bench.take(GATTErrorResponse.self)
                    == [GATTErrorResponse(address: address, handle: 22, error: Int32(code))])
        }
        try bench.send(GATTNotifyRequest(address: address, handle: 20, isEnabled: false))
        #expect(try bench.take(GATTNotifyResponse.self) == [GATTNotifyResponse(address: address, handle: 20)])
        #expect(try write(22, [1, 0]) == [.submit(.discoverDescriptors(after: 10, end: 22), peer)])
        try bench.complete(
            .success(.descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 22)])))
        #expect(bench.commands() == [.submit(.setNotify(valueHandle: 10, end: 22, mode: .notification), peer)])
    }

    /// A client that no longer wants the values gets none.
    @Test func aRegistrationEnds() throws {
        var bench = try SessionBench()
        try bench.connect()
        for _ in 0..<2 {
            try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: true))
            #expect(bench.session.received([1].span, handle: 10, from: peer, limit: 1) != .unwanted)
            _ = try bench.take(GATTNotifyDataResponse.self)
            try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: false))
            #expect(bench.session.received([1].span, handle: 10, from: peer, limit: 1) == .unwanted)
        }
        // A new link begins without registrations.
        try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: true))
        bench.session.disconnected(peer, .failed(.endedByPeer))
        try bench.connect()
        #expect(bench.session.received([1].span, handle: 10, from: peer, limit: 1) == .unwanted)
    }

    /// The octets of this connection that wait are fewer than the limit when another value is taken.
    @Test func aValueIsTakenWhileLessThanTheLimitWaits() throws {
        var bench = try SessionBench()
        try bench.connect()
        try bench.send(GATTNotifyRequest(address: address, handle: 10, isEnabled: true))
        bench.received = []
        var waiting = 0
        for _ in 0..<3 {
            #expect(bench.session.received([1].span, handle: 10, from: peer, limit: waiting) == .dropped)
            let delivery = bench.session.received([1].span, handle: 10, from: peer, limit: waiting + 1)
            waiting = bench.session.connection.outgoingCount
            #expect(delivery == .sent(waiting: waiting))
        }
        #expect(try bench.take(GATTNotifyDataResponse.self).count == 3)
    }

    /// Two requests for the services are one discovery, and a later one discovers again.
    @Test func theServicesAreDiscoveredAgain() throws {
        var bench = try SessionBench()
        try bench.connect()
        let range = HandleRange(start: 1, end: 0xFFFF)
        let services = [DiscoveredService(uuid: BluetoothUUID(0x180D as UInt16), range: range, isPrimary: true)]
        for _ in 0..<2 {
            for _ in 0..<2 { try bench.send(GATTGetServicesRequest(address: address)) }
            #expect(bench.commands() == [.submit(.discoverServices(nil), peer)])
            try bench.complete(.success(.services(services)))
            try bench.complete(.success(.characteristics([])))
            #expect(
                bench.received.map(\.type) == [GATTGetServicesResponse.type, GATTGetServicesDoneResponse.type])
            #expect(try bench.take(GATTGetServicesDoneResponse.self).map(\.address) == [address])
            _ = bench.commands()
            // One that fails is over as well.
            try bench.send(GATTGetServicesRequest(address: address))
            try bench.complete(.failure(.bearerLost))
            #expect(try bench.take(GATTErrorResponse.self).count == 1)
            _ = bench.commands()
        }
        // The end of the link answers a client that waits for the services.
        try bench.send(GATTGetServicesRequest(address: address))
        bench.session.disconnected(peer, .failed(.endedByPeer))
        #expect(
            try bench.take(GATTErrorResponse.self) == [GATTErrorResponse(address: address, handle: 0, error: 0x8F)])
    }

    /// A client that clears the cache during a discovery gets the services all the same, and may ask again.
    @Test func aDiscoveryGoesOnWhenTheCacheIsCleared() throws {
        var bench = try SessionBench()
        try bench.connect()
        let range = HandleRange(start: 1, end: 0xFFFF)
        let services = [DiscoveredService(uuid: BluetoothUUID(0x180D as UInt16), range: range, isPrimary: true)]
        for _ in 0..<2 {
            try bench.send(GATTGetServicesRequest(address: address))
            try bench.send(DeviceRequest(address: address, kind: DeviceRequestKind.clearCache.rawValue))
            #expect(
                try bench.take(DeviceClearCacheResponse.self)
                    == [DeviceClearCacheResponse(address: address, isSuccess: true)])
            try bench.complete(.success(.services(services)))
            try bench.complete(.success(.characteristics([])))
            #expect(bench.received.map(\.type) == [GATTGetServicesResponse.type, GATTGetServicesDoneResponse.type])
            bench.received = []
        }
    }

    // MARK: Time

    @Test func eachAttemptAndEachEndHasItsTime() throws {
        var bench = try SessionBench(slots: 3)
        #expect(bench.session.deadline == nil)
        for number in 1...3 as ClosedRange<UInt64> {
            bench.now = .zero + .seconds(Int(number))
            try bench.send(DeviceRequest(address: number, kind: 5))
        }
        _ = bench.commands()
        func device(_ number: UInt64) -> PeerIdentifier { PeerIdentifier(high: 0, low: number) }
        #expect(bench.session.deadline == .zero + .seconds(31))
        bench.session.handleTimeout(at: .zero + .seconds(31) - .nanoseconds(1))
        #expect(bench.commands() == [])
        // The second one connects in time.
        bench.session.connected(device(2))
        bench.session.handleTimeout(at: .zero + .seconds(33))
        #expect(
            bench.commands() == [
                .submit(.readRSSI, device(2)), .cancelConnection(device(1)), .cancelConnection(device(3)),
            ])
        #expect(bench.session.deadline == .zero + .seconds(43))
        bench.session.disconnected(device(1), .cancelled)
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x3E])
        bench.session.handleTimeout(at: .zero + .seconds(43))
        #expect(
            try bench.take(DeviceConnectionResponse.self) == [DeviceConnectionResponse(address: 3, error: 0x3E)])
        #expect(bench.session.deadline == nil && bench.session.linkCount == 1 && bench.session.slots.free == 2)
        bench.session.handleTimeout(at: .zero + .seconds(1000))
        #expect(bench.commands() == [] && bench.session.linkCount == 1)
    }

    @Test func theLossOfTheAdapterEndsEachLinkInOrder() throws {
        var bench = try SessionBench(slots: 4)
        for number in [3, 1, 2] as [UInt64] { try bench.send(DeviceRequest(address: number, kind: 5)) }
        #expect(bench.session.slots.allocated == [1, 2, 3] && bench.session.slots.free == 1)
        bench.session.slotsChanged = false
        bench.session.adapterStateChanged(.resetting)
        #expect(
            try bench.take(DeviceConnectionResponse.self)
                == [1, 2, 3].map { DeviceConnectionResponse(address: $0, error: 0x03) })
        #expect(bench.session.slots.free == 4 && bench.session.slotsChanged && bench.session.linkCount == 0)
        try bench.send(DeviceRequest(address: 1, kind: 5))
        #expect(try bench.take(DeviceConnectionResponse.self).map(\.error) == [0x80], "the adapter is off")
        bench.session.adapterStateChanged(.poweredOn)
        _ = bench.commands()
        for number in [3, 1] as [UInt64] { try bench.send(DeviceRequest(address: number, kind: 5)) }
        _ = bench.commands()
        bench.session.close()
        #expect(
            bench.commands() == [1, 3].map { .cancelConnection(PeerIdentifier(high: 0, low: $0)) })
        #expect(bench.session.slots.free == 4)
        // A late event finds nothing.
        bench.session.connected(PeerIdentifier(high: 0, low: 1))
        #expect(bench.commands() == [])
    }

    // MARK: Slots

    @Test func clientsOfOneDeviceShareItsSlot() {
        var slots = ConnectionSlots(limit: 2)
        #expect(slots.free == 2 && slots.limit == 2 && slots.allocated == [])
        for _ in 0..<3 {
            for _ in 0..<3 { #expect(slots.reserve(7) == true) }
            #expect(slots.free == 1 && slots.allocated == [7])
            #expect(slots.reserve(5) == true)
            #expect(slots.reserve(6) == false)
            #expect(slots.reserve(5) == true)
            #expect(slots.free == 0 && slots.allocated == [5, 7])
            for count in 1...3 {
                slots.release(7)
                #expect(slots.free == (count == 3 ? 1 : 0))
            }
            slots.release(7)
            slots.release(6)
            slots.release(5)
            #expect(slots.free == 1)
            slots.release(5)
            #expect(slots.free == 2)
        }
        var none = ConnectionSlots(limit: 0)
        #expect(none.free == 0 && none.reserve(1) == false)
    }
}

/// The discovery of everything that a peer has, also of what the adapter leaves out.
struct TreeDiscoveryTests {
    private func service(_ uuid: UInt16, _ start: UInt16, _ end: UInt16) -> DiscoveredService {
        DiscoveredService(uuid: BluetoothUUID(uuid), range: HandleRange(start: start, end: end), isPrimary: true)
    }

    private func characteristic(_ uuid: UInt16, _ handle: UInt16, end: UInt16) -> DiscoveredCharacteristic {
        DiscoveredCharacteristic(
            uuid: BluetoothUUID(uuid), properties: 2, declarationHandle: handle - 1, valueHandle: handle, end: end)
    }

    /// The handles outside of the services that were found are read, in their order, and no others.
    @Test func eachGapBetweenServicesIsRead() {
        let cases: [(services: [(UInt16, UInt16)], gaps: [UInt16])] = [
            ([], [1]), ([(1, 0xFFFF)], []), ([(2, 0xFFFF)], [1]), ([(1, 0xFFFE)], [0xFFFF]), ([(1, 5), (6, 9)], [10]),
            ([(1, 5), (7, 9)], [6, 10]), ([(7, 9), (1, 5)], [6, 10]), ([(3, 9), (5, 20), (30, 0xFFFF)], [1, 21]),
            ([(10, 20), (12, 14), (40, 50)], [1, 21, 51]), ([(0xFFFF, 0xFFFF)], [1]),
        ]
        for (services, gaps) in cases {
            var discovery = TreeDiscovery()
            #expect(discovery.operation == .discoverServices(nil))
            let found = services.map { service(0x180F, $0.0, $0.1) }
            #expect(discovery.take(.success(.services(found))) == nil)
            var read: [UInt16] = []
            while case .read(let handle)? = discovery.operation {
                read.append(handle)
                #expect(discovery.take(.failure(.attribute(0x0A))) == nil)
            }
            #expect(read == gaps, "\(services)")
            // Then the services, in the order of the adapter.
            for service in found {
                #expect(discovery.operation == .discoverCharacteristics(service: service.range, nil))
                #expect(discovery.take(.success(.characteristics([]))) == nil)
            }
            #expect(discovery.operation == nil && discovery.take(.success(.done)) == nil)
            #expect(discovery.tree.services.map(\.found.range.start) == services.map(\.0).sorted())
        }
    }

    /// A declaration of a service has 2 or 16 octets; anything else at a handle is no service.
    @Test func whatIsNoDeclarationIsNoService() {
        for (count, isService) in [
            (0, false), (1, false), (2, true), (3, false), (4, false), (15, false), (16, true), (17, false),
        ] {
            var discovery = TreeDiscovery()
            _ = discovery.take(.success(.services([])))
            #expect(discovery.take(.success(.value([UInt8](repeating: 0x18, count: count)))) == nil)
            #expect((discovery.operation != nil) == isService, "\(count)")
            if isService {
                #expect(
                    discovery.operation == .discoverCharacteristics(service: HandleRange(start: 1, end: 0xFFFF), nil))
            }
        }
        // A result of another kind is no service either.
        var discovery = TreeDiscovery()
        _ = discovery.take(.success(.services([])))
        #expect(discovery.take(.success(.done)) == nil && discovery.operation == nil)
    }

    @Test func aFailureThatIsNotTheAttributesEndsTheDiscovery() {
        for failure in [GATTError.bearerLost, .notConnected] {
            var discovery = TreeDiscovery()
            _ = discovery.take(.success(.services([service(0x180F, 2, 0xFFFF)])))
            #expect(discovery.take(.failure(failure)) == failure)
        }
        // The characteristics of a service that was found must be readable.
        var discovery = TreeDiscovery()
        _ = discovery.take(.success(.services([service(0x180F, 1, 0xFFFF)])))
        #expect(discovery.take(.failure(.attribute(0x0E))) == .attribute(0x0E))
    }

    /// Several hidden services in one gap: each declaration after the descriptors of a characteristic splits the rest off.
    @Test func hiddenServicesAreSplit() {
        var discovery = TreeDiscovery()
        func step(_ operation: GATTOperation, _ result: GATTResult) {
            #expect(discovery.operation == operation)
            #expect(discovery.take(.success(result)) == nil)
        }
        step(.discoverServices(nil), .services([service(0x180D, 20, 0xFFFF)]))
        // 1 GAP: 3 name, 5 appearance; 6 GATT: 8 Service Changed with a descriptor at 9; 10 a third: 12; 19 one without content.
        step(.read(handle: 1), .value([0x00, 0x18]))
        step(
            .discoverCharacteristics(service: HandleRange(start: 1, end: 19), nil),
            .characteristics([
                characteristic(0x2A00, 3, end: 3), characteristic(0x2A01, 5, end: 6),
                characteristic(0x2A05, 8, end: 10),
                characteristic(0x2A29, 12, end: 19),
            ]))
        step(.discoverDescriptors(after: 5, end: 6), .descriptors([]))
        step(.read(handle: 6), .value([0x01, 0x18]))
        step(
            .discoverDescriptors(after: 8, end: 10),
            .descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 9)]))
        step(.read(handle: 10), .value([0x0A, 0x18]))
        step(
            .discoverDescriptors(after: 12, end: 19),
            .descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2901 as UInt16), handle: 18)]))
        step(.read(handle: 19), .value([0x0F, 0x18]))
        step(.discoverCharacteristics(service: HandleRange(start: 20, end: 0xFFFF), nil), .characteristics([]))
        #expect(discovery.operation == nil)
        let services = discovery.tree.services
        #expect(
            services.map(\.found.uuid)
                == [0x1800, 0x1801, 0x180A, 0x180F, 0x180D].map { BluetoothUUID($0 as UInt16) })
        #expect(services.map(\.found.range.start) == [1, 6, 10, 19, 20])
        #expect(services.map(\.found.range.end) == [5, 9, 18, 19, 0xFFFF])
        #expect(services.map { $0.characteristics.map(\.found.valueHandle) } == [[3, 5], [8], [12], [], []])
        #expect(services.map { $0.characteristics.map(\.found.end) } == [[3, 5], [9], [18], [], []])
        #expect(
            services.map { $0.characteristics.flatMap { $0.descriptors.map(\.handle) } } == [[], [9], [18], [], []])
        #expect(services.map(\.found.isPrimary) == [Bool](repeating: true, count: 5))
    }

    /// A value behind the descriptors that is no declaration splits nothing, and neither does one that cannot be read.
    @Test func anotherAttributeSplitsNothing() {
        for result in [Result<GATTResult, GATTError>.success(.value([1, 2, 3])), .failure(.attribute(0x02))] {
            var discovery = TreeDiscovery()
            _ = discovery.take(.success(.services([])))
            _ = discovery.take(.success(.value([0x00, 0x18])))
            _ = discovery.take(.success(.characteristics([characteristic(0x2A00, 3, end: 0xFFFF)])))
            #expect(discovery.operation == .discoverDescriptors(after: 3, end: 0xFFFF))
            _ = discovery.take(
                .success(.descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2901 as UInt16), handle: 0xFFFE)])))
            #expect(discovery.operation == .read(handle: 0xFFFF))
            #expect(discovery.take(result) == nil)
            #expect(discovery.operation == nil && discovery.tree.services.map(\.found.range.end) == [0xFFFF])
        }
        // The last handle has nothing behind it, and a service that was found is complete.
        var discovery = TreeDiscovery()
        _ = discovery.take(.success(.services([service(0x180F, 1, 0xFFFF)])))
        _ = discovery.take(.success(.characteristics([characteristic(0x2A19, 3, end: 0xFFFF)])))
        _ = discovery.take(.success(.descriptors([])))
        #expect(discovery.operation == nil)
    }

    /// A discovery has at most 8192 operations.
    @Test(arguments: [(8190, true), (8191, false)]) func aDiscoveryHasAnEnd(count: Int, isPossible: Bool) {
        var discovery = TreeDiscovery()
        _ = discovery.take(.success(.services([service(0x180F, 1, 0xFFFF)])))
        var found: [DiscoveredCharacteristic] = []
        for number in 0..<UInt16(count) {
            found.append(characteristic(0x2A19, 3 * number + 3, end: 3 * number + 4))
        }
        _ = discovery.take(.success(.characteristics(found)))
        var failure: GATTError?
        for _ in 0..<count where failure == nil { failure = discovery.take(.success(.descriptors([]))) }
        #expect(failure == (isPossible ? nil : .bearerLost))
        #expect(discovery.operation == nil || !isPossible)
    }

    /// Clients of version 1.12 and later read short UUIDs; others, and UUIDs without a short form, have two halves.
    @Test func aRecordHasTheUUIDsThatItsClientReads() throws {
        let long = try #require(BluetoothUUID("00467768-6228-2272-4663-277478268000"))
        var discovery = TreeDiscovery()
        _ = discovery.take(
            .success(
                .services([DiscoveredService(uuid: long, range: HandleRange(start: 1, end: 0xFFFF), isPrimary: true)])))
        _ = discovery.take(.success(.characteristics([characteristic(0x2A19, 3, end: 4)])))
        _ = discovery.take(
            .success(.descriptors([DiscoveredDescriptor(uuid: BluetoothUUID(0x2902 as UInt16), handle: 4)])))
        let service = try #require(discovery.tree.services.first)
        // The base UUID: 0000xxxx-0000-1000-8000-00805F9B34FB (Vol 3, Part B, 2.5.1).
        let (base, low): (UInt64, UInt64) = (0x0000_0000_0000_1000, 0x8000_0080_5F9B_34FB)
        for short in [true, false] {
            let record = discovery.tree.record(service, short: short)
            #expect(record.uuid == [0x0046_7768_6228_2272, 0x4663_2774_7826_8000] && record.shortUUID == 0)
            #expect(record.handle == 1)
            let characteristic = try #require(record.characteristics.first)
            #expect(characteristic.handle == 3 && characteristic.properties == 2)
            #expect(characteristic.uuid == (short ? [] : [0x2A19 << 32 | base, low]))
            #expect(characteristic.shortUUID == (short ? 0x2A19 : 0))
            let descriptor = try #require(characteristic.descriptors.first)
            #expect(descriptor.handle == 4 && descriptor.shortUUID == (short ? 0x2902 : 0))
            #expect(descriptor.uuid == (short ? [] : [0x2902 << 32 | base, low]))
        }
    }
}
