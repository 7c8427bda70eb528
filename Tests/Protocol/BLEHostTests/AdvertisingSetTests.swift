import BLEWire
import Testing

@testable import BLEHost

/// Advertising by the commands for sets (Vol 4, Part E, 7.8.52 to 7.8.60). `FakeAdvertisingSets` checks what the controller would.
struct AdvertisingSetTests {
    private let bench = Bench()
    private let second = AdvertisingSet(handle: 1)

    private func host(_ more: HCI.LEFeatures = [], _ adjust: (FakeController) -> Void = { _ in }) -> BenchHost {
        let host = bench.ready {
            $0.becomeExtended(more)
            adjust($0)
        }
        host.controller.clearLog()
        return host
    }

    private func advertise(_ parameters: AdvertisingParameters?, of set: AdvertisingSet = .legacy, on host: BenchHost) {
        host.host.setAdvertising(parameters, of: set, at: bench.now)
        bench.settle()
    }

    /// The answers since the last call.
    private func answers(_ host: BenchHost) -> [HCI.ErrorCode?] {
        defer { host.clearEvents() }
        return host.events.compactMap {
            if case .advertisingChanged(_, let error) = $0.event { .some(error) } else { nil }
        }
    }

    private func extended(
        _ data: [UInt8], scanResponse: [UInt8] = [], isConnectable: Bool = false,
        _ properties: ExtendedAdvertising = ExtendedAdvertising()
    ) -> AdvertisingParameters {
        AdvertisingParameters(
            data: data, scanResponse: scanResponse, isConnectable: isConnectable, pdus: .extended(properties))
    }

    /// 7.8.53 to 7.8.56: legacy PDUs by the commands for sets. Handle 0, 0x13 or 0x12 or 0x10.
    @Test(arguments: [(true, 1, 0x13), (false, 1, 0x12), (false, 0, 0x10), (true, 0, 0x13)] as [(Bool, Int, UInt8)])
    func legacyAdvertisingHasItsFields(isConnectable: Bool, responses: Int, properties: UInt8) {
        let device = host { $0.publicAddress = 5 }
        let response: [UInt8] = responses == 1 ? [2, 9, 0x41] : []
        for _ in 0..<3 {
            device.controller.clearLog()
            advertise(
                AdvertisingParameters(
                    data: [2, 1, 6], scanResponse: response, isConnectable: isConnectable, intervalMinimum: 0x0123,
                    intervalMaximum: 0x0456),
                on: device)
            let log = device.controller.log
            #expect(
                log.first?.parameters == [
                    0, properties, 0, 0x23, 0x01, 0, 0x56, 0x04, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0,
                ])
            var expected: [HCI.Opcode] = [.leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData]
            if responses == 1 { expected.append(.leSetExtendedScanResponseData) }
            #expect(log.map(\.opcode) == expected + [.leSetExtendedAdvertisingEnable])
            #expect(log[1].parameters == [0, 3, 1, 3, 2, 1, 6])
            #expect(log.last?.parameters == [1, 1, 0, 0, 0, 0])
            #expect(device.controller.isAdvertising == isConnectable && answers(device) == [nil])
            // The set is removed when it is no longer requested.
            advertise(nil, on: device)
            #expect(
                device.controller.log.suffix(2).map(\.opcode) == [
                    .leSetExtendedAdvertisingEnable, .leRemoveAdvertisingSet,
                ])
            #expect(device.controller.log.suffix(2).map(\.parameters) == [[0, 1, 0, 0, 0, 0], [0]])
            #expect(device.controller.sets.sets.isEmpty && answers(device) == [nil])
        }
    }

    /// 7.8.53: the fields of extended PDUs.
    @Test func extendedAdvertisingHasItsFields() throws {
        let device = host([.phy2M, .phyCoded]) { $0.publicAddress = 5 }
        for (parameters, properties) in [
            (extended([1, 1]), 0), (extended([], scanResponse: [1, 1]), 2), (extended([1, 1], isConnectable: true), 1),
            (extended([1, 1], .init(primaryPHY: .leCoded, secondaryPHY: .leCoded, sid: 15)), 0),
            (extended([1, 1], .init(secondaryPHY: .le2M, isAnonymous: true)), 0x20),
            (extended([1, 1], .init(sid: 3, includesTransmitPower: true)), 0x40),
        ] as [(AdvertisingParameters, UInt16)] {
            advertise(parameters, of: second, on: device)
            #expect(answers(device) == [nil])
            let set = try #require(device.controller.sets.sets[1])
            guard case .extended(let wanted) = parameters.pdus else {
                Issue.record("\(parameters) is not extended")
                return
            }
            #expect(set.isOn && set.parameters.properties.rawValue == properties)
            #expect(
                set.parameters.primaryPHY == wanted.primaryPHY && set.parameters.secondaryPHY == wanted.secondaryPHY)
            #expect(set.parameters.advertisingSID == wanted.sid)
            #expect(set.data == parameters.data && set.scanResponse == parameters.scanResponse)
        }
        #expect(device.controller.sets.sets[0] == nil, "the legacy set is not requested")
    }

    /// 7.8.54: up to 251 octets are one command, more are fragments.
    @Test(arguments: [0, 1, 250, 251, 252, 502, 503, 753, 1_650]) func dataIsSentInFragments(count: Int) {
        let device = host()
        let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for round in 1...2 {
            device.controller.clearLog()
            advertise(extended(data), of: second, on: device)
            #expect(device.controller.sets.sets[1]?.data == data && answers(device) == [nil])
            let operations = device.controller.log.filter { $0.opcode == .leSetExtendedAdvertisingData }
                .map { $0.parameters[1] }
            let pieces = (count + 250) / 251
            let expected: [UInt8] =
                pieces == 0 ? [] : pieces == 1 ? [3] : [1] + [UInt8](repeating: 0, count: pieces - 2) + [2]
            #expect(operations == expected, "round \(round)")
            advertise(nil, of: second, on: device)
            _ = answers(device)
        }
        // The scan response of a scannable set.
        advertise(extended([], scanResponse: data), of: second, on: device)
        #expect(device.controller.sets.sets[1]?.scanResponse == data && answers(device) == [nil])
    }

    /// Fragments need a set that is off (7.8.54); short data changes at any time.
    @Test func longDataInterruptsTheSetAndShortDataDoesNot() {
        let device = host()
        advertise(extended([1, 1]), of: second, on: device)
        device.controller.clearLog()
        advertise(extended([1, 2]), of: second, on: device)
        #expect(device.controller.opcodes() == [.leSetExtendedAdvertisingData])
        for number in 0..<3 as Range<UInt8> {
            device.controller.clearLog()
            let long = [UInt8](repeating: number, count: 400)
            advertise(extended(long), of: second, on: device)
            #expect(
                device.controller.opcodes() == [
                    .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingData, .leSetExtendedAdvertisingData,
                    .leSetExtendedAdvertisingEnable,
                ])
            #expect(device.controller.sets.sets[1]?.data == long)
        }
        #expect(answers(device) == [nil, nil, nil, nil, nil])
    }

    /// A request during a transfer takes effect; the fragments before it are given up.
    @Test func aRequestReplacesAnUnfinishedTransfer() {
        var advertiser = Advertiser(usesSets: true)
        var first = extended([UInt8](repeating: 1, count: 600))
        advertiser.request(first)
        #expect(advertiser.next() == .setParameters(AdvertisingEvents(first)))
        #expect(advertiser.completed(.success) == .none)
        #expect(advertiser.next() == .setData && advertiser.transfer?.operation == .first)
        first.data = [UInt8](repeating: 2, count: 300)
        advertiser.request(first)
        #expect(advertiser.completed(.success) == .none)
        #expect(advertiser.next() == .setData && advertiser.transfer?.operation == .first)
        #expect(advertiser.transfer?.octets == first.data)
        #expect(advertiser.completed(.success) == .none)
        #expect(advertiser.next() == .setData && advertiser.transfer?.operation == .last)
        #expect(advertiser.completed(.success) == .none)
        #expect(advertiser.next() == .enable)
    }

    /// A set of another kind may not have the old data, so it is made anew.
    @Test func anotherKindOfSetReplacesTheOld() {
        let device = host()
        let parameters = [
            extended([UInt8](repeating: 1, count: 300)), AdvertisingParameters(data: [2, 1, 6], scanResponse: [1, 1]),
            extended([], scanResponse: [UInt8](repeating: 2, count: 300)),
            AdvertisingParameters(data: [], isConnectable: false),
            extended([1, 1], isConnectable: true),
        ]
        for number in 0..<10 {
            let next = parameters[number % parameters.count]
            advertise(next, on: device)
            #expect(answers(device) == [nil])
            let set = device.controller.sets.sets[0]
            #expect(set?.isOn == true && set?.data == next.data && set?.scanResponse == next.scanResponse, "\(number)")
        }
        // A new interval keeps the set.
        device.controller.clearLog()
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: device)
        device.controller.clearLog()
        advertise(AdvertisingParameters(data: [2, 1, 6], intervalMinimum: 100, intervalMaximum: 100), on: device)
        #expect(
            device.controller.opcodes() == [
                .leSetExtendedAdvertisingEnable, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingEnable,
            ])
    }

    @Test func severalSetsAreIndependent() {
        let device = host { $0.sets.capacity = 240 }
        for handle in 0..<16 as Range<UInt8> {
            device.host.setAdvertising(extended([1, handle]), of: AdvertisingSet(handle: handle * 15), at: bench.now)
        }
        bench.settle()
        #expect(answers(device) == [HCI.ErrorCode?](repeating: nil, count: 16))
        #expect(device.controller.sets.sets.count == 16 && device.controller.sets.sets.values.allSatisfy { $0.isOn })
        // The limit of the host.
        advertise(extended([]), of: AdvertisingSet(handle: 1), on: device)
        #expect(answers(device) == [.memoryCapacityExceeded])
        advertise(nil, of: AdvertisingSet(handle: 30), on: device)
        #expect(answers(device) == [nil] && device.controller.sets.sets[30] == nil)
        advertise(extended([]), of: AdvertisingSet(handle: 0xEF), on: device)
        #expect(answers(device) == [nil] && device.controller.sets.sets[0xEF]?.isOn == true)
        for handle in device.controller.sets.sets.keys {
            advertise(nil, of: AdvertisingSet(handle: handle), on: device)
        }
        #expect(device.controller.sets.sets.isEmpty && answers(device).count == 16)
        advertise(nil, of: AdvertisingSet(handle: 30), on: device)
        #expect(answers(device) == [nil] && device.controller.sets.sets.isEmpty)
    }

    @Test func theControllersNumberOfSetsIsTheLimit() {
        let device = host { $0.sets.capacity = 2 }
        for handle in [1, 2] as [UInt8] { advertise(extended([]), of: AdvertisingSet(handle: handle), on: device) }
        #expect(answers(device) == [nil, nil])
        for _ in 0..<2 {
            advertise(AdvertisingParameters(data: []), on: device)
            #expect(answers(device) == [.memoryCapacityExceeded])
        }
        advertise(nil, of: AdvertisingSet(handle: 1), on: device)
        advertise(AdvertisingParameters(data: []), on: device)
        #expect(answers(device) == [nil, nil] && device.controller.isAdvertising)
        // A set that is given up makes room at once, in either direction.
        for (old, new) in [(0, 3), (2, 0)] as [(UInt8, UInt8)] {
            device.host.setAdvertising(nil, of: AdvertisingSet(handle: old), at: bench.now)
            let parameters = new == 0 ? AdvertisingParameters(data: []) : extended([])
            advertise(parameters, of: AdvertisingSet(handle: new), on: device)
            #expect(answers(device) == [nil, nil])
            #expect(device.controller.sets.sets[old] == nil && device.controller.sets.sets[new]?.isOn == true)
        }
    }

    /// The refusal of a command that a withdrawn request sent is no answer to the next request.
    @Test func aRefusalAnswersTheRequestThatSentTheCommand() {
        let device = host()
        device.controller.nextRefusals = [.leSetExtendedAdvertisingParameters: .memoryCapacityExceeded]
        // Its command is outstanding when the next request comes.
        device.host.setAdvertising(extended([1, 0xFF]), of: second, at: bench.now)
        device.host.setAdvertising(nil, of: second, at: bench.now)
        advertise(extended([2, 0xFF, 7]), of: second, on: device)
        #expect(answers(device) == [nil] && device.controller.sets.sets[1]?.isOn == true)
        #expect(device.controller.nextRefusals.isEmpty)
    }

    @Test func impossibleRequestsFailWithoutACommand() {
        let device = host([.phyCoded]) { $0.sets.maximumData = 500 }
        for (parameters, handle, error) in [
            (extended([UInt8](repeating: 0, count: 501)), 1, .memoryCapacityExceeded),
            (extended([1], scanResponse: [1]), 1, .invalidHCICommandParameters),
            (extended([], scanResponse: [1], isConnectable: true), 1, .invalidHCICommandParameters),
            (extended([], isConnectable: true, .init(isAnonymous: true)), 1, .invalidHCICommandParameters),
            (extended([], scanResponse: [1], .init(isAnonymous: true)), 1, .invalidHCICommandParameters),
            (extended([], .init(sid: 16)), 1, .invalidHCICommandParameters),
            (extended([], .init(primaryPHY: .le2M)), 1, .invalidHCICommandParameters),
            (extended([], .init(secondaryPHY: .init(rawValue: 0))), 1, .invalidHCICommandParameters),
            (extended([], .init(secondaryPHY: .le2M)), 1, .unsupportedFeatureOrParameterValue),
            (extended([]), 0xF0, .invalidHCICommandParameters),
            (AdvertisingParameters(data: [UInt8](repeating: 0, count: 32)), 1, .invalidHCICommandParameters),
            (
                AdvertisingParameters(data: [], scanResponse: [UInt8](repeating: 0, count: 32)), 0,
                .invalidHCICommandParameters
            ),
        ] as [(AdvertisingParameters, UInt8, HCI.ErrorCode)] {
            advertise(parameters, of: AdvertisingSet(handle: handle), on: device)
            #expect(answers(device) == [error], "\(parameters)")
            #expect(device.host.access.advertisers[AdvertisingSet(handle: handle)]?.requested == nil)
        }
        #expect(device.controller.log.isEmpty)
        advertise(extended([UInt8](repeating: 0, count: 500), .init(primaryPHY: .leCoded)), of: second, on: device)
        #expect(answers(device) == [nil])
    }

    /// Without the feature, one clear error.
    @Test func extendedSetsFailWithoutTheFeature() {
        let device = bench.ready()
        device.controller.clearLog()
        for handle in [0, 1] as [UInt8] {
            advertise(extended([]), of: AdvertisingSet(handle: handle), on: device)
            #expect(answers(device) == [.unsupportedFeatureOrParameterValue])
        }
        #expect(device.controller.log.isEmpty)
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: device)
        #expect(answers(device) == [nil] && device.controller.isAdvertising)
    }

    /// A failed command ends the request of its set alone, and removes the set.
    @Test(
        arguments: [
            .leSetExtendedAdvertisingParameters, .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingData,
            .leSetExtendedAdvertisingEnable,
        ] as [HCI.Opcode])
    func aRefusedCommandEndsOneSet(refused: HCI.Opcode) {
        let device = host()
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: device)
        _ = answers(device)
        for _ in 0..<2 {
            device.controller.refusals = [refused: .packetTooLong]
            advertise(extended([1, 1]), of: second, on: device)
            device.controller.refusals = [:]
            #expect(answers(device) == [.packetTooLong])
            #expect(device.controller.sets.sets.count == 1 && device.controller.isAdvertising)
            #expect(device.host.access.advertisers[second] == nil)
        }
        advertise(extended([1, 1]), of: second, on: device)
        #expect(answers(device) == [nil] && device.controller.sets.sets[1]?.isOn == true)
    }

    // MARK: Addresses

    /// 7.8.52: each set needs the random address of the host.
    @Test func eachSetGetsTheRandomAddress() {
        let device = host()
        let address = device.address
        #expect(address?.kind == .random)
        for handle in [0, 5] as [UInt8] {
            advertise(AdvertisingParameters(data: [2, 1, 6]), of: AdvertisingSet(handle: handle), on: device)
            #expect(device.controller.sets.sets[handle]?.address == address)
            #expect(device.controller.sets.sets[handle]?.parameters.ownAddressType == .random)
        }
        #expect(answers(device) == [nil, nil])
        let fixed = host { $0.publicAddress = 0x1234 }
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: fixed)
        #expect(fixed.controller.sets.sets[0]?.address == nil && answers(fixed) == [nil])
        #expect(!fixed.controller.opcodes().contains(.leSetAdvertisingSetRandomAddress))
    }

    /// A new private address reaches every set, connectable or not (Vol 3, Part C, 10.7.1.1).
    @Test func aNewPrivateAddressReachesEverySet() throws {
        var configuration = HostConfiguration()
        configuration.privacy.usesPrivateAddress = true
        configuration.privacy.addressLifetime = .seconds(10)
        let device = bench.add(configuration) {
            $0.publicAddress = 0x1234
            $0.becomeExtended()
        }
        device.host.pairingSettings.identityKey = IdentityResolvingKey(value: 0x1234_5678_9ABC)
        device.host.start(at: bench.now)
        bench.settle()
        let sets: [AdvertisingSet] = [.legacy, AdvertisingSet(handle: 1), AdvertisingSet(handle: 2)]
        advertise(AdvertisingParameters(data: [2, 1, 6]), of: sets[0], on: device)
        advertise(extended([1, 1]), of: sets[1], on: device)
        advertise(extended([1, 1], isConnectable: true), of: sets[2], on: device)
        #expect(answers(device) == [nil, nil, nil])
        var seen: Set<DeviceAddress> = []
        for round in 1...4 {
            let addresses = sets.map { device.controller.sets.sets[$0.handle]?.address }
            let address = try #require(addresses[0])
            #expect(addresses.allSatisfy { $0 == address } && address.isResolvable, "round \(round)")
            #expect(device.controller.sets.sets.values.allSatisfy { $0.isOn })
            #expect(device.controller.address == address, "the scanner's as well")
            #expect(seen.insert(address).inserted)
            bench.run(.seconds(10))
        }
        #expect(answers(device).isEmpty)
    }

    // MARK: Links

    /// 7.7.65.18: a link ends the set that it came from, which is enabled again.
    @Test func aConnectedSetIsEnabledAgain() throws {
        let (central, peripheral) = (host(), host())
        advertise(extended([1, 1], isConnectable: true), of: second, on: peripheral)
        advertise(extended([1, 2]), of: AdvertisingSet(handle: 2), on: peripheral)
        _ = answers(peripheral)
        for round in 1...3 {
            peripheral.controller.clearLog()
            central.host.connect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(central.connected.count == round && peripheral.connected.count == 1)
            #expect(peripheral.controller.log.map(\.opcode) == [.leSetExtendedAdvertisingEnable])
            #expect(peripheral.controller.log.last?.parameters == [1, 1, 1, 0, 0, 0])
            #expect(peripheral.controller.sets.sets.values.allSatisfy { $0.isOn } && answers(peripheral).isEmpty)
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.settle()
            peripheral.clearEvents()
        }
    }

    /// The host advertises again although the event is lost, and does not mind one that comes late.
    @Test func aLostEndOfASetIsNoEndOfAdvertising() throws {
        let (central, peripheral) = (host(), host())
        peripheral.controller.tellsTermination = false
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: peripheral)
        advertise(extended([1, 1], isConnectable: true), of: second, on: peripheral)
        for _ in 0..<2 {
            central.host.connect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(peripheral.controller.sets.sets.values.allSatisfy { $0.isOn })
            peripheral.controller.emit(
                le: HCI.LEAdvertisingSetTerminated(
                    status: .success, advertisingHandle: 0, connectionHandle: 0x140, completedEvents: 0))
            bench.settle()
            #expect(peripheral.controller.sets.sets.values.allSatisfy { $0.isOn })
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.settle()
        }
        #expect(answers(peripheral) == [nil, nil])
    }

    /// The controller has no room for another link: the set waits for the end of one.
    @Test func aSetThatIsRefusedDuringALinkWaitsForItsEnd() throws {
        let (central, peripheral) = (host(), host())
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: peripheral)
        peripheral.controller.refusals[.leSetExtendedAdvertisingEnable] = .connectionLimitExceeded
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        #expect(!peripheral.controller.isAdvertising && answers(peripheral) == [nil])
        peripheral.controller.refusals = [:]
        central.host.disconnect(try #require(central.connected.last), at: bench.now)
        bench.settle()
        #expect(peripheral.controller.isAdvertising && answers(peripheral).isEmpty)
    }

    /// The same without LE Advertising Set Terminated, whatever the controller says of a set that may be on.
    @Test(arguments: [.commandDisallowed, .connectionLimitExceeded] as [HCI.ErrorCode])
    func aSetWhoseEndIsLostDuringARefusalComesBack(refusal: HCI.ErrorCode) throws {
        let (central, peripheral) = (host(), host())
        peripheral.controller.tellsTermination = false
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: peripheral)
        for _ in 0..<2 {
            peripheral.controller.refusals[.leSetExtendedAdvertisingEnable] = refusal
            central.host.connect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(!peripheral.controller.isAdvertising)
            peripheral.controller.refusals = [:]
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.settle()
            #expect(peripheral.controller.isAdvertising)
        }
        #expect(answers(peripheral) == [nil])
    }

    /// A refusal to enable a set once more changes nothing: the set is on, so it is disabled before it is removed.
    @Test func aSetThatIsOnIsDisabledBeforeItIsRemoved() throws {
        let (central, peripheral) = (host(), host())
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: peripheral)
        for _ in 0..<2 {
            advertise(extended([1, 1], isConnectable: true), of: second, on: peripheral)
            peripheral.controller.refusals[.leSetExtendedAdvertisingEnable] = .connectionLimitExceeded
            central.host.connect(to: peripheral.controller.address, at: bench.now)
            bench.settle()
            #expect(peripheral.controller.sets.sets[1]?.isOn == true)
            peripheral.controller.refusals = [:]
            _ = answers(peripheral)
            advertise(nil, of: second, on: peripheral)
            #expect(answers(peripheral) == [nil] && peripheral.controller.sets.sets[1] == nil)
            central.host.disconnect(try #require(central.connected.last), at: bench.now)
            bench.settle()
            #expect(peripheral.controller.isAdvertising)
        }
    }

    /// Some controllers also report the end of a set that the host has disabled, here while it gets a new address. That is no end of advertising.
    @Test func theEndOfASetThatIsOffIsNoEndOfAdvertising() {
        var advertiser = Advertiser(usesSets: true)
        advertiser.address = DeviceAddress(kind: .random, value: 1)
        advertiser.request(AdvertisingParameters(data: [2, 1, 6]))
        while advertiser.next() != nil { #expect(advertiser.completed(.success) == .none) }
        #expect(advertiser.takeReport() == .applied)
        for round in 2..<8 as Range<UInt64> {
            advertiser.isSuspended = true
            #expect(advertiser.next() == .disable)
            #expect(advertiser.completed(.success) == .none)
            #expect(advertiser.stopped(.operationCancelledByHost) == .none)
            let address = DeviceAddress(kind: .random, value: round)
            advertiser.address = address
            advertiser.isSuspended = false
            #expect(advertiser.next() == .setAddress(address))
            #expect(advertiser.completed(.success) == .none)
            #expect(advertiser.stopped(.limitReached) == .none)
            #expect(advertiser.next() == .enable, "round \(round)")
            #expect(advertiser.completed(.success) == .none)
            // Late.
            #expect(advertiser.stopped(.operationCancelledByHost) == .none)
            #expect(advertiser.next() == nil && advertiser.isOn)
        }
    }

    /// The link of a set with a secondary PHY begins on that.
    @Test func aLinkBeginsOnTheSecondaryPHYOfItsSet() throws {
        let (central, peripheral) = (host(), host([.phyCoded]))
        advertise(
            extended([1, 1], isConnectable: true, .init(primaryPHY: .leCoded, secondaryPHY: .leCoded)), of: second,
            on: peripheral)
        central.host.connect(to: peripheral.controller.address, at: bench.now)
        bench.settle()
        let link = try #require(peripheral.connected.last.flatMap { peripheral.host.information(of: $0) })
        #expect(link.transmitPHY == 3 && link.receivePHY == 3)
    }

    /// The controller ends a set that no link came from.
    private func stop(_ set: UInt8, _ status: HCI.ErrorCode, on device: BenchHost) {
        device.controller.sets.stop(set)
        device.controller.emit(
            le: HCI.LEAdvertisingSetTerminated(
                status: status, advertisingHandle: set, connectionHandle: 0, completedEvents: 1))
        bench.settle()
    }

    /// A set that ends for no reason is enabled again. One that ends over and over is reported, and is the end of the request.
    @Test func anEndForAnotherReasonIsReportedWhenItRepeats() {
        let device = host()
        for _ in 0..<2 {
            advertise(extended([1, 1]), of: second, on: device)
            _ = answers(device)
            for _ in 0..<Advertiser.maximumStops {
                stop(1, .limitReached, on: device)
                #expect(answers(device).isEmpty && device.controller.sets.sets[1]?.isOn == true)
            }
            stop(1, .limitReached, on: device)
            #expect(answers(device) == [.limitReached] && device.controller.sets.sets.isEmpty)
        }
        // Unknown sets, and links that are not there.
        for handle in [1, 0xEF, 0xFF] as [UInt8] {
            device.controller.emit(
                le: HCI.LEAdvertisingSetTerminated(
                    status: .success, advertisingHandle: handle, connectionHandle: 0xEFF, completedEvents: 0))
        }
        bench.settle()
        #expect(device.host.state == .ready && answers(device).isEmpty)
    }

    @Test func aPowerOffEndsAllSets() {
        let device = host()
        advertise(AdvertisingParameters(data: [2, 1, 6]), on: device)
        advertise(extended([1, 1]), of: second, on: device)
        device.host.powerOff(at: bench.now)
        bench.run(.seconds(2))
        #expect(device.states.last == .off && device.controller.sets.sets.isEmpty)
        device.host.start(at: bench.now)
        bench.settle()
        device.clearEvents()
        advertise(extended([1, 1]), of: second, on: device)
        #expect(answers(device) == [nil])
    }
}
