import BLEAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import ExamplePrograms
import Foundation
import Testing

@testable import DeviceFiles

/// A served profile and a central in virtual time.
private final class Bench {
    let world = World(seed: 5)
    let serverQueue = DispatchQueue(label: "server")
    let centralQueue = DispatchQueue(label: "central")
    let device: VirtualDevice
    let server: ProfileServer
    let events = Events()

    final class Events {
        var list: [ServerEvent] = []
    }

    init(_ profile: DeviceProfile) {
        device = world.addDevice("Device", at: Position(x: 2))
        let (world, events) = (world, events)
        server = ProfileServer(
            profile, now: { ProfileTime(elapsed: world.now, localSeconds: 0) }, report: { events.list.append($0) })
        device.run { server.start(queue: serverQueue) }
    }

    convenience init(shipped name: String) throws {
        self.init(try DeviceProfile(text: #require(ShippedProfiles.text(named: name)), file: name))
    }

    convenience init(_ text: String) throws { self.init(try DeviceProfile(text: text, file: "p")) }

    /// Runs the world, with a tick of the server every 50 ms, until the condition is true.
    func run(_ limit: Duration = .seconds(60), until condition: @escaping () -> Bool) async -> Bool {
        let end = world.now + limit
        while world.now < end {
            if await world.run(timeout: .milliseconds(50), until: condition) { return true }
            serverQueue.sync { server.tick() }
        }
        return false
    }

    /// A connected central that has discovered everything.
    func connect(_ name: String) async throws -> Probe {
        let probe = Probe(name)
        world.addDevice("Phone").run { probe.start(queue: centralQueue) }
        let isReady = await run { probe.isReady }
        try #require(isReady)
        return probe
    }
}

/// A central that connects to a device by its name, and discovers all services.
private final class Probe: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private let name: String
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var undiscovered = 0
    private(set) var isReady = false
    private(set) var disconnections = 0
    private(set) var values: [String: [[UInt8]]] = [:]
    private(set) var results: [Int?] = []
    private(set) var modified: [[String]] = []

    init(_ name: String) { self.name = name }

    func start(queue: DispatchQueue) { manager = CBCentralManager(delegate: self, queue: queue) }

    func characteristic(_ uuid: String) -> CBCharacteristic? {
        (peripheral?.services ?? []).flatMap { $0.characteristics ?? [] }.first { $0.uuid == CBUUID(string: uuid) }
    }

    var services: [String] { (peripheral?.services ?? []).map(\.uuid.uuidString) }

    func read(_ uuid: String) {
        if let characteristic = characteristic(uuid) { peripheral?.readValue(for: characteristic) }
    }

    func write(_ octets: [UInt8], to uuid: String) {
        guard let characteristic = characteristic(uuid) else {
            Issue.record("no characteristic \(uuid)")
            return
        }
        peripheral?.writeValue(Data(octets), for: characteristic, type: .withResponse)
    }

    func subscribe(_ uuid: String) {
        if let characteristic = characteristic(uuid) { peripheral?.setNotifyValue(true, for: characteristic) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard advertisementData[CBAdvertisementDataLocalNameKey] as? String == name else { return }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        disconnections += 1
        isReady = false
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let services = peripheral.services ?? []
        undiscovered = services.count
        for service in services { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        undiscovered -= 1
        if undiscovered == 0 { isReady = true }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        modified.append(invalidatedServices.map(\.uuid.uuidString))
        isReady = false
        peripheral.discoverServices(nil)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error = error as? CBATTError { return results.append(error.code.rawValue) }
        values[characteristic.uuid.uuidString, default: []].append(Array(characteristic.value ?? Data()))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { results.append((error as? CBATTError)?.code.rawValue) }
}

private func profile(_ first: String, _ rest: String = "") -> String {
    """
    advertising: {name: Box}
    services:
      - uuid: FFE0
        characteristics:
          - {uuid: FFE1, \(first)}
    \(rest)
    """
}

struct ProfileServerTests {
    // MARK: The programs of the tutorials

    @Test func theWalkthroughTakesAllItsStepsWithThePulseBand() async throws {
        let bench = try Bench(shipped: "pulse-band")
        let central = WalkthroughCentral(queue: bench.centralQueue)
        var steps: Set<Int> = []
        var ending: String?
        central.namePrefix = "P"
        central.valueToWrite = Data([0x10, 0x27])
        central.onStep = { number, _ in steps.insert(number) }
        central.onFinish = { ending = $0?.localizedDescription ?? "well" }
        bench.world.addDevice("Phone").run { central.start() }
        let isFinished = await bench.run { ending != nil }
        #expect(isFinished)
        #expect(ending == "well")
        #expect(steps == Set(1...23))
    }

    @Test func theFrameCentralGetsItsAnswerFromDevice01() async throws {
        let bench = try Bench(shipped: "device01")
        let central = FrameCentral(queue: bench.centralQueue)
        var ending: String?
        central.log = { _ in }
        central.onFinish = { ending = $0?.localizedDescription ?? "well" }
        bench.world.addDevice("Phone").run { central.start() }
        let isFinished = await bench.run { ending != nil }
        #expect(isFinished)
        #expect(ending == "well")
        #expect(central.isWritten)
        #expect(central.received == [Frames.answer, Frames.answer])
    }

    @Test func theBicycleComputesItsMeanCharge() async throws {
        let bench = try Bench(shipped: "mobike")
        let central = MobikeCentral(queue: bench.centralQueue)
        var ending: String?
        central.log = { _ in }
        central.onFinish = { ending = $0?.localizedDescription ?? "well" }
        bench.world.addDevice("Phone").run { central.start() }
        let isFinished = await bench.run { ending != nil }
        #expect(isFinished)
        #expect(ending == "well")
        #expect(central.max == 96)
        #expect(central.average == 63)
    }

    // MARK: Requests

    @Test func readsAndWritesFollowTheRules() async throws {
        let bench = try Bench(
            profile("properties: [read, write], format: u8, value: 5, write: {maximum: 9, error: 0x80}"))
        let probe = try await bench.connect("Box")
        probe.read("FFE1")
        probe.write([10], to: "FFE1")
        probe.write([9], to: "FFE1")
        let isDone = await bench.run { probe.results.count == 2 }
        probe.read("FFE1")
        let isRead = await bench.run { probe.values["FFE1"]?.count == 2 }
        #expect(isDone && isRead)
        #expect(probe.results == [0x80, nil])
        #expect(probe.values["FFE1"] == [[5], [9]])
        let writes = bench.events.list.compactMap { event in
            if case .write(let details) = event { return details.error }
            return nil
        }
        #expect(writes == [ErrorCode(0x80)])
    }

    @Test func aDelayedReadIsAnsweredLater() async throws {
        let bench = try Bench(profile("properties: [read], value: '01', read: {delay: 3 s}"))
        let probe = try await bench.connect("Box")
        let start = bench.world.now
        probe.read("FFE1")
        let isRead = await bench.run { probe.values["FFE1"] == [[1]] }
        #expect(isRead)
        #expect(bench.world.now - start >= .seconds(3) && bench.world.now - start < .seconds(4))
    }

    @Test func aLongValueIsReadWhole() async throws {
        let octets = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        let digits = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let bench = try Bench(profile("properties: [read], value: '\(digits)'"))
        let probe = try await bench.connect("Box")
        probe.read("FFE1")
        let isRead = await bench.run { probe.values["FFE1"] != nil }
        #expect(isRead)
        #expect(probe.values["FFE1"] == [octets])
        let reads = bench.events.list.count { if case .read = $0 { true } else { false } }
        #expect(reads == 1)
    }

    // MARK: Updates

    @Test func echoesLoseNothingWhenTheQueueIsFull() async throws {
        let bench = try Bench(shipped: "uart")
        let (input, output) = ("6E400002-B5A3-F393-E0A9-E50E24DCCA9E", "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
        let probe = try await bench.connect("UART")
        probe.subscribe(output)
        let isSubscribed = await bench.run {
            bench.events.list.contains { if case .subscription = $0 { true } else { false } }
        }
        #expect(isSubscribed)
        let parts = (0..<40).map { part in (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ part) } }
        for part in parts { probe.write(part, to: input) }
        let isComplete = await bench.run { probe.values[output, default: []].joined().count >= 40 * 512 }
        #expect(isComplete)
        #expect(Array(probe.values[output, default: []].joined()) == Array(parts.joined()))
        #expect(probe.results == Array(repeating: nil, count: 40))
    }

    @Test func notificationsComeInTheirInterval() async throws {
        let bench = try Bench(
            profile(
                "properties: [notify], format: u8, value: {counter: {minimum: 0, maximum: 200, every: 1 s}}, notify: {every: 1 s}"
            ))
        let probe = try await bench.connect("Box")
        probe.subscribe("FFE1")
        let hasFive = await bench.run { probe.values["FFE1"]?.count == 5 }
        #expect(hasFive)
        let first = try #require(probe.values["FFE1"]?.first?.first)
        #expect(probe.values["FFE1"] == (0..<5).map { [first + $0] })
    }

    @Test func theQueueReplacesPeriodicValuesAndCountsWhatItLoses() {
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "FFE1"), properties: .notify, value: nil, permissions: .readable)
        var queue = UpdateQueue()
        queue.append(.init(characteristic: characteristic, value: [1], centrals: nil, isPeriodic: true))
        queue.append(.init(characteristic: characteristic, value: [2], centrals: nil, isPeriodic: true))
        #expect(queue.first?.value == [2])
        queue.removeFirst()
        #expect(queue.first == nil)
        for _ in 0..<1030 {
            queue.append(.init(characteristic: characteristic, value: [3], centrals: nil, isPeriodic: false))
        }
        let lost = [queue.takeLostCount(), queue.takeLostCount()]
        #expect(lost == [6, 0])
    }

    // MARK: New versions

    @Test func aNewValueReachesTheSubscribersWithoutANewDatabase() async throws {
        let bench = try Bench(profile("properties: [notify], format: u8, value: 1, notify: {every: 1 s}"))
        let probe = try await bench.connect("Box")
        probe.subscribe("FFE1")
        let hasOld = await bench.run { probe.values["FFE1"]?.last == [1] }
        let next = try DeviceProfile(
            text: profile("properties: [notify], format: u8, value: 2, notify: {every: 100 ms}"), file: "p")
        bench.serverQueue.sync { bench.server.apply(next) }
        let hasNew = await bench.run { probe.values["FFE1"]?.last == [2] }
        #expect(hasOld && hasNew)
        #expect(probe.modified.isEmpty && probe.disconnections == 0)
    }

    @Test func aNewServiceLeavesTheLinkAndTheOtherSubscriptions() async throws {
        let first = "properties: [notify], format: u8, value: 1, notify: {every: 1 s}"
        let bench = try Bench(profile(first))
        let probe = try await bench.connect("Box")
        probe.subscribe("FFE1")
        let hasOld = await bench.run { probe.values["FFE1"] != nil }
        let next = try DeviceProfile(
            text: profile(first, "  - {uuid: 180F, characteristics: [{uuid: 2A19, properties: [read], value: '63'}]}"),
            file: "p")
        bench.serverQueue.sync { bench.server.apply(next) }
        let hasService = await bench.run { probe.isReady && probe.characteristic("2A19") != nil }
        #expect(hasOld && hasService)
        let count = probe.values["FFE1"]?.count ?? 0
        probe.read("2A19")
        let goesOn = await bench.run {
            probe.values["2A19"] == [[0x63]] && probe.values["FFE1", default: []].count > count + 2
        }
        #expect(goesOn)
        #expect(!probe.modified.isEmpty && probe.disconnections == 0)

        let last = try DeviceProfile(text: profile(first), file: "p")
        bench.serverQueue.sync { bench.server.apply(last) }
        let isGone = await bench.run { probe.isReady && probe.services == ["FFE0"] }
        #expect(isGone)
        #expect(probe.disconnections == 0)
    }

    @Test func theProfileIsServedAgainAfterTheAdapterWasOff() async throws {
        let bench = try Bench(profile("properties: [read], value: '01'"))
        let probe = try await bench.connect("Box")
        bench.device.powerOff()
        let isLost = await bench.run { probe.disconnections > 0 }
        bench.device.powerOn()
        let isBack = await bench.run { probe.isReady }
        probe.read("FFE1")
        let isRead = await bench.run { probe.values["FFE1"] == [[1]] }
        #expect(isLost && isBack && isRead)
        let failures = bench.serverQueue.sync {
            bench.events.list.compactMap { if case .failed(let sentence) = $0 { sentence } else { nil } }
        }
        #expect(failures == [])
    }

    /// A profile may change to extended packets and back while it is served.
    @Test func theKindOfPacketsChanges() async throws {
        let bench = try Bench(profile("properties: [read], value: '01'"))
        let kinds = Lock<Set<String>>([])
        bench.world.observeAir { packet, _ in
            let octets = packet.pdu.withUnsafeBufferPointer { [UInt8]($0) }
            guard packet.channel >= 37 || octets[0] & 0x0F == 7 else { return }
            kinds.withLock { _ = $0.insert("\(octets[0] & 0x0F) \(packet.phy)") }
        }
        let isLegacy = await bench.run { kinds.withLock { $0 } == ["0 oneM"] }
        for (text, expected) in [
            ("extended: {secondary: 2M}", ["7 oneM", "7 twoM"]),
            ("extended: {primary: coded, secondary: coded}", ["7 codedS8"]),
            ("services: [FFE0]", ["0 oneM"]),
        ] as [(String, Set<String>)] {
            let changed = profile("properties: [read], value: '01'").replacing(
                "{name: Box}", with: "{name: Box, \(text)}")
            let next = try DeviceProfile(text: changed, file: "p")
            bench.serverQueue.sync { bench.server.apply(next) }
            _ = await bench.run(.seconds(1)) { false }
            kinds.withLock { $0 = [] }
            _ = await bench.run(.seconds(1)) { false }
            #expect(kinds.withLock { $0 } == expected, "\(text)")
        }
        let failures = bench.serverQueue.sync {
            bench.events.list.compactMap { if case .failed(let sentence) = $0 { sentence } else { nil } }
        }
        #expect(isLegacy && failures == [])
    }

    // MARK: Pieces

    @Test func requiredSecurityBecomesPermissions() throws {
        let profile = try DeviceProfile(
            text: profile("properties: [read, write, notify, indicate], security: encrypted"), file: "p")
        let service = PublishedService(profile.services[0].discoverable, included: [])
        let characteristic = service.characteristics[0]
        #expect(characteristic.permissions == [.readEncryptionRequired, .writeEncryptionRequired])
        #expect(
            characteristic.properties == [
                .read, .write, .notify, .indicate, .notifyEncryptionRequired, .indicateEncryptionRequired,
            ])
    }
}
