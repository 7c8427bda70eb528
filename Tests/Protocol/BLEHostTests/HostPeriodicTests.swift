import BLEWire
import Testing

@testable import BLEHost

/// Periodic advertising of a host, on controllers without radio (Vol 4, Part E, 7.8.61 to 7.8.73 and 7.8.88 to 7.8.91).
struct HostPeriodicTests {
    private let bench = Bench()
    private let set = AdvertisingSet(handle: 3)
    private let simple = PeriodicAdvertising(data: [2, 1, 6])

    private func host(_ adjust: (FakeController) -> Void = { _ in }) -> BenchHost {
        let host = bench.ready {
            $0.publicAddress = 5
            $0.becomePeriodic(.phy2M)
            adjust($0)
        }
        host.controller.clearLog()
        return host
    }

    private func parameters(
        _ properties: ExtendedAdvertising = ExtendedAdvertising(), isConnectable: Bool = false,
        scanResponse: [UInt8] = [], interval: UInt16 = 160
    ) -> AdvertisingParameters {
        AdvertisingParameters(
            data: [], scanResponse: scanResponse, isConnectable: isConnectable, intervalMinimum: interval,
            intervalMaximum: interval, pdus: .extended(properties))
    }

    private func advertise(_ parameters: AdvertisingParameters?, on host: BenchHost) {
        host.host.setAdvertising(parameters, of: set, at: bench.now)
        bench.settle()
    }

    private func train(_ advertising: PeriodicAdvertising?, on host: BenchHost) {
        host.host.setPeriodicAdvertising(advertising, of: set, at: bench.now)
        bench.settle()
    }

    /// The events of periodic advertising since the last call.
    private func events(_ host: BenchHost) -> [PeriodicEvent] {
        bench.settle()
        defer { host.clearEvents() }
        return host.events.compactMap { if case .periodic(let event) = $0.event { event } else { nil } }
    }

    private func current(_ host: BenchHost) -> FakeAdvertisingSets.Train? { host.controller.sets.sets[3]?.train }

    // MARK: Start-up

    /// Bits 13 to 15 and 23 of the mask, and none of the second forms.
    @Test func theEventsAndTheListAreThoseOfTheFeatures() {
        let device = bench.ready { $0.becomePeriodic() }
        #expect(device.controller.opcodes().count { $0 == .leReadPeriodicAdvertiserListSize } == 1)
        #expect(
            device.controller.log.last { $0.opcode == .leSetEventMask }?.parameters == [
                0x0F, 0xF2, 0x82, 0, 0, 0, 0, 0,
            ])
        let sender = bench.ready {
            $0.becomePeriodic()
            $0.features.remove(.periodicSyncTransferRecipient)
            for command in [.lePeriodicAdvertisingTerminateSync, .leReadPeriodicAdvertiserListSize] as [HCI.Opcode] {
                $0.supported.remove(command)
            }
        }
        #expect(!sender.controller.opcodes().contains(.leReadPeriodicAdvertiserListSize))
        #expect(sender.controller.log.last { $0.opcode == .leSetEventMask }?.parameters[1...2] == [0x12, 0x02])
    }

    @Test func aListWithoutASizeIsNotUsed() {
        for refusal in [true, false] {
            let device = bench.ready {
                $0.becomePeriodic()
                if refusal {
                    $0.refusals[.leReadPeriodicAdvertiserListSize] = .unspecifiedError
                } else {
                    $0.silent = [.leReadPeriodicAdvertiserListSize]
                }
            }
            bench.run(.seconds(3))
            #expect(device.host.state == .ready && device.host.usesExtendedAdvertising)
            for sid in 1...2 as ClosedRange<UInt8> { search(sid, on: device) }
            #expect(device.controller.syncs.searched == [identifier(1)])
        }
    }

    // MARK: Trains

    @Test func aTrainBeginsChangesAndEnds() {
        let device = host()
        for round in 1...3 {
            advertise(parameters(), on: device)
            train(simple, on: device)
            #expect(events(device) == [.advertisingChanged(set, nil)])
            #expect(current(device)?.isOn == true && current(device)?.data == simple.data, "round \(round)")
            #expect(device.host.periodicAdvertising(of: set) == simple)
            var long = simple
            long.data = [UInt8](repeating: UInt8(round), count: 600)
            train(long, on: device)
            #expect(events(device) == [.advertisingChanged(set, nil)])
            #expect(current(device)?.isOn == true && current(device)?.data == long.data)
            // The train alone, or with its set.
            if round == 1 {
                train(nil, on: device)
                #expect(events(device) == [.advertisingChanged(set, nil)] && current(device)?.isOn == false)
                #expect(device.controller.sets.sets[3]?.isOn == true)
            }
            advertise(nil, on: device)
            #expect(device.controller.sets.sets.isEmpty && device.host.periodicAdvertising(of: set) == nil)
            #expect(events(device) == (round == 1 ? [] : [.advertisingChanged(set, nil)]))
            #expect(device.host.access.advertisers.count == 1, "nothing remains")
        }
        #expect(device.violations.isEmpty)
    }

    /// 7.8.53: a controller refuses another PHY while the train is on. Another interval of the set leaves the train.
    @Test func aChangedSetKeepsItsTrain() {
        let device = host()
        advertise(parameters(), on: device)
        train(simple, on: device)
        for phy in [.le2M, .le1M] as [HCI.PHY] {
            device.controller.clearLog()
            advertise(parameters(ExtendedAdvertising(secondaryPHY: phy)), on: device)
            #expect(current(device)?.isOn == true && device.controller.sets.sets[3]?.parameters.secondaryPHY == phy)
            #expect(device.controller.opcodes().count { $0 == .leSetPeriodicAdvertisingEnable } == 2)
            device.controller.clearLog()
            advertise(parameters(ExtendedAdvertising(secondaryPHY: phy), interval: 320), on: device)
            #expect(!device.controller.opcodes().contains(.leSetPeriodicAdvertisingEnable))
        }
        // Sets of another kind replace the set, so its parameters and its data are sent again.
        advertise(parameters(ExtendedAdvertising(includesTransmitPower: true)), on: device)
        #expect(current(device)?.isOn == true && current(device)?.data == simple.data)
        #expect(events(device) == [.advertisingChanged(set, nil)])
    }

    @Test func impossibleTrainsFailWithoutACommand() {
        let device = host()
        train(simple, on: device)
        #expect(events(device) == [.advertisingChanged(set, .unknownAdvertisingIdentifier)])
        for unsuitable in [
            AdvertisingParameters(data: [2, 1, 6]), parameters(isConnectable: true), parameters(scanResponse: [1, 1]),
            parameters(ExtendedAdvertising(isAnonymous: true)),
        ] {
            advertise(unsuitable, on: device)
            device.controller.clearLog()
            train(simple, on: device)
            #expect(events(device) == [.advertisingChanged(set, .invalidHCICommandParameters)])
            #expect(device.controller.log.isEmpty)
        }
        advertise(parameters(), on: device)
        train(PeriodicAdvertising(data: [], intervalMinimum: 5), on: device)
        train(PeriodicAdvertising(data: [], includesDataInfo: true), on: device)
        #expect(
            events(device) == [
                .advertisingChanged(set, .invalidHCICommandParameters),
                .advertisingChanged(set, .unsupportedFeatureOrParameterValue),
            ])
        // A set with a train stays one that can have it.
        train(simple, on: device)
        _ = events(device)
        device.controller.clearLog()
        advertise(parameters(isConnectable: true), on: device)
        #expect(device.controller.log.isEmpty && current(device)?.isOn == true)
        #expect(device.host.access.advertisers[set]?.requested == parameters())
    }

    @Test func aControllerWithoutTheFeatureRefusesPlainly() {
        let device = bench.ready { $0.becomeExtended() }
        let legacy = bench.ready()
        for host in [device, legacy] {
            host.host.setAdvertising(parameters(), of: set, at: bench.now)
            bench.settle()
            host.controller.clearLog()
            train(simple, on: host)
            host.host.synchronize(identifier(1), at: bench.now)
            #expect(
                events(host) == [
                    .advertisingChanged(set, .unsupportedFeatureOrParameterValue),
                    .failed(identifier(1), .unsupportedFeatureOrParameterValue),
                ])
            #expect(host.controller.log.isEmpty && host.host.state == .ready)
        }
    }

    /// A refusal leaves what ran before; a set that fails takes its train with it.
    @Test func refusalsAreReported() {
        let device = host()
        for _ in 0..<2 {
            advertise(parameters(), on: device)
            train(simple, on: device)
            _ = events(device)
            device.controller.refusals[.leSetPeriodicAdvertisingParameters] = .invalidHCICommandParameters
            train(PeriodicAdvertising(data: [2, 1, 6], intervalMinimum: 800, intervalMaximum: 800), on: device)
            #expect(
                events(device) == [
                    .advertisingChanged(set, .invalidHCICommandParameters),
                    .advertisingChanged(set, .invalidHCICommandParameters),
                ])
            #expect(device.host.periodicAdvertising(of: set) == nil && current(device)?.isOn == false)
            device.controller.refusals = [:]
            train(simple, on: device)
            #expect(events(device) == [.advertisingChanged(set, nil)] && current(device)?.isOn == true)
            device.controller.refusals[.leSetExtendedAdvertisingParameters] = .memoryCapacityExceeded
            advertise(parameters(interval: 400), on: device)
            #expect(events(device) == [.advertisingChanged(set, .memoryCapacityExceeded)])
            #expect(device.controller.sets.sets.isEmpty && device.host.periodicAdvertising(of: set) == nil)
            device.controller.refusals = [:]
        }
    }

    /// The command is one that the host does without.
    @Test(arguments: [
        HCI.Opcode.leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
    ])
    func aCommandWithoutAnswerEndsTheRequest(silent: HCI.Opcode) {
        let device = host { $0.silent = [silent] }
        advertise(parameters(), on: device)
        train(simple, on: device)
        bench.run(.seconds(3))
        #expect(events(device) == [.advertisingChanged(set, .unknownHCICommand)])
        #expect(device.host.state == .ready && device.controller.sets.sets[3]?.isOn == true)
        train(simple, on: device)
        #expect(events(device) == [.advertisingChanged(set, .unsupportedFeatureOrParameterValue)])
    }

    // MARK: Reception

    private func identifier(_ sid: UInt8) -> PeriodicTrainIdentifier {
        PeriodicTrainIdentifier(address: DeviceAddress(kind: .random, value: 0xC000_0000_0001), sid: sid)
    }

    private func search(_ sid: UInt8, on host: BenchHost) {
        host.host.synchronize(identifier(sid), at: bench.now)
        bench.settle()
    }

    private func establish(_ sid: UInt8, handle: UInt16, on host: BenchHost) {
        host.controller.establish(identifier(sid).address, sid: sid, handle: handle)
        bench.settle()
    }

    private let reception = PeriodicReception(phy: .le1M, interval: 80, clockAccuracy: .ppm20)

    private func reports(_ host: BenchHost) -> [(report: PeriodicReport, data: [UInt8])] {
        bench.settle()
        defer { host.clearEvents() }
        return host.events.compactMap {
            if case .periodicReport(let report) = $0.event { (report, Array($0.bytes[report.data])) } else { nil }
        }
    }

    @Test func aTrainIsFoundReportedAndLost() {
        let device = host()
        for round in 1...3 as ClosedRange<UInt16> {
            #expect(!device.controller.isScanning)
            search(1, on: device)
            #expect(device.controller.isScanning && device.controller.syncs.searched == [identifier(1)])
            establish(1, handle: round, on: device)
            #expect(events(device) == [.established(identifier(1), reception)] && !device.controller.isScanning)
            device.controller.periodicReport(round, [1, 2], 1)
            device.controller.periodicReport(round, [3], rssi: -77, txPower: 4)
            device.controller.periodicReport(round, [4], 2)
            let reports = reports(device)
            #expect(reports.map(\.data) == [[1, 2, 3], [4]])
            #expect(reports.map(\.report.isTruncated) == [false, true])
            #expect(reports.first?.report.train == identifier(1))
            #expect(reports.first?.report.rssi == -77 && reports.first?.report.transmitPower == 4)
            if round == 2 {
                device.host.endSync(identifier(1), at: bench.now)
                #expect(events(device) == [] && device.controller.syncs.enables.isEmpty)
            } else {
                device.controller.loseSync(round)
                #expect(events(device) == [.lost(identifier(1))])
            }
            #expect(device.host.access.syncs.isUnused)
        }
        #expect(device.violations.isEmpty)
    }

    /// A train that is ended while another one is looked for has ended in the controller as well.
    @Test func aTrainEndsDuringASearch() {
        let device = host()
        search(2, on: device)
        for round in 1...2 as ClosedRange<UInt16> {
            search(1, on: device)
            establish(1, handle: round, on: device)
            #expect(device.controller.syncs.pending != nil && device.controller.syncs.enables == [round: .reports])
            device.host.endSync(identifier(1), at: bench.now)
            bench.settle()
            #expect(device.controller.syncs.enables.isEmpty && device.controller.syncs.searched == [identifier(2)])
        }
    }

    /// A search does not disturb the scan of the program, and ends with its request.
    @Test func theScanOfTheProgramGoesOn() {
        let device = host()
        device.host.setScanning(ScanParameters(), at: bench.now)
        bench.settle()
        device.controller.clearLog()
        search(1, on: device)
        #expect(device.controller.opcodes() == [.lePeriodicAdvertisingCreateSync])
        device.host.endSync(identifier(1), at: bench.now)
        bench.settle()
        #expect(device.controller.opcodes().last == .lePeriodicAdvertisingCreateSyncCancel)
        #expect(device.controller.isScanning && device.controller.syncs.pending == nil && events(device) == [])
    }

    @Test func reportsAreTurnedOff() {
        let device = host()
        #expect(device.host.setReports(true, of: identifier(1), at: bench.now) == .unknownAdvertisingIdentifier)
        search(1, on: device)
        establish(1, handle: 9, on: device)
        for isOn in [false, true, false] {
            #expect(device.host.setReports(isOn, of: identifier(1), at: bench.now) == nil)
            bench.settle()
            #expect(device.controller.syncs.enables == [9: isOn ? .reports : []])
        }
    }

    /// A controller that forgets the event after a cancelled search, and one that does not answer.
    @Test func missingAnswersEndSearches() {
        let device = host { $0.silent = [.lePeriodicAdvertisingCreateSync] }
        search(1, on: device)
        bench.run(.seconds(3))
        #expect(events(device) == [.failed(identifier(1), .unknownHCICommand)] && device.host.state == .ready)
        let forgetful = host { $0.silent = [.lePeriodicAdvertisingCreateSyncCancel] }
        search(1, on: forgetful)
        forgetful.host.endSync(identifier(1), at: bench.now)
        bench.run(.seconds(10))
        #expect(forgetful.host.access.syncs.isUnused && forgetful.host.state == .ready)
        #expect(forgetful.host.nextTimeout == nil)
    }

    // MARK: Second rounds

    /// After Bluetooth was off, and after the loss of the controller, everything begins anew.
    @Test(arguments: [true, false]) func nothingOutlivesTheController(isPowerOff: Bool) {
        let device = host()
        for round in 1...3 {
            advertise(parameters(), on: device)
            train(simple, on: device)
            search(1, on: device)
            establish(1, handle: 7, on: device)
            search(2, on: device)
            #expect(events(device).last == .established(identifier(1), reception))
            if isPowerOff {
                device.host.powerOff(at: bench.now)
                bench.settle()
                #expect(device.host.state == .off)
                device.host.start(at: bench.now)
            } else {
                device.controller.emit(HCI.HardwareError(hardwareCode: 3))
                bench.run(.seconds(61))
            }
            bench.settle()
            #expect(device.host.state == .ready && device.host.access.syncs.isUnused, "round \(round)")
            #expect(device.controller.sets.sets.isEmpty && device.controller.syncs.enables.isEmpty)
            #expect(device.host.periodicAdvertising(of: set) == nil)
            // An event of the time before.
            device.controller.periodicReport(7, [1])
            device.controller.loseSync(7)
            #expect(reports(device).isEmpty && events(device) == [])
        }
    }

    // MARK: Transfers

    @Test func knowledgeGoesOverALink() throws {
        let device = host()
        let peer = bench.ready { $0.publicAddress = 6 }
        for round in 1...2 {
            let (link, _) = try #require(bench.link(device, peer))
            let handle = try #require(device.controller.links.last).handle
            advertise(parameters(), on: device)
            train(simple, on: device)
            search(1, on: device)
            establish(1, handle: 5, on: device)
            _ = events(device)
            device.host.transfer(identifier(1), serviceData: 0x1234, over: link, at: bench.now)
            device.host.transfer(set, serviceData: 0x5678, over: link, at: bench.now)
            device.host.acceptTransfers(PeriodicSyncParameters(), from: link, at: bench.now)
            #expect(
                events(device) == [
                    .transferEnded(.train(identifier(1)), link, nil), .transferEnded(.set(set), link, nil),
                    .transferEnded(.acceptance, link, nil),
                ])
            device.controller.tell(identifier(2), handle: 6, over: handle, serviceData: 9)
            #expect(events(device) == [.transferred(identifier(2), reception, from: link, serviceData: 9)])
            // The trains outlive the link, which its successor does not accept for.
            device.host.disconnect(link, at: bench.now)
            #expect(events(device) == [])
            device.controller.periodicReport(6, [8])
            #expect(reports(device).map(\.data) == [[8]], "round \(round)")
            device.controller.tell(identifier(3), handle: 8, over: handle)
            #expect(events(device) == [] && device.controller.syncs.enables[8] == nil)
            device.host.transfer(identifier(1), over: link, at: bench.now)
            #expect(
                events(device) == [
                    .transferEnded(.train(identifier(1)), link, .unknownConnectionIdentifier)
                ])
            for sid in 1...2 as ClosedRange<UInt8> { device.host.endSync(identifier(sid), at: bench.now) }
            advertise(nil, on: device)
            _ = events(device)
            #expect(device.host.access.syncs.isUnused)
        }
    }

    /// A link that ends while one transfer is on its way and others wait.
    @Test func waitingTransfersEndWithTheirLink() throws {
        let device = host { $0.silent = [.lePeriodicAdvertisingSyncTransfer] }
        let peer = bench.ready { $0.publicAddress = 6 }
        let (link, _) = try #require(bench.link(device, peer))
        search(1, on: device)
        establish(1, handle: 5, on: device)
        _ = events(device)
        for token in 1...3 { device.host.transfer(identifier(1), over: link, token: token, at: bench.now) }
        device.host.transfer(set, over: link, token: 4, at: bench.now)
        bench.settle()
        if let first = device.controller.links.last {
            device.controller.lose(first, reason: .connectionTimeout, atPeer: .connectionTimeout)
        }
        let train = PeriodicTransfer.train(identifier(1))
        #expect(
            events(device) == [
                .transferEnded(.set(set), link, .unknownAdvertisingIdentifier, token: 4),
                .transferEnded(train, link, .unknownConnectionIdentifier, token: 2),
                .transferEnded(train, link, .unknownConnectionIdentifier, token: 3),
            ])
        bench.run(.seconds(3))
        #expect(events(device) == [.transferEnded(train, link, .unknownHCICommand, token: 1)])
        #expect(device.host.state == .ready && device.host.access.syncs.received == [identifier(1)])
    }
}
