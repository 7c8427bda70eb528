import BLEHostAdapter
import BLEVirtualRadio
import BLEWire

/// The faults of a device, at the line between its host and its controller. Used only on the world's queue.
final class FaultLine: HCIFilter {
    /// The time for which the answer to a subscription waits for a notification.
    private static let patience = TimeSpan.seconds(1)
    /// The number of peers whose Database Hash is kept.
    private static let hashLimit = 1_000

    private weak var adapter: HostAdapter?
    private let name: String
    private var faults: [Fault.Kind: (fault: Fault, start: Instant, report: FaultReport)] = [:]

    // stalledCompletions
    /// The events that the host has not got, in order, and the end of the stall; nil without a stall.
    private var completions: (events: [[UInt8]], end: Instant)?
    // staleCache
    private var hashes: [DeviceAddress: [UInt8]] = [:]
    /// The links whose client waits for the Database Hash.
    private var hashReaders: Set<UInt16> = []
    // earlyNotification
    /// The links whose client waits for the answer to a subscription.
    private var subscribers: Set<UInt16> = []
    private var heldAnswers: [UInt16: (octets: [UInt8], since: Instant)] = [:]
    // slowAnswers and the like
    /// The time until which the data of a link waits.
    private var busyUntil: [UInt16: Instant] = [:]
    private var linkStarts: [UInt16: Instant] = [:]

    init(_ adapter: HostAdapter, name: String) {
        self.adapter = adapter
        self.name = name
    }

    /// Adds a fault, in place of one of its kind.
    ///
    /// - Parameter isAnnounced: Whether the report begins with the fault.
    func add(_ fault: Fault, _ report: FaultReport, isAnnounced: Bool, on line: HCILine) {
        let start = line.now
        faults[fault.kind] = (fault, start, report)
        if isAnnounced { report.add(fault.description, of: name, at: start.sinceOrigin) }
        if case .forgottenBonds(let time) = fault {
            line.perform(at: start + Self.span(time, in: Fault.Limit.onset)) { [weak self] line in
                guard let self, faults[.forgottenBonds]?.start == start else { return }
                note(.forgottenBonds, "forgets its bonds", line)
                adapter?.forgetBonds()
            }
        }
    }

    /// Removes all faults. What they keep from the host arrives at once.
    func removeAll(_ line: HCILine) {
        faults = [:]
        releaseCompletions(line)
        for (_, answer) in heldAnswers.sorted(by: { $0.key < $1.key }) { line.pass(answer.octets, .toHost) }
        heldAnswers = [:]
    }

    private static func span(_ duration: Duration, in range: ClosedRange<Duration>) -> TimeSpan {
        TimeSpan(min(max(duration, range.lowerBound), range.upperBound))
    }

    private func note(_ kind: Fault.Kind, _ text: String, _ line: HCILine) {
        faults[kind]?.report.add(text, of: name, at: line.now.sinceOrigin)
    }

    // MARK: Packets

    func take(_ packet: [UInt8], _ direction: HCIDirection, on line: HCILine) {
        let fields = HCIPacketFields(packet)
        switch direction {
        case .toController: takeFromHost(fields, line)
        case .toHost: takeFromController(fields, line)
        }
    }

    private func takeFromHost(_ packet: HCIPacketFields, _ line: HCILine) {
        guard let handle = packet.dataHandle else { return line.pass(packet.octets, .toController) }
        if packet.readsDatabaseHash { hashReaders.insert(handle) }
        if packet.isSubscription { subscribers.insert(handle) }
        for kind in Fault.Kind.allCases {
            guard let fault = faults[kind]?.fault, let delay = delay(of: packet, handle, by: fault, line) else {
                continue
            }
            busyUntil[handle] = max(busyUntil[handle] ?? line.now, line.now + delay)
            note(kind, fault.description, line)
        }
        // At the same time, the packets before this one may still wait.
        if let time = busyUntil[handle], time >= line.now { return line.pass(packet.octets, .toController, at: time) }
        line.pass(packet.octets, .toController)
    }

    private func takeFromController(_ packet: HCIPacketFields, _ line: HCILine) {
        if packet.isResetComplete { return resetCompleted(packet, line) }
        if packet.isEvent(0x13), stall(packet, line) { return }
        if let handle = packet.begunLink { linkStarts[handle] = line.now }
        if let handle = packet.endedLink { linkEnded(handle, line) }
        guard let handle = packet.dataHandle else { return line.pass(packet.octets, .toHost) }
        if packet.requestsParameters, faults[.ignoredParameterRequests] != nil {
            return note(.ignoredParameterRequests, "ignores a request for connection parameters", line)
        }
        var octets = packet.octets
        if packet.isAnswer { replaceHash(packet, handle, &octets, line) }
        if let indicated = packet.indicatedHandle { loseServiceChanged(indicated, handle, &octets, line) }
        if holdsAnswer(packet, handle, line) { return }
        line.pass(octets, .toHost)
        if packet.isUpdate, let answer = heldAnswers.removeValue(forKey: handle) {
            note(.earlyNotification, "a notification overtakes the answer to its subscription", line)
            line.pass(answer.octets, .toHost)
        }
    }

    private func linkEnded(_ handle: UInt16, _ line: HCILine) {
        // The completed packets of a link have no meaning after its end.
        if completions != nil {
            releaseCompletions(line)
            faults[.stalledCompletions] = nil
        }
        hashReaders.remove(handle)
        subscribers.remove(handle)
        heldAnswers[handle] = nil
        busyUntil[handle] = nil
        linkStarts[handle] = nil
        // A new link may get the handle.
        line.dropPackets { packet, _ in HCIPacketFields(packet).dataHandle == handle }
        if case .shrinkingMTU(let octets)? = faults[.shrinkingMTU]?.fault {
            note(.shrinkingMTU, "offers an ATT_MTU of \(octets) octets", line)
            adapter?.offerMTU(UInt16(clamping: octets))
        }
    }

    // MARK: Single faults

    /// The time for which a fault delays a packet of the host; nil if it does not.
    private func delay(of packet: HCIPacketFields, _ handle: UInt16, by fault: Fault, _ line: HCILine) -> TimeSpan? {
        switch fault {
        case .slowAnswers(let delay) where packet.isAnswer,
            .slowDiscovery(let delay) where packet.isAnswer(to: [0x04, 0x06, 0x08, 0x10]),
            .slowWrites(let delay) where packet.isAnswer(to: [0x12, 0x16, 0x18]),
            .slowPairing(let delay) where packet.isPairing:
            return Self.span(delay, in: Fault.Limit.answer)
        case .lateUpdates(let delay) where packet.isUpdate:
            // An update that comes while another one waits is sent with it.
            if let time = busyUntil[handle], time >= line.now { return nil }
            return Self.span(delay, in: Fault.Limit.answer)
        case .slowAtFirst(let time) where packet.isAnswer || packet.isPairing:
            guard let start = linkStarts[handle] else { return nil }
            let end = start + Self.span(time, in: Fault.Limit.answer)
            return end > line.now ? end - line.now : nil
        default: return nil
        }
    }

    private func resetCompleted(_ packet: HCIPacketFields, _ line: HCILine) {
        // A reset ends all links.
        completions = nil
        (hashReaders, subscribers, heldAnswers, busyUntil, linkStarts) = ([], [], [:], [:], [:])
        line.dropPackets { packet, _ in packet.first == 2 }
        guard case .lateStart(let delay)? = faults[.lateStart]?.fault else { return line.pass(packet.octets, .toHost) }
        note(.lateStart, "starts late by \(delay.inSeconds)", line)
        line.pass(packet.octets, .toHost, at: line.now + Self.span(delay, in: Fault.Limit.start))
    }

    /// Keeps an event about completed packets during the stall. Returns whether it did.
    private func stall(_ packet: HCIPacketFields, _ line: HCILine) -> Bool {
        if completions != nil {
            completions?.events.append(packet.octets)
            return true
        }
        guard let (fault, injected, _) = faults[.stalledCompletions],
            case .stalledCompletions(let after, let length) = fault
        else { return false }
        let start = injected + Self.span(after, in: Fault.Limit.onset)
        let end = start + Self.span(length, in: Fault.Limit.stall)
        guard start <= line.now, line.now < end else { return false }
        completions = ([packet.octets], end)
        note(.stalledCompletions, "reports no completed packets until \(end.sinceOrigin.inSeconds)", line)
        line.perform(at: end) { [weak self] line in
            // Another stall may have begun since.
            if let self, completions?.end == end { releaseCompletions(line) }
        }
        return true
    }

    private func releaseCompletions(_ line: HCILine) {
        for packet in completions?.events ?? [] { line.pass(packet, .toHost) }
        completions = nil
    }

    /// Replaces a Database Hash by the first one that this peer had.
    private func replaceHash(_ packet: HCIPacketFields, _ handle: UInt16, _ octets: inout [UInt8], _ line: HCILine) {
        guard hashReaders.remove(handle) != nil, faults[.staleCache] != nil, let range = packet.databaseHash,
            let peer = adapter?.peer(ofHandle: handle)
        else { return }
        if let former = hashes[peer] {
            guard Array(octets[range]) != former else { return }
            octets.replaceSubrange(range, with: former)
            note(.staleCache, "reads a stale Database Hash", line)
        } else if hashes.count < Self.hashLimit {
            hashes[peer] = Array(octets[range])
        }
    }

    /// Turns Service Changed into an indication of a value that does not exist. The host confirms it.
    private func loseServiceChanged(
        _ indicated: UInt16, _ handle: UInt16, _ octets: inout [UInt8], _ line: HCILine
    ) {
        guard faults[.lostServiceChanged] != nil, adapter?.serviceChangedHandle(ofHandle: handle) == indicated else {
            return
        }
        octets[HCIPacketFields.attributeStart + 1] = 0xFF
        octets[HCIPacketFields.attributeStart + 2] = 0xFF
        note(.lostServiceChanged, "loses Service Changed", line)
    }

    /// Keeps the answer to a subscription until an update arrives. Returns whether it did.
    private func holdsAnswer(_ packet: HCIPacketFields, _ handle: UInt16, _ line: HCILine) -> Bool {
        guard packet.isAnswer, subscribers.remove(handle) != nil, faults[.earlyNotification] != nil,
            packet.attribute?.first == 0x13
        else { return false }
        let since = line.now
        heldAnswers[handle] = (packet.octets, since)
        line.perform(at: since + Self.patience) { [weak self] line in
            guard let self, let answer = heldAnswers[handle], answer.since == since else { return }
            heldAnswers[handle] = nil
            line.pass(answer.octets, .toHost)
        }
        return true
    }
}
