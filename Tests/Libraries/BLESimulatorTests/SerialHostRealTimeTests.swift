import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLESimulator
import BLEStore
import BLEWire
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BLETransport

/// A board with a controller of a world on it, at the other end of a serial line: the master of a pseudo-terminal. On its queue alone.
private final class SerialBoard: @unchecked Sendable {
    let address: TransportAddress
    private let queue = DispatchQueue(label: "board")
    private let line: DispatchStream
    private var controller: DispatchStream?
    /// Keeps the line up while no program has it.
    private let otherEnd: Descriptor
    /// A command after which octets get lost, until it has come.
    private var fatalCommand: [UInt8]?
    private var losesNext = false

    /// - Parameter fatalCommand: what the controller says first after this is lost, once; garbage arrives in its place.
    init(in world: World, fatalCommand: [UInt8]? = nil) throws {
        self.fatalCommand = fatalCommand
        // `posix_openpt` and its like are not among what Swift sees of the C library.
        let master = Descriptor(systemOpen("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0), kind: .file)
        var unlocked: Int32 = 0
        var index: UInt32 = 0
        try #require(ioctl(master.number, 0x4004_5431, &unlocked) == 0)
        try #require(ioctl(master.number, 0x8004_5430, &index) == 0)
        let device = "/dev/pts/\(index)"
        address = .serial(device: device, speed: 1_000_000)
        otherEnd = Descriptor(systemOpen(device, O_RDWR | O_NOCTTY | O_CLOEXEC, 0), kind: .file)
        line = DispatchStream(TransportConnection(master, name: "line"), queue: queue)
        var pair: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        world.radio.attach(descriptor: pair[0], name: "board", at: .init())
        let end = DispatchStream(TransportConnection(socket: pair[1], name: "controller"), queue: queue)
        queue.async { [self] in
            controller = end
            line.onReceive = { [unowned self] octets in
                if let command = self.fatalCommand, [UInt8](octets).firstRange(of: command) != nil {
                    self.fatalCommand = nil
                    losesNext = true
                }
                end.send(octets)
            }
            end.onReceive = { [unowned self] octets in
                if losesNext { makeNoise() } else { line.send(octets) }
                losesNext = false
            }
            line.start()
            end.start()
        }
    }

    /// Octets that start no packet.
    private func makeNoise() {
        let noise: [6 of UInt8] = [0, 0xFF, 0x80, 0x1E, 0xE6, 0x98]
        line.send(noise.span)
    }

    func disturb() { queue.sync { makeNoise() } }

    /// The board is unplugged.
    func end() {
        queue.sync {
            line.close()
            controller?.close()
        }
    }
}

/// Whole hosts over `serial:`, in real time.
@Suite struct SerialHostRealTimeTests {
    private func host(on board: SerialBoard, commandTimeout: TimeSpan) throws -> HostAdapter {
        var configuration = HostConfiguration()
        configuration.commandTimeout = commandTimeout
        // A busy machine may be too slow for the time-out again and again.
        configuration.startAttempts = 1000
        return try ControllerSupervisor.adapter(
            for: SocketControllerSource(board.address), seed: 1, configuration: configuration,
            store: DeviceStore(key: StoreKey(high: 1, low: 2)))
    }

    @Test func noiseOnTheLineIsIgnored() async throws {
        let world = World(seed: 1, pace: .realTime)
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        let board = try SerialBoard(in: world)
        defer { board.end() }
        let central = TestCentral(try host(on: board, commandTimeout: .seconds(600)), in: world)
        try await central.wait(timeout: .seconds(600), "powered on") { $0 == .state(.poweredOn) ? true : nil }
        board.disturb()
        let peer = try await central.find("band")
        board.disturb()
        try await central.connect(peer)
        board.disturb()
        let handle = try await central.characteristics(of: TestPeripheral.service, on: peer)[1].valueHandle
        let value = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        board.disturb()
        try await central.perform(.write(handle: handle, value: value), on: peer)
        #expect(band.value == value)
        board.disturb()
        #expect(try await central.perform(.read(handle: handle), on: peer) == .value(value))
        #expect(!central.events.contains(.state(.resetting)))
    }

    @Test func aLostAnswerOnTheLineRestartsTheHost() async throws {
        let world = World(seed: 1, pace: .realTime)
        let band = TestPeripheral(world.addDevice("wristband", at: Position(x: 1)), in: world)
        try await band.publish("band")
        // LE Set Extended Scan Enable: 1, without duplicates or with them.
        let board = try SerialBoard(in: world, fatalCommand: [1, 0x42, 0x20, 6, 1])
        defer { board.end() }
        let central = TestCentral(try host(on: board, commandTimeout: .seconds(2)), in: world)
        // As often as the host is there again: the machine may be so busy that it has to start more than once.
        central.react { [unowned central] event in
            if event == .state(.poweredOn) { central.session.startScan(ScanRequest()) }
        }
        try await central.wait(timeout: .seconds(600), "the reset") { $0 == .state(.resetting) ? true : nil }
        let start = central.events.count
        try await central.wait(from: start, timeout: .seconds(600), "the band after it") { event -> Bool? in
            if case .discovered(_, "band", _, _) = event { true } else { nil }
        }
    }
}
