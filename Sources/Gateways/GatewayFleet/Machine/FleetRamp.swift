/// Raises the rate of a fleet step by step until the broker no longer follows, and names what is full then.
package struct FleetRamp: Sendable {
    /// What one step measured.
    package struct Step: Equatable, Sendable {
        /// Advertisements in a second: those that the step asked for, and those that the fleet made.
        package var wanted: Double
        package var heard: Double
        /// Messages in a second.
        package var stored: Double
        package var acknowledged: Double
        /// nil without a subscriber.
        package var received: Double?
        /// By how many messages the queues grew.
        package var growth: Int
        /// In microseconds.
        package var acknowledgement: Int?
        package var delivery: Int?
        /// Processors, 1 for one of them fully used.
        package var fleetProcessors: Double
        package var brokerProcessors: Double?
        package var brokerThreads: Int?
        /// The busy share of all processors, from 0 to 1.
        package var machine: Double

        package init(
            wanted: Double, heard: Double, stored: Double, acknowledged: Double, received: Double? = nil,
            growth: Int = 0, acknowledgement: Int? = nil, delivery: Int? = nil, fleetProcessors: Double = 0,
            brokerProcessors: Double? = nil, brokerThreads: Int? = nil, machine: Double = 0
        ) {
            (self.wanted, self.heard, self.stored) = (wanted, heard, stored)
            (self.acknowledged, self.received, self.growth) = (acknowledged, received, growth)
            (self.acknowledgement, self.delivery) = (acknowledgement, delivery)
            (self.fleetProcessors, self.brokerProcessors) = (fleetProcessors, brokerProcessors)
            (self.brokerThreads, self.machine) = (brokerThreads, machine)
        }
    }

    package enum Bottleneck: String, Sendable {
        /// The broker has one thread, which uses a whole processor.
        case brokerThread = "broker-thread"
        /// The processors of this machine, which the fleet and the broker share.
        case machine
        /// The fleet does not make the advertisements in time.
        case fleet
        /// No processor is full: a disk, the network, or a limit of the broker.
        case other
    }

    package enum Verdict: Equatable, Sendable {
        case next(rate: Double)
        case saturated(Bottleneck)
        /// The rate would exceed one advertisement of each device in a second.
        case finished
    }

    package let factor: Double
    /// In microseconds.
    package let latencyLimit: Int
    private let largest: Double
    /// The highest rate of acknowledgements of a step that was not saturated.
    package private(set) var sustained = 0.0

    /// - Parameter devices: All devices of the fleet.
    package init(factor: Double = 1.5, latencyLimit: Int = 1_000_000, devices: Int) {
        (self.factor, self.latencyLimit, largest) = (max(1.05, factor), latencyLimit, Double(devices))
    }

    package mutating func judge(_ step: Step) -> Verdict {
        if let bottleneck = bottleneck(step) { return .saturated(bottleneck) }
        sustained = max(sustained, step.acknowledged)
        let next = step.wanted * factor
        return next > largest ? .finished : .next(rate: next)
    }

    private func bottleneck(_ step: Step) -> Bottleneck? {
        let isLate = step.heard < 0.95 * step.wanted
        // The queues grow by more than a twentieth of what was stored, or the subscriber falls behind or receives nothing.
        let falls =
            step.acknowledged < 0.95 * step.stored || step.received.map { $0 <= 0 || $0 < 0.95 * step.stored } ?? false
        let isSlow = max(step.acknowledgement ?? 0, step.delivery ?? 0) > latencyLimit
        guard isLate || falls || isSlow else { return nil }
        if step.brokerThreads == 1, let broker = step.brokerProcessors, broker > 0.85 { return .brokerThread }
        if step.machine > 0.95 { return .machine }
        return isLate ? .fleet : .other
    }
}
