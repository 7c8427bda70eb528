import BLEAdapter
import BLESimulator
import CoreBluetooth
import ExamplePrograms
import Testing

/// Something that callbacks write and tests read.
private final class Shared<Value: Sendable>: Sendable {
    private let storage: Lock<Value>
    init(_ value: Value) { storage = Lock(value) }
    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
    func change(_ body: (inout Value) -> Void) { storage.withLock { body(&$0) } }
}

/// How an example ended: nil while it runs.
private typealias Ending = Shared<String?>

extension Ending {
    fileprivate func end(_ error: (any Error)?) { value = error.map { "error: \($0.localizedDescription)" } ?? "well" }
}

/// Records the name of the discovered device for this host.
private final class NameObserver: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
    private(set) var name: String?
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { name = peripheral.name }
}

struct ExampleTests {
    private let world = World(seed: 7)
    private let ending = Ending(nil)
    private let phoneQueue = DispatchQueue(label: "phone")
    private let deviceQueue = DispatchQueue(label: "device")

    /// Two devices, two metres apart; `device` starts first.
    private func start(device: () -> Void, phone: () -> Void) {
        let first = world.addDevice("Device", at: Position(x: 2))
        let second = world.addDevice("Phone")
        first.run(device)
        second.run(phone)
    }

    @Test func theWalkthroughTakesAllTwentyThreeStepsInOrder() async {
        let steps = Shared<[Int]>([])
        let pulses = Shared<[UInt8]>([])
        let wristband = WristbandPeripheral(queue: deviceQueue)
        let central = WalkthroughCentral(queue: phoneQueue)
        central.namePrefix = "Wrist"
        central.valueToWrite = Data([0x10, 0x27])
        central.onStep = { number, _ in steps.change { $0.append(number) } }
        central.onNotification = { value in pulses.change { $0.append(value[value.startIndex + 1]) } }
        central.onFinish = { [ending] in ending.end($0) }
        start {
            wristband.start()
        } phone: {
            central.start()
        }
        while ending.value == nil, world.now < .seconds(60) {
            await world.run(timeout: .seconds(1)) { [ending] in ending.value != nil }
            deviceQueue.sync { wristband.beat() }
        }
        #expect(ending.value == "well")
        var firsts: [Int] = []
        for step in steps.value where !firsts.contains(step) { firsts.append(step) }
        #expect(firsts == Array(1...23))
        #expect(pulses.value.count == 12)
        #expect(deviceQueue.sync { wristband.goal } == 10_000)
    }

    /// The first connection brings another name, that of the GAP service; the second walkthrough looks for the advertised one.
    @Test func theWalkthroughFindsTheWristbandByItsAdvertisedNameEachTime() async {
        let steps = Shared<[String]>([])
        let names = Shared<[String?]>([])
        let wristband = WristbandPeripheral(queue: deviceQueue)
        let device = world.addDevice("band", at: Position(x: 2))
        let phone = world.addDevice("Phone")
        device.run { wristband.start() }
        for run in 1...2 {
            ending.value = nil
            let central = WalkthroughCentral(queue: phoneQueue)
            central.namePrefix = "Wristband"
            central.notificationCount = 1
            central.onStep = { number, text in
                if number == 4 || number == 6 { steps.change { $0.append(text) } }
            }
            central.onFinish = { [ending] in ending.end($0) }
            phone.run { central.start() }
            let end = world.now + .seconds(60)
            while ending.value == nil, world.now < end {
                await world.run(timeout: .seconds(1)) { [ending] in ending.value != nil }
                deviceQueue.sync { wristband.beat() }
            }
            #expect(ending.value == "well", "run \(run)")
            let observer = NameObserver()
            let manager = phone.run { CBCentralManager(delegate: observer, queue: phoneQueue) }
            await world.run(for: .seconds(5))
            names.change { $0.append(phoneQueue.sync { observer.name }) }
            withExtendedLifetime(manager) {}
        }
        #expect(names.value == ["band", "band"], "the name of the device itself")
        #expect(steps.value.count == 4)
        #expect(steps.value.allSatisfy { $0.hasPrefix("found Wristband at") || $0 == "connected to Wristband" })
    }

    @Test func framesOf16OctetsArriveInBothDirections() async {
        let device = FramePeripheral(queue: deviceQueue)
        let central = FrameCentral(queue: phoneQueue)
        device.log = { _ in }
        central.log = { _ in }
        central.onFinish = { [ending] in ending.end($0) }
        start {
            device.start()
        } phone: {
            central.start()
        }
        await world.run(timeout: .seconds(30)) { [ending] in ending.value != nil }
        #expect(ending.value == "well")
        #expect(deviceQueue.sync { device.received } == [Frames.request])
        #expect(phoneQueue.sync { central.received } == [Frames.answer, Frames.answer])
        #expect(phoneQueue.sync { central.isWritten })
    }

    @Test func theBicycleReportsItsHighestChargeAndAcceptsANewLowest() async {
        let device = MobikePeripheral(queue: deviceQueue)
        let central = MobikeCentral(queue: phoneQueue)
        device.log = { _ in }
        central.log = { _ in }
        central.newMin = 40
        central.onFinish = { [ending] in ending.end($0) }
        start {
            device.start()
        } phone: {
            central.start()
        }
        await world.run(timeout: .seconds(30)) { [ending] in ending.value != nil }
        #expect(ending.value == "well")
        #expect(deviceQueue.sync { device.min } == 40)
        #expect(phoneQueue.sync { central.max } == 96)
        #expect(phoneQueue.sync { central.average } == 68)
    }

    @Test func theStreamArrivesCompletelyDespiteAFullQueue() async {
        let device = StreamingPeripheral(queue: deviceQueue)
        let client = StreamingCentral(queue: phoneQueue)
        device.streamed = StreamingPeripheral.stream(of: 200_000)
        device.log = { _ in }
        let lines = Shared<[String]>([])
        client.log = { line in lines.change { $0.append(line) } }
        client.now = { [world] in world.now / .seconds(1) }
        let note = Data((0..<500).map { UInt8(truncatingIfNeeded: $0 &* 3) })
        client.note = note
        client.onFinish = { [ending] in ending.end($0) }
        start {
            device.start()
        } phone: {
            client.start()
        }
        await world.run(timeout: .seconds(60)) { [ending] in ending.value != nil }
        #expect(ending.value == "well")
        let stream = phoneQueue.sync { client.stream }
        #expect(phoneQueue.sync { client.hasEnd })
        #expect(stream.octets == 200_000)
        #expect(stream.missing == 0)
        #expect(
            (50_000...200_000).contains(stream.rate), "2M PHY, 251 octets a packet: \(stream.rate) octets per second")
        #expect(abs(stream.seconds - 200_000 / stream.rate) < 0.1)
        #expect(lines.value.contains { $0.hasSuffix("nothing missing") && !$0.hasPrefix("total") }, "\(lines.value)")
        #expect(lines.value.last == "total: \(stream)")
        #expect(phoneQueue.sync { client.title } == Data("Streaming example".utf8))
        #expect(phoneQueue.sync { client.noteRead } == note)
        #expect(deviceQueue.sync { device.noteValue } == note)
        #expect(deviceQueue.sync { device.timesFull } > 0, "200,000 octets must fill the transmit queue at least once")
    }

    @Test func aGapInTheStreamIsCounted() {
        var count = StreamCount()
        count.add(Data([0, 1, 2]), at: 10)
        count.add(Data([5, 6]), at: 10.5)
        count.add(Data([7, 8, 9, 10]), at: 11)
        #expect(count.notifications == 3)
        #expect(count.octets == 9)
        #expect(count.missing == 2)
        #expect(count.rate == 6)
        #expect("\(count)" == "9 octets in 3 notifications, 0.0 kB/s, at least 2 missing")
    }

    @Test func anUnsuccessfulSearchReportsTheDevicesItFound() async {
        let wristband = WristbandPeripheral(queue: deviceQueue)
        let central = WalkthroughCentral(queue: phoneQueue)
        central.namePrefix = "Nobody"
        central.onStep = { _, _ in }
        #expect(central.searchStatus == nil)
        start {
            wristband.start()
        } phone: {
            central.start()
        }
        await world.run(for: .seconds(3))
        #expect(
            phoneQueue.sync { central.searchStatus }
                == "waiting for a device whose name begins with \"Nobody\"; other devices seen: Wristband")
    }
}
