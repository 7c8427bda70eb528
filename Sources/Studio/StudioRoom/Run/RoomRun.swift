import BLEPacketDecoding
import BLESimulator
import BLEWire
import Dispatch
import Phrases

/// One run of a room from its seed: the world, its devices and programs, and the packets so far.
///
/// Virtual time passes in `advance`, in parts of any length. Between two parts everything that is due is done, so the parts do not change the run, and
/// equal commands at equal times give equal packets, to the octet.
///
/// A run belongs to one thread. Programs run on `queue` while that thread waits.
final class RoomRun {
    static let deviceLimit = 500
    static let wallLimit = WorldFile.Limit.walls
    /// The time between two steps of a move in nanoseconds.
    static let moveStep: Int64 = 100_000_000
    /// The number of packets after which `advance` pauses, which bounds the memory of unread packets.
    private static let frameLimit = 4096
    /// The number of links whose packets are counted before the closed ones are forgotten.
    private static let closedLinkLimit = 1024
    /// The delay of the next tick of a program that asks for a tick in the past again and again.
    private static let repeatedTickDelay = Duration.milliseconds(1)

    let world: World
    let queue: DispatchQueue
    let seed: UInt64
    private let kinds: [String: WorldProgramKind]
    /// The propagation of signals, without walls.
    var environment: RadioEnvironment
    var walls: [WorldFile.Wall] = []
    /// The number of walls that were added.
    var wallCount = 0
    /// The moves that are under way.
    var journeys: [Journey] = []
    var devices: [SceneDevice] = []
    var deviceCount = 0
    /// The numbers of devices by their slots on the radio.
    var numbers: [Int: Int] = [:]
    /// The present in nanoseconds.
    private(set) var now: Int64 = 0

    private let collector = FrameCollector()
    let hci = HCICollector()
    private(set) var dissector = AirDissector()
    private(set) var packets = PacketRing()
    private(set) var counter = PacketCounter()
    let happened: RoomEventCollector
    /// Whether the ticks have changed since the room read them.
    private let watch: TickWatch

    /// - Parameter setup: The devices, the walls and the seed. Its events are those of the caller.
    /// - Throws: `PhrasedError` if a device cannot be made, or if there are too many.
    init(
        _ setup: WorldFile, programs: [WorldProgramKind], changed: @escaping @Sendable (String) -> Void
    ) throws {
        guard setup.devices.count <= Self.deviceLimit else { throw PhrasedError.tooManyDevices(setup.devices.count) }
        let texts = setup.devices.reduce(0) { $0 + WorldFile.Event.Change.add($1).textCount }
        guard texts <= CommandLog.textLimit else { throw PhrasedError.tooMuchText }
        world = World(seed: setup.seed)
        queue = DispatchQueue(label: "studio.room")
        seed = setup.seed
        kinds = Dictionary(programs.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
        environment = setup.environment
        watch = TickWatch()
        happened = RoomEventCollector(changed: changed)
        collector.observe(world)
        hci.observe(world)
        for wall in setup.walls.prefix(Self.wallLimit) { put(wall) }
        applyEnvironment()
        for device in setup.devices { _ = try add(device) }
        if let stress = setup.stress { begin(stress: stress) }
    }

    /// The kind of a program.
    func kind(_ program: String) throws -> WorldProgramKind {
        guard let kind = kinds[program] else {
            throw PhrasedError(
                "unknown-program",
                Phrase("The room has no program \(program.prefix(64)).", "房间里没有程序 \(program.prefix(64))。"),
                next: Self.choice(of: kinds.keys.sorted()))
        }
        return kind
    }

    /// What the user can select instead.
    static func choice(of names: [String]) -> Phrase {
        let list = names.joined(separator: ", ")
        return Phrase("Select one of: \(list).", "请从以下名称中选择：\(list)。")
    }

    // MARK: Time

    /// Advances to a time, or until `stop` says so.
    ///
    /// - Parameters:
    ///   - goal: Nanoseconds. A time in the past has no effect.
    ///   - stop: Called often on another queue, while this thread waits, with the number of packets since the call.
    /// - Returns: Whether the goal was reached.
    @discardableResult
    func advance(to goal: Int64, stoppingWhen stop: @escaping @Sendable (_ packets: Int) -> Bool = { _ in false })
        -> Bool
    {
        let first = counter.packets
        while now < goal {
            let target = min(goal, nextTick ?? goal, journeys.map(\.next).min() ?? goal)
            let (collector, watch) = (collector, watch)
            let taken = counter.packets - first
            watch.begin(devices, before: target)
            let isStopped = StopFlag()
            world.runBlocking(until: .nanoseconds(target)) { callbacks in
                let count = collector.count
                if stop(taken + count) { isStopped.set() }
                return isStopped.isSet || count >= Self.frameLimit || watch.hasEarlierTick(callbacks)
            }
            finishSlice()
            if isStopped.isSet { return now >= goal }
        }
        return true
    }

    /// The earliest tick of a program.
    private var nextTick: Int64? { devices.lazy.compactMap(\.nextTick).min() }

    /// Does what is due now after calls of programs.
    func settle() {
        world.runBlocking(until: .nanoseconds(now)) { _ in false }
        finishSlice()
    }

    /// Takes the packets, and runs the steps of moves and the ticks that are due.
    private func finishSlice() {
        now = world.now.wholeNanoseconds
        takePackets()
        continueJourneys()
        while true {
            let due = devices.filter { $0.nextTick.map { $0 <= now } ?? false }
            guard !due.isEmpty else { return }
            for device in due { tick(device) }
            world.runBlocking(until: .nanoseconds(now)) { _ in false }
            takePackets()
        }
    }

    private func tick(_ device: SceneDevice) {
        call { device.tick(at: .nanoseconds(now), repeatedDelay: Self.repeatedTickDelay) }
    }

    /// Runs code of programs on their queue.
    func call<Result>(_ body: () throws -> Result) rethrows -> Result { try queue.sync(execute: body) }

    // MARK: Packets

    private func takePackets() {
        for var frame in collector.take() {
            frame.number = packets.count
            number(&frame)
            let summary = dissector.add(frame)
            counter.add(frame, summary)
            packets.append(frame, summary)
        }
        if counter.linkCount > Self.closedLinkLimit {
            let open = Set(linkEnds().map(\.link.accessAddress))
            counter.keepLinks { open.contains($0) }
        }
    }

    /// Replaces slots by the numbers of devices.
    private func number(_ frame: inout AirFrame) {
        frame.sender = numbers[frame.sender] ?? 0
        for index in frame.receptions.indices {
            let slot = Int(frame.receptions[index].receiver)
            frame.receptions[index].receiver = Int32(truncatingIfNeeded: numbers[slot] ?? 0)
        }
    }

    /// The packets that have begun and not ended, in the order of their ends. Their numbers are those that they get if no other packet ends before.
    func packetsInFlight() -> [RoomPacket] {
        let flight: [AirFrame] = world.radio.inspect { network in
            var frames: [AirFrame] = []
            network.radio.forEachTransmissionInFlight { packet in frames.append(AirFrame(packet, network.slot(of:))) }
            return frames
        }
        var dissector = self.dissector
        return flight.enumerated().map { index, frame in
            var frame = frame
            frame.number = packets.count + index
            number(&frame)
            return RoomPacket(frame: frame, summary: dissector.add(frame))
        }
    }
}
