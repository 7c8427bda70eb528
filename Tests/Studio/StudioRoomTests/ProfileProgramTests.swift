import BLEPacketDecoding
import BLEValues
import BLEWire
import CoreBluetooth
import DeviceFiles
import Phrases
import Testing

@testable import StudioRoom

/// Scans for all devices, connects to the first one with a name, and subscribes to all that notifies.
private final class SubscribingProgram: NSObject, WorldProgram, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let context: WorldProgramContext
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?

    init(_ context: WorldProgramContext) { self.context = context }

    func start() { manager = CBCentralManager(delegate: self, queue: context.queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard context.name == "Client", self.peripheral == nil else { return }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
            if characteristic.properties.contains(.read) { peripheral.readValue(for: characteristic) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        context.report(
            ProgramEvent(
                .note,
                Phrase(
                    data: "\(characteristic.uuid.uuidString) \(Hexadecimal.digits(characteristic.value ?? Data()))")))
    }
}

struct ProfileProgramTests {
    private static let second: Int64 = 1_000_000_000

    /// A room with a device that serves a profile, and a phone. A phone with the name "Client" connects and subscribes.
    private func timeline(_ yaml: String?, program: String = "profile", phone: String = "Client") throws -> RoomTimeline
    {
        let client = WorldProgramKind("client", kind: .phone, defaultName: "Phone") { SubscribingProgram($0) }
        let scene = RoomScene("test") { _ in
            WorldFile(devices: [
                try WorldFile.Device(running: program, x: 1, y: 0, profile: yaml),
                WorldFile.Device(running: "client", name: phone, x: 0, y: 0),
            ])
        }
        return try RoomTimeline(programs: ProfilePrograms.all + [client], scenes: [scene], scene: "test", seed: 3)
    }

    private func notes(_ timeline: RoomTimeline) -> [(time: Int64, text: String)] {
        timeline.happened(from: 0).events.filter { $0.device == "d2" && $0.kind == .note }.map {
            ($0.time, $0.text.description)
        }
    }

    private static let counter = """
        advertising: {name: Box}
        services:
          - uuid: FFE0
            characteristics:
              - uuid: FFE1
                properties: [notify]
                format: u8
                value: {counter: {minimum: 0, maximum: 200, every: 250 ms}}
                notify: {every: 250 ms}
              - {uuid: FFE2, properties: [read], value: {clock: unix}}
              - {uuid: FFE3, properties: [read], format: u8, value: {random-walk: {minimum: 0, maximum: 255, step: 99, seed: 4}}}
        """

    @Test func valuesFollowVirtualTime() throws {
        let timeline = try timeline(Self.counter)
        timeline.advance(to: 8 * Self.second)
        let values = notes(timeline).filter { $0.text.hasPrefix("FFE1 ") }
        try #require(values.count > 20)
        for value in values {
            // The value is the number of quarters of a second at its sending, which is at most some connection events before.
            let number = try #require(Int64(value.text.dropFirst(5), radix: 16))
            #expect(number * 250_000_000 <= value.time)
            #expect(value.time - number * 250_000_000 < 500_000_000)
        }
        // The room begins on 2026-01-01.
        let clock = try #require(notes(timeline).first { $0.text.hasPrefix("FFE2 ") })
        let octets = try #require(Hexadecimal.octets(String(clock.text.dropFirst(5))))
        let seconds = octets.reversed().reduce(0) { $0 << 8 | Int64($1) }
        #expect((0...1).contains(clock.time / Self.second - (seconds - 1_767_225_600)))
    }

    @Test func aStepBackRepeatsTheValuesAndTheChangesOfTheProfile() throws {
        let timeline = try timeline(Self.counter)
        timeline.advance(to: 3 * Self.second)
        let changed = Self.counter.replacingOccurrences(
            of: "minimum: 0, maximum: 200", with: "minimum: 100, maximum: 101")
        let answer = try timeline.perform(.act(device: "d1", action: "apply", with: ["yaml": .string(changed)]))
        #expect(answer["name"] == "Box")
        timeline.advance(to: 6 * Self.second)
        let (frames, texts) = (Rooms.frames(timeline), notes(timeline).map(\.text))
        #expect(texts.contains("FFE1 64") && texts.contains("FFE1 65"))
        try timeline.restart()
        timeline.advance(to: 2 * Self.second)
        #expect(!notes(timeline).contains { $0.text == "FFE1 64" })
        timeline.advance(to: 6 * Self.second)
        #expect(Rooms.frames(timeline) == frames)
        #expect(notes(timeline).map(\.text) == texts)
    }

    @Test func aChangedServiceIsPublishedWhileTheProgramRuns() throws {
        let timeline = try timeline("advertising: {name: Box}\nservices: [{uuid: FFE0}]", phone: "Scanner")
        timeline.advance(to: Self.second)
        _ = try timeline.perform(.act(device: "d1", action: "apply", with: ["yaml": .string(Self.counter)]))
        _ = try timeline.perform(.add(program: "client", name: "Client", x: 0, y: 1))
        timeline.advance(to: 4 * Self.second)
        #expect(
            timeline.happened(from: 0).events.contains { $0.device == "d3" && $0.text.description.hasPrefix("FFE1 ") })
    }

    @Test func theProgramReportsItsCallbacks() throws {
        let timeline = try timeline(nil, program: "profile:heart-rate")
        timeline.advance(to: 4 * Self.second)
        let events = timeline.happened(from: 0).events.filter { $0.device == "d1" }
        let methods = Set(events.compactMap(\.swift))
        #expect(
            methods.isSuperset(of: [
                "peripheralManagerDidUpdateState(_:)", "peripheralManager(_:didAdd:error:)",
                "peripheralManagerDidStartAdvertising(_:error:)", "peripheralManager(_:central:didSubscribeTo:)",
                "peripheralManager(_:didReceiveRead:)", "manager.updateValue(_:for:onSubscribedCentrals:)",
            ]))
        #expect(events.contains { $0.text.description == "The device advertises as Pulse." })
        #expect(timeline.state.devices[0].name == "Pulse")
    }

    @Test(arguments: ShippedProfiles.all.map(\.name))
    func eachShippedProfileIsAProgramThatAdvertises(name: String) throws {
        let timeline = try timeline(nil, program: "profile:\(name)", phone: "Scanner")
        timeline.advance(to: Self.second)
        let device = timeline.state.devices[0]
        #expect(device.state == .advertising)
        let profile = try DeviceProfile(text: #require(ShippedProfiles.text(named: name)), file: name)
        #expect(device.name == profile.advertising.localName)
    }

    @Test(arguments: [
        "no-profile", "unbalanced: [", "services: [{uuid: 1800}]", String(repeating: "#", count: 200_000),
    ])
    func aTextThatIsNoProfileIsRefused(text: String) throws {
        let profile = text == "no-profile" ? nil : text
        #expect(throws: PhrasedError.self) { try self.timeline(profile) }
        let timeline = try timeline(Self.counter)
        timeline.advance(to: Self.second)
        let arguments: RoomValue = profile.map { ["yaml": .string($0)] } ?? .null
        #expect(throws: PhrasedError.self) {
            try timeline.perform(.act(device: "d1", action: "apply", with: arguments))
        }
        timeline.advance(to: 5 * Self.second)
        #expect(notes(timeline).contains { $0.text.hasPrefix("FFE1 ") })
    }

    // MARK: The advertisement

    private static let advertisements: [(yaml: String, omitted: Int, place: AdvertisementLayout.LocalName.Place?)] = [
        ("{name: Pulse, services: [Heart Rate]}", 0, .data),
        ("{services: [Heart Rate, Battery]}", 0, nil),
        ("{name: A name that is too long for both}", 0, .response),
        ("{name: Spectrum, services: [6E400001-B5A3-F393-E0A9-E50E24DCCA9E]}", 0, .data),
        ("{name: Spectrum B, services: [6E400001-B5A3-F393-E0A9-E50E24DCCA9E]}", 0, .response),
        ("{name: 心率手环设备名称, services: [6E400001-B5A3-F393-E0A9-E50E24DCCA9E, 180D, FFE0]}", 0, .response),
        (
            "{services: [6E400001-B5A3-F393-E0A9-E50E24DCCA9E, 71DA3FD1-7E10-41C1-B16F-4430B506CDE7, 180D]}", 1, nil
        ),
        (
            "{name: Tag, manufacturer: {company: 0x004C, data: 02 15 01 02 03 04}, service-data: [{service: 180D, data: 01}]}",
            0, .data
        ),
        (
            "{manufacturer: {company: 0xFFFF, data: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17}, service-data: [{service: 180D, data: 01}]}",
            1, nil
        ),
        (
            "{services: [180D], manufacturer: {company: 0xFFFF, data: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18}}",
            1, nil
        ),
    ]

    @Test(arguments: advertisements.indices)
    func theOctetsOfTheLayoutAreThoseOnTheAir(index: Int) throws {
        let (text, omitted, place) = Self.advertisements[index]
        let yaml = "advertising: \(text)\nservices: []"
        let profile = try DeviceProfile(text: yaml, file: "p")
        let layout = AdvertisementLayout(profile.advertising)
        let timeline = try timeline(yaml, phone: "Scanner")
        timeline.advance(to: Self.second)
        // The PDU types ADV_IND and SCAN_RSP (Vol 6, Part B, 2.3); header and address are 8 octets.
        let frames = Rooms.frames(timeline).filter { $0.channel >= 37 && $0.octets.count >= 8 }
        let data = Set(frames.filter { $0.octets[0] & 0x0F == 0 }.map { Hexadecimal.digits($0.octets[8...]) })
        let responses = Set(frames.filter { $0.octets[0] & 0x0F == 4 }.map { Hexadecimal.digits($0.octets[8...]) })
        #expect(data == [layout.data.octets])
        #expect(responses == [layout.response.octets])
        #expect(layout.omitted.count == omitted)
        #expect(layout.name?.place == place)
        for part in [layout.data, layout.response] {
            #expect(part.octets.count <= 2 * layout.capacity)
            #expect(part.structures.reduce(0) { $0 + $1.count } * 2 == part.octets.count)
            #expect(
                part.structures.map(\.start)
                    == part.structures.indices.map { index in part.structures[..<index].reduce(0) { $0 + $1.count } })
        }
        #expect(layout.name?.isWhole == layout.name.map { $0.sent == profile.advertising.localName })
    }
}
