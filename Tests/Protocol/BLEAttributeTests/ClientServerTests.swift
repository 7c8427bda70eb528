import BLEAttribute
import BLEWire
import Testing

/// Procedures end to end, our client against our server.
struct ClientServerTests {
    static let long = BluetoothUUID(high: 0x6E40_0001_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)
    static let longCharacteristic = BluetoothUUID(high: 0x6E40_0002_B5A3_F393, low: 0xE0A9_E50E_24DC_CA9E)

    /// FEE7 with a read/write/notify/indicate characteristic and a static one; a 128-bit service.
    private func wristband() throws -> (Pair, AddedService, AddedService) {
        var database = AttributeDatabase(deviceName: Array("Band".utf8))
        let first = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(
                        uuid(0x36F5), 0x3E, 3,
                        descriptors: [DescriptorDefinition(uuid: uuid(0x2901), value: Array("speed".utf8))]),
                    CharacteristicDefinition(uuid(0x36F6), 0x02, 1, value: pattern(300)),
                ]))
        let second = try database.added(
            ServiceDefinition(Self.long, [CharacteristicDefinition(Self.longCharacteristic, 0x04, 2)]))
        return (Pair(database), first, second)
    }

    @Test func allServicesExceptGAPAndGATTAreFound() throws {
        let (pair, first, second) = try wristband()
        let expected = [
            DiscoveredService(uuid: uuid(0xFEE7), range: first.range, isPrimary: true),
            DiscoveredService(uuid: Self.long, range: second.range, isPrimary: true),
        ]
        #expect(pair.run(.discoverServices(nil)) == .success(.services(expected)))
        #expect(pair.run(.discoverServices([])) == .success(.services(expected)))
    }

    @Test func servicesAreFoundByUUIDInTheOrderOfTheirHandles() throws {
        let (pair, first, second) = try wristband()
        let fee7 = DiscoveredService(uuid: uuid(0xFEE7), range: first.range, isPrimary: true)
        let long = DiscoveredService(uuid: Self.long, range: second.range, isPrimary: true)
        #expect(pair.run(.discoverServices([Self.long, uuid(0xFEE7)])) == .success(.services([fee7, long])))
        #expect(pair.run(.discoverServices([Self.long, Self.long])) == .success(.services([long])))
        #expect(pair.run(.discoverServices([uuid(0x180D)])) == .success(.services([])))
        pair.toServer = []
        #expect(pair.run(.discoverServices([uuid(0x1800), uuid(0x1801)])) == .success(.services([])))
        #expect(pair.toServer.isEmpty)
    }

    @Test func characteristicsAndDescriptorsAreFound() throws {
        let (pair, first, second) = try wristband()
        let start = first.range.start
        let all = [
            DiscoveredCharacteristic(
                uuid: uuid(0x36F5), properties: 0x3E, declarationHandle: start + 1, valueHandle: start + 2,
                end: start + 4),
            DiscoveredCharacteristic(
                uuid: uuid(0x36F6), properties: 0x02, declarationHandle: start + 5, valueHandle: start + 6,
                end: start + 6),
        ]
        #expect(pair.run(.discoverCharacteristics(service: first.range, nil)) == .success(.characteristics(all)))
        #expect(
            pair.run(.discoverCharacteristics(service: first.range, [uuid(0x36F6)]))
                == .success(.characteristics([all[1]])))
        #expect(
            pair.run(.discoverDescriptors(after: start + 2, end: start + 4))
                == .success(
                    .descriptors([
                        DiscoveredDescriptor(uuid: uuid(0x2902), handle: start + 3),
                        DiscoveredDescriptor(uuid: uuid(0x2901), handle: start + 4),
                    ])))
        #expect(pair.run(.discoverDescriptors(after: start + 6, end: start + 6)) == .success(.descriptors([])))
        #expect(
            pair.run(.discoverCharacteristics(service: second.range, nil))
                == .success(
                    .characteristics([
                        DiscoveredCharacteristic(
                            uuid: Self.longCharacteristic, properties: 0x04, declarationHandle: second.range.start + 1,
                            valueHandle: second.range.start + 2, end: second.range.end)
                    ])))
        #expect(first.characteristics[0].clientConfigurationHandle == start + 3)
        #expect(first.characteristics[0].descriptorHandles == [start + 4])
    }

    @Test func manyServicesAndCharacteristicsTakeSeveralRequests() throws {
        var database = AttributeDatabase()
        var expected: [DiscoveredService] = []
        for index in 0..<20 {
            let characteristics = (0..<30).map { CharacteristicDefinition(uuid(0xA000 + UInt16($0)), 0x12, 1) }
            let id = index % 3 == 0 ? Self.long : uuid(0xB000 + UInt16(index))
            let added = try database.added(ServiceDefinition(id, characteristics))
            expected.append(DiscoveredService(uuid: id, range: added.range, isPrimary: true))
        }
        for mtu: UInt16 in [23, 247] {
            let pair = Pair(database, clientMTU: mtu)
            pair.exchangeMTU()
            #expect(pair.run(.discoverServices(nil)) == .success(.services(expected)))
            #expect(
                pair.run(.discoverServices([Self.long]))
                    == .success(.services(expected.filter { $0.uuid == Self.long })))
            guard
                case .success(.characteristics(let found)) = pair.run(
                    .discoverCharacteristics(service: expected[7].range, nil))
            else {
                Issue.record("no characteristics")
                continue
            }
            #expect(found.map(\.uuid) == (0..<30).map { uuid(0xA000 + UInt16($0)) })
            #expect(found.allSatisfy { $0.end == $0.valueHandle + 1 })
        }
    }

    @Test func includedServicesHaveTheirUUIDAndKind() throws {
        var database = AttributeDatabase()
        let primary = try database.added(ServiceDefinition(uuid(0x180F)))
        let secondary = try database.added(ServiceDefinition(Self.long, isPrimary: false))
        let outer = try database.added(ServiceDefinition(uuid(0xFEE7)), included: [primary.range, secondary.range])
        let pair = Pair(database)
        let first = DiscoveredService(uuid: uuid(0x180F), range: primary.range, isPrimary: true)
        let second = DiscoveredService(uuid: Self.long, range: secondary.range, isPrimary: false)
        #expect(
            pair.run(.discoverIncludedServices(service: outer.range, nil)) == .success(.services([first, second])))
        #expect(
            pair.run(.discoverIncludedServices(service: outer.range, [Self.long])) == .success(.services([second])))
        #expect(pair.run(.discoverIncludedServices(service: primary.range, nil)) == .success(.services([])))
        let listed = [first, DiscoveredService(uuid: uuid(0xFEE7), range: outer.range, isPrimary: true)]
        #expect(pair.run(.discoverServices(nil)) == .success(.services(listed)), "secondary ones are not listed")
    }

    @Test(arguments: [0, 1, 21, 22, 23, 44, 300, 511, 512], [23, 24, 185, 498] as [UInt16])
    func valuesOfAnyLengthAreReadCompletely(count: Int, mtu: UInt16) throws {
        let (pair, first, _) = try wristband()
        pair.client = ATTBearer(localMTU: mtu)
        pair.exchangeMTU()
        #expect(pair.client.mtu == mtu && pair.server.mtu == mtu)
        let handle = first.characteristics[0].valueHandle
        pair.values[handle] = pattern(count)
        #expect(pair.run(.read(handle: handle)) == .success(.value(pattern(count))))
    }

    @Test func aStaticValueIsServedByTheBearer() throws {
        let (pair, first, _) = try wristband()
        #expect(pair.run(.read(handle: first.characteristics[1].valueHandle)) == .success(.value(pattern(300))))
        #expect(pair.reads.isEmpty)
        #expect(
            pair.run(.read(handle: first.characteristics[0].descriptorHandles[0]))
                == .success(.value(Array("speed".utf8))))
    }

    @Test(arguments: [0, 1, 20, 21, 37, 300, 512], [23, 24, 185, 498, 517] as [UInt16])
    func valuesOfAnyLengthAreWrittenCompletely(count: Int, mtu: UInt16) throws {
        let (pair, first, _) = try wristband()
        pair.client = ATTBearer(localMTU: mtu)
        pair.server = ATTBearer(localMTU: 517)
        pair.exchangeMTU()
        let handle = first.characteristics[0].valueHandle
        #expect(pair.run(.write(handle: handle, value: pattern(count))) == .success(.done))
        #expect(pair.values[handle] == pattern(count))
        #expect(pair.writes.count == 1, "one request for the whole value")
        let offsets = pair.writes[0].map(\.offset)
        #expect(offsets == offsets.sorted())
    }

    @Test func aValueBeyond512OctetsIsNotSent() throws {
        let (pair, first, _) = try wristband()
        let handle = first.characteristics[0].valueHandle
        #expect(pair.run(.write(handle: handle, value: pattern(513))) == .failure(.valueTooLong))
        #expect(pair.toServer.isEmpty)
    }

    @Test func refusalsReturnTheirErrorCode() throws {
        let (pair, first, second) = try wristband()
        let handle = first.characteristics[0].valueHandle
        pair.refusals[handle] = ATT.ErrorCode(rawValue: 0x80)
        #expect(pair.run(.read(handle: handle)) == .failure(.attribute(0x80)))
        #expect(pair.run(.write(handle: handle, value: [1])) == .failure(.attribute(0x80)))
        #expect(pair.run(.write(handle: handle, value: pattern(100))) == .failure(.attribute(0x80)))
        #expect(pair.run(.read(handle: second.characteristics[0].valueHandle)) == .failure(.attribute(0x02)))
        #expect(
            pair.run(.write(handle: first.characteristics[1].valueHandle, value: [1])) == .failure(.attribute(0x03)))
        #expect(
            pair.run(.write(handle: first.characteristics[1].valueHandle, value: pattern(99)))
                == .failure(.attribute(0x03)))
        #expect(pair.run(.read(handle: 0x7777)) == .failure(.attribute(0x01)))
    }

    @Test func aWriteCommandHasNoResponse() throws {
        let (pair, _, second) = try wristband()
        let handle = second.characteristics[0].valueHandle
        let value = pattern(20)
        try pair.onClient { bearer, output in try bearer.writeCommand(value.span, handle: handle, output: &output) }
        #expect(pair.writes == [[Pair.Write(handle: handle, offset: 0, value: value)]])
        #expect(pair.toClient.isEmpty)
        let tooLong = pattern(21)
        #expect(throws: GATTError.valueTooLong) {
            try pair.onClient { bearer, output in try bearer.writeCommand(tooLong.span, handle: handle, output: &output)
            }
        }
    }

    @Test func subscriptionsStartAndEnd() throws {
        let (pair, first, _) = try wristband()
        let characteristic = first.characteristics[0]
        let handle = characteristic.valueHandle
        let end = characteristic.descriptorHandles[0]
        let steps: [(GATTOperation.NotifyMode, UInt16)] = [(.notification, 1), (.indication, 2), (.off, 0)]
        for (mode, bits) in steps {
            #expect(pair.run(.setNotify(valueHandle: handle, end: end, mode: mode)) == .success(.done))
            #expect(pair.server.clientConfiguration(ofValueHandle: handle) == bits)
            #expect(pair.serverEvents.last == .subscriptionChanged(valueHandle: handle, configuration: bits))
        }
        #expect(
            pair.run(
                .setNotify(valueHandle: first.characteristics[1].valueHandle, end: first.range.end, mode: .notification)
            )
                == .failure(.attribute(0x0A)), "no client configuration there")
    }

    @Test func notificationsAreCutAndIndicationsConfirmedOneByOne() throws {
        let (pair, first, _) = try wristband()
        let handle = first.characteristics[0].valueHandle
        let value = pattern(50)
        pair.onServer { $0.notify(handle: handle, value: value.span, output: &$1) }
        pair.onServer { bearer, output in
            for index in 0..<3 {
                bearer.indicate(handle: handle, value: value.span.extracting(index...), at: .zero, output: &output)
            }
            #expect(output.pdus.count == 1, "one indication at a time")
            #expect(bearer.unconfirmedIndications == 3)
        }
        #expect(
            pair.received == [
                Pair.Value(handle: handle, value: Array(value[..<20]), isIndication: false),
                Pair.Value(handle: handle, value: Array(value[..<20]), isIndication: true),
                Pair.Value(handle: handle, value: Array(value[1..<21]), isIndication: true),
                Pair.Value(handle: handle, value: Array(value[2..<22]), isIndication: true),
            ])
        #expect(pair.serverEvents.filter { $0 == .indicationConfirmed(valueHandle: handle) }.count == 3)
        #expect(pair.server.deadline == nil)
    }

    @Test func operationsRunOneAfterAnotherInOrder() throws {
        let (pair, first, _) = try wristband()
        let handle = first.characteristics[0].valueHandle
        pair.values[handle] = pattern(60)
        pair.onClient { bearer, output in
            for id in 100..<105 as Range<UInt32> {
                bearer.submit(
                    id % 2 == 0 ? .read(handle: handle) : .write(handle: handle, value: pattern(Int(id))), id: id,
                    at: .zero, output: &output)
            }
            #expect(output.pdus.count == 1, "one request outstanding")
        }
        let order = pair.clientEvents.compactMap { if case .completed(let id, _) = $0 { id } else { nil } }
        #expect(order == [100, 101, 102, 103, 104])
        #expect(pair.result(100) == .success(.value(pattern(60))))
        #expect(pair.result(104) == .success(.value(pattern(103))))
    }

    @Test func serviceChangedIsEnabledOnRequestAndConfirmed() throws {
        let (pair, _, second) = try wristband()
        #expect(pair.run { $0.enableServiceChanged(id: $1, at: $2, output: &$3) } == .success(.done))
        #expect(pair.server.clientConfiguration(ofValueHandle: pair.database.serviceChangedHandle) == 2)
        let database = pair.database
        pair.onServer { $0.indicateServicesChanged(second.range, database: database, at: .zero, output: &$1) }
        #expect(pair.clientEvents.last == .servicesChanged(second.range))
        #expect(pair.received.isEmpty)
        #expect(pair.serverEvents.last == .indicationConfirmed(valueHandle: database.serviceChangedHandle))
    }

    @Test(arguments: [0, 4, 18, 19, 20, 40, 248])
    func theDeviceNameIsReadCompletely(count: Int) {
        let name = (0..<count).map { UInt8(65 + $0 % 26) }
        let pair = Pair(AttributeDatabase(deviceName: name))
        #expect(pair.run { $0.readDeviceName(id: $1, at: $2, output: &$3) } == .success(.value(name)))
        pair.database.deviceName = Array("New".utf8)
        #expect(pair.run { $0.readDeviceName(id: $1, at: $2, output: &$3) } == .success(.value(Array("New".utf8))))
    }

    @Test func theMTUIsExchangedOnce() {
        let pair = Pair(clientMTU: 498, serverMTU: 247)
        pair.exchangeMTU()
        pair.exchangeMTU()
        #expect(pair.clientEvents == [.mtuChanged(247), .mtuChanged(247)])
        #expect(pair.serverEvents == [.mtuChanged(247)])
        #expect(pair.toServer.count == 1)
    }
}
