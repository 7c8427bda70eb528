import BLEAdapter
import Phrases
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
        /// The speed that the reader selected; nil while no slow step has changed it.
        var speed: Double?
        /// The speed of the slow step; nil before one.
        var slowSpeed: Double?
    }

    /// The real time in which the packets of a step are shown, in seconds.
    private static let showTime = 2.5
    /// The virtual time within which the next step must come.
    private static let stepLimit = Duration.seconds(60)

    private let engine: RoomEngine
    private let hub: StudioHub
    private let checkout: String?
    private let state = Lock(State())

    /// Registers the topic and the commands `lesson.*`. The room touches the topic after each change of its time and its events.
    ///
    /// - Parameter checkout: The folder of the package that the studio was built in; nil if it was installed.
    package init(engine: RoomEngine, hub: StudioHub, checkout: String? = nil) {
        self.engine = engine
        self.checkout = checkout
        self.hub = hub
        hub.addTopic("lesson") { [weak self] in
            guard let self, let topic = try? await self.topic() else { return JSONText("null") }
            return topic
        }
        register()
    }

    private func register() {
        hub.on("lesson.catalogue") { (_: Nothing) in LessonCatalogue() }
        hub.on("lesson.project") { [checkout] (arguments: ProgramArguments) in
            guard let project = LessonProject(arguments.name, checkout: checkout) else {
                throw Self.unknown(arguments.name)
            }
            return project
        }
        hub.on("lesson.open") { [weak self] (arguments: OpenArguments) in
            let parameters = try StudioArguments.bounded(
                arguments.parameters ?? .null, Phrase("The setting", "这项设置"))
            try await self?.open(arguments.lesson, parameters)
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

    private static func unknown(_ program: String) -> PhrasedError {
        PhrasedError(
            "unknown-program",
            Phrase("There is no program \(program.prefix(64)) to copy.", "没有可复制的程序 \(program.prefix(64))。"))
    }

    // MARK: The speed

    /// Runs slowly to the end of a step.
    private func show(from start: Int64, to end: Int64, _ driver: RoomDriver) {
        let speed = driver.time.speed
        driver.setSpeed(max(0.001, Double(end - start) / 1e9 / Self.showTime))
        // Together, because a page may read the topic, which brings the speed back, between any two calls of the driver.
        state.withLock { ($0.goal, $0.speed, $0.slowSpeed) = (end, speed, driver.time.speed) }
        driver.start(until: end)
    }

    /// Brings the speed back after a slow step. A speed that the reader selected during the step stays.
    private func restoreSpeed(_ driver: RoomDriver) {
        let speed = state.withLock { state -> Double? in
            if let goal = state.goal, driver.isRunning, driver.timeline.now < goal { return nil }
            defer { (state.speed, state.slowSpeed) = (nil, nil) }
            return state.slowSpeed == driver.time.speed ? state.speed : nil
        }
        if let speed { driver.setSpeed(speed) }
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
            restoreSpeed(driver)
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
            throw PhrasedError(
                "unknown-lesson", Phrase("There is no lesson \(lesson.prefix(64)).", "没有课程 \(lesson.prefix(64))。"))
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
        try await performLong { [self] (driver, finish: @escaping RoomEngine.Finish<Nothing>) in
            restoreSpeed(driver)
            let tour = try Self.tour(driver)
            let current = state.withLock { $0 }
            driver.pause()
            if let goal = current.goal {
                // The reader does not want to wait.
                state.withLock { $0.goal = nil }
                return driver.seek(to: goal) { finish($0.map { _ in Nothing() }) }
            }
            guard current.step < tour.steps.count else { return finish(.success(Nothing())) }
            let start = driver.timeline.now
            let step = tour.steps[current.step]
            Self.reach(step, of: tour, driver) { [self] result in
                guard let end = Self.value(result, finish) else { return }
                state.withLock { $0.step = step.number }
                guard slowly, end > start else { return finish(.success(Nothing())) }
                driver.seek(to: start) { [self] result in
                    if case .success(.reached) = result { show(from: start, to: end, driver) }
                    finish(result.map { _ in Nothing() })
                }
            }
        }
    }

    /// Goes to the end of a step, back or forward.
    private func go(to number: Int) async throws {
        try await performLong { [self] (driver, finish: @escaping RoomEngine.Finish<Nothing>) in
            let tour = try Self.tour(driver)
            guard (0...tour.steps.count).contains(number) else {
                throw PhrasedError(
                    "unknown-step",
                    Phrase("The tour has the steps 1 to \(tour.steps.count).", "导览有第 1 至 \(tour.steps.count) 步。"))
            }
            driver.pause()
            state.withLock { $0.goal = nil }
            let goThere: (Int64) -> Void = { [self] end in
                driver.seek(to: end) { [self] result in
                    if case .success(.reached) = result { state.withLock { $0.step = number } }
                    finish(result.map { _ in Nothing() })
                }
            }
            guard number > 0 else { return goThere(0) }
            Self.reach(tour.steps[number - 1], of: tour, driver) { result in
                if let end = Self.value(result, finish) { goThere(end) }
            }
        }
    }

    /// The time of a step that was reached; otherwise nil, after the end of the command. A reader who stops the way gets no error.
    private static func value(
        _ result: Result<Int64?, any Error>, _ finish: @escaping RoomEngine.Finish<Nothing>
    ) -> Int64? {
        switch result {
        case .success(let end?): return end
        case .success(nil): finish(.success(Nothing()))
        case .failure(let error): finish(.failure(error))
        }
        return nil
    }

    /// Advances until the packets of a step are complete, if they are not. `completion` gets the time at which they are; nil if another command
    /// ended the way.
    private static func reach(
        _ step: LessonTour.Step, of tour: LessonTour, _ driver: RoomDriver,
        _ completion: @escaping (Result<Int64?, any Error>) -> Void
    ) {
        let timeline = driver.timeline
        if let window = tour.window(of: step, in: LessonTour.Times(timeline, tour)) {
            return completion(.success(window.end))
        }
        let isLast = step.looksAhead && step.number == tour.steps.count
        let wanted = step.looksAhead ? (isLast ? nil : step.number + 1) : step.number
        let isMet = timeline.stepCondition(wanted, orLine: isLast ? tour.lastLine : nil, of: tour.device)
        driver.seek(to: timeline.now + stepLimit.wholeNanoseconds, until: isMet) { result in
            completion(
                Result {
                    guard try result.get() != .interrupted else { return nil }
                    guard let window = tour.window(of: step, in: LessonTour.Times(timeline, tour)) else {
                        throw PhrasedError(
                            "no-step",
                            Phrase(
                                "Step \(step.number) did not come within a minute of virtual time.",
                                "在一分钟的虚拟时间内没有到达第 \(step.number) 步。"),
                            next: Phrase(
                                "Bring the devices together and switch them on, or begin the tour again.",
                                "请让设备靠近并打开电源，或重新开始导览。"))
                    }
                    return window.end
                })
        }
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
            throw PhrasedError(
                "unknown-action", Phrase("This lesson has no action \(id.prefix(64)).", "这一课没有操作 \(id.prefix(64))。"))
        }
        for step in action.steps {
            if case .pass(let seconds) = step {
                let now = try await engine.perform { $0.timeline.now }
                // The reader paused: the rest of the action would happen at the wrong moment.
                guard try await engine.seek(to: now + Int64(seconds * 1e9)) == .reached else { return }
            } else if let command = step.command {
                try await perform { driver in
                    // Another page may have opened another scene while the command waited.
                    guard driver.timeline.scene == scene?.id else { throw Self.otherScene }
                    _ = try driver.perform(command)
                }
            }
        }
    }

    private static func tour(_ driver: RoomDriver) throws -> LessonTour {
        guard let tour = LessonTour.tour(of: driver.timeline.scene) else { throw otherScene }
        return tour
    }

    private static let otherScene = PhrasedError(
        "no-tour", Phrase("The room has another scene now.", "房间现在是另一个场景。"),
        next: Phrase("Open the tour again.", "请重新打开导览。"))

    /// Runs a command on the room at rest.
    private func perform<Result: Sendable>(_ body: @escaping @Sendable (RoomDriver) throws -> Result) async throws
        -> Result
    {
        defer { hub.touch("lesson") }
        return try await engine.perform(waits: true, body)
    }

    /// The same for a command that lets time pass: `body` calls `finish` at its end.
    private func performLong(
        _ body: @escaping @Sendable (RoomDriver, _ finish: @escaping RoomEngine.Finish<Nothing>) throws -> Void
    ) async throws {
        defer { hub.touch("lesson") }
        _ = try await engine.perform(waits: true, body)
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
