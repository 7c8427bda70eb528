import BLEHost
import BLEWire

/// Checks the events of a host: no event about a missing link, no completion without an operation or twice, no
/// remaining link after the loss of the controller.
package struct Ledger {
    package private(set) var open: [LinkIdentifier: LinkRole] = [:]
    /// The operations without a completion, with their links.
    private(set) var pending: [UInt32: LinkIdentifier] = [:]
    private var ended: Set<LinkIdentifier> = []
    package private(set) var problems: [String] = []

    package private(set) var resets = 0
    package private(set) var timesFailed = 0
    package private(set) var timesReady = 0
    package private(set) var links = 0
    /// Links that have ended.
    private(set) var ends = 0
    package private(set) var completions = 0
    package private(set) var violations = 0
    package private(set) var failures: Set<HostError> = []
    package private(set) var attemptsFailed = 0

    mutating func submitted(_ id: UInt32, on link: LinkIdentifier) { pending[id] = link }

    mutating func problem(_ text: String) {
        if problems.count < 20 { problems.append(text) }
    }

    private mutating func expectOpen(_ link: LinkIdentifier, _ what: String) {
        if open[link] == nil { problem("\(what) for link \(link.rawValue), which is not there") }
    }

    mutating func take(_ event: HostEvent) {
        switch event {
        case .stateChanged(let state): take(state)
        case .connected(let link, let role, _, _):
            if open[link] != nil || ended.contains(link) { problem("link \(link.rawValue) was connected twice") }
            open[link] = role
            links += 1
        case .disconnected(let link, _):
            expectOpen(link, "disconnected")
            open[link] = nil
            ends += 1
            ended.insert(link)
            // Operations end with their link, without an event.
            for (id, owner) in pending where owner == link { pending[id] = nil }
        case .completed(let link, let id, let result):
            if result == .failure(.notConnected) {
                pending[id] = nil
            } else {
                expectOpen(link, "completed")
                if pending.removeValue(forKey: id) != link { problem("operation \(id) completed for nothing") }
            }
            completions += 1
        case .connectionFailed: attemptsFailed += 1
        case .protocolViolation(let link, _):
            violations += 1
            if let link, open[link] == nil, ended.contains(link) {
                problem("a violation on link \(link.rawValue), which is gone")
            }
        case .securityRequired(let link, _, _): problem("an operation on link \(link.rawValue) waits for security")
        case .pairing(let link, _): problem("a host without cryptography pairs on link \(link.rawValue)")
        case .mtuChanged(let link, _): expectOpen(link, "mtuChanged")
        case .value(let link, _): expectOpen(link, "value")
        case .readRequest(let link, _, _, _): expectOpen(link, "readRequest")
        case .writeRequest(let link, _, _, _): expectOpen(link, "writeRequest")
        case .subscriptionChanged(let link, _, _): expectOpen(link, "subscriptionChanged")
        case .indicationConfirmed(let link, _): expectOpen(link, "indicationConfirmed")
        case .clientStateChanged(let link, _): expectOpen(link, "clientStateChanged")
        case .attributeCacheChanged(let link, _): expectOpen(link, "attributeCacheChanged")
        case .servicesChanged(let link, _): expectOpen(link, "servicesChanged")
        case .transmitQueueDrained(let link): expectOpen(link, "transmitQueueDrained")
        case .parametersChanged(let link, _): expectOpen(link, "parametersChanged")
        case .parametersRefused(let link): expectOpen(link, "parametersRefused")
        case .phyChanged(let link, _, _): expectOpen(link, "phyChanged")
        case .dataLengthChanged(let link, _, _): expectOpen(link, "dataLengthChanged")
        case .radio(let link, _): expectOpen(link, "radio")
        case .advertisingReport, .advertisingChanged, .scanningFailed, .periodic, .periodicReport, .channel,
            .controllerError, .signCountersChanged:
            break
        }
    }

    private mutating func take(_ state: HostState) {
        switch state {
        case .ready: timesReady += 1
        case .off, .resetting, .failed:
            if !open.isEmpty { problem("\(open.count) links are left in state \(state)") }
            if case .resetting(let failure) = state {
                resets += 1
                failures.insert(failure)
            }
            if case .failed(let failure) = state {
                timesFailed += 1
                failures.insert(failure)
            }
        case .starting: break
        }
    }

    /// Removes old links, so that a long run needs no more memory than a short one.
    mutating func forgetEnded() { ended.removeAll(keepingCapacity: true) }

    /// Checks the state without traffic.
    mutating func checkQuiet(_ links: [LinkInformation]) {
        if !pending.isEmpty {
            problem("\(pending.count) operations never came back: \(pending.keys.sorted().prefix(5))")
        }
        if Set(links.map(\.identifier)) != Set(open.keys) {
            problem(
                "the host has the links \(links.map(\.identifier.rawValue)), told of \(open.keys.map(\.rawValue).sorted())"
            )
        }
    }
}
