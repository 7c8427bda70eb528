import BLESimulator
import DeviceLink
import Foundation

/// The lamp and the phone as processes in network namespaces, with real sockets. Their controllers are on the virtual radio of this process.
///
/// `@unchecked Sendable`: used on one queue only, on which the calls of the story are as well.
final class LampProcesses: @unchecked Sendable {
    private static let tick = DispatchTimeInterval.milliseconds(50)

    private let queue = DispatchQueue(label: "bluelab.demo")
    private let isRealTime: Bool
    private let world: World
    private let server: ControllerServer
    private let folder: String
    private let namespaces: LampNamespaces
    private let start = ContinuousClock.now
    /// The path of mosquitto; nil for the bus inside of this process.
    private let mosquitto: String?
    /// What the cloud is.
    let cloud: String
    private var lamp: LampChild?
    private var phone: LampChild?
    private var isCloudUp = true
    private var actions: [LampAction] = []
    /// Whether the ports of the namespaces change now.
    private var isChanging = false
    /// Whether `stop` was called, possibly before `run`.
    private var isStopped = false
    private var story: LampScenario
    private var show: ((LampDisplayItem, Duration) -> Void)?
    private var completion: ((Result<LampOutcome, LampNamespaces.NamespaceError>) -> Void)?
    private var timer: (any DispatchSourceTimer)?

    /// - Throws: `LampNamespaces.NamespaceError` with the reason why this machine has no namespaces.
    init(seed: UInt64, isRealTime: Bool) throws {
        namespaces = try LampNamespaces(queue: queue)
        self.isRealTime = isRealTime
        (mosquitto, cloud) = Self.broker()
        story = LampScenario(limit: .seconds(isRealTime ? 180 : 60), settling: .seconds(isRealTime ? 5 : 2))
        world = World(seed: seed, pace: .realTime)
        var template = Array("\(NSTemporaryDirectory())/bluelab-lamp-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw LampNamespaces.NamespaceError(
                description: "no folder for the radio: \(String(cString: strerror(errno)))")
        }
        folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        do {
            server = try world.serve(at: "unix:\(folder)/radio")
        } catch {
            rmdir(folder)
            throw LampNamespaces.NamespaceError(description: "\(error)")
        }
    }

    /// The path of mosquitto, if this machine has it, and a sentence about the cloud.
    private static func broker() -> (path: String?, sentence: String) {
        guard let path = LampNamespaces.mosquitto else {
            return (
                nil, "The cloud is a bus inside of the demo, because mosquitto (Debian package mosquitto) is missing."
            )
        }
        return (path, "The cloud is mosquitto, an MQTT broker.")
    }

    /// Runs the story to its end.
    ///
    /// - Parameters:
    ///   - show: Draws, on the queue of this object.
    ///   - completion: Receives the outcome. No process is left then.
    func run(
        show: @escaping @Sendable (LampDisplayItem, Duration) -> Void,
        completion: @escaping @Sendable (Result<LampOutcome, LampNamespaces.NamespaceError>) -> Void
    ) {
        queue.async { [self] in
            (self.show, self.completion) = (show, completion)
            world.start()
            guard !isStopped else { return end(.success(story.outcome)) }
            namespaces.onEnd = { [weak self] in self?.end(.failure($0)) }
            namespaces.open { [weak self] failure in
                guard let self else { return }
                if let failure { return end(.failure(failure)) }
                // The answer of a shell can come after `stop`.
                if self.completion != nil { begin() }
            }
        }
    }

    /// Ends the story early.
    func stop() {
        queue.async { [self] in
            isStopped = true
            end(.success(story.outcome))
        }
    }

    private func begin() {
        // The processes keep nothing between runs: without a home, their store is in memory.
        if let mosquitto { namespaces.startBroker(mosquitto) }
        var environment = [
            "BLUETOOTH_LINK_KEY": LinkKey.random().base64Text, "BLUETOOTH_CONTROLLER": server.address,
            "BLUETOOTH_WIFI_PASSWORD": LampSimulation.credentials.password, "BLUETOOTH_LOG": "error",
        ]
        if mosquitto != nil { environment[LampEndpointRun.brokerVariable] = LampNamespaces.brokerAddress }
        do {
            lamp = try child("lamp", environment)
            phone = try child("phone", environment)
        } catch {
            return end(.failure(.init(description: "\(error)")))
        }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: Self.tick)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            story.handleTimeout(at: now)
            perform()
        }
        self.timer = timer
        timer.resume()
    }

    private func child(_ place: String, _ environment: [String: String]) throws -> LampChild {
        let command = ["/proc/self/exe", "demo", "lamp"] + (isRealTime ? ["--real-time"] : [])
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: command[0])
        return try namespaces.start(
            place, [program] + command.dropFirst(),
            environment: environment.merging(["BLUETOOTH_NAME": place.capitalized, LampEndpointRun.variable: place]) {
                $1
            },
            onLine: { [weak self] in self?.receive($0, from: place) },
            onEnd: { [weak self] in self?.end(.failure(.init(description: "the process of the \(place) has ended"))) }
        ) { [weak self] failure in
            if let failure { self?.end(.failure(failure)) }
        }
    }

    private var now: Duration { ContinuousClock.now - start }

    private func receive(_ line: String, from place: String) {
        guard let told = try? JSONDecoder().decode(LampProcessMessage.self, from: Data(line.utf8)) else { return }
        switch told {
        case .report(let report):
            show?(.report(report), now)
            switch report {
            case .lamp(.joined): namespaces.join()
            // Both programs are on the radio.
            case .phone(.provisioned): removeFolder()
            default: break
            }
            story.handle(report, at: now)
            perform()
        case .publish(let topic, let octets):
            guard isCloudUp else { return }
            send(.message(topic: topic, octets: octets), to: place == "lamp" ? phone : lamp)
        }
    }

    /// Does what the story wants, one action after the other: a request after a cut leaves when the way is cut.
    private func perform() {
        actions += story.takeActions()
        // A story that failed does not wait for the shell of the house.
        if story.isOver, story.outcome.problem != nil { return end(.success(story.outcome)) }
        guard !isChanging else { return }
        while !actions.isEmpty, !isChanging {
            let action = actions.removeFirst()
            show?(.action(action), now)
            switch action {
            case .press: send(.press, to: lamp)
            case .toggle: send(.toggle, to: phone)
            case .cut(let way): set([way], isUp: false)
            case .mend(let ways): set(ways, isUp: true)
            }
        }
        if story.isOver, actions.isEmpty { end(.success(story.outcome)) }
    }

    private func set(_ ways: [LampTransport], isUp: Bool) {
        if ways.contains(.bluetooth) { world.setEnvironment(RadioEnvironment(packetLoss: isUp ? 0 : 1)) }
        if ways.contains(.cloud) { isCloudUp = isUp }
        isChanging = true
        namespaces.set(ways, isUp: isUp) { [weak self] failure in
            guard let self else { return }
            isChanging = false
            if let failure { return end(.failure(failure)) }
            perform()
        }
    }

    private func send(_ order: LampProcessCommand, to child: LampChild?) {
        guard let data = try? JSONEncoder().encode(order) else { return }
        child?.send(String(decoding: data, as: UTF8.self))
    }

    private func removeFolder() {
        server.stop()
        unlink("\(folder)/radio")
        rmdir(folder)
    }

    private func end(_ result: Result<LampOutcome, LampNamespaces.NamespaceError>) {
        guard let completion else { return }
        (self.completion, show) = (nil, nil)
        timer?.cancel()
        for child in [phone, lamp] { child?.close() }
        for child in [phone, lamp] { child?.waitForEnd() }
        namespaces.close()
        world.stop()
        removeFolder()
        completion(result)
    }
}
