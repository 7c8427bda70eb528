import BLEAdapter
import BLEValues
import BLEWire
import CoreBluetooth
import DeviceFiles
import Foundation

/// A run of `bluelab serve` on the main queue.
@MainActor
final class ServeRun {
    private let choice: ProfileChoice
    private let isJSON: Bool
    private let showsUpdates: Bool
    /// Replaces the advertised name.
    private let name: String?
    private let terminal: Terminal
    private let start = ContinuousClock.now
    private var server: ProfileServer!
    private var watch: FileWatch
    private var timer: (any DispatchSourceTimer)?
    private var watchTimer: (any DispatchSourceTimer)?
    private var hasBeenOn = false
    private var loss = ControllerLoss("The profile is served")
    private let end: (Result<Void, ToolError>) -> Void

    /// The interval of looks at the files.
    private static let watchInterval = DispatchTimeInterval.milliseconds(200)

    /// - Parameter end: Called once or more; the first call ends the command.
    init(
        _ choice: ProfileChoice, _ source: DeviceProfile.Source, isJSON: Bool, showsUpdates: Bool, name: String?,
        terminal: Terminal, end: @escaping (Result<Void, ToolError>) -> Void
    ) {
        self.choice = choice
        self.isJSON = isJSON
        self.showsUpdates = showsUpdates
        self.name = name
        self.terminal = terminal
        self.end = end
        watch = FileWatch(source.files)
        server = ProfileServer(
            named(source.profile), now: { [start] in Self.time(since: start) },
            report: { [weak self] event in MainActor.assumeIsolated { self?.handle(event) } })
        server.onDeadlineChange = { [weak self] in MainActor.assumeIsolated { self?.armTimer() } }
    }

    func begin() {
        explainMissingData(server.state.profile)
        server.start()
        guard choice.isFile else { return }
        let watchTimer = DispatchSource.makeTimerSource(queue: .main)
        watchTimer.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.reloadIfChanged() } }
        watchTimer.schedule(deadline: .now() + Self.watchInterval, repeating: Self.watchInterval)
        watchTimer.resume()
        self.watchTimer = watchTimer
    }

    /// Removes the services, and gives the packets time to leave.
    func stop() async {
        timer?.cancel()
        watchTimer?.cancel()
        server.stop()
        try? await Task.sleep(for: .milliseconds(200))
    }

    /// The adapter was not powered on in time.
    func checkAdapter() {
        guard !hasBeenOn else { return }
        end(.failure(.lateController(.seconds(10))))
    }

    private func named(_ profile: DeviceProfile) -> DeviceProfile {
        var profile = profile
        if let name { profile.advertising.localName = name }
        return profile
    }

    private static func time(since start: ContinuousClock.Instant) -> ProfileTime {
        let now = Date()
        return ProfileTime(
            elapsed: ContinuousClock.now - start,
            localSeconds: now.timeIntervalSince1970 + Double(TimeZone.current.secondsFromGMT(for: now)))
    }

    // MARK: Time

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let deadline = server.nextDeadline else { return }
        let delay = max(.zero, deadline - (ContinuousClock.now - start))
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.setEventHandler { [weak self] in
            MainActor.assumeIsolated {
                self?.server.tick()
                self?.armTimer()
            }
        }
        timer.schedule(deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))))
        timer.resume()
        self.timer = timer
    }

    // MARK: The file

    private func reloadIfChanged() {
        guard watch.takeChange() else { return }
        do {
            let source = try choice.read()
            watch.watch(source.files)
            let profile = named(source.profile)
            guard profile != server.state.profile else { return }
            explainMissingData(profile)
            server.apply(profile)
            var record = ServingRecord(type: "profile-changed", time: milliseconds, profile: choice.name)
            record.name = profile.advertising.localName
            record.services = profile.services.map { "\($0.uuid)" }
            print(record, say("applied the new version of \(choice.name)"))
        } catch let problems as YAMLError {
            for line in problems.lines { printError(ValueText.printable(line)) }
            var record = ServingRecord(type: "profile-refused", time: milliseconds, profile: choice.name)
            record.errors = problems.lines
            print(record, say("\(choice.name) has errors; the previous version stays"))
        } catch {
            printError("bluelab: \(error)")
        }
    }

    /// Says which data has no room in the advertisement.
    private func explainMissingData(_ profile: DeviceProfile) {
        guard !profile.advertising.structures.omitted.isEmpty else { return }
        printError(
            "bluelab: the manufacturer data and the service data of \(choice.name) have more than "
                + "\(profile.advertising.bare.structuresLimit) octets together; the part that does not fit is not sent."
        )
    }

    // MARK: Output

    /// Seconds since the start with three decimals.
    private var milliseconds: Double { ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000 }

    private func handle(_ event: ServerEvent) {
        switch event {
        case .state(let state): handle(state)
        case .published, .ready: break
        case .advertising(let advertising):
            let profile = server.state.profile
            var record = ServingRecord(type: "serving", time: milliseconds, profile: choice.name)
            record.name = advertising.localName
            record.services = profile.services.map { "\($0.uuid)" }
            let name = advertising.localName.map { "as \(ValueText.printable($0))" } ?? "without a name"
            print(record, terminal.styled(say("advertising \(name)"), .bold) + say(" with \(choice.name)"))
        case .read(let details):
            print(details, ServedRecord("served-read", details.characteristic, time: milliseconds), "read")
        case .write(let details):
            print(details, ServedRecord("served-write", details.characteristic, time: milliseconds), "write")
        case .subscription(let details):
            let type = details.isSubscribed ? "client-subscribed" : "client-unsubscribed"
            var record = ServedRecord(type, details.characteristic, time: milliseconds)
            record.identifier = details.central.uuidString
            print(
                record,
                filled(say(String(type.dropFirst("client-".count))), 13) + line(details.characteristic) + "  "
                    + shortened(details.central))
        case .update(let characteristic, let value):
            guard showsUpdates else { return }
            var record = ServedRecord("served-update", characteristic, time: milliseconds)
            record.value = Hexadecimal.digits(value)
            record.text = ValueText.fitting(value, of: characteristic.uuid)
            print(record, filled(say("update"), 13) + line(characteristic) + "  " + (record.text ?? ""))
        case .lostUpdates(let count):
            printError("bluelab: \(count) updates are lost: a client writes faster than it receives.")
        case .failed(let sentence): end(.failure(ToolError(.failed, sentence)))
        }
    }

    private func handle(_ state: CBManagerState) {
        do {
            guard hasBeenOn else {
                hasBeenOn = try state.isOn
                return
            }
            if let line = try loss.take(state) { printError(line) }
        } catch {
            end(.failure(.unusableController))
        }
    }

    private func print(_ details: RequestDetails, _ record: ServedRecord, _ word: String) {
        var record = record
        record.identifier = details.central.uuidString
        record.error = details.error?.word
        var text = ""
        if details.error == nil || !details.value.isEmpty {
            record.value = Hexadecimal.digits(details.value)
            record.text = ValueText.fitting(details.value, of: details.characteristic.uuid)
            text = "  " + terminal.styled(record.text ?? "", .cyan)
        }
        if let error = details.error { text += "  " + terminal.styled(say("refused: \(error.word)"), .yellow) }
        print(record, filled(say(word), 13) + line(details.characteristic) + text + "  " + shortened(details.central))
    }

    private func line(_ characteristic: CBCharacteristic) -> String { filled(displayName(characteristic.uuid), 28) }

    /// Prints a record, or its line for people. A closed output ends the command.
    private func print(_ record: some Encodable, _ line: String) {
        do {
            try emit(isJSON ? jsonLine(record) : "\(seconds(ContinuousClock.now - start))  \(line)")
        } catch {
            end(.failure(error as? ToolError ?? ToolError(.failed, "\(error)")))
        }
    }
}
