import BLEAdapter
import BLESimulator
import CoreBluetooth
import Foundation
import Phrases
import Testing

@testable import StudioExplorer

/// A characteristic, and a service of it.
private func attribute(
    _ uuid: String, _ properties: CBCharacteristicProperties,
    _ permissions: CBAttributePermissions = [.readable, .writeable],
    value: Data? = nil, label: String? = nil
) -> CBMutableCharacteristic {
    let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: uuid), properties: properties, value: value, permissions: permissions)
    if let label {
        characteristic.descriptors = [
            CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: label)
        ]
    }
    return characteristic
}

private func service(_ uuid: String, _ characteristics: [CBMutableCharacteristic]) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
    service.characteristics = characteristics
    return service
}

extension ExplorerScene {
    /// A band with a pulse, a location of the sensor, and values to write.
    fileprivate func addBand(_ name: String = "Band", at x: Double = 2) -> (
        band: TestPeripheral, pulse: CBMutableCharacteristic
    ) {
        let pulse = attribute("2A37", .notify, .readable)
        let band = TestPeripheral(
            name,
            [
                service("180D", [pulse, attribute("2A38", .read, .readable, value: Data([2]))]),
                service(
                    "FF00",
                    [
                        attribute("FF01", [.read, .write, .writeWithoutResponse], label: "Threshold"),
                        attribute("FF02", .read), attribute("2A06", .writeWithoutResponse, .writeable),
                    ]),
            ], on: world.addDevice(name, at: Position(x: x)), queue: queue)
        band.values.withLock { $0[CBUUID(string: "FF02")] = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) }) }
        programs.append(band)
        return (band, pulse)
    }
}

struct ScanTests {
    @Test func aScanHasARowWithTheAdvertisementOfEachDevice() async throws {
        let scene = ExplorerScene()
        let beacon = try scene.world.addAdvertiser(
            "tag",
            RawAdvertisement(
                .scannable, structures: [.flags(), .services(["180F"])],
                scanResponse: [.localName("Tag"), .manufacturer(0x0059, [1, 2, 3])]), at: Position(x: 1))
        scene.programs.append(beacon)
        let device = try await scene.find("Tag")
        await scene.run(.seconds(3))
        let row = try #require(scene.state.rows.first)
        #expect(row.services == ["Battery"] && row.company == "Nordic Semiconductor ASA" && !row.isConnectable)
        #expect(row.signals.count == 16 && row.count > 16 && row.rssi.map { (-80 ... -20).contains($0) } == true)
        #expect(row.interval.map { (95...115).contains($0) } == true)
        #expect(row.addressType == "static" && row.address?.count == 17)
        let detail = try #require(scene.read { $0.detail(of: device) })
        #expect(
            detail.data.structures.map(\.text.description).contains(
                "Complete List of 16-bit Service Class UUIDs: 180F (Battery)"))
        #expect(detail.data.structures.first?.text.inChinese.hasPrefix("Flags: 通用可发现") == true)
        let digits: Int = 2 * detail.data.structures.map(\.count).reduce(0, +)
        #expect(detail.data.octets.count == digits)
        #expect(
            detail.scanResponse?.structures.map(\.text.description).last
                == "Manufacturer Specific Data: Nordic Semiconductor ASA, 01 02 03")
        #expect(detail.track.count > 10 && detail.track.count.isMultiple(of: 2))
        try scene.perform(.stopScan)
        #expect(!scene.state.isScanning && scene.read { $0.nextDeadline } == nil)
        let log = scene.read { $0.log.entries.compactMap(\.swift) }
        #expect(log.contains("central.scanForPeripherals(withServices: nil)") && log.contains("central.stopScan()"))
        #expect(log.contains("centralManager(_:didDiscover:advertisementData:rssi:)"))
    }

    @Test(
        arguments: [
            (ScanSelection(name: "tA"), 1), (ScanSelection(name: "nordic"), 1), (ScanSelection(name: "x"), 0),
            (ScanSelection(service: "batt"), 1), (ScanSelection(service: "180d"), 0),
            (ScanSelection(minimumRSSI: -10), 0),
            (ScanSelection(minimumRSSI: -100), 1), (ScanSelection(connectable: true), 0),
        ] as [(ScanSelection, Int)])
    func rowsAreSelected(selection: ScanSelection, count: Int) async throws {
        let scene = ExplorerScene()
        scene.programs.append(
            try scene.world.addAdvertiser(
                "tag",
                RawAdvertisement(
                    structures: [
                        .flags(), .services(["180F"]), .localName("Tag"),
                        .manufacturer(0x0059, [1]),
                    ]), at: Position(x: 1)))
        _ = try await scene.find("Tag")
        #expect(scene.read { $0.state(selection).rows.count } == count)
    }

    @Test func manyDevicesAreCountedAndTheirRowsAreBounded() async throws {
        let scene = ExplorerScene()
        for number in 0..<230 {
            scene.programs.append(
                try scene.world.addAdvertiser(
                    "tag\(number)",
                    RawAdvertisement(structures: [.localName("T\(number)")], interval: .milliseconds(500)),
                    at: Position(x: Double(number % 15), y: Double(number / 15))))
        }
        try #require(await scene.run(until: { $0.adapter == "poweredOn" }))
        try scene.perform(.startScan)
        #expect(await scene.run(.seconds(30), until: { $0.seen == 230 }))
        let state = scene.state
        #expect(state.rows.count == ExplorerState.rowLimit && state.moreRows == 30)
    }
}

struct ValueTests {
    @Test func aConnectedDeviceHasItsTree() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        try await scene.open("Band")
        let band = try #require(scene.device("Band"))
        #expect(band.services.map(\.name) == ["Heart Rate", nil] && band.services.map(\.uuid) == ["180D", "FF00"])
        #expect(band.services[0].characteristics.map(\.name) == ["Heart Rate Measurement", "Body Sensor Location"])
        #expect(band.services[1].characteristics[0].label == "Threshold")
        #expect(band.services[1].characteristics[0].properties == ["read", "writeWithoutResponse", "write"])
        #expect(band.services[0].characteristics[0].descriptors.map(\.uuid) == ["2902"])
        #expect(band.services[0].characteristics[0].id == "1.1" && band.moreAttributes == 0)
        let log = scene.read { $0.log.entries.compactMap(\.swift) }
        for line in [
            "central.connect(peripheral)", "centralManager(_:didConnect:)", "peripheral.discoverServices(nil)",
            "peripheral(_:didDiscoverServices:)", "peripheral.discoverCharacteristics(nil, for: service)",
            "peripheral.discoverDescriptors(for: characteristic)",
        ] { #expect(log.contains(line)) }
    }

    @Test func aValueIsReadInAFittingFormatAndInAllFormats() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        let device = try await scene.open("Band")
        try scene.perform(.read(device: device, attribute: "1.2"))
        try #require(await scene.run(until: { _ in scene.explorer.devices[0].characteristics[1].value != nil }))
        let location = try #require(scene.characteristic("2A38", of: "Band"))
        #expect(location.value?.text.description == "Wrist" && location.value?.text.inChinese == "手腕")
        #expect(location.value?.octets == "02" && location.value?.source == .read && location.pending == 0)
        let detail = try #require(try scene.read { try $0.devices.formats(of: "1.2", of: device) })
        #expect(detail.formats.contains(FormattedValue(format: "u8", text: "2")))
        #expect(!detail.formats.contains { $0.format == "u16" } && detail.fields.count == 1)
        #expect(detail.fields[0].text.description == "Wrist" && detail.fields[0].text.inChinese == "手腕")
        #expect(scene.read { $0.log.entries.contains { $0.text.inChinese == "Body Sensor Location：手腕" } })
    }

    @Test func aLongValueIsReadAndWritten() async throws {
        let scene = ExplorerScene()
        let (band, _) = scene.addBand()
        let device = try await scene.open("Band")
        try scene.perform(.read(device: device, attribute: "2.2"))
        try #require(await scene.run(until: { _ in scene.explorer.devices[0].characteristics[3].value != nil }))
        #expect(scene.characteristic("FF02", of: "Band")?.value?.octets.count == 600)
        let long = String(repeating: "0123456789", count: 51)
        try scene.perform(.write(device: device, attribute: "2.1", .init(long, format: "utf8", response: true)))
        try #require(await scene.run(until: { _ in !band.written.withLock { $0.isEmpty } }))
        #expect(band.written.withLock { $0.last } == Data(long.utf8))
        #expect(
            scene.failure(of: .write(device: device, attribute: "2.1", .init(long + "012", format: "utf8")))
                == "too-long")
        #expect(
            scene.failure(of: .write(device: device, attribute: "2.1", .init(long, format: "utf8", response: false)))
                == "too-long", "a write without response does not fit the ATT_MTU")
    }

    @Test(
        arguments: [
            ("hex", "01 ff", [1, 0xFF]), ("utf8", "hé", [0x68, 0xC3, 0xA9]), ("u16", "513", [1, 2]),
            ("u16be", "513", [2, 1]),
            ("i8", "-2", [0xFE]), ("f32", "1.5", [0, 0, 0xC0, 0x3F]), ("base64", "AQI=", [1, 2]),
        ] as [(String, String, [UInt8])])
    func aValueIsWrittenInAFormat(format: String, text: String, octets: [UInt8]) async throws {
        let scene = ExplorerScene()
        let (band, _) = scene.addBand()
        let device = try await scene.open("Band")
        for response in [true, false] {
            band.written.withLock { $0 = [] }
            try scene.perform(.write(device: device, attribute: "2.1", .init(text, format: format, response: response)))
            try #require(await scene.run(until: { _ in !band.written.withLock { $0.isEmpty } }))
            #expect(band.written.withLock { $0 } == [Data(octets)])
        }
        await scene.run(.milliseconds(200))
        #expect(scene.characteristic("FF01", of: "Band")?.pending == 0)
    }

    @Test func aValueIsWrittenInTheWordsOfItsCharacteristic() async throws {
        let scene = ExplorerScene()
        let (band, _) = scene.addBand()
        let device = try await scene.open("Band")
        #expect(scene.characteristic("2A06", of: "Band")?.isEncodable == true)
        try scene.perform(.write(device: device, attribute: "2.3", .init("high alert", format: "sig")))
        try #require(await scene.run(until: { _ in !band.written.withLock { $0.isEmpty } }))
        #expect(band.written.withLock { $0 } == [Data([2])])
    }

    @Test(
        arguments: [
            ("2.1", "zz", "hex", "value"), ("2.1", "70000", "u16", "value"), ("2.1", "1", "u7", "value"),
            ("2.1", "1", "sig", "value"), ("1.2", "1", "u8", "not-writable"), ("9.1", "1", "u8", "unknown-attribute"),
            ("1", "1", "u8", "unknown-attribute"), ("-1.0", "1", "u8", "unknown-attribute"),
        ])
    func aValueThatDoesNotFitIsRefused(attribute: String, text: String, format: String, code: String) async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        let device = try await scene.open("Band")
        #expect(scene.failure(of: .write(device: device, attribute: attribute, .init(text, format: format))) == code)
        #expect(scene.failure(of: .subscribe(device: device, attribute: "1.2")) == "not-notifying")
        #expect(scene.failure(of: .read(device: device, attribute: "1.1")) == "not-readable")
    }

    @Test func notificationsAreCountedAndPlotted() async throws {
        let scene = ExplorerScene()
        let (band, pulse) = scene.addBand()
        let device = try await scene.open("Band")
        try scene.perform(.subscribe(device: device, attribute: "1.1"))
        try #require(await scene.run(until: { _ in band.subscriptions.withLock { $0 } == 1 }))
        for beat in 60..<600 {
            scene.queue.sync {
                _ = band.manager.updateValue(Data([0, UInt8(beat % 200)]), for: pulse, onSubscribedCentrals: nil)
            }
            await scene.run(.milliseconds(40))
        }
        let state = try #require(scene.characteristic("2A37", of: "Band"))
        #expect(state.isNotifying && state.count == 540)
        #expect(state.value?.number == 199 && state.value?.unit == "bpm" && state.value?.source == .notification)
        #expect(
            state.numbers.count <= 2 * CharacteristicNode.numberLimit
                && state.numbers.count > CharacteristicNode.numberLimit)
        #expect(state.numbers.last == 199)
        let past = try scene.read { try $0.devices.pastValues(of: "1.1", of: device) }
        #expect(past.count == 540 && past.values.count <= ValueHistory.limit)
        #expect(past.values.first?.n == 539 && past.values.first?.octets == "00c7")
        #expect(past.values.first?.source == .notification && past.values.first?.text == state.value?.text)
        #expect(zip(past.values, past.values.dropFirst()).allSatisfy { $0.n == $1.n + 1 && $0.time >= $1.time })
        let latest = try scene.read { try $0.devices.pastValues(of: "1.1", of: device, from: 538) }
        #expect(latest.values.map(\.n) == [539, 538] && latest.first == past.values.last?.n)
        #expect(try scene.read { try $0.devices.pastValues(of: "1.1", of: device, from: .max) }.values.isEmpty)
        let file = scene.read { $0.logFile }
        #expect(file.hasPrefix(scene.read { $0.log.text }))
        #expect(file.contains("(the last \(past.values.count) of 540):\n"))
        #expect(file.split(separator: "\n").last?.hasSuffix("  notification  00c7  \(past.values[0].text)") == true)
        try scene.perform(.unsubscribe(device: device, attribute: "1.1"))
        #expect(await scene.run(until: { $0.devices[0].services[0].characteristics[0].isNotifying == false }))
    }

    @Test func theHistoryOfLongValuesIsBounded() {
        var history = ValueHistory()
        for number in 0..<1000 {
            let octets = [UInt8](repeating: UInt8(number % 256), count: number % 3 == 0 ? 512 : 0)
            history.add(ReceivedValue(octets: octets, time: Int64(number), source: .read))
            #expect(history.values.count <= ValueHistory.limit)
            #expect(history.values.reduce(0) { $0 + $1.octets.count } <= ValueHistory.octetLimit)
            #expect(history.values.last?.time == Int64(number) && history.count == number + 1)
        }
        #expect(history.values.count > 40, "the history drops no more than it must")
        #expect(zip(history.values, history.values.dropFirst()).allSatisfy { $0.time + 1 == $1.time })
    }

    @Test(arguments: [(0, 23, 0), (20, 23, 0), (21, 23, 2), (36, 23, 2), (37, 23, 3), (512, 23, 29), (512, 517, 0)])
    func aLongWriteHasParts(count: Int, mtu: Int, parts: Int) {
        #expect(WriteRequests(count, mtu: mtu).parts == parts)
    }

    @Test func valuesThatWereNotReadAreRead() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        let device = try await scene.open("Band")
        #expect(scene.device("Band")?.mtu == Explorer.defaultMTU)
        try scene.perform(.read(device: device, attribute: "1.2"))
        try #require(await scene.run(until: { _ in scene.explorer.devices[0].characteristics[1].value != nil }))
        let before = scene.read { $0.log.next }
        try scene.perform(.readMissing(device: device))
        #expect(
            await scene.run(until: { state in
                state.devices[0].services.flatMap(\.characteristics).allSatisfy { characteristic in
                    characteristic.pending == 0 && characteristic.descriptors.allSatisfy { $0.pending == 0 }
                }
            }))
        let all = try #require(scene.device("Band")).services.flatMap(\.characteristics)
        #expect(all.filter { $0.properties.contains("read") }.allSatisfy { $0.value != nil })
        #expect(all.flatMap(\.descriptors).allSatisfy { $0.value != nil })
        let read = scene.read { explorer in explorer.log.entries.filter { $0.n >= before && $0.key == "read" } }
        #expect(!read.contains { $0.text.description.contains("Body Sensor Location") })
        // Nothing is missing any more.
        try scene.perform(.readMissing(device: device))
        #expect(scene.device("Band")?.services.flatMap(\.characteristics).allSatisfy { $0.pending == 0 } == true)
    }

    @Test func severalDevicesAreOpenAtATime() async throws {
        let scene = ExplorerScene()
        let (one, _) = scene.addBand("One")
        let (other, _) = scene.addBand("Other", at: 3)
        let first = try await scene.open("One")
        let second = try await scene.open("Other")
        #expect(scene.state.devices.map(\.link) == [.connected, .connected])
        try scene.perform(.write(device: first, attribute: "2.1", .init("01")))
        try scene.perform(.write(device: second, attribute: "2.1", .init("02")))
        try #require(
            await scene.run(until: { _ in !one.written.withLock { $0.isEmpty } && !other.written.withLock { $0.isEmpty }
            }))
        #expect(one.written.withLock { $0 } == [Data([1])] && other.written.withLock { $0 } == [Data([2])])
        try scene.perform(.close(device: first))
        await scene.run(.seconds(1))
        #expect(scene.state.devices.map(\.name) == ["Other"] && scene.state.devices.map(\.link) == [.connected])
        try scene.perform(.readRSSI(device: second))
        #expect(await scene.run(until: { $0.devices[0].rssi != nil }))
    }
}

struct LinkTests {
    @Test func aDeviceThatVanishesIsSaid() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand("Other", at: 3)
        let device = scene.world.addDevice("Gone", at: Position(x: 1))
        scene.programs.append(
            TestPeripheral(
                "Gone", [service("FF00", [attribute("FF01", .read, .readable)])], on: device, queue: scene.queue))
        let identifier = try await scene.open("Gone")
        device.remove()
        #expect(await scene.run(until: { $0.devices[0].link == .disconnected }))
        let state = try #require(scene.device("Gone"))
        #expect(
            state.reason?.description == "The connection has timed out unexpectedly."
                && state.reason?.inChinese == "连接意外超时。" && state.services.isEmpty)
        #expect(scene.failure(of: .read(device: identifier, attribute: "1.1")) == "not-connected")
        let script = try scene.read { try $0.devices.script(of: identifier) }
        #expect(script.contains("expect-disconnect"))
        // The explorer goes on with others.
        try await scene.open("Other")
    }

    @Test func anAdapterThatIsOffRefusesActions() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        let device = try await scene.open("Band")
        scene.phone.powerOff()
        #expect(await scene.run(until: { $0.adapter == "poweredOff" }))
        #expect(
            scene.state.devices[0].link == .disconnected && scene.state.devices[0].reason != nil
                && !scene.state.isScanning)
        #expect(scene.failure(of: .startScan) == "adapter")
        #expect(scene.failure(of: .connect(device: device, discovers: true)) == "adapter")
        scene.phone.powerOn()
        #expect(await scene.run(until: { $0.adapter == "poweredOn" }))
        try await scene.open("Band")
    }

    @Test func aConnectionIsCancelled() async throws {
        let scene = ExplorerScene()
        _ = scene.addBand()
        let device = try await scene.find("Band")
        try scene.perform(.connect(device: device, discovers: true))
        try scene.perform(.disconnect(device: device))
        #expect(await scene.run(until: { $0.devices[0].link == .disconnected }))
        #expect(scene.state.devices[0].reason == nil)
        #expect(scene.failure(of: .connect(device: UUID(), discovers: true)) == "unknown-device")
    }

    @Test func theSessionIsAScript() async throws {
        let scene = ExplorerScene()
        let (band, pulse) = scene.addBand()
        let device = try await scene.open("Band")
        try scene.perform(.read(device: device, attribute: "1.2"))
        try scene.perform(.write(device: device, attribute: "2.1", .init("4200", format: "u16")))
        try #require(await scene.run(until: { _ in !band.written.withLock { $0.isEmpty } }))
        await scene.run(.milliseconds(200))
        try scene.perform(.subscribe(device: device, attribute: "1.1"))
        try #require(await scene.run(until: { _ in band.subscriptions.withLock { $0 } == 1 }))
        scene.queue.sync { _ = band.manager.updateValue(Data([0, 72]), for: pulse, onSubscribedCentrals: nil) }
        try #require(await scene.run(until: { $0.devices[0].services[0].characteristics[0].count == 1 }))
        try scene.perform(.disconnect(device: device))
        await scene.run(.seconds(1))
        let script = try scene.read { try $0.devices.script(of: device) }
        #expect(
            script == """
                name: A session with Band
                steps:
                  - connect:
                      device: Band
                      within: 10 s
                  - discover
                  - read:
                      characteristic: Body Sensor Location
                      equals: 02
                      format: hex
                  - write:
                      characteristic: FF01
                      value: 68 10
                      format: hex
                      response: true
                  - subscribe:
                      characteristic: Heart Rate Measurement
                  # seen: 72 bpm
                  - wait-for-notification:
                      characteristic: Heart Rate Measurement
                      count: 1
                      within: 15 s
                  - disconnect

                """)
    }

    @Test func equalRunsHaveEqualStates() async throws {
        func run() async throws -> (ExplorerState, String) {
            let scene = ExplorerScene(seed: 7)
            _ = scene.addBand("One")
            _ = scene.addBand("Other", at: 4)
            let device = try await scene.open("One")
            try scene.perform(.readAll(device: device))
            try await scene.open("Other")
            await scene.run(.seconds(2))
            return (scene.state, scene.read { $0.log.text })
        }
        let (one, other) = (try await run(), try await run())
        #expect(one.0 == other.0 && one.1 == other.1 && one.1.split(separator: "\n").count > 30)
    }
}

struct HostilePeerTests {
    @Test func namesAndValuesAreBoundedAndPrintable() async throws {
        let scene = ExplorerScene()
        let name = "<script>\u{202E}\u{7}" + String(repeating: "x\u{301}", count: 20)
        let device = scene.world.addDevice("Evil", at: Position(x: 1))
        let evil = TestPeripheral(
            "Evil", [service("FF00", [attribute("FF01", .read, label: name)])], on: device, queue: scene.queue)
        evil.values.withLock { $0[CBUUID(string: "FF01")] = Data(String(repeating: "\u{1B}[2J", count: 120).utf8) }
        scene.programs.append(evil)
        scene.programs.append(
            try scene.world.addAdvertiser(
                "tag",
                RawAdvertisement(
                    data: [0x1E, 0x09]
                        + Array(("<script>\u{202E}\u{7}" + String(repeating: "x", count: 30)).utf8.prefix(29))),
                at: Position(x: 1)))
        let identifier = try await scene.open("Evil")
        try scene.perform(.readAll(device: identifier))
        #expect(await scene.run(until: { $0.devices[0].services[0].characteristics[0].value != nil }))
        let state = scene.state
        let texts =
            state.rows.compactMap(\.name) + [state.devices[0].services[0].characteristics[0].label ?? ""]
            + [state.devices[0].services[0].characteristics[0].value?.text.description ?? ""]
            + scene.read { $0.log.entries.map(\.text.description) }
        #expect(texts.contains { $0.hasPrefix("<script>") })
        for text in texts {
            #expect(text.utf8.count <= 1300)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        }
    }

    @Test func aTreeIsBounded() async throws {
        let scene = ExplorerScene()
        let device = scene.world.addDevice("Big", at: Position(x: 1))
        let services = (0..<70).map { number in
            service(
                "FF\(String(number + 16, radix: 16, uppercase: true))",
                (0..<7).map { attribute("EE0\($0)", .read, .readable, value: Data([1])) })
        }
        scene.programs.append(TestPeripheral("Big", services, on: device, queue: scene.queue))
        let identifier = try await scene.find("Big")
        try scene.perform(.connect(device: identifier, discovers: true))
        try #require(
            await scene.run(.seconds(120), until: { !$0.devices[0].services.isEmpty && !$0.devices[0].isDiscovering }))
        let big = try #require(scene.device("Big"))
        #expect(big.services.count == ExploredDevice.serviceLimit)
        #expect(big.services.reduce(0) { $0 + $1.characteristics.count } == ExploredDevice.characteristicLimit)
        #expect(big.moreAttributes == 6 + 64 * 7 - ExploredDevice.characteristicLimit)
        // A name of several characteristics is a path.
        try scene.perform(.read(device: identifier, attribute: "2.3"))
        try #require(await scene.run(until: { $0.devices[0].services[1].characteristics[2].value != nil }))
        #expect(try scene.read { try $0.devices.script(of: identifier) }.contains("characteristic: FF11/EE02"))
    }

    @Test func actionsOfThePageAreChecked() {
        for (name, arguments) in [
            ("connect", "{}"), ("connect", #"{"device":"x"}"#),
            ("write", #"{"device":"00000000-0000-0000-0000-000000000001"}"#),
            ("fly", "{}"), ("read", "[]"), ("read", ""), ("answer", "{}"),
            (
                "write",
                #"{"device":"00000000-0000-0000-0000-000000000001","attribute":"1.1","value":""#
                    + String(repeating: "0", count: 5000) + #""}"#
            ),
        ] {
            #expect(throws: PhrasedError.self) { try ExplorerAction(name, Data(arguments.utf8)) }
        }
    }
}
