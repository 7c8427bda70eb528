import BLEAdapter
import StudioRoom
import StudioServer

/// The lesson behind the page: which tour or scene runs, and which step the reader looks at.
///
/// The topic `lesson` is `{"lesson", "parameters", "run", "step", "isShowing", "reached": [{"step", "time", "text"}]}`. `lesson` is null while the room has
/// another scene, `step` is 0 before the first one, and `isShowing` says that time runs slowly to the end of the step. `run` changes when packets of
/// equal steps may differ.
package final class LessonPart: Sendable {
    private struct State {
        var lesson: String?
        var parameters = RoomValue.null
        var run = 0
        /// The step that the reader looks at.
        var step = 0
        /// When the slow part of the step ends; nil if time does not run for the lesson.
        var goal: Int64?
    }

    /// The real time in which the packets of a step are shown, in seconds.
    private static let showTime = 2.5
    /// The virtual time within which the next step must come.
    private static let stepLimit = Duration.seconds(60)

    private let engine: RoomEngine
    private let hub: StudioHub
    private let state = Lock(State())

    /// Registers the topic and the commands `lesson.*`. The room touches the topic after each change of its time and its events.
    package init(engine: RoomEngine, hub: StudioHub) {
        self.engine = engine
        self.hub = hub
        hub.addTopic("lesson") { [weak self] in
            guard let self, let topic = try? await self.topic() else { return JSONText("null") }
            return topic
        }
        register()
    }

    private func register() {
        hub.on("lesson.catalogue") { (_: Nothing) in LessonCatalogue() }
        hub.on("lesson.program") { (arguments: ProgramArguments) in
            guard let text = LessonSources.programs[arguments.name] else {
                throw StudioFailure("unknown-program", "There is no program \(arguments.name.prefix(64)) to copy.")
            }
            return ["text": text]
        }
        hub.on("lesson.open") { [weak self] (arguments: OpenArguments) in
            try await self?.open(arguments.lesson, arguments.parameters ?? .null)
            return Nothing()
        }
        hub.on("lesson.next") { [weak self] (arguments: NextArguments) in
            try await self?.next(slowly: arguments.slowly ?? true)
            return Nothing()
        }
        hub.on("lesson.go") { [weak self] (arguments: StepArguments) in
            try await self?.go(to: arguments.step)
            return Nothing()
        }
        hub.on("lesson.packets") { [weak self] (arguments: StepArguments) -> LessonAir? in
            try await self?.packets(of: arguments.step)
        }
        hub.on("lesson.act") { [weak self] (arguments: ActArguments) in
            try await self?.act(arguments.action)
            return Nothing()
        }
    }

    // MARK: The topic

    private struct Topic: Encodable {
        var lesson: String?
        var parameters: RoomValue
        var run: Int
        var step: Int
        var isShowing: Bool
        var reached: [RoomTimeline.Step]
    }

    private func topic() async throws -> JSONText {
        try await engine.perform { [self] driver in
            let timeline = driver.timeline
            let tour = LessonTour.tour(of: timeline.scene)
            let reached = tour.map { timeline.steps(of: $0.device) } ?? []
            let current = state.withLock { state in
                if let goal = state.goal, !driver.isRunning || timeline.now >= goal { state.goal = nil }
                // Time that runs for another reason takes the reader along; time that went back takes the reader back.
                let last = reached.last?.step ?? 0
                if driver.isRunning, state.goal == nil { state.step = last }
                if !driver.isSeeking { state.step = min(state.step, last) }
                return state
            }
            let isOpen = current.lesson == timeline.scene
            return try JSONText(
                encoding: Topic(
                    lesson: isOpen ? current.lesson : nil, parameters: current.parameters, run: current.run,
                    step: current.step, isShowing: current.goal != nil, reached: isOpen ? reached : []))
        }
    }

    // MARK: Commands

    private struct ProgramArguments: Decodable { var name: String }
    private struct OpenArguments: Decodable {
        var lesson: String
        var parameters: RoomValue?
    }
    private struct NextArguments: Decodable { var slowly: Bool? }
    private struct StepArguments: Decodable { var step: Int }
    private struct ActArguments: Decodable { var action: String }

    private func open(_ lesson: String, _ parameters: RoomValue) async throws {
        guard Lesson.scene(lesson) != nil else {
            throw StudioFailure("unknown-lesson", "There is no lesson \(lesson.prefix(64)).")
        }
        try await perform { [self] driver in
            try driver.begin(scene: lesson, seed: 1, parameters: parameters)
            state.withLock { state in
                state.lesson = lesson
                state.parameters = parameters
                state.run += 1
                state.step = 0
                state.goal = nil
            }
        }
    }

    /// Goes to the end of the next step. With `slowly`, time runs there so slowly that a reader sees the packets.
    private func next(slowly: Bool) async throws {
        try await perform { [self] driver in
            let tour = try Self.tour(driver)
            let current = state.withLock { $0 }
            if let goal = current.goal {
                // The reader does not want to wait.
                driver.pause()
                driver.timeline.advance(to: goal)
                state.withLock { $0.goal = nil }
                return
            }
            guard current.step < tour.steps.count else { return }
            driver.pause()
            let start = driver.timeline.now
            let step = tour.steps[current.step]
            let end = try Self.reach(step, of: tour, driver)
            state.withLock { $0.step = step.number }
            guard slowly, end > start else { return }
            state.withLock { $0.goal = end }
            try driver.timeline.restart()
            driver.timeline.advance(to: start)
            driver.setSpeed(max(0.001, Double(end - start) / 1e9 / Self.showTime))
            driver.start(until: end)
        }
    }

    /// Goes to the end of a step, back or forward.
    private func go(to number: Int) async throws {
        let end = try await perform { [self] driver -> Int64 in
            let tour = try Self.tour(driver)
            guard (0...tour.steps.count).contains(number) else {
                throw StudioFailure("unknown-step", "The tour has the steps 1 to \(tour.steps.count).")
            }
            driver.pause()
            state.withLock { $0.goal = nil }
            return number == 0 ? 0 : try Self.reach(tour.steps[number - 1], of: tour, driver)
        }
        try await engine.seek(to: end)
        state.withLock { $0.step = number }
        hub.touch("lesson")
    }

    /// Advances until the packets of a step are complete, if they are not. Returns the time at which they are.
    private static func reach(_ step: LessonTour.Step, of tour: LessonTour, _ driver: RoomDriver) throws -> Int64 {
        let timeline = driver.timeline
        if let window = tour.window(of: step, in: LessonTour.Times(timeline, tour)) { return window.end }
        let isLast = step.looksAhead && step.number == tour.steps.count
        let wanted = step.looksAhead ? (isLast ? nil : step.number + 1) : step.number
        let isReached = timeline.advance(
            untilStep: wanted, orLine: isLast ? tour.lastLine : nil, of: tour.device, within: stepLimit)
        guard isReached, let window = tour.window(of: step, in: LessonTour.Times(timeline, tour)) else {
            throw StudioFailure(
                "no-step", "Step \(step.number) did not come within a minute of virtual time.",
                next: "Bring the devices together and switch them on, or begin the tour again.")
        }
        return window.end
    }

    private func packets(of number: Int) async throws -> LessonAir? {
        try await engine.perform { driver in
            let tour = try Self.tour(driver)
            guard let step = tour.steps.first(where: { $0.number == number }) else { return nil }
            return tour.window(of: step, in: LessonTour.Times(driver.timeline, tour)).map {
                LessonAir(driver.timeline.packets, in: $0, keepsFirst: step.looksAhead)
            }
        }
    }

    private func act(_ id: String) async throws {
        let scene = try await engine.perform { driver in Lesson.scene(driver.timeline.scene) }
        guard let action = scene?.actions.first(where: { $0.id == id }) else {
            throw StudioFailure("unknown-action", "This lesson has no action \(id.prefix(64)).")
        }
        for step in action.steps {
            if case .pass(let seconds) = step {
                let now = try await engine.perform { $0.timeline.now }
                try await engine.seek(to: now + Int64(seconds * 1e9))
            } else if let command = step.command {
                try await perform { _ = try $0.perform(command) }
            }
        }
    }

    private static func tour(_ driver: RoomDriver) throws -> LessonTour {
        guard let tour = LessonTour.tour(of: driver.timeline.scene) else {
            throw StudioFailure("no-tour", "The room has another scene now.", next: "Open the tour again.")
        }
        return tour
    }

    /// Runs a command on the room, and gives the page the room's reasons if it fails.
    private func perform<Result: Sendable>(_ body: @escaping @Sendable (RoomDriver) throws -> Result) async throws
        -> Result
    {
        defer { hub.touch("lesson") }
        do {
            return try await engine.perform(waits: true, body)
        } catch let failure as RoomFailure {
            throw StudioFailure(failure.code, failure.text, next: failure.next)
        }
    }
}

extension LessonScene.Step {
    /// The command to the room; nil for a step that lets time pass.
    var command: RoomCommand? {
        switch self {
        case .power(let device, let isOn): .power(device: device, isOn: isOn)
        case .move(let device, let x, let y): .move(device: device, x: x, y: y)
        case .press(let device, let button): .act(device: device, action: button, with: .null)
        case .wall(let x1, let y1, let x2, let y2, let attenuation):
            .wall(x1: x1, y1: y1, x2: x2, y2: y2, attenuation: attenuation)
        case .pass: nil
        }
    }
}
