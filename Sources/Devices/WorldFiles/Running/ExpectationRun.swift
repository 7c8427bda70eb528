import BLESimulator

/// Decides the expectations of a world while it runs.
///
/// The caller runs the world up to `next` and calls `look`, until `next` is nil. It calls both while the world stands still, outside of callbacks.
package struct ExpectationRun {
    package enum Outcome: Hashable, Sendable {
        /// The condition held, at this time for the first time or at the end.
        case met(at: Duration)
        /// - Parameter found: What was there instead, in words.
        case broken(at: Duration, found: String)
    }

    /// The time between two looks at a condition that may hold at any time.
    package static let interval = Duration.milliseconds(10)

    private let world: World
    package let expectations: [WorldFile.Expectation]
    /// In the order of the file; nil for an expectation that is not decided.
    package private(set) var outcomes: [Outcome?]
    /// The times of the next looks, of the undecided expectations.
    private var looks: [Duration]
    /// The number of events of the scene that were read, and the expected lines that were found in them.
    private var eventCount = 0
    private var lines: [Int: Duration] = [:]

    /// - Parameter world: A world that was read from a file.
    package init(_ world: World) {
        self.world = world
        expectations = world.scene?.file.expectations ?? []
        outcomes = expectations.map { _ in nil }
        looks = expectations.map(\.firstLook)
    }

    /// The time of the next look; nil if all expectations are decided.
    package var next: Duration? {
        outcomes.indices.lazy.filter { outcomes[$0] == nil }.map { looks[$0] }.min()
    }

    /// Looks at the expectations that are due.
    package mutating func look() {
        readEvents()
        for index in outcomes.indices where outcomes[index] == nil && looks[index] <= world.now { look(at: index) }
    }

    /// Decides the rest: the world does not run any longer.
    package mutating func end() {
        readEvents()
        for index in outcomes.indices where outcomes[index] == nil {
            outcomes[index] =
                lines[index].map { .met(at: $0) } ?? .broken(at: world.now, found: "the end of the run")
        }
    }

    private mutating func look(at index: Int) {
        let (now, expectation) = (world.now, expectations[index])
        if case .line = expectation.condition {
            if let time = lines[index] {
                outcomes[index] = .met(at: time)
            } else if now >= expectation.window.end {
                outcomes[index] = .broken(at: now, found: "no such line")
            }
        } else {
            let (holds, found) = state(of: expectation.condition)
            switch expectation.window {
            case .within(_, _) where holds, .at where holds: outcomes[index] = .met(at: now)
            case .at: outcomes[index] = .broken(at: now, found: found)
            case .during(_, let end) where now >= end: outcomes[index] = .met(at: end)
            case .during: if !holds { outcomes[index] = .broken(at: now, found: found) }
            case .within: if now >= expectation.window.end { outcomes[index] = .broken(at: now, found: found) }
            }
        }
        looks[index] = min(now + Self.interval, max(now, expectation.window.end))
    }

    // MARK: Conditions

    private func state(of condition: WorldFile.Expectation.Condition) -> (holds: Bool, found: String) {
        switch condition {
        case .state(let device, let expected):
            let state = WorldDeviceState(activity(of: device))
            return (state == expected, "\(device) is \(state.rawValue)")
        case .link(let first, let second, let isOpen):
            let isLinked = !links(of: first).isDisjoint(with: links(of: second))
            return (isLinked == isOpen, isLinked ? "a link" : "no link")
        case .line: return (false, "")
        }
    }

    private func device<Value>(_ identifier: String, _ body: (SceneDevice) -> Value) -> Value? {
        guard let scene = world.scene else { return nil }
        return scene.onQueue { scene.devices[identifier].map(body) }
    }

    private func activity(of identifier: String) -> RadioActivity? { device(identifier, \.activity) ?? nil }

    /// The access addresses of the device's open links.
    private func links(of identifier: String) -> Set<UInt32> {
        Set((device(identifier, \.links) ?? []).map(\.accessAddress))
    }

    private mutating func readEvents() {
        guard let scene = world.scene else { return }
        let (first, events) = scene.events(from: eventCount)
        eventCount = first + events.count
        for (index, expectation) in expectations.enumerated() where lines[index] == nil {
            guard case .line(let device, let text) = expectation.condition,
                case .within(let length, let start) = expectation.window
            else { continue }
            lines[index] =
                events.first {
                    $0.device == device && $0.time >= start && $0.time <= start + length && $0.text.contains(text)
                }?.time
        }
    }
}

extension WorldFile.Expectation {
    fileprivate var firstLook: Duration {
        switch window {
        case .within(_, let start): start
        case .at(let time): time
        case .during(let start, _): start
        }
    }

    /// The expectation as in the file.
    package var text: String { WorldFileWriter.text(self) }
}

extension World {
    /// Runs the world until the expectations of its file are decided.
    ///
    /// ```swift
    /// let world = try World(contentsOf: url)
    /// #expect(await world.brokenExpectations() == [])
    /// ```
    ///
    /// - Returns: A sentence for each expectation that does not hold, with its place in the file.
    public func brokenExpectations() async -> [String] {
        var run = ExpectationRun(self)
        while let next = run.next {
            await self.run(until: next)
            run.look()
            if Task.isCancelled { run.end() }
        }
        return zip(run.expectations, run.outcomes).compactMap { expectation, outcome in
            guard case .broken(let time, let found) = outcome else { return nil }
            let place = "\(scene?.fileName ?? ""):\(expectation.place.line):\(expectation.place.column)"
            let seconds = WorldText.number((time / .milliseconds(1)).rounded() / 1000)
            return "\(place): expected \(expectation.text), found \(found) at \(seconds) s."
        }
    }
}
