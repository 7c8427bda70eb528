import BLEAdapter
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases
import StudioRoom

/// Serves a profile on the machine's adapter, in real time.
///
/// The state is confined to the queue of the peripheral manager.
final class AdapterServer: @unchecked Sendable {
    /// What runs on the adapter, for the page.
    struct State: Codable, Hashable, Sendable {
        /// The advertised name.
        var name: String?
        /// The state of the manager: `poweredOn`, `poweredOff` and so on.
        var bluetooth: String
        var isAdvertising: Bool
        var subscriptions: Int
        /// The last events, oldest first.
        var events: [Event]
    }

    struct Event: Codable, Hashable, Sendable {
        /// The number of the event since the start.
        var n: Int
        /// Nanoseconds since the start.
        var time: Int64
        var kind: ProgramEvent.Kind
        var text: Phrase
        var swift: String?
    }

    private static let eventLimit = 100

    private let queue = DispatchQueue(label: "studio.maker")
    /// The adapter; nil selects the one of the process.
    private let adapter: (any BluetoothAdapter)?
    /// Called after each change of the state.
    private let changed: @Sendable () -> Void

    private var server: ProfileServer?
    private var timer: (any DispatchSourceTimer)?
    private var start = ContinuousClock.now
    private var log = ProfileServerLog()
    private var bluetooth = CBManagerState.unknown
    private var events: [Event] = []
    private var nextEvent = 0

    init(on adapter: (any BluetoothAdapter)? = nil, changed: @escaping @Sendable () -> Void) {
        self.adapter = adapter
        self.changed = changed
    }

    /// Nil if nothing runs.
    var state: State? {
        get async {
            await onQueue {
                self.server.map { server in
                    State(
                        name: server.state.profile.advertising.localName, bluetooth: self.bluetooth.word,
                        isAdvertising: self.log.isAdvertising, subscriptions: self.log.subscriptions,
                        events: self.events)
                }
            }
        }
    }

    /// Serves a profile. It replaces the one that is served, whose services stay if they have the same structure.
    func serve(_ profile: DeviceProfile) async {
        await onQueue {
            if let server = self.server {
                server.apply(profile)
                return self.add(ProgramEvent(.note, .profileApplied))
            }
            self.begin(profile)
        }
    }

    /// Applies a changed profile. Returns false if nothing runs.
    func apply(_ profile: DeviceProfile) async -> Bool {
        await onQueue {
            guard let server = self.server else { return false }
            server.apply(profile)
            self.add(ProgramEvent(.note, .profileApplied))
            return true
        }
    }

    func stop() async {
        await onQueue {
            self.server?.stop()
            self.server = nil
            self.timer?.cancel()
            self.timer = nil
            self.changed()
        }
    }

    private func begin(_ profile: DeviceProfile) {
        start = .now
        (log, events, nextEvent, bluetooth) = (ProfileServerLog(), [], 0, .unknown)
        let server = ProfileServer(
            profile, now: { [start] in Self.time(since: start) }, report: { [weak self] in self?.handle($0) })
        server.onDeadlineChange = { [weak self] in self?.armTimer() }
        self.server = server
        AdapterBinding.$scoped.withValue(adapter ?? AdapterBinding.scoped) { server.start(queue: queue) }
        changed()
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) } }
    }

    private static func time(since start: ContinuousClock.Instant) -> ProfileTime {
        let now = Date()
        return ProfileTime(
            elapsed: ContinuousClock.now - start,
            localSeconds: now.timeIntervalSince1970 + Double(TimeZone.current.secondsFromGMT(for: now)))
    }

    // MARK: On the queue

    private func handle(_ event: ServerEvent) {
        if case .state(let state) = event { bluetooth = state }
        if let happening = log.happening(event, at: ContinuousClock.now - start) { add(happening) } else { changed() }
    }

    private func add(_ happening: ProgramEvent) {
        if events.count >= Self.eventLimit { events.removeFirst() }
        events.append(
            Event(
                n: nextEvent, time: Int64((ContinuousClock.now - start) / .nanoseconds(1)), kind: happening.kind,
                text: happening.text, swift: happening.swift))
        nextEvent += 1
        changed()
    }

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let deadline = server?.nextDeadline else { return }
        let delay = max(.zero, deadline - (ContinuousClock.now - start))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            self?.server?.tick()
            self?.armTimer()
        }
        timer.schedule(deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1))))
        timer.resume()
        self.timer = timer
    }
}

extension CBManagerState {
    /// The name of the case.
    fileprivate var word: String {
        switch self {
        case .poweredOn: "poweredOn"
        case .poweredOff: "poweredOff"
        case .resetting: "resetting"
        case .unauthorized: "unauthorized"
        case .unsupported: "unsupported"
        default: "unknown"
        }
    }
}
