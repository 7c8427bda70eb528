import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct ValueTests {
    /// A connection with one service of six characteristics.
    struct Device {
        let bench = CentralBench()
        let peripheral: CBPeripheral
        let both: CBCharacteristic
        let indicating: CBCharacteristic
        let plain: CBCharacteristic
        let writable: CBCharacteristic
        let descriptors: [CBDescriptor]

        init() throws {
            peripheral = bench.connectedPeripheral()
            peripheral.discoverServices(nil)
            bench.answer(.success(.services([DiscoveredService(0xFEE7, 1, 40)])))
            let service = try #require(peripheral.services?.first)
            peripheral.discoverCharacteristics(nil, for: service)
            bench.answer(
                .success(
                    .characteristics([
                        DiscoveredCharacteristic(0xAA01, [.read, .notify, .indicate], value: 3, end: 19),
                        DiscoveredCharacteristic(0xAA02, [.indicate], value: 21, end: 22),
                        DiscoveredCharacteristic(0xAA03, [.read, .write], value: 24, end: 24),
                        DiscoveredCharacteristic(0xAA04, [.writeWithoutResponse], value: 26, end: 26),
                    ])))
            let characteristics = try #require(service.characteristics)
            both = characteristics[0]
            indicating = characteristics[1]
            plain = characteristics[2]
            writable = characteristics[3]
            peripheral.discoverDescriptors(for: both)
            bench.answer(
                .success(
                    .descriptors(
                        [0x2900, 0x2901, 0x2902, 0x2903, 0x2904, 0x2908].enumerated().map {
                            DiscoveredDescriptor(uuid: short($0.element), handle: UInt16(4 + $0.offset))
                        })))
            descriptors = try #require(both.descriptors)
            _ = bench.newEvents()
            _ = bench.newCommands()
        }
    }

    @Test func row075_readsAndNotificationsCallTheSameMethod() throws {
        let device = try Device()
        device.peripheral.readValue(for: device.both)
        device.bench.answer(.success(.value([1, 2])))
        device.bench.notify([3], handle: 3)
        #expect(device.bench.newEvents() == ["value [1, 2]", "value [3]"])
        #expect(device.both.value == Data([3]))
    }

    @Test func row076_theValueBelongsToItsCallback() throws {
        let device = try Device()
        let bench = device.bench
        bench.queue.suspend()
        bench.adapter.executor.sync {
            for number in 0..<100 as Range<UInt8> {
                let value = [number]
                bench.session.observer?.received(value.span, handle: 3, from: CentralBench.peer)
            }
        }
        #expect(device.both.value == nil)
        bench.queue.resume()
        bench.settle()
        #expect(bench.newEvents() == (0..<100).map { "value [\($0)]" })
    }

    /// Values of one length may share their storage, but never with a value that the program holds.
    @Test(arguments: [3, 100]) func aValueThatTheProgramHoldsStays(count: Int) throws {
        let device = try Device()
        let values = (1...3).map { [UInt8](repeating: $0, count: count) }
        var held: [Data?] = []
        for value in values {
            device.bench.notify(value, handle: 3)
            held.append(device.both.value)
        }
        #expect(held == values.map { Data($0) })
        device.bench.notify([9], handle: 3)
        #expect(device.both.value == Data([9]) && held == values.map { Data($0) })
    }

    @Test func row078_aFailedReadKeepsTheValue() throws {
        let device = try Device()
        device.peripheral.readValue(for: device.both)
        device.bench.answer(.success(.value([1])))
        device.peripheral.readValue(for: device.both)
        device.bench.answer(.failure(.attribute(2)))
        #expect(device.bench.newEvents() == ["value [1]", "value [1] CBATTErrorDomain 2"])
    }

    @Test(arguments: [
        (1, "The handle is invalid."), (2, "Reading is not permitted."), (3, "Writing is not permitted."),
        (4, "The command is invalid."), (5, "Authentication is insufficient."), (6, "The request is not supported."),
        (7, "The offset is invalid."), (8, "Authorization is insufficient."), (9, "The prepare queue is full."),
        (10, "The attribute could not be found."), (11, "The attribute is not long."),
        (12, "The encryption key size is insufficient."), (13, "The value's length is invalid."),
        (14, "Unlikely error."), (15, "Encryption is insufficient."), (16, "The group type is unsupported."),
        (17, "Resources are insufficient."), (0x80, "Unknown ATT error."), (0xFF, "Unknown ATT error."),
    ])
    func row079_row080_row165_attErrorsHaveThePeersCodeAndApplesText(_ code: Int, _ text: String) throws {
        let device = try Device()
        device.peripheral.readValue(for: device.both)
        device.bench.answer(.failure(.attribute(UInt8(code))))
        let error = try #require(device.bench.recorder.errors.value.last as? CBATTError)
        #expect(error.code.rawValue == code && error.localizedDescription == text)
        #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == text)
    }

    @Test func row083_onlyAWriteWithResponseHasACallback() throws {
        let device = try Device()
        device.peripheral.writeValue(Data([1]), for: device.plain, type: .withResponse)
        device.bench.answer(.success(.done))
        device.peripheral.writeValue(Data([2]), for: device.writable, type: .withoutResponse)
        device.bench.settle()
        #expect(device.bench.newEvents() == ["write"])
        #expect(
            device.bench.newCommands() == [
                .submit(.write(handle: 24, value: [1]), CentralBench.peer), .write([2], 26, CentralBench.peer),
            ])
    }

    @Test func row083_aResponselessWriteToACharacteristicWithoutItIsIgnored() throws {
        let device = try Device()
        let lines = misuses { device.peripheral.writeValue(Data([2]), for: device.plain, type: .withoutResponse) }
        #expect(lines.count == 1 && device.bench.newCommands().isEmpty)
    }

    @Test func row084_writingDoesNotChangeTheLocalValue() throws {
        let device = try Device()
        device.peripheral.writeValue(Data([1]), for: device.plain, type: .withResponse)
        device.bench.answer(.success(.done))
        #expect(device.plain.value == nil)
    }

    @Test func row085_theLongestWriteFollowsTheMTU() throws {
        let device = try Device()
        device.bench.session.record.mtu { $0 = 185 }
        #expect(device.peripheral.maximumWriteValueLength(for: .withoutResponse) == 182)
        #expect(device.peripheral.maximumWriteValueLength(for: .withResponse) == 512)
        device.bench.session.record.mtu { $0 = nil }
        #expect(device.peripheral.maximumWriteValueLength(for: .withoutResponse) == 20)
    }

    @Test func row087_aValueAboveTheLimitFailsWithTheATTError() throws {
        let device = try Device()
        device.peripheral.writeValue(Data(count: 513), for: device.plain, type: .withResponse)
        device.bench.answer(.failure(.valueTooLong))
        #expect(device.bench.newEvents() == ["write CBATTErrorDomain 13"])
    }

    @Test func row088_aWriteWithoutResponseIsTruncatedToTheLimit() throws {
        let device = try Device()
        device.bench.session.record.mtu { $0 = 23 }
        device.peripheral.writeValue(Data(0..<23), for: device.writable, type: .withoutResponse)
        #expect(device.bench.newCommands() == [.write(Array(0..<20), 26, CentralBench.peer)])
    }

    @Test func row089_canSendWriteWithoutResponseFollowsTheBuffer() throws {
        let device = try Device()
        #expect(device.peripheral.canSendWriteWithoutResponse)
        device.bench.session.record.room { $0 = 3 }
        var sent = 0
        while device.peripheral.canSendWriteWithoutResponse, sent < 10 {
            device.peripheral.writeValue(Data([UInt8(sent)]), for: device.writable, type: .withoutResponse)
            sent += 1
        }
        #expect(sent == 3)
        // Best effort beyond that.
        device.peripheral.writeValue(Data([9]), for: device.writable, type: .withoutResponse)
        #expect(device.bench.newCommands().count == 4)
        device.bench.session.record.room { $0 = 3 }
        #expect(!device.peripheral.canSendWriteWithoutResponse)
        device.bench.emit { $0.readyForWriteCommands(to: CentralBench.peer) }
        #expect(device.bench.newEvents() == ["ready true"])
        #expect(device.peripheral.canSendWriteWithoutResponse)
    }

    @Test func row090_operationsReachTheAdapterInTheOrderOfTheCalls() throws {
        let device = try Device()
        for number in 0..<10 as Range<UInt8> {
            if number.isMultiple(of: 2) {
                device.peripheral.readValue(for: device.plain)
            } else {
                device.peripheral.writeValue(Data([number]), for: device.plain, type: .withResponse)
            }
        }
        let expected = (0..<10).map { (number: UInt8) -> CentralCommand in
            let operation: GATTOperation =
                number.isMultiple(of: 2) ? .read(handle: 24) : .write(handle: 24, value: [number])
            return .submit(operation, CentralBench.peer)
        }
        #expect(device.bench.newCommands() == expected)
    }

    @Test func row091_notificationsArePreferredOverIndications() throws {
        let device = try Device()
        device.peripheral.setNotifyValue(true, for: device.both)
        device.peripheral.setNotifyValue(true, for: device.indicating)
        #expect(
            device.bench.newCommands() == [
                .submit(.setNotify(valueHandle: 3, end: 19, mode: .notification), CentralBench.peer),
                .submit(.setNotify(valueHandle: 21, end: 22, mode: .indication), CentralBench.peer),
            ])
    }

    @Test func row092_isNotifyingHasTheNewValueInTheCallback() throws {
        let device = try Device()
        device.peripheral.setNotifyValue(true, for: device.both)
        #expect(!device.both.isNotifying)
        device.bench.answer(.success(.done))
        device.peripheral.setNotifyValue(false, for: device.both)
        device.bench.answer(.success(.done))
        #expect(device.bench.newEvents() == ["notifying true", "notifying false"])
    }

    @Test func row092_aRefusedSubscriptionKeepsIsNotifying() throws {
        let device = try Device()
        device.peripheral.setNotifyValue(true, for: device.both)
        device.bench.answer(.failure(.attribute(15)))
        #expect(device.bench.newEvents() == ["notifying false CBATTErrorDomain 15"])
    }

    @Test func row093_settingTheCurrentStateSucceedsWithoutTraffic() throws {
        let device = try Device()
        device.peripheral.setNotifyValue(false, for: device.both)
        device.bench.settle()
        #expect(device.bench.newEvents() == ["notifying false"] && device.bench.newCommands().isEmpty)
    }

    @Test func row094_aCharacteristicWithoutNotifyFailsWithRequestNotSupported() throws {
        let device = try Device()
        device.peripheral.setNotifyValue(true, for: device.plain)
        device.bench.settle()
        #expect(device.bench.newEvents() == ["notifying false CBATTErrorDomain 6"])
        #expect(device.bench.newCommands().isEmpty)
    }

    @Test func row097_writingTheClientConfigurationThrowsInTheValidatingForm() throws {
        let device = try Device()
        #expect(throws: CBError.self) {
            try device.peripheral.writeValue(validating: Data([1, 0]), for: device.descriptors[2])
        }
        #expect(device.bench.newCommands().isEmpty)
        try device.peripheral.writeValue(validating: Data([1]), for: device.descriptors[1])
        #expect(device.bench.newCommands() == [.submit(.write(handle: 5, value: [1]), CentralBench.peer)])
    }

    @Test func row097_writingTheClientConfigurationEndsTheProgram() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let device = try Device()
            device.peripheral.writeValue(Data([1, 0]), for: device.descriptors[2])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            text.contains(
                "Client Characteristic Configuration descriptors must be configured using "
                    + "setNotifyValue:forCharacteristic:"))
    }

    @Test func row098_row099_descriptorValuesHaveTheTypeOfTheirUUID() throws {
        let device = try Device()
        let octets: [[UInt8]] = [[1, 0], Array("名前".utf8), [2, 0], [1, 1], [4, 0, 1, 0, 0, 0, 0], [1, 2]]
        for (descriptor, value) in zip(device.descriptors, octets) {
            device.peripheral.readValue(for: descriptor)
            device.bench.answer(.success(.value(value)))
        }
        #expect(device.descriptors[0].value as? NSNumber == 1)
        #expect(device.descriptors[1].value as? String == "名前")
        #expect(device.descriptors[2].value as? NSNumber == 2)
        #expect(device.descriptors[3].value as? NSNumber == 0x0101)
        #expect(device.descriptors[4].value as? Data == Data(octets[4]))
        #expect(device.descriptors[5].value as? Data == Data([1, 2]))
        #expect(device.bench.newEvents().allSatisfy { $0.hasPrefix("descriptorValue") })
        device.peripheral.writeValue(Data([1]), for: device.descriptors[1])
        device.bench.answer(.success(.done))
        #expect(device.bench.newEvents() == ["descriptorWrite"])
    }

    @Test(arguments: [[UInt8](), [1], [1, 2, 3], [UInt8](repeating: 0xFF, count: 600)])
    func row098_malformedDescriptorValuesAreTolerated(_ value: [UInt8]) throws {
        let device = try Device()
        for descriptor in device.descriptors {
            device.peripheral.readValue(for: descriptor)
            device.bench.answer(.success(.value(value)))
            #expect(descriptor.value != nil)
        }
    }

    @Test func row100_row101_rssiIsDeliveredByDidReadRSSIOnly() throws {
        let device = try Device()
        #expect(device.peripheral.rssi == nil)
        device.peripheral.readRSSI()
        device.bench.answer(.success(.rssi(-60)))
        #expect(device.bench.newEvents() == ["rssi -60"])
        #expect(device.peripheral.rssi == -60)
    }

    @Test func row152_aRefusedChannelIsNilAndAnError() throws {
        let device = try Device()
        let peer = CentralBench.peer
        _ = device.bench.newCommands()
        device.peripheral.openL2CAPChannel(0x80)
        #expect(device.bench.newCommands() == [.openChannel(0x80, peer)])
        let codes: [(ChannelError, String)] = [
            (.unknownPSM, "CBErrorDomain 1"), (.noResources, "CBErrorDomain 4"), (.noAnswer, "CBErrorDomain 6"),
            (.notConnected, "CBErrorDomain 3"), (.refused, "CBErrorDomain 0"),
            (.insufficientAuthentication, "CBATTErrorDomain 5"), (.insufficientAuthorization, "CBATTErrorDomain 8"),
            (.insufficientKeySize, "CBATTErrorDomain 12"), (.insufficientEncryption, "CBATTErrorDomain 15"),
        ]
        for (failure, text) in codes {
            device.bench.session.observer?.channelOpened(.failure(failure), psm: 0x80, of: peer)
            device.bench.settle()
            #expect(device.bench.newEvents() == ["channel \(text)"])
        }
    }

    @Test func row167_row168_aChannelSoundingSessionCompletesWithAnError() throws {
        let device = try Device()
        device.peripheral.startChannelSoundingSession(CBChannelSoundingSessionConfiguration(role: .initiator))
        device.peripheral.cancelChannelSoundingSession()
        device.bench.settle()
        #expect(device.bench.newEvents() == ["sounding CBErrorDomain 19"])
    }

    @Test func anotherPeripheralsCharacteristicIsAnInvalidHandle() throws {
        let device = try Device()
        let other = try Device()
        device.peripheral.readValue(for: other.plain)
        device.peripheral.writeValue(Data([1]), for: other.plain, type: .withResponse)
        device.peripheral.setNotifyValue(true, for: other.both)
        device.peripheral.readValue(for: other.descriptors[0])
        device.bench.settle()
        #expect(device.bench.newEvents().allSatisfy { $0.hasSuffix("CBErrorDomain 2") })
        #expect(device.bench.newCommands().isEmpty && device.bench.recorder.errors.value.count == 4)
    }

    @Test func row017_propertiesCanBeReadFromAnyThread() throws {
        let device = try Device()
        let peripheral = Unsendable(value: device.peripheral)
        let characteristic = Unsendable(value: device.both)
        let bench = device.bench
        let isDone = Locked(false)
        let readers = DispatchGroup()
        for _ in 0..<4 {
            DispatchQueue.global().async(group: readers) {
                while !isDone.value {
                    _ = peripheral.value.name
                    _ = peripheral.value.state
                    _ = peripheral.value.services?.first?.characteristics?.count
                    _ = characteristic.value.value?.count
                    _ = characteristic.value.isNotifying
                    _ = characteristic.value.service?.peripheral?.identifier
                    _ = peripheral.value.description
                }
            }
        }
        bench.adapter.executor.sync {
            for number in 0..<500 {
                let value = [UInt8](repeating: UInt8(number & 0xFF), count: 20)
                bench.session.observer?.received(value.span, handle: 3, from: CentralBench.peer)
                bench.session.observer?.nameChanged("\(number)", of: CentralBench.peer)
            }
            bench.session.observer?.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false)
        }
        bench.settle()
        isDone { $0 = true }
        readers.wait()
        #expect(bench.newEvents().count == 1001)
    }
}
