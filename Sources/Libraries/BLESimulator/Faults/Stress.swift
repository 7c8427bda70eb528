import BLEWire

/// Faults of several devices, which a seed selects or a test lists.
///
/// A test runs its programs with the faults of many seeds, and shrinks those of a seed that fails:
///
/// ```swift
/// func losesItsBand(_ stress: Stress) async -> Bool {
///     let world = World(seed: 1)
///     let (phone, band) = (world.addDevice("phone"), world.addDevice("band"))
///     let programs = (phone.run { Phone() }, band.run { Wristband() })
///     world.apply(stress, to: [phone, band])
///     await world.run(for: .seconds(60))
///     return withExtendedLifetime(programs) { phone.links.isEmpty }
/// }
///
/// for seed in 0..<100 as Range<UInt64> {
///     let stress = Stress(seed: seed, devices: ["phone", "band"])
///     if let smallest = await stress.shrunk(while: losesItsBand) { print("seed \(seed) fails:", smallest) }
/// }
/// ```
public struct Stress: Hashable, Sendable, CustomStringConvertible {
    /// A fault of a device.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// The name of the device.
        public var device: String
        /// The fault.
        public var fault: Fault

        /// Creates an entry.
        public init(_ device: String, _ fault: Fault) {
            self.device = device
            self.fault = fault
        }

        /// The device and what it does, such as "phone loses Service Changed".
        public var description: String { "\(device) \(fault)" }
    }

    /// The faults, in the order in which devices get them.
    public var entries: [Entry]

    /// The largest number of faults that a seed selects.
    public static let pickLimit = 5

    /// Creates a list of faults.
    public init(_ entries: [Entry]) { self.entries = entries }

    /// Selects 1 to ``pickLimit`` faults for devices. Equal arguments give equal faults, on each machine.
    ///
    /// - Parameters:
    ///   - seed: Determines the faults and their values.
    ///   - devices: The names of the devices. Without one there are no faults.
    ///   - length: The time in which faults that need one begin, 1 s to 24 h. A value beyond becomes the nearest limit.
    public init(seed: UInt64, devices: [String], within length: Duration = .seconds(60)) {
        var random = SeededRandom(seed: seed)
        func below(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
        func milliseconds(_ range: ClosedRange<Int>) -> Duration {
            .milliseconds(range.lowerBound + below(range.count))
        }
        let span = Int(min(max(TimeSpan(length), .seconds(1)), .seconds(86_400)).nanoseconds / 1_000_000)
        var choices: [(device: String, kind: Fault.Kind)] = []
        for device in devices { choices += Fault.Kind.allCases.map { (device, $0) } }
        entries = []
        guard !choices.isEmpty else { return }
        for _ in 0..<min(1 + below(Self.pickLimit), choices.count) {
            let (device, kind) = choices.remove(at: below(choices.count))
            let fault: Fault =
                switch kind {
                case .lateStart: .lateStart(by: milliseconds(100...1_900))
                case .stalledCompletions:
                    .stalledCompletions(after: milliseconds(0...span), lasting: milliseconds(200...20_000))
                case .lostServiceChanged: .lostServiceChanged
                case .forgottenBonds: .forgottenBonds(after: milliseconds(0...span))
                case .staleCache: .staleCache
                case .earlyNotification: .earlyNotification
                case .shrinkingMTU: .shrinkingMTU(to: [23, 65, 100, 158][below(4)])
                case .slowAnswers: .slowAnswers(milliseconds(50...5_000))
                case .slowDiscovery: .slowDiscovery(milliseconds(50...5_000))
                case .slowWrites: .slowWrites(milliseconds(50...5_000))
                case .slowAtFirst: .slowAtFirst(for: milliseconds(200...5_000))
                case .lateUpdates: .lateUpdates(milliseconds(50...5_000))
                case .slowPairing: .slowPairing(milliseconds(50...5_000))
                case .ignoredParameterRequests: .ignoredParameterRequests
                }
            entries.append(Entry(device, fault))
        }
    }

    /// The faults, with commas between them.
    public var description: String { entries.map(\.description).joined(separator: ", ") }

    /// Removes faults as long as the rest fails (delta debugging, Zeller and Hildebrandt, 2002). Without any one of the faults in the result, the run
    /// does not fail.
    ///
    /// - Parameters:
    ///   - isolation: The actor on which `fails` is called.
    ///   - fails: Runs the programs with these faults, in a new world each time, and returns whether they fail. Equal faults must give equal results. It
    ///     is called at most once for the same faults.
    /// - Returns: The faults that are left, in their order; nil if the run does not fail with all of them. It is empty if the run fails without
    ///   faults.
    public func shrunk(
        isolation: isolated (any Actor)? = #isolation, while fails: (Stress) async throws -> Bool
    ) async rethrows -> Stress? {
        var known: [[Entry]: Bool] = [:]
        func test(_ entries: [Entry]) async throws -> Bool {
            if let result = known[entries] { return result }
            let result = try await fails(Stress(entries))
            known[entries] = result
            return result
        }
        guard try await test(entries) else { return nil }
        if try await test([]) { return Stress([]) }
        var rest = entries
        // The number of parts of `rest` that are tested.
        var parts = 2
        while rest.count > 1 {
            let slices = Self.slices(of: rest, parts)
            var smaller: [Entry]?
            for slice in slices where smaller == nil {
                if try await test(Array(rest[slice])) { smaller = Array(rest[slice]) }
            }
            if let smaller {
                (rest, parts) = (smaller, 2)
                continue
            }
            for slice in slices where smaller == nil && parts > 2 {
                let others = Array(rest[..<slice.lowerBound] + rest[slice.upperBound...])
                if try await test(others) { smaller = others }
            }
            if let smaller {
                (rest, parts) = (smaller, parts - 1)
            } else if parts < rest.count {
                parts = min(rest.count, 2 * parts)
            } else {
                break
            }
        }
        return Stress(rest)
    }

    /// The indices of a list in a number of parts of nearly equal length, none of them empty.
    private static func slices(of list: [Entry], _ parts: Int) -> [Range<Int>] {
        (0..<parts).map { part in list.count * part / parts..<list.count * (part + 1) / parts }.filter { !$0.isEmpty }
    }
}

extension World {
    /// Gives devices faults that a seed selects, and prints what they do.
    ///
    /// - Parameters:
    ///   - seed: Determines the faults: see ``Stress/init(seed:devices:within:)``.
    ///   - devices: The devices, with different names.
    ///   - length: The time in which faults that need one begin.
    ///   - print: Called with each line of the report, on a queue of the world. It must not call the world.
    /// - Returns: What the faults do, line by line.
    @discardableResult
    public func stress(
        seed: UInt64, on devices: [VirtualDevice], within length: Duration = .seconds(60),
        print: (@Sendable (String) -> Void)? = { Swift.print($0) }
    ) -> FaultReport {
        apply(Stress(seed: seed, devices: devices.map(\.name), within: length), to: devices, print: print)
    }

    /// Gives devices the faults of a list. An entry for another device has no effect.
    ///
    /// - Parameters:
    ///   - stress: The faults.
    ///   - devices: The devices of this world that may get one.
    ///   - print: Called with each line of the report, on a queue of the world. It must not call the world. Nil prints nothing.
    /// - Returns: What the faults do, line by line.
    @discardableResult
    public func apply(
        _ stress: Stress, to devices: [VirtualDevice], print: (@Sendable (String) -> Void)? = nil
    ) -> FaultReport {
        let note: FaultReport.Note? = print.map { print in { @Sendable _, _, line in print(line) } }
        let report = FaultReport(note: note)
        for entry in stress.entries {
            devices.first { $0.name == entry.device }?.inject(entry.fault, report)
        }
        return report
    }
}
