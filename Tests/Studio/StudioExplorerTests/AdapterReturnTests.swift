import BLESimulator
import BLETransfer
import CoreBluetooth
import DeviceLink
import DeviceFiles
import Foundation
import ImprovWiFi
import TestConditions
import Testing

/// Everything of this package that keeps peripherals or services over time, on an adapter that goes and comes back: the objects that it kept are
/// no longer valid then, and it needs new ones.
@Suite(.timeLimit(.minutes(10)))
struct AdapterReturnTests {
    enum Keeper: CaseIterable {
        case transferCentral, transferPeripheral, improvCentral, improvPeripheral, linkClient, linkedDevice
        case profileServer, explorer
    }

    /// How the adapter goes.
    enum Absence: CaseIterable {
        case restart
        case power

        func happens(to device: VirtualDevice, _ run: (Duration) async -> Void) async {
            switch self {
            case .restart: device.restartAdapter()
            case .power:
                device.powerOff()
                await run(.seconds(5))
                device.powerOn()
            }
            await run(.milliseconds(100))
        }
    }

    @Test(arguments: Keeper.allCases, Absence.allCases)
    func whatKeepsPeripheralsGoesOnAfterItsAdapterCameBack(keeper: Keeper, absence: Absence) async throws {
        switch keeper {
        case .transferCentral, .transferPeripheral: try await transfer(isCentral: keeper == .transferCentral, absence)
        case .improvCentral: try await improvCentral(absence)
        case .improvPeripheral: try await improvPeripheral(absence)
        case .linkClient, .linkedDevice: try await link(isClient: keeper == .linkClient, absence)
        case .profileServer, .explorer: try await explore(isExplorer: keeper == .explorer, absence)
        }
    }

    /// A file of which a part has arrived arrives as a whole.
    private func transfer(isCentral: Bool, _ absence: Absence) async throws {
        let scene = ReturnScene()
        let octets = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        let store = ReceivedFiles()
        let (central, peripheral) = (Collected<TransferEvent>(), Collected<TransferEvent>())
        let (clock, queue) = (scene.clock, scene.queue)
        let receiver = try (isCentral ? scene.other : scene.phone).run {
            try TransferPeripheral(
                .receive(into: store), name: "File", queue: queue, clock: clock, onEvent: peripheral.add)
        }
        let sender = try (isCentral ? scene.phone : scene.other).run {
            try TransferCentral(
                .send(TransferMemory(name: "f", octets)), peer: .named("File"), queue: queue, clock: clock,
                onEvent: central.add)
        }
        scene.other.run { isCentral ? receiver.start() : sender.start() }
        scene.phone.run { isCentral ? sender.start() : receiver.start() }
        try #require(await scene.run { store.appended > 50_000 })
        #expect(store.appended < octets.count)
        await absence.happens(to: scene.phone) { await scene.run($0) }
        #expect(
            await scene.run {
                store.files["f"] != nil && central.all.contains { if case .ended(_, nil) = $0 { true } else { false } }
            })
        #expect(store.files["f"] == octets)
    }

    /// A client whose adapter goes before it has found its device finds it afterwards; one that has a link reports its end.
    private func improvCentral(_ absence: Absence) async throws {
        let scene = ReturnScene()
        let (clock, queue) = (scene.clock, scene.queue)
        let events = Collected<ImprovCentral.Event>()
        let central = scene.phone.run {
            ImprovCentral(
                peer: .named("Lamp"), queue: queue, clock: clock,
                onEvent: events.add)
        }
        scene.phone.run { central.start() }
        await scene.run(.seconds(1))
        await absence.happens(to: scene.phone) { await scene.run($0) }
        let lamp = scene.startLamp(on: scene.other)
        defer { lamp.stop() }
        #expect(await scene.run { events.all.contains { if case .ready = $0 { true } else { false } } })
        await absence.happens(to: scene.phone) { await scene.run($0) }
        #expect(events.all.last == .ended(.linkLost))
    }

    private func improvPeripheral(_ absence: Absence) async throws {
        let scene = ReturnScene()
        let (clock, queue) = (scene.clock, scene.queue)
        let lamp = scene.startLamp(on: scene.phone)
        defer { lamp.stop() }
        for round in 0..<2 {
            if round == 1 { await absence.happens(to: scene.phone) { await scene.run($0) } }
            let events = Collected<ImprovCentral.Event>()
            let central = scene.other.run {
                ImprovCentral(peer: .named("Lamp"), queue: queue, clock: clock, onEvent: events.add)
            }
            scene.other.run { central.start() }
            #expect(await scene.run { events.all.contains { if case .ready = $0 { true } else { false } } }, "\(round)")
            central.disconnect()
            #expect(await scene.run { events.all.last == .ended(nil) })
        }
    }

    private func link(isClient: Bool, _ absence: Absence) async throws {
        let scene = ReturnScene()
        let (clock, queue, key) = (scene.clock, scene.queue, LinkKey.random())
        let device = try (isClient ? scene.other : scene.phone).run {
            try LinkedDevice(
                "lamp", listeners: [BluetoothListener("lamp", key: key, queue: queue)], queue: queue, clock: clock
            ) { $0.reply(.success($0.arguments)) }
        }
        let events = Collected<DeviceConnection.Event>()
        let link = (isClient ? scene.phone : scene.other).run {
            DeviceConnection(
                to: "lamp", over: [BluetoothTransport(to: "lamp", key: key, queue: queue)], queue: queue, clock: clock,
                onEvent: events.add)
        }
        device.start()
        link.start()
        for round in 0..<2 {
            if round == 1 { await absence.happens(to: scene.phone) { await scene.run($0) } }
            let replies = Collected<LinkValue>()
            link.request("set", .integer(Int64(round))) { result in
                if case .success(let value) = result { replies.add(value) }
            }
            #expect(await scene.run { replies.all == [.integer(Int64(round))] }, "\(round)")
        }
        link.close()
        device.stop()
    }

    /// A device is found, connected and read before and after.
    private func explore(isExplorer: Bool, _ absence: Absence) async throws {
        let scene = ExplorerScene()
        let battery = scene.world.addDevice("Battery", at: Position(x: 1))
        let (queue, world) = (scene.queue, scene.world)
        let profile = try DeviceProfile(text: #require(ShippedProfiles.text(named: "battery")), file: "battery")
        let server = ProfileServer(
            profile, now: { ProfileTime(elapsed: world.now, localSeconds: 0) }, report: { _ in })
        battery.run { server.start(queue: queue) }
        let device = try await scene.open("Battery")
        let phone = isExplorer ? scene.phone : battery
        await absence.happens(to: phone) { await scene.run($0) }
        #expect(
            await scene.run { $0.adapter == "poweredOn" && $0.devices.allSatisfy { $0.link == .disconnected } })
        try scene.perform(.close(device: device))
        #expect(try await scene.open("Battery") == device)
        queue.sync { server.stop() }
    }
}

/// A phone whose adapter goes and comes back, and another device.
private final class ReturnScene {
    let world = World(seed: 1, environment: RadioEnvironment(packetLoss: 0))
    var clock: VirtualClock { world.clock }
    let phone: VirtualDevice
    let other: VirtualDevice
    let queue = DispatchQueue(label: "programs")

    init() {
        phone = world.addDevice("Phone")
        other = world.addDevice("Other", at: Position(x: 1))
    }

    @discardableResult
    func run(_ limit: Duration = .seconds(120), until condition: @escaping () -> Bool = { false }) async -> Bool {
        await world.run(timeout: limit, until: condition)
    }

    func startLamp(on device: VirtualDevice) -> ImprovPeripheral {
        device.run {
            let lamp = ImprovPeripheral(
                name: "Lamp", requiresAuthorization: false,
                joiner: SimulatedWiFi([], delay: .seconds(1), queue: queue, clock: clock), queue: queue, clock: clock
            ) { _ in }
            lamp.start()
            return lamp
        }
    }
}

/// Keeps received files in memory, also their beginnings. Used on one queue.
private final class ReceivedFiles: TransferStore, @unchecked Sendable {
    private final class Sink: TransferSink {
        private let store: ReceivedFiles
        private let offer: TransferOffer

        init(_ store: ReceivedFiles, _ offer: TransferOffer) { (self.store, self.offer) = (store, offer) }

        var count: Int { store.partial[offer]?.count ?? 0 }
        func readStored(_ body: (Data) -> Void) throws(TransferStoreError) { body(store.partial[offer] ?? Data()) }
        func append(_ octets: Data) throws(TransferStoreError) {
            store.partial[offer, default: Data()].append(octets)
            store.lock.withLock { store.appendedCount += octets.count }
        }
        func removeAll() throws(TransferStoreError) { store.partial[offer] = nil }
        func commit() throws(TransferStoreError) {
            store.lock.withLock { store.committed[offer.name] = store.partial[offer] }
        }
    }

    private let lock = NSLock()
    private var partial: [TransferOffer: Data] = [:]
    private var committed: [String: Data] = [:]
    private var appendedCount = 0
    var files: [String: Data] { lock.withLock { committed } }
    var appended: Int { lock.withLock { appendedCount } }

    func open(_ offer: TransferOffer) throws(TransferStoreError) -> any TransferSink { Sink(self, offer) }
}
