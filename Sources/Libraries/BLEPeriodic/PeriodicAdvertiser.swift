package import BLEAdapter
internal import BLERuntime
internal import BLEWire
public import Foundation

/// Advertises periodically: sends data at a fixed interval, which any number of receivers get without a connection.
///
/// ```swift
/// let advertiser = try PeriodicAdvertiser(name: "thermometer", interval: .milliseconds(500))
/// try await advertiser.start(Data([5, 0xFF, 0xFF, 0xFF, 21, 0]))
/// try await advertiser.update(Data([5, 0xFF, 0xFF, 0xFF, 22, 0]))
/// advertiser.stop()
/// ```
///
/// The train of packets belongs to an advertising set of its own, whose announcements tell receivers where it is and carry the name. The
/// advertiser does not disturb the managers of CoreBluetooth, which have no periodic advertising.
///
/// When Bluetooth is turned off, the train ends; when it is turned on again, the train begins again with its last data.
public final class PeriodicAdvertiser: Sendable {
    private let core: PeriodicAdvertiserCore
    private let template: PeriodicAdvertisement

    /// Creates an advertiser for the Bluetooth adapter that a `CBPeripheralManager` created in the same place would use.
    ///
    /// - Parameters:
    ///   - name: The name in the announcements; nil leaves it out.
    ///   - set: The number by which receivers tell the trains of this device apart, 0 to 15 (Advertising SID); nil chooses one.
    ///   - interval: The time between two events of the train, 7.5 ms to 81.91875 s in steps of 1.25 ms.
    ///   - includesTransmitPower: Whether the packets contain the transmit power.
    ///   - phy: The physical layer of the train.
    /// - Throws: ``PeriodicError/name(_:)``, ``PeriodicError/set(_:)`` or ``PeriodicError/interval(_:)``.
    public convenience init(
        name: String? = nil, set: Int? = nil, interval: Duration = .milliseconds(100),
        includesTransmitPower: Bool = false, phy: PeriodicPHY = .le1M
    ) throws(PeriodicError) {
        try self.init(
            adapter: AdapterBinding.current(), name: name, set: set, interval: interval,
            includesTransmitPower: includesTransmitPower, phy: phy)
    }

    package init(
        adapter: any BluetoothAdapter, name: String? = nil, set: Int? = nil, interval: Duration = .milliseconds(100),
        includesTransmitPower: Bool = false, phy: PeriodicPHY = .le1M
    ) throws(PeriodicError) {
        var announcement: [UInt8] = []
        if let name {
            let octets = Array(name.utf8)
            guard octets.count <= 248 else { throw .name(name) }
            // Complete Local Name (CSS, Part A, 1.2).
            announcement = [UInt8(octets.count + 1), 0x09] + octets
        }
        guard (0...15).contains(set ?? 0) else { throw .set(set ?? 0) }
        let unit = Duration.microseconds(1_250)
        guard (unit * 6...unit * 0xFFFF).contains(interval) else { throw .interval(interval) }
        template = PeriodicAdvertisement(
            announcement: announcement, data: [], sid: set.map { UInt8($0) },
            interval: UInt16((interval / unit).rounded()), includesTransmitPower: includesTransmitPower, phy: phy.phy)
        core = PeriodicAdvertiserCore()
        core.connect(adapter.openPeriodic(.advertiser, observer: core))
    }

    deinit { core.close() }

    /// Starts the train, and returns when it is on the air. Waits for Bluetooth while its state is not known.
    ///
    /// - Parameter data: AD structures (Vol 3, Part C, 11), at most as many octets as the controller takes: 1650, or fewer.
    /// - Throws: The reason why there is no train. After ``PeriodicError/dataTooLong`` and others, a train that ran goes on with its former data
    ///   (``isAdvertising``).
    public func start(_ data: Data) async throws(PeriodicError) {
        var advertisement = template
        advertisement.data = Array(data)
        try await core.start(advertisement)
    }

    /// Replaces the data of the train. Receivers get it with the next event. Of several calls that run at a time the last one counts.
    ///
    /// A controller takes more than 251 octets only while the train is off (Vol 4, Part E, 7.8.62), so such data begins another train: receivers lose the
    /// former one with ``PeriodicError/lost``, and find the new one as they found it.
    public func update(_ data: Data) async throws(PeriodicError) { try await start(data) }

    /// Starts a train with responses, and returns when it is on the air (Periodic Advertising with Responses). It replaces a train that runs.
    ///
    /// ```swift
    /// let subevents = try PeriodicSubevents(
    ///     count: 2, interval: .milliseconds(50), responseSlots: 4, responseDelay: .milliseconds(10),
    ///     responseSpacing: .milliseconds(5))
    /// try await advertiser.start(subevents) { PeriodicRequest(Data([2, 0xFF, UInt8($0)]), slots: 0..<4) }
    /// for await response in advertiser.responses { print(response.subevent, response.slot, response.data.count) }
    /// ```
    ///
    /// - Parameters:
    ///   - subevents: They must fit into the interval of the advertiser.
    ///   - request: Gives what is sent in a subevent, once for each event of the train and some time before; nil sends an empty packet. It is called
    ///     on a thread of the library, and must return soon.
    /// - Throws: ``PeriodicError/subevents`` if the subevents do not fit, ``PeriodicError/unsupported`` if the controller has no such trains, and
    ///   others as ``start(_:)``.
    public func start(
        _ subevents: PeriodicSubevents, request: @escaping @Sendable (_ subevent: Int) -> PeriodicRequest?
    ) async throws(PeriodicError) {
        var advertisement = template
        advertisement.subevents = subevents.subevents
        guard subevents.subevents.isValid(with: template.interval) else { throw .subevents }
        try await core.start(advertisement, request)
    }

    /// What receivers respond, from the first response on that no iteration has had. One task iterates at a time. At most 256 responses wait for the
    /// program, and the newest ones stay. The sequence ends with the advertiser, or when a task that iterates is cancelled.
    public var responses: AsyncStream<PeriodicResponse> { core.responses }

    /// The subevents whose data was not sent as requested: it came too late, was too long, or had other slots than the subevents.
    public var refusedRequests: Int { core.refusedRequests }

    /// Ends the train. A call of ``start(_:)`` that waits fails with ``PeriodicError/cancelled``.
    public func stop() { core.stop() }

    /// Tells a connected device of the train, which it may then receive without a scan (Periodic Advertising Sync Transfer: Vol 6, Part B, 5.1.13).
    /// Returns when the controller tells it. That the device receives the train, or wants to, is not known.
    ///
    /// - Parameters:
    ///   - device: The `identifier` of a `CBPeripheral` or a `CBCentral` that is connected.
    ///   - value: Arrives with the train (``PeriodicSync/transferValue``).
    /// - Throws: ``PeriodicError/noTrain``, ``PeriodicError/notConnected``, ``PeriodicError/unsupportedByDevice``, ``PeriodicError/unsupported``,
    ///   ``PeriodicError/poweredOff``, ``PeriodicError/limit`` or ``PeriodicError/controller(_:)``.
    public func transfer(to device: UUID, value: UInt16 = 0) async throws(PeriodicError) {
        try await core.transfer(to: device, value)
    }

    /// Whether there is a train, which waits for Bluetooth if that is off.
    public var isAdvertising: Bool { core.isAdvertising }
}

/// Receives the events of the advertiser's session.
final class PeriodicAdvertiserCore: PeriodicObserver {
    typealias Answer = CheckedContinuation<Result<Void, PeriodicError>, Never>
    typealias Request = @Sendable (Int) -> PeriodicRequest?

    private struct Content {
        var session: (any PeriodicSession)?
        var state = AdapterState.unknown
        /// What waits for the adapter's state.
        var wanted: PeriodicAdvertisement?
        /// The program's part of a train with responses, and its subevents. Those of the train before come back if the controller refuses.
        var source: (request: Request?, subevents: UInt8) = (nil, 0)
        var former: (request: Request?, subevents: UInt8) = (nil, 0)
        var refused = 0
        var isAdvertising = false
        /// The calls without an answer. One answer is for all.
        var waiting: [Answer] = []
    }

    private let content = Lock(Content())
    private let transfers = PeriodicTransferCalls()
    let responses: AsyncStream<PeriodicResponse>
    private let received: AsyncStream<PeriodicResponse>.Continuation

    init() {
        (responses, received) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(PeriodicSync.bufferLimit))
    }

    var refusedRequests: Int { content.withLock { $0.refused } }
    var isAdvertising: Bool { content.withLock { $0.isAdvertising } }

    func connect(_ session: any PeriodicSession) { content.withLock { $0.session = session } }

    /// The session ends with the advertiser, so no event follows.
    func close() {
        answer(.failure(.cancelled))
        transfers.cancelAll()
        received.finish()
        let session = content.withLock { $0.session.take() }
        withExtendedLifetime(session) {}
    }

    func start(_ advertisement: PeriodicAdvertisement, _ request: Request? = nil) async throws(PeriodicError) {
        let result = await withCheckedContinuation { (answer: Answer) in
            let (session, failure) = content.withLock { content -> ((any PeriodicSession)?, PeriodicError?) in
                if let failure = PeriodicError(content.state) { return (nil, failure) }
                content.waiting.append(answer)
                content.source = (request, advertisement.subevents?.count ?? 0)
                if content.state == .poweredOn { return (content.session, nil) }
                content.wanted = advertisement
                return (nil, nil)
            }
            session?.startAdvertising(advertisement)
            if let failure { answer.resume(returning: .failure(failure)) }
        }
        try result.get()
    }

    func stop() {
        let session = content.withLock { content in
            content.wanted = nil
            content.isAdvertising = false
            return content.session
        }
        session?.stopAdvertising()
        answer(.failure(.cancelled))
    }

    func transfer(to device: UUID, _ value: UInt16) async throws(PeriodicError) {
        try await transfers.transfer(.advertisement, value: value, to: device, over: content.withLock { $0.session })
    }

    private func answer(_ result: Result<Void, PeriodicError>) {
        let waiting = content.withLock { content in
            defer { content.waiting = [] }
            return content.waiting
        }
        for answer in waiting { answer.resume(returning: result) }
    }

    func adapterStateChanged(_ state: AdapterState) {
        let (session, wanted) = content.withLock { content -> ((any PeriodicSession)?, PeriodicAdvertisement?) in
            content.state = state
            return state == .poweredOn ? (content.session, content.wanted.take()) : (nil, nil)
        }
        if let wanted { session?.startAdvertising(wanted) }
        // Those that the session has are answered by it.
        if let failure = PeriodicError(state), content.withLock({ $0.wanted.take() }) != nil {
            answer(.failure(failure))
        }
    }

    func transferEnded(_ failure: PeriodicFailure?, token: Int) { transfers.end(failure, token: token) }

    func subeventsRequested(from start: UInt8, count: Int) {
        let (session, source) = content.withLock { ($0.session, $0.source) }
        guard let request = source.request, source.subevents > 0 else { return }
        let subevents = Int(source.subevents)
        var entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry] = []
        for position in 0..<min(count, subevents) {
            let subevent = (Int(start) + position) % subevents
            guard let wanted = request(subevent) else { continue }
            if let entry = wanted.entry(UInt8(subevent)) { entries.append(entry) } else { refuse() }
        }
        if !entries.isEmpty { session?.setSubeventData(entries) }
    }

    private func refuse() { content.withLock { $0.refused += 1 } }

    func subeventDataRefused(_ failure: PeriodicFailure) { refuse() }

    func subeventResponse(_ data: Span<UInt8>, _ response: SubeventResponse) {
        received.yield(
            PeriodicResponse(
                subevent: Int(response.subevent), slot: Int(response.slot),
                data: data.withUnsafeBufferPointer { Data($0) }, rssi: response.rssi == 127 ? nil : Int(response.rssi),
                transmitPower: response.transmitPower == 127 ? nil : Int(response.transmitPower)))
    }

    func periodicAdvertisingChanged(_ failure: PeriodicFailure?, isAdvertising: Bool) {
        content.withLock { content in
            content.isAdvertising = isAdvertising
            if failure == nil { content.former = content.source } else { content.source = content.former }
        }
        answer(failure.map { .failure(PeriodicError($0)) } ?? .success(()))
    }
}

extension PeriodicError {
    /// Nil for a state in which Bluetooth works, or may soon.
    init?(_ state: AdapterState) {
        switch state {
        case .unknown, .resetting, .poweredOn: return nil
        case .unsupported, .unauthorized: self = .unsupported
        case .poweredOff: self = .poweredOff
        }
    }
}
