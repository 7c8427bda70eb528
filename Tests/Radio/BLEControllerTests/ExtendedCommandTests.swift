import BLEController
import BLEWire
import Testing

/// The commands of extended advertising (Vol 4, Part E, 7.8.52 to 7.8.60): the error codes of each.
struct ExtendedCommandTests {
    private let bench = Bench()
    private let host: RawHost
    private let long = [UInt8](repeating: 7, count: 251)

    init() { host = bench.addHost() }

    private func parameters(
        _ properties: HCI.AdvertisingEventProperties, handle: UInt8 = 0,
        _ change: (inout HCI.LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> HCI.LESetExtendedAdvertisingParameters {
        var parameters = HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: handle, properties: properties, intervalMinimum: 0xA0, intervalMaximum: 0xA0,
            ownAddressType: .random)
        change(&parameters)
        return parameters
    }

    private func status(
        _ properties: HCI.AdvertisingEventProperties, handle: UInt8 = 0,
        _ change: (inout HCI.LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> HCI.ErrorCode? {
        host.status(bench, of: parameters(properties, handle: handle, change))
    }

    // MARK: Families

    /// Vol 4, Part E, 3.1.1.
    @Test func legacyAndExtendedCommandsExcludeEachOtherUntilAReset() {
        for _ in 0..<2 {
            #expect(status([]) == .success)
            #expect(host.status(bench, of: HCI.LESetAdvertisingEnable(enable: false)) == .commandDisallowed)
            #expect(host.status(bench, of: HCI.LESetScanParameters()) == .commandDisallowed)
            host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0077))
            bench.deliver()
            #expect(host.status(of: .leCreateConnection) == .commandDisallowed)
            // A command of no family.
            #expect(host.status(bench, of: HCI.LEClearFilterAcceptList()) == .success)
            host.send(HCI.Reset())
            #expect(host.status(bench, of: HCI.LESetAdvertisingEnable(enable: false)) == .success)
            #expect(status([]) == .commandDisallowed)
            #expect(host.status(bench, of: HCI.LEReadMaximumAdvertisingDataLength()) == .commandDisallowed)
            host.send(HCI.Reset())
        }
    }

    @Test func aControllerWithoutTheFeatureKnowsNoneOfTheCommands() {
        let old = bench.addHost { $0.supportsExtendedAdvertising = false }
        #expect(old.status(bench, of: parameters([])) == .unknownHCICommand)
        #expect(old.status(bench, of: HCI.LEClearAdvertisingSets()) == .unknownHCICommand)
        old.advertise()
        bench.deliver()
        #expect(old.status(of: .leSetAdvertisingEnable) == .success)
        for (device, isSupported) in [(old, false), (host, true)] {
            device.send(HCI.LEReadLocalSupportedFeatures())
            device.send(HCI.ReadLocalSupportedCommands())
            bench.deliver()
            let features = device.events.last { $0[0] == 0x0E && $0[3] == 0x03 && $0[4] == 0x20 }
            #expect(features.map { $0[7] & 0x10 != 0 } == isSupported)
            let commands = device.events.last { $0[0] == 0x0E && $0[3] == 0x02 && $0[4] == 0x10 }
            #expect(commands.map { $0[6 + 36] & 0xFE == 0xFE } == isSupported)
        }
    }

    @Test func theLimitsAreReadable() {
        host.send(HCI.LEReadMaximumAdvertisingDataLength())
        host.send(HCI.LEReadNumberOfSupportedAdvertisingSets())
        bench.deliver()
        #expect(host.events.contains { $0[0] == 0x0E && Array($0[3...]) == [0x3A, 0x20, 0, 0x72, 0x06] })
        #expect(host.events.contains { $0[0] == 0x0E && Array($0[3...]) == [0x3B, 0x20, 0, 16] })
    }

    // MARK: Parameters

    /// The properties of events that exist (Vol 4, Part E, 7.8.53): for legacy PDUs the five types, for others not both answers, no high duty cycle,
    /// and no anonymous advertiser that takes answers.
    @Test func contradictoryPropertiesAreInvalid() {
        for raw in UInt16(0)...0xFF {
            let properties = HCI.AdvertisingEventProperties(rawValue: raw)
            let isValid: Bool =
                if raw > 0x7F {
                    false
                } else if raw & 0x10 != 0 {
                    [0x13, 0x15, 0x1D, 0x12, 0x10].contains(raw)
                } else {
                    raw & 0x08 == 0 && raw & 0x03 != 0x03 && (raw & 0x20 == 0 || raw & 0x03 == 0)
                }
            #expect(status(properties) == (isValid ? .success : .invalidHCICommandParameters), "\(raw)")
        }
    }

    @Test func parametersOutOfRangeAreInvalid() {
        let invalid: [(inout HCI.LESetExtendedAdvertisingParameters) -> Void] = [
            { $0.advertisingHandle = 0xF0 }, { $0.intervalMinimum = 0x1F }, { $0.intervalMinimum = 0xA1 },
            { $0.primaryChannelMap = [] }, { $0.primaryChannelMap = .init(rawValue: 8) },
            { $0.ownAddressType = .init(rawValue: 4) }, { $0.filterPolicy = .init(rawValue: 4) },
            { $0.advertisingSID = 0x10 }, { $0.txPower = 21 },
            { $0.peerAddress.kind = .init(rawValue: 2) },
        ]
        for change in invalid { #expect(status(.directed, change) == .invalidHCICommandParameters) }
        #expect(status(.directed) { $0.advertisingHandle = 0xEF } == .success)
        #expect(
            status(.directed) {
                ($0.intervalMinimum, $0.intervalMaximum, $0.txPower) = (0x20, 0xFF_FFFF, 20)
            } == .success)
        // The peer's address has no meaning without direction, nor the interval with the high duty cycle.
        #expect(status([]) { $0.peerAddress.kind = .init(rawValue: 2) } == .success)
        #expect(
            status([.connectable, .directed, .highDutyCycle, .legacy]) { $0.intervalMinimum = 0 } == .success)
    }

    /// -127 to 20 dBm, or 127 for no preference.
    @Test(arguments: [(-128, false), (-127, true), (20, true), (21, false), (126, false), (127, true)])
    func thePowerHasARange(power: Int8, isValid: Bool) {
        #expect(status([]) { $0.txPower = power } == (isValid ? .success : .invalidHCICommandParameters))
    }

    @Test func unknownAndUnsupportedPHYsAreRefused() {
        let old = bench.addHost { ($0.supports2M, $0.supportsCoded, $0.resolvingListSize) = (false, false, 0) }
        func statuses(_ change: (inout HCI.LESetExtendedAdvertisingParameters) -> Void) -> [HCI.ErrorCode?] {
            [host, old].map { $0.status(bench, of: parameters([], change)) }
        }
        let unsupported = HCI.ErrorCode.unsupportedFeatureOrParameterValue
        #expect(statuses { $0.primaryPHY = .le2M } == [unsupported, unsupported])
        #expect(statuses { $0.primaryPHY = .init(rawValue: 4) } == [unsupported, unsupported])
        #expect(statuses { $0.secondaryPHY = .init(rawValue: 4) } == [unsupported, unsupported])
        #expect(statuses { $0.primaryPHY = .leCoded } == [.success, unsupported])
        #expect(statuses { $0.secondaryPHY = .le2M } == [.success, unsupported])
        #expect(statuses { $0.secondaryPHY = .leCoded } == [.success, unsupported])
        #expect(statuses { $0.ownAddressType = .resolvableOrRandom } == [.success, unsupported])
        // Legacy PDUs exist on the 1M PHY only, and have no secondary PHY.
        #expect(status(.legacy) { $0.primaryPHY = .leCoded } == .invalidHCICommandParameters)
        #expect(status(.legacy) { $0.secondaryPHY = .init(rawValue: 0) } == .success)
    }

    // MARK: Sets

    @Test func thereAreSixteenSets() {
        for _ in 0..<2 {
            for handle in UInt8(0)..<16 { #expect(status([], handle: 0xE0 - handle) == .success) }
            #expect(status([], handle: 3) == .memoryCapacityExceeded)
            // One that exists takes other parameters.
            #expect(status(.scannable, handle: 0xE0) == .success)
            #expect(host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: 0xD8)) == .success)
            #expect(
                host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: 0xD8))
                    == .unknownAdvertisingIdentifier)
            #expect(status([], handle: 3) == .success)
            #expect(status([], handle: 4) == .memoryCapacityExceeded)
            #expect(host.status(bench, of: HCI.LEClearAdvertisingSets()) == .success)
        }
    }

    @Test func anUnknownHandleIsAnUnknownIdentifier() {
        let address = DeviceAddress(kind: .random, value: 0xC000_0000_0055)
        for (handle, error) in [(7, .unknownAdvertisingIdentifier), (0xF0, .invalidHCICommandParameters)]
            as [(UInt8, HCI.ErrorCode)]
        {
            #expect(host.setData(bench, [1], handle: handle) == error)
            #expect(host.setData(bench, [1], handle: handle, isResponse: true) == error)
            #expect(host.enable(bench, [handle]) == error)
            #expect(host.disable(bench, [handle]) == error)
            #expect(host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: handle)) == error)
            #expect(
                host.status(
                    bench, of: HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address))
                    == error)
        }
    }

    @Test func anEnabledSetCannotBeRemovedOrChanged() {
        #expect(host.advertiseExtended(bench, .connectable) == .success)
        #expect(host.advertiseExtended(bench, [], handle: 1) == .success)
        #expect(status(.connectable) == .commandDisallowed)
        #expect(host.status(bench, of: HCI.LERemoveAdvertisingSet(advertisingHandle: 0)) == .commandDisallowed)
        #expect(host.status(bench, of: HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        // Only a set that is not connectable takes another address.
        func address(_ handle: UInt8) -> HCI.ErrorCode? {
            host.status(
                bench, of: HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: host.address))
        }
        #expect(address(0) == .commandDisallowed && address(1) == .success)
        #expect(host.disable(bench, [0]) == .success)
        #expect(address(0) == .success && status(.connectable) == .success)
        #expect(host.status(bench, of: HCI.LEClearAdvertisingSets()) == .commandDisallowed)
        #expect(host.disable(bench) == .success)
        #expect(host.status(bench, of: HCI.LEClearAdvertisingSets()) == .success)
        #expect(host.enable(bench) == .unknownAdvertisingIdentifier)
    }

    /// LE Set Random Address is about legacy advertising (Vol 4, Part E, 7.8.4).
    @Test func theControllersRandomAddressMayChangeBesideSets() {
        #expect(host.advertiseExtended(bench, []) == .success)
        #expect(host.status(bench, of: HCI.LESetRandomAddress(address: host.address)) == .success)
    }

    // MARK: Data

    /// Fragments in their order (Vol 4, Part E, 7.8.54).
    @Test(arguments: [false, true]) func fragmentsHaveAnOrder(isResponse: Bool) {
        #expect(status(isResponse ? .scannable : []) == .success)
        func set(_ operation: HCI.DataOperation, _ data: [UInt8]) -> HCI.ErrorCode? {
            host.setData(bench, data, operation, isResponse: isResponse)
        }
        #expect(set(.intermediate, long) == .commandDisallowed && set(.last, long) == .commandDisallowed)
        for _ in 0..<2 {
            #expect(set(.first, long) == .success && set(.intermediate, long) == .success)
            // Data that is not complete is not sent.
            host.status(bench, of: HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: 0, address: host.address))
            #expect(host.enable(bench) == .commandDisallowed)
            #expect(set(.last, long) == .success && set(.last, long) == .commandDisallowed)
        }
        for operation in [HCI.DataOperation.first, .intermediate, .last] {
            #expect(set(operation, []) == .invalidHCICommandParameters)
        }
        #expect(set(.init(rawValue: 5), long) == .invalidHCICommandParameters)
    }

    @Test(arguments: [false, true]) func moreThan1650OctetsAreTooMuch(isResponse: Bool) {
        #expect(host.advertiseExtended(bench, isResponse ? .scannable : [], enables: false) == .success)
        func fill(_ last: Int) -> HCI.ErrorCode? {
            #expect(host.setData(bench, long, .first, isResponse: isResponse) == .success)
            for _ in 0..<5 {
                #expect(host.setData(bench, long, .intermediate, isResponse: isResponse) == .success)
            }
            return host.setData(bench, [UInt8](repeating: 1, count: last), .last, isResponse: isResponse)
        }
        #expect(fill(144) == .success)
        for _ in 0..<2 {
            #expect(fill(145) == .memoryCapacityExceeded)
            // What came before is discarded.
            #expect(host.setData(bench, [1], .last, isResponse: isResponse) == .commandDisallowed)
            if isResponse { #expect(host.enable(bench) == .commandDisallowed) }
        }
        #expect(fill(144) == .success)
        #expect(host.enable(bench) == .success)
    }

    @Test func theTypeOfTheEventsDecidesAboutData() {
        let invalid = HCI.ErrorCode.invalidHCICommandParameters
        // Scannable extended events and directed legacy ones have no advertising data.
        for properties in [.scannable, [.connectable, .directed, .legacy]] as [HCI.AdvertisingEventProperties] {
            #expect(status(properties) == .success && host.setData(bench, [1]) == invalid)
        }
        #expect(host.setData(bench, [1], isResponse: true) == invalid)
        #expect(status([.connectable, .scannable, .legacy]) == .success)
        #expect(host.setData(bench, [UInt8](repeating: 1, count: 32)) == invalid)
        #expect(host.setData(bench, [UInt8](repeating: 1, count: 31)) == .success)
        #expect(host.setData(bench, [1], .first) == invalid)
        #expect(host.setData(bench, [UInt8](repeating: 1, count: 32), isResponse: true) == invalid)
        #expect(host.setData(bench, [UInt8](repeating: 1, count: 31), isResponse: true) == .success)
        // Legacy types without room for the data of the set.
        #expect(status([.connectable, .directed, .legacy]) == invalid)
        #expect(status([]) == .success && host.setData(bench, [UInt8](repeating: 1, count: 32)) == .success)
        #expect(status(.legacy) == invalid)
        // A set that is not scannable may only discard its response.
        #expect(host.setData(bench, [1], isResponse: true) == invalid)
        #expect(host.setData(bench, [], isResponse: true) == .success)
    }

    @Test func anEnabledSetTakesOnlyWholeData() {
        #expect(host.advertiseExtended(bench, []) == .success)
        let invalid = HCI.ErrorCode.invalidHCICommandParameters
        // There is no data that stays.
        #expect(host.setData(bench, [], .unchanged) == invalid)
        for operation in [HCI.DataOperation.first, .intermediate, .last] {
            #expect(host.setData(bench, [1], operation) == .commandDisallowed)
        }
        #expect(host.setData(bench, [1]) == .success && host.setData(bench, [], .unchanged) == .success)
        #expect(host.setData(bench, [1], .unchanged) == invalid)
        host.disable(bench)
        #expect(host.setData(bench, [], .unchanged) == invalid)
        #expect(host.advertiseExtended(bench, .legacy, handle: 1, data: [1]) == .success)
        #expect(host.setData(bench, [], handle: 1, .unchanged) == invalid)
        // A scannable set cannot be without a response.
        #expect(host.advertiseExtended(bench, .scannable, handle: 2, response: [1]) == .success)
        #expect(host.setData(bench, [], handle: 2, isResponse: true) == .commandDisallowed)
        #expect(host.setData(bench, [2], handle: 2, isResponse: true) == .success)
        #expect(host.setData(bench, [], handle: 2, .unchanged, isResponse: true) == invalid)
    }

    // MARK: Enable

    @Test func enablingChecksItsSets() {
        let invalid = HCI.ErrorCode.invalidHCICommandParameters
        #expect(host.enable(bench, []) == invalid)
        #expect(host.disable(bench) == .success)
        #expect(host.advertiseExtended(bench, [], enables: false) == .success)
        #expect(host.enable(bench, [0, 0]) == invalid)
        // None of the sets begins if one is wrong.
        #expect(host.enable(bench, [0, 1]) == .unknownAdvertisingIdentifier)
        #expect(bench.radio.status(of: host.identifier)?.isAdvertising == false)
        // Without a response, without an address, without a slot for a link.
        #expect(host.advertiseExtended(bench, .scannable, handle: 1, enables: false) == .success)
        #expect(host.enable(bench, [1]) == .commandDisallowed)
        #expect(status([], handle: 2) == .success && host.enable(bench, [2]) == invalid)
        #expect(status([], handle: 2) { $0.ownAddressType = .public } == .success)
        #expect(host.enable(bench, [2]) == invalid)
        // The high duty cycle lasts at most 1.28 s.
        let highDuty: HCI.AdvertisingEventProperties = [.connectable, .directed, .highDutyCycle, .legacy]
        #expect(host.advertiseExtended(bench, highDuty, handle: 3, enables: false) == .success)
        #expect(host.enable(bench, [3]) == invalid && host.enable(bench, [3], duration: 129) == invalid)
        #expect(host.enable(bench, [3], duration: 128) == .success)
        #expect(host.enable(bench, [0]) == .success && host.enable(bench, [0]) == .success)
    }

    @Test func dataMustFitTheInterval() {
        // 1650 octets on the Coded PHY take 118 ms.
        let data = [UInt8](repeating: 1, count: 1650)
        func coded(_ maximum: UInt32, handle: UInt8) -> HCI.ErrorCode? {
            host.advertiseExtended(bench, [], handle: handle, interval: 0x20, data: data) {
                ($0.primaryPHY, $0.secondaryPHY, $0.intervalMaximum) = (.leCoded, .leCoded, maximum)
            }
        }
        #expect(coded(160, handle: 0) == .packetTooLong)
        #expect(coded(240, handle: 0) == .success)
        // A connectable event has no chain: 244 octets with the transmit power.
        let properties: HCI.AdvertisingEventProperties = [.connectable, .includesTxPower]
        #expect(
            host.advertiseExtended(bench, properties, handle: 1, data: Array(data.prefix(245))) == .packetTooLong)
        #expect(host.setData(bench, Array(data.prefix(244)), handle: 1) == .success)
        #expect(host.enable(bench, [1]) == .success)
        // New data must fit as well; otherwise the old one stays.
        #expect(host.setData(bench, Array(data.prefix(245)), handle: 1) == .packetTooLong)
        #expect(host.setData(bench, [], handle: 1, .unchanged) == .success)
        // So must a new response: one of 251 octets takes 17 ms. A set that is off takes any, and is not enabled with it.
        let response = Array(data.prefix(251))
        let created = host.advertiseExtended(bench, .scannable, handle: 2, interval: 0x20, response: [1]) {
            ($0.primaryPHY, $0.secondaryPHY) = (.leCoded, .leCoded)
        }
        #expect(created == .success)
        #expect(host.setData(bench, response, handle: 2, isResponse: true) == .packetTooLong)
        #expect(host.setData(bench, [1, 2], handle: 2, isResponse: true) == .success)
        #expect(host.disable(bench, [2]) == .success)
        #expect(host.setData(bench, response, handle: 2, isResponse: true) == .success)
        #expect(host.enable(bench, [2]) == .packetTooLong)
    }

    /// A running set is enabled again also if it could not begin now.
    @Test func aRunningSetIsRenewedWithoutAFreeLink() throws {
        let device = bench.addHost { $0.connectionLimit = 1 }
        let peer = bench.addHost()
        for handle in UInt8(0)..<2 {
            #expect(device.advertiseExtended(bench, .connectable, handle: handle, interval: 0x40) == .success)
        }
        peer.connectExtended(to: device.address)
        #expect(bench.run(atMost: .seconds(5)) { !device.connections.isEmpty })
        let ended = try #require(device.terminations.first).advertisingHandle
        #expect(device.enable(bench, [1 - ended], duration: 10) == .success)
        #expect(device.enable(bench, [ended]) == .connectionLimitExceeded)
        bench.run(for: .seconds(1))
        #expect(device.terminations.last?.status == .advertisingTimeout)
    }

    /// The end of a scan has no parameters (Vol 4, Part E, 7.8.65). A refused start changes nothing.
    @Test func aScanStopsWithAnyParameters() {
        func setParameters() -> HCI.ErrorCode? {
            host.status(
                bench,
                of: HCI.LESetExtendedScanParameters(
                    ownAddressType: .random, phys: .le1M,
                    entries: [.init(scanType: .passive, interval: 16, window: 16)]))
        }
        let unknown = HCI.DuplicateFilter(rawValue: 0xFF)
        for (filter, duration) in [(unknown, 0), (HCI.DuplicateFilter.off, 500)] as [(HCI.DuplicateFilter, UInt16)] {
            host.scanExtended()
            #expect(
                host.status(
                    bench,
                    of: HCI.LESetExtendedScanEnable(
                        enable: true, filterDuplicates: filter, duration: duration, period: 1))
                    == .invalidHCICommandParameters)
            #expect(setParameters() == .commandDisallowed)
            #expect(
                host.status(
                    bench,
                    of: HCI.LESetExtendedScanEnable(
                        enable: false, filterDuplicates: filter, duration: duration, period: 1)) == .success)
            #expect(setParameters() == .success)
        }
    }

    @Test func aConnectableSetNeedsAFreeLink() throws {
        let single = bench.addHost { $0.connectionLimit = 1 }
        #expect(single.advertiseExtended(bench, .connectable) == .success)
        let air = AirRecord(bench)
        let tester = TestTransmitter(bench)
        let auxiliary = try #require(tester.awaitAuxiliary(air))
        tester.connect(to: single.address, after: auxiliary)
        #expect(bench.run(atMost: .seconds(1)) { !single.connections.isEmpty })
        #expect(single.enable(bench) == .connectionLimitExceeded)
        #expect(single.advertiseExtended(bench, [], handle: 1) == .success)
    }
}
