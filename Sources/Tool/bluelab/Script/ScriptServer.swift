import BLERuntime
import BLEValues
import CoreBluetooth
import DeviceFiles
import Foundation
import WorldFiles

/// The server side of a script: a profile that clients read, write and subscribe to.
@MainActor
final class ScriptServer {
    /// A request that no step has waited for.
    private enum Request {
        case read([UInt8])
        case write([UInt8])
        case subscription
    }

    private let conditions: Conditions
    private let clock: StepClock
    private let start: Duration
    private var server: ProfileServer?
    private var timer: StepClock.Timer?
    private var requests: [(characteristic: CBUUID, service: CBUUID?, request: Request)] = []
    private var advertised: String??
    private var failure: ToolError?

    /// The most requests that wait for a step. Older ones are dropped.
    private static let requestLimit = 10_000

    init(_ conditions: Conditions, _ clock: StepClock) {
        self.conditions = conditions
        self.clock = clock
        start = clock.now
    }

    var isServing: Bool { server != nil }

    /// Publishes a profile and waits until it is advertised. An earlier one ends.
    ///
    /// - Parameter path: A file, or the name of a shipped profile.
    /// - Returns: The advertised name.
    func serve(_ path: String) async throws -> String? {
        stop()
        let profile: DeviceProfile
        do {
            profile = try ProfileChoice(path).read().profile
        } catch let problems as YAMLError {
            let first = problems.lines.first ?? ""
            throw ToolError(
                .usage, "\(path) is not a profile: \(first)", "Try: bluelab serve --check \(ShellWord.quoted(path))")
        }
        let server = ProfileServer(
            profile, now: { [clock, start] in MainActor.assumeIsolated { Self.time(clock, since: start) } },
            report: { [weak self] event in MainActor.assumeIsolated { self?.handle(event) } })
        server.onDeadlineChange = { [weak self] in MainActor.assumeIsolated { self?.armTimer() } }
        self.server = server
        server.start()
        let isAdvertised = try await conditions.wait(.seconds(10)) {
            if let failure = self.failure { throw failure }
            return self.advertised != nil
        }
        guard isAdvertised else {
            throw ToolError.lateController(.seconds(10))
        }
        return (advertised ?? nil).map { "advertising as \($0)" }
    }

    func stop() {
        timer?.cancel()
        timer = nil
        server?.stop()
        server = nil
        requests = []
        advertised = nil
        failure = nil
    }

    // MARK: Waits

    func waitForRead(_ wanted: String, _ limit: Duration) async throws -> String? {
        try await wait(wanted, "a read", limit) { if case .read(let value) = $0 { value } else { nil } }
    }

    /// - Returns: The last value.
    func waitForWrite(
        _ wanted: String, _ expectation: ValueExpectation, _ count: Int, _ limit: Duration
    ) async throws -> String? {
        try await wait(wanted, count == 1 ? "a write" : "\(count) writes", limit, expectation, count: count) {
            if case .write(let value) = $0 { value } else { nil }
        }
    }

    func waitForSubscription(_ wanted: String, _ limit: Duration) async throws -> String? {
        _ = try await wait(wanted, "a subscription", limit) { if case .subscription = $0 { [] } else { nil } }
        return nil
    }

    /// Waits for `count` requests whose values satisfy the expectation.
    ///
    /// - Parameter value: The value of a request of the wanted kind; nil for other requests.
    private func wait(
        _ wanted: String, _ what: String, _ limit: Duration, _ expectation: ValueExpectation = .init(), count: Int = 1,
        _ value: @escaping @MainActor (Request) -> [UInt8]?
    ) async throws -> String {
        let (service, characteristic) = try find(wanted)
        var accepted: ObservedValue?
        var acceptedCount = 0
        var rejected: [String] = []
        let isComplete = try await conditions.wait(limit) {
            if let failure = self.failure { throw failure }
            var position = 0
            while position < self.requests.count {
                let request = self.requests[position]
                guard request.characteristic == characteristic, request.service.map({ $0 == service }) ?? true,
                    let octets = value(request.request)
                else {
                    position += 1
                    continue
                }
                self.requests.remove(at: position)
                let observed = ObservedValue(octets, of: characteristic)
                if expectation.accepts(observed) {
                    accepted = observed
                    acceptedCount += 1
                    if acceptedCount == count { return true }
                    continue
                }
                if rejected.count < 8 { rejected.append(observed.shown(in: expectation.format)) }
            }
            return false
        }
        guard isComplete, let accepted else {
            let of = expectation.text.map { " with \($0)" } ?? ""
            throw ScriptRun.ExpectationError(
                expected: "\(what) of \(displayName(characteristic))\(of) within \(inSeconds(limit))",
                found: acceptedCount > 0
                    ? "\(acceptedCount)" : rejected.isEmpty ? "none" : rejected.joined(separator: "; "))
        }
        return accepted.shown(in: expectation.format)
    }

    /// The service and the characteristic of the profile that match `wanted`.
    private func find(_ wanted: String) throws -> (service: CBUUID, characteristic: CBUUID) {
        guard let server else {
            throw ToolError(.usage, "no profile is served.", "Try: - serve: PROFILE before this step")
        }
        let parts = wanted.split(separator: "/", maxSplits: 1).map(String.init)
        let all = server.state.profile.services.flatMap { service in
            service.characteristics.map { (CBUUID(string: "\(service.uuid)"), CBUUID(string: "\($0.uuid)")) }
        }.filter { parts.count < 2 || CharacteristicSearch.fits($0.0, parts[0]) }
        let last = parts.last ?? ""
        let exact = all.filter { CharacteristicSearch.isExactly($0.1, last) }
        let found = exact.isEmpty ? all.filter { CharacteristicSearch.fits($0.1, last) } : exact
        if found.count == 1 { return found[0] }
        let list = (found.isEmpty ? all : found).prefix(8).map { displayName($0.1) }.joined(separator: ", ")
        throw ToolError(
            .notFound,
            found.isEmpty
                ? "the served profile has no characteristic \"\(wanted)\"; it has \(list)."
                : "\"\(wanted)\" matches several characteristics: \(list).")
    }

    // MARK: Events

    private func handle(_ event: ServerEvent) {
        switch event {
        case .advertising(let advertising): advertised = advertising.localName.map(ValueText.printable)
        case .read(let details) where details.error == nil: add(details.characteristic, .read(details.value))
        case .write(let details) where details.error == nil: add(details.characteristic, .write(details.value))
        case .subscription(let details) where details.isSubscribed: add(details.characteristic, .subscription)
        case .failed(let sentence): failure = ToolError(.failed, sentence)
        case .state(.unsupported), .state(.unauthorized):
            failure = .unusableController
        default: break
        }
        conditions.check()
    }

    private func add(_ characteristic: CBCharacteristic, _ request: Request) {
        requests.append((characteristic.uuid, characteristic.service?.uuid, request))
        if requests.count > Self.requestLimit { requests.removeFirst() }
    }

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let deadline = server?.nextDeadline else { return }
        timer = clock.after(max(.zero, deadline - (clock.now - start))) { [weak self] in
            self?.server?.tick()
            self?.armTimer()
        }
    }

    private static func time(_ clock: StepClock, since start: Duration) -> ProfileTime {
        let elapsed = clock.now - start
        guard !clock.isVirtual else {
            return ProfileTime(elapsed: elapsed, localSeconds: WorldScene.firstSecond + clock.now / .seconds(1))
        }
        let now = Date()
        return ProfileTime(
            elapsed: elapsed,
            localSeconds: now.timeIntervalSince1970 + Double(TimeZone.current.secondsFromGMT(for: now)))
    }
}
