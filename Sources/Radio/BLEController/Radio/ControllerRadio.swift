import BLEWire

/// The one radio of a controller: its user, and the timers in the queue of the medium.
struct ControllerRadio {
    /// The user of the radio. The scanner and the initiator listen in the background while it is free.
    enum Owner: Hashable {
        case free
        /// An advertising set, by its slot.
        case advertiser(Int)
        case scanner
        case initiator
        /// The scanner or the initiator, for a PDU on a secondary channel.
        case auxiliary
        case link(Int)
        /// The periodic advertising of a set, by the set's slot.
        case train(Int)
        /// The reception of a train, by its slot.
        case sync(Int)
    }

    let index: Int32
    var owner = Owner.free
    /// Whether a user has released the radio in the current call. At the end of the call the controller gives it to another user.
    var isReleased = false
    /// By `ControllerTimer.index`. A timer is created when it is first armed.
    private var timers: [TimerID] = []
    /// The access addresses of links and trains. A peer chooses that of its link, so one may be here twice.
    private(set) var accessAddresses: [UInt32] = []
    private var trainStart = Instant(nanoseconds: .max)
    private var syncStart = Instant(nanoseconds: .max)

    init(index: Int32) { self.index = index }

    // MARK: Timers

    /// - Parameter time: By the controller's clock.
    mutating func arm(_ timer: ControllerTimer, at time: Instant, _ medium: inout Medium) {
        let position = timer.index
        while timers.count <= position { timers.append(.none) }
        if timers[position] == .none {
            timers[position] = medium.scheduler.makeTimer(for: .controller(index, timer))
        }
        let time = medium.clocks.isEmpty ? time : medium.clocks.time(of: index, showing: time)
        medium.scheduler.arm(timers[position], at: time)
    }

    mutating func cancel(_ timer: ControllerTimer, _ medium: inout Medium) {
        let position = timer.index
        if position < timers.count, timers[position] != .none { medium.scheduler.cancel(timers[position]) }
    }

    /// Cancels the timers of a link.
    mutating func cancel(ofLink slot: Int, _ medium: inout Medium) {
        let slot = Int32(slot)
        for timer in [.event(slot), .supervision(slot), .procedure(slot), .payload(slot)] as [ControllerTimer] {
            cancel(timer, &medium)
        }
    }

    /// Runs the clock with another error from now on (`ClockSetting`). Deadlines keep their places on the clock, so they come earlier or later.
    func setClock(error: Int, _ medium: inout Medium) {
        let before = medium.clocks[index]
        medium.clocks.set(error: error, of: index, at: medium.time)
        let (after, now) = (medium.clocks[index], medium.time)
        guard before != after else { return }
        medium.scheduler.move(timers) { max(now, after.time(showing: before.reading(at: $0))) }
    }

    mutating func releaseTimers(_ medium: inout Medium) {
        for timer in timers { medium.scheduler.release(timer) }
        timers.removeAll()
    }

    // MARK: Periodic advertising

    /// The start of the next event of a train that this controller sends or receives; `Instant.max` without trains.
    var fixedStart: Instant { min(trainStart, syncStart) }

    /// Whether an event of a train begins so soon that an event of a link does not go on.
    func awaitsTrain(at now: Instant) -> Bool { fixedStart <= now + .milliseconds(3) }

    /// The sync that has the radio.
    var listeningSync: Int? { if case .sync(let slot) = owner { slot } else { nil } }

    /// Plans the next event of the trains that are sent.
    mutating func planTrain(at time: Instant?, _ medium: inout Medium) {
        trainStart = time ?? Instant(nanoseconds: .max)
        if let time { arm(.train, at: max(time, medium.now), &medium) } else { cancel(.train, &medium) }
    }

    /// Plans the next reception of trains.
    ///
    /// - Parameters:
    ///   - start: The start of a window.
    ///   - time: That, or the earlier time at which a sync is lost.
    mutating func planSync(start: Instant?, at time: Instant?, _ medium: inout Medium) {
        syncStart = start ?? Instant(nanoseconds: .max)
        if let time { arm(.sync, at: max(time, medium.now), &medium) } else { cancel(.sync, &medium) }
    }

    // MARK: Access addresses

    /// Receives PDUs with an access address, each once.
    mutating func subscribe(to accessAddress: UInt32, _ medium: inout Medium) {
        if !accessAddresses.contains(accessAddress) { medium.subscribe(index, to: accessAddress) }
        accessAddresses.append(accessAddress)
    }

    mutating func unsubscribe(from accessAddress: UInt32, _ medium: inout Medium) {
        guard let position = accessAddresses.firstIndex(of: accessAddress) else { return }
        accessAddresses.remove(at: position)
        if !accessAddresses.contains(accessAddress) { medium.unsubscribe(index, from: accessAddress) }
    }

    // MARK: The use of the radio

    /// Waits for a PDU that starts after an inter frame space (Vol 6, Part B, 4.1.1). Both active clocks may deviate by
    /// 2 µs (4.2.1).
    mutating func awaitAnswer(on phy: LL.PHY, _ medium: inout Medium) {
        let slack = TimeSpan.microseconds(4)
        arm(.radio, at: medium.now + LL.interFrameSpace + phy.synchronisationTime + slack, &medium)
    }

    mutating func release(_ medium: inout Medium) {
        owner = .free
        isReleased = true
        cancel(.radio, &medium)
        medium.stopListening(index)
    }

    /// Stops everything, as at a reset.
    mutating func reset(_ medium: inout Medium) {
        medium.cutTransmission(of: index)
        medium.stopListening(index)
        for timer in ControllerTimer.own { cancel(timer, &medium) }
        while let accessAddress = accessAddresses.last { unsubscribe(from: accessAddress, &medium) }
        (trainStart, syncStart) = (Instant(nanoseconds: .max), Instant(nanoseconds: .max))
        owner = .free
    }
}
