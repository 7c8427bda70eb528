import BLEWire

/// The subevents that a receiver of a train follows, and its responses (Vol 6, Part B, 4.4.2.12; Vol 4, Part E, 7.8.126 and 7.8.127).
struct SyncSubevents: Hashable {
    /// A packet that was received.
    struct Request: Hashable {
        let event: UInt16
        let subevent: UInt8
    }

    /// AUX_SYNC_SUBEVENT_RSP that is to be sent.
    struct Response: Hashable {
        /// Its slot.
        let event: UInt16
        let subevent: UInt8
        let slot: UInt8
        let time: Instant
        let channel: UInt8
        let txPower: Int8?
        let data: [UInt8]

        /// Appends the PDU (Vol 6, Part B, 2.3.1).
        func appendPDU(to pdu: inout [UInt8]) {
            let fields = LL.ExtendedAdvertisement(mode: .none, txPower: txPower, data: data.span)
            try? pdu.append(encoding: LL.AdvertisingPDU.extended(LL.AdvertisingHeader(type: .extended), fields))
        }
    }

    /// The most responses that wait for their slots.
    static let responseLimit = 16
    /// The most received packets that can be answered: those of an interval.
    private static let requestLimit = 128

    /// Ascending; nil before the host has chosen. The first subevent keeps the time of the train until then.
    private var chosen: [UInt8]?
    /// Whether responses contain the transmit power.
    private(set) var includesTxPower = false
    /// The subevent for which the owner listens next.
    private(set) var current: UInt8 = 0
    /// The received packets, the newest last.
    private var requests: [Request] = []
    private(set) var responses: [Response] = []

    /// Whether the host wants the data of what is received.
    var isChosen: Bool { chosen != nil }

    func follows(_ subevent: UInt8) -> Bool { chosen?.contains(subevent) ?? false }

    /// Follows other subevents. Returns false if the next one belongs to the next event.
    ///
    /// - Parameter isAhead: Whether a subevent of the current event can still be received.
    mutating func choose(_ subevents: [UInt8], includesTxPower: Bool, where isAhead: (UInt8) -> Bool) -> Bool {
        let chosen = subevents.sorted()
        self.chosen = chosen
        self.includesTxPower = includesTxPower
        let next = chosen.first(where: isAhead)
        current = next ?? chosen.first ?? 0
        return next != nil
    }

    /// Moves to the next subevent. Returns false if it belongs to the next event.
    mutating func advance() -> Bool {
        let next = chosen?.first { $0 > current }
        current = next ?? chosen?.first ?? 0
        return next != nil
    }

    /// `current` was received.
    mutating func received(in event: UInt16) {
        // The slots for older packets have passed, and a receiver that skips events reaches the same counters again.
        requests.removeAll { event &- $0.event > 1 }
        requests.append(Request(event: event, subevent: current))
        if requests.count > Self.requestLimit { requests.removeFirst() }
    }

    func hasReceived(_ request: Request) -> Bool { requests.contains(request) }

    /// Queues a response. It replaces one for the same slot.
    mutating func add(_ response: Response) throws(HCI.ErrorCode) {
        responses.removeAll {
            $0.event == response.event && $0.subevent == response.subevent && $0.slot == response.slot
        }
        guard responses.count < Self.responseLimit else { throw .memoryCapacityExceeded }
        responses.append(response)
    }

    /// The time of the next response.
    var nextResponse: Instant? { responses.map(\.time).min() }

    /// Removes the next response if its time has come.
    mutating func takeResponse(at now: Instant) -> Response? {
        guard let time = nextResponse, time <= now, let index = responses.firstIndex(where: { $0.time == time }) else {
            return nil
        }
        return responses.remove(at: index)
    }
}

extension PeriodicSync {
    // MARK: The host

    /// Follows subevents of a train with responses (Vol 4, Part E, 7.8.127).
    mutating func choose(
        _ wanted: [UInt8], _ properties: HCI.PeriodicAdvertisingProperties, at now: Instant
    ) throws(HCI.ErrorCode) {
        guard let timing = train.responses else { throw .commandDisallowed }
        guard !wanted.isEmpty, Set(wanted).count == wanted.count, wanted.allSatisfy({ $0 < timing.subeventCount }),
            properties.isSubset(of: .includesTxPower)
        else { throw .invalidHCICommandParameters }
        let (event, elapsed) = place(at: now)
        // The window of a subevent that begins at once is open already.
        let margin = TimeSpan.milliseconds(1)
        follow(wanted, properties.contains(.includesTxPower), from: event) {
            timing.offset(of: $0) > elapsed + margin
        }
    }

    /// Takes a response of the host (Vol 4, Part E, 7.8.126).
    ///
    /// - Parameter txPower: The power of the controller.
    mutating func respond(
        _ command: borrowing HCI.LESetPeriodicAdvertisingResponseData, txPower: Int8, at now: Instant
    ) throws(HCI.ErrorCode) {
        guard let timing = train.responses, let subevents else { throw .commandDisallowed }
        let request = SyncSubevents.Request(event: command.requestEvent, subevent: command.requestSubevent)
        let (subevent, slot) = (command.responseSubevent, command.responseSlot)
        guard request.subevent < timing.subeventCount, subevent < timing.subeventCount, Int(slot) < timing.slotLimit
        else { throw .invalidHCICommandParameters }
        guard subevents.follows(request.subevent) else { throw .commandDisallowed }
        // A slot of an earlier subevent is one of the next event.
        let event = subevent >= request.subevent ? request.event : request.event &+ 1
        let time = start(of: event) + timing.offset(of: subevent) + timing.offset(ofSlot: Int(slot))
        guard time > now else { throw .tooLate }
        guard subevents.hasReceived(request) else { throw .commandDisallowed }
        guard timing.hasRoom(for: command.data.count, hasTxPower: subevents.includesTxPower, on: train.phy) else {
            throw .packetTooLong
        }
        try queue(
            SyncSubevents.Response(
                event: event, subevent: subevent, slot: slot, time: time,
                channel: channel(of: event, subevent: subevent),
                txPower: subevents.includesTxPower ? txPower : nil, data: [UInt8](command.data)))
    }
}
