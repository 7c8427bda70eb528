import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

@Suite struct ScanningTests {
    @Test func row018_nilAndAnEmptyListSelectEveryDevice() {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(withServices: nil)
        bench.manager.scanForPeripherals(withServices: [])
        #expect(bench.newCommands() == [.scan(ScanRequest()), .scan(ScanRequest())])
        bench.discover("A", data: [0x03, 0x03, 0x0F, 0x18])
        bench.discover("B", peer: CentralBench.otherPeer)
        #expect(bench.newEvents() == ["state 5", "discover A -50", "discover B -50"])
    }

    @Test func row019_row023_row025_servicesAndOptionsReachTheAdapter() {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(
            withServices: [CBUUID(string: "180F"), CBUUID(string: "FEE7")],
            options: [
                CBCentralManagerScanOptionAllowDuplicatesKey: true,
                CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")],
            ])
        bench.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true)])
        #expect(
            bench.newCommands() == [
                .scan(
                    ScanRequest(
                        services: [short(0x180F), short(0xFEE7)], solicitedServices: [short(0x180D)],
                        allowDuplicates: true)),
                .scan(ScanRequest(allowDuplicates: true)),
            ])
    }

    @Test func row020_aSecondScanReplacesTheFirst() {
        let bench = CentralBench()
        let battery: [UInt8] = [0x03, 0x03, 0x0F, 0x18]
        let heart: [UInt8] = [0x03, 0x03, 0x0D, 0x18]
        bench.manager.scanForPeripherals(withServices: [CBUUID(string: "180F")])
        bench.discover("A", data: battery)
        bench.manager.scanForPeripherals(withServices: [CBUUID(string: "180D")])
        // A report of the first scan that was still on its way.
        bench.discover("A", data: battery)
        bench.discover("B", data: heart, peer: CentralBench.otherPeer)
        #expect(bench.newEvents() == ["state 5", "discover A -50", "discover B -50"])
    }

    @Test func row025_aDeviceThatSolicitsTheServiceIsReported() {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(
            withServices: [CBUUID(string: "180F")],
            options: [CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "180D")]])
        bench.discover("A", data: [0x03, 0x14, 0x0D, 0x18])
        #expect(bench.newEvents() == ["state 5", "discover A -50"])
    }

    /// An extended advertisement has room for all services, a long name and long data (Vol 4, Part E, 7.7.65.13).
    @Test func row027_aLongAdvertisementHasAllItsValues() throws {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(withServices: [CBUUID(string: "1863")])
        var data: [UInt8] = [2, 1, 6, 201, 3]
        for low in 0..<100 as Range<UInt8> { data += [low, 0x18] }
        let name = String(repeating: "long name ", count: 20)
        data += [UInt8(1 + name.utf8.count), 9] + Array(name.utf8)
        let manufacturer = [0x4C, 0x00] + [UInt8](repeating: 0xAB, count: 240)
        data += [UInt8(1 + manufacturer.count), 0xFF] + manufacturer
        for _ in 0..<2 { bench.discover("A", data: data) }
        let found = try #require(bench.recorder.advertisements.value.first)
        let services = try #require(found[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
        #expect(services.count == 100 && services.last == CBUUID(string: "1863"))
        #expect(found[CBAdvertisementDataLocalNameKey] as? String == name)
        #expect(found[CBAdvertisementDataManufacturerDataKey] as? Data == Data(manufacturer))
        #expect(found[CBAdvertisementDataIsConnectable] as? Bool == true)
    }

    @Test func row026_rssiIsANumberInDBm() {
        let bench = CentralBench()
        bench.discover("A", rssi: 127)
        bench.discover("A", rssi: -101)
        #expect(bench.newEvents() == ["state 5", "discover A 127", "discover A -101"])
    }

    @Test func row027_keysWithoutContentAreAbsent() throws {
        let bench = CentralBench()
        bench.discover("A", data: [0x02, 0x09, 0x41])
        let advertisement = try #require(bench.recorder.advertisements.value.first)
        #expect(
            Set(advertisement.keys) == [CBAdvertisementDataLocalNameKey, CBAdvertisementDataIsConnectable])
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "A")
    }

    @Test func row028_row029_row030_eachValueHasItsType() throws {
        let bench = CentralBench()
        let long = CBUUID(string: "71DA3FD1-7E10-41C1-B16F-4430B506CDE7")
        var data: [UInt8] = [0x02, 0x0A, 0xFC]
        data += [0x03, 0x02, 0xE7, 0xFE, 0x03, 0x03, 0x0F, 0x18]
        data += [0x11, 0x07] + long.data.reversed()
        data += [0x03, 0x14, 0x0D, 0x18]
        data += [0x05, 0x16, 0xAA, 0xFE, 1, 2]
        data += [0x05, 0xFF, 0x4C, 0x00, 9, 8]
        bench.discover("A", data: data)
        let advertisement = try #require(bench.recorder.advertisements.value.first)
        #expect((advertisement[CBAdvertisementDataTxPowerLevelKey] as? NSNumber)?.intValue == -4)
        let services = try #require(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])
        #expect(services.map(\.uuidString) == ["FEE7", "180F", long.uuidString])
        let solicited = advertisement[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID]
        #expect(solicited?.map(\.uuidString) == ["180D"])
        let serviceData = advertisement[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
        #expect(serviceData == [CBUUID(string: "FEAA"): Data([1, 2])])
        #expect(advertisement[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 9, 8]))
        #expect(advertisement[CBAdvertisementDataOverflowServiceUUIDsKey] == nil)
    }

    @Test func row028_malformedAdvertisingDataIsReadUpToTheMalformedStructure() throws {
        let bench = CentralBench()
        for data: [UInt8] in [
            [0xFF], [0x05, 0xFF, 0x4C], [0x02, 0x09, 0x41, 0x09, 0xFF], [0x01, 0xFF], [0x04, 0x03, 1, 2, 3],
        ] {
            bench.discover("A", data: data)
        }
        let names = bench.recorder.advertisements.value.map { $0[CBAdvertisementDataLocalNameKey] as? String }
        #expect(names == [nil, nil, "A", nil, nil])
    }

    @Test func row031_isConnectableFollowsTheReport() {
        let bench = CentralBench()
        bench.discover("A", connectable: true)
        bench.discover("A", connectable: false)
        let values = bench.recorder.advertisements.value.map {
            ($0[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue
        }
        #expect(values == [true, false])
        #expect(bench.recorder.advertisements.value[0][CBAdvertisementDataIsConnectable] as? Bool == true)
    }

    @Test func row034_isScanningIsTrueFromScanToStopScan() {
        let bench = CentralBench()
        #expect(!bench.manager.isScanning)
        bench.manager.scanForPeripherals(withServices: nil)
        #expect(bench.manager.isScanning)
        bench.manager.stopScan()
        #expect(!bench.manager.isScanning)
        #expect(bench.newCommands() == [.scan(ScanRequest()), .stopScan])
        #expect(bench.newEvents() == ["state 5"])
    }

    /// Malformed structures at the end of one part do not reach into the other (Vol 3, Part C, 11).
    @Test(
        arguments: [
            // The name runs over the end of the advertising data.
            ([2, 1, 6, 9, 9, 0x58], [3, 3, 0xE7, 0xFE, 3, 9, 0x41, 0x42]),
            ([2, 1, 6, 31], [3, 3, 0xE7, 0xFE, 3, 9, 0x41, 0x42]),
            ([2, 1, 6, 0, 0], [3, 3, 0xE7, 0xFE, 3, 9, 0x41, 0x42]),
            ([3, 3, 0xE7, 0xFE, 3, 9, 0x41, 0x42, 200, 0xFF], [20, 9, 0x58, 0x58]),
            ([3, 3, 0xE7, 0xFE, 7], [3, 9, 0x41, 0x42, 5, 0xFF, 0x4C]),
        ] as [([UInt8], [UInt8])])
    func row027_advertisingDataAndScanResponseAreParsedSeparately(_ data: [UInt8], _ scanResponse: [UInt8]) throws {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(withServices: [CBUUID(string: "FEE7")])
        bench.emit {
            $0.discovered(
                Discovery(
                    peer: PeerRecord(identifier: CentralBench.peer, name: "AB"), data: data, scanResponse: scanResponse,
                    isConnectable: true, rssi: -40))
        }
        let advertisement = try #require(bench.recorder.advertisements.value.first)
        #expect(
            Set(advertisement.keys) == [
                CBAdvertisementDataIsConnectable, CBAdvertisementDataLocalNameKey, CBAdvertisementDataServiceUUIDsKey,
            ])
        #expect(advertisement[CBAdvertisementDataLocalNameKey] as? String == "AB")
        #expect(advertisement[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "FEE7")])
    }

    @Test func row034_nothingIsDiscoveredAfterStopScan() {
        let bench = CentralBench()
        bench.manager.scanForPeripherals(withServices: nil)
        bench.queue.suspend()
        bench.adapter.executor.sync {
            bench.session.observer?.discovered(
                Discovery(
                    peer: PeerRecord(identifier: CentralBench.peer, name: "A"), data: [], isConnectable: true, rssi: 0))
        }
        bench.manager.stopScan()
        bench.queue.resume()
        bench.settle()
        #expect(bench.newEvents() == ["state 5"])
    }

    @Test func row035_theSameDeviceIsTheSameObject() {
        let bench = CentralBench()
        let first = bench.discover()
        let second = bench.discover()
        let other = bench.discover("B", peer: CentralBench.otherPeer)
        #expect(first === second && other !== first)
        #expect(bench.recorder.peripherals.value.count == 2)
    }

    @Test func row036_theIdentifierIsTheHostsOwn() {
        let bench = CentralBench()
        #expect(
            bench.discover()?.identifier == UUID(uuidString: "11223344-5566-7788-99AA-BBCCDDEEFF00"))
    }

    @Test func row037_theGAPNameReplacesTheAdvertisedOne() throws {
        let bench = CentralBench()
        let peripheral = try #require(bench.discover("Advertised"))
        #expect(peripheral.name == "Advertised")
        bench.manager.connect(peripheral)
        bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: "GAP")) }
        #expect(peripheral.name == "GAP")
        #expect(bench.discover(nil)?.name == "GAP")
    }

    @Test func row038_aNameChangeIsReported() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        bench.emit { $0.nameChanged("New", of: CentralBench.peer) }
        bench.emit { $0.nameChanged("New", of: CentralBench.peer) }
        #expect(bench.newEvents() == ["name New"] && peripheral.name == "New")
    }

    @Test func row039_aPeripheralWithoutReferencesIsReleased() {
        let bench = CentralBench()
        bench.recorder.keeps { $0 = false }
        weak let weakPeripheral: CBPeripheral? = {
            let seen = Locked<CBPeripheral?>(nil)
            bench.discover()
            bench.session.record.known { $0 = [PeerRecord(identifier: CentralBench.peer, name: nil)] }
            seen {
                $0 = bench.manager.retrievePeripherals(withIdentifiers: [CentralBench.peer.uuidForTests]).first
            }
            return seen.value
        }()
        #expect(weakPeripheral == nil)
        #expect(bench.newEvents() == ["state 5", "discover Thing -50"])
        #expect(!bench.newCommands().contains(.cancel(CentralBench.peer)), "it was not connected")
    }

    private func scanForEveryPacket(_ bench: CentralBench) {
        bench.recorder.keeps { $0 = false }
        bench.manager.scanForPeripherals(
            withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    /// The object that the manager keeps for a device, without keeping it.
    private func known(_ peer: PeerIdentifier, _ bench: CentralBench) -> CBPeripheral? {
        bench.session.record.known { $0 = [PeerRecord(identifier: peer, name: nil)] }
        return bench.manager.retrievePeripherals(withIdentifiers: [peer.uuidForTests]).first
    }

    @Test func aScanOfEveryPacketKeepsItsLatestDevicesUntilItEnds() {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        bench.discover()
        weak let first = known(CentralBench.peer, bench)
        #expect(first != nil)
        bench.discover()
        #expect(first === known(CentralBench.peer, bench))
        bench.manager.stopScan()
        #expect(first == nil)
        scanForEveryPacket(bench)
        bench.discover()
        weak let second = known(CentralBench.peer, bench)
        #expect(second != nil)
        bench.manager.scanForPeripherals(withServices: nil)
        #expect(second == nil)
    }

    /// Lets the manager find more devices than it keeps, with the identifiers 0 to 599.
    private func discoverACrowd(_ bench: CentralBench) {
        discover((0..<600).map { PeerIdentifier(high: 7, low: $0) }, bench)
    }

    private func discover(_ peers: [PeerIdentifier], _ bench: CentralBench) {
        bench.adapter.executor.sync {
            for peer in peers {
                bench.session.observer?.discovered(
                    Discovery(
                        peer: PeerRecord(identifier: peer, name: nil), data: [], isConnectable: true, rssi: -50))
            }
        }
        bench.settle()
    }

    @Test func aDeviceInUseTakesNoPlaceOfKeptDevices() throws {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        let (used, other) = (PeerIdentifier(high: 7, low: 0), PeerIdentifier(high: 7, low: 1))
        discover([used, other], bench)
        weak let kept = known(other, bench)
        let peripheral = try #require(known(used, bench))
        bench.manager.connect(peripheral)
        discover(Array(repeating: used, count: 1200), bench)
        #expect(kept != nil && kept === known(other, bench))
        #expect(peripheral === known(used, bench))
    }

    @Test func aDeviceThatTheProgramHasIsTheSameAfterTheManagerDroppedIt() {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        bench.discover()
        var device = known(CentralBench.peer, bench)
        #expect(device != nil)
        for _ in 0..<2 {
            discoverACrowd(bench)
            #expect(known(CentralBench.peer, bench) === device)
            bench.discover("Next")
            #expect(known(CentralBench.peer, bench) === device && device?.name == "Next")
        }
        discoverACrowd(bench)
        weak let former = device
        device = nil
        #expect(former == nil)
        #expect(known(CentralBench.peer, bench)?.name == nil, "another object")
    }

    @Test func theManagerKeepsABoundedNumberOfDevices() {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        bench.discover()
        weak let first = known(CentralBench.peer, bench)
        discoverACrowd(bench)
        #expect(first == nil)
        weak let last = known(PeerIdentifier(high: 7, low: 599), bench)
        #expect(last != nil)
        // A device whose object the manager forgot has one of its own again.
        let forgotten = PeerIdentifier(high: 7, low: 0)
        #expect(known(forgotten, bench)?.identifier == forgotten.uuidForTests)
        #expect(known(CentralBench.peer, bench)?.identifier == CentralBench.peer.uuidForTests)
        bench.manager = nil
        #expect(last == nil)
    }

    @Test func aConnectionEndsWithItsPeripheralDuringAScanOfEveryPacket() throws {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        bench.discover()
        do {
            let peripheral = try #require(known(CentralBench.peer, bench))
            bench.manager.connect(peripheral)
            bench.discover()
        }
        #expect(bench.newCommands().last == .cancel(CentralBench.peer))
    }

    @Test func aKeptDeviceHasItsPresentAdvertisement() throws {
        let bench = CentralBench()
        scanForEveryPacket(bench)
        let services: [UInt8] = [3, 3, 0x0F, 0x18]
        for (data, connectable, rssi) in [
            ([2, 9, 0x41], true, -50), ([2, 9, 0x41], true, -51), ([2, 9, 0x41] + services, true, -52),
            ([2, 9, 0x41], true, -53), ([2, 9, 0x41], false, 127),
        ] as [([UInt8], Bool, Int8)] {
            bench.discover("A", data: data, connectable: connectable, rssi: rssi)
        }
        let found = bench.recorder.advertisements.value
        #expect(
            found.map { ($0[CBAdvertisementDataIsConnectable] as? NSNumber)?.boolValue } == [
                true, true, true, true, false,
            ])
        #expect(found.map { ($0[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID])?.count ?? 0 } == [0, 0, 1, 0, 0])
        #expect(found.allSatisfy { $0[CBAdvertisementDataLocalNameKey] as? String == "A" })
        #expect(bench.newEvents().suffix(5) == [-50, -51, -52, -53, 127].map { "discover A \($0)" })
    }

    @Test func row058_retrievalOmitsUnknownIdentifiersAndKeepsTheOrder() throws {
        let bench = CentralBench()
        let first = try #require(bench.discover())
        bench.session.record.known {
            $0 = [
                PeerRecord(identifier: CentralBench.peer, name: "Thing"),
                PeerRecord(identifier: CentralBench.otherPeer, name: "Other"),
            ]
        }
        let found = bench.manager.retrievePeripherals(
            withIdentifiers: [CentralBench.otherPeer.uuidForTests, UUID(), first.identifier])
        #expect(found.map(\.name) == ["Other", "Thing"] && found.last === first)
    }

    @Test func row059_retrievedConnectedDevicesAreDisconnectedObjects() throws {
        let bench = CentralBench()
        bench.session.record.connectedPeers { $0 = [PeerRecord(identifier: CentralBench.peer, name: "Thing")] }
        let found = try #require(
            bench.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180F")]).first)
        #expect(found.state == .disconnected && found.name == "Thing")
    }

    @Test func row060_retrievalIsEmptyUnlessPoweredOn() {
        let bench = CentralBench(initialState: .poweredOff)
        bench.session.record.known { $0 = [PeerRecord(identifier: CentralBench.peer, name: nil)] }
        bench.session.record.connectedPeers { $0 = [PeerRecord(identifier: CentralBench.peer, name: nil)] }
        let lines = misuses {
            let known = bench.manager.retrievePeripherals(withIdentifiers: [CentralBench.peer.uuidForTests])
            let connected = bench.manager.retrieveConnectedPeripherals(withServices: [])
            #expect(known.isEmpty && connected.isEmpty)
        }
        #expect(lines.count == 2)
    }
}
