import BLEWire

/// The Scanning State and the Initiating State of a controller (Vol 6, Part B, 4.4.3 and 4.4.4): the scanner, the initiator, and the PDUs on
/// secondary channels that they follow.
///
/// They listen in the background while the radio is free, and take it for a request or for a PDU on a secondary channel.
struct Discovery {
    var scanning = ScanningRole()
    var initiating = InitiatingRole()
    /// For the scanner and the initiator.
    var pursuits = AuxiliaryPursuits()
    var turns = ListeningTurns()
    var syncs: PeriodicSyncs

    init(_ configuration: ControllerConfiguration) { syncs = PeriodicSyncs(configuration) }

    /// The share of a busy link's time that the scanner and the initiator get, in percent: the ratio of window and interval, at
    /// most 30.
    var backgroundShare: Int { min(30, max(scanning.share, initiating.share)) }

    var claims: ListeningClaims {
        ListeningClaims(backgroundShare: backgroundShare, nextChain: min(pursuits.nextChain, syncs.nextChain))
    }

    // MARK: Intervals and windows

    private subscript(role: ListeningRole) -> ListeningSchedules {
        get { role == .scanner ? scanning.schedules : initiating.schedules }
        set { if role == .scanner { scanning.schedules = newValue } else { initiating.schedules = newValue } }
    }

    /// Begins the first interval on each PHY of a role.
    mutating func beginListening(_ role: ListeningRole, _ shared: inout SharedState, _ medium: inout Medium) {
        for phy in PrimaryPHY.allCases {
            guard let delay = self[role].delay(on: phy) else { continue }
            if delay == .zero {
                beginInterval(of: role, on: phy, &shared, &medium)
            } else {
                shared.radio.arm(.interval(role, phy), at: medium.now + delay, &medium)
            }
        }
    }

    mutating func beginInterval(
        of role: ListeningRole, on phy: PrimaryPHY, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        guard let times = self[role].beginInterval(on: phy) else { return }
        shared.radio.arm(.interval(role, phy), at: medium.now + times.next, &medium)
        if let end = times.windowEnd { shared.radio.arm(.window(role, phy), at: medium.now + end, &medium) }
        listenInBackground(&shared, &medium)
    }

    mutating func endWindow(
        of role: ListeningRole, on phy: PrimaryPHY, _ shared: inout SharedState, _ medium: inout Medium
    ) {
        self[role][phy]?.endWindow()
        listenInBackground(&shared, &medium)
    }

    func cancelTimers(of role: ListeningRole, _ shared: inout SharedState, _ medium: inout Medium) {
        for phy in PrimaryPHY.allCases {
            shared.radio.cancel(.interval(role, phy), &medium)
            shared.radio.cancel(.window(role, phy), &medium)
        }
    }

    // MARK: Listening

    /// Tunes the free radio to the channel of the initiator, else to that of the scanner. While the initiator selects the channel, the scanner
    /// receives on it as well. Otherwise two schedules of equal length could block the scanner for ever.
    mutating func listenInBackground(_ shared: inout SharedState, _ medium: inout Medium) {
        guard shared.radio.owner == .free else { return }
        guard let phy = choosePrimaryPHY(&shared, &medium) else { return medium.stopListening(shared.radio.index) }
        let isOfInitiator = initiating.state == .listening && initiating.schedules.isOpen(on: phy)
        let schedule = isOfInitiator ? initiating.schedules[phy] : scanning.schedules[phy]
        guard let channel = schedule?.channel else { return }
        if let tuning = medium.devices[Int(shared.radio.index)].tuning, tuning.channel == channel,
            tuning.phy == phy.phy
        {
            return
        }
        medium.listen(shared.radio.index, to: channel, phy: phy.phy, ignoringErrors: true)
    }

    /// The PHY to listen on; nil if no window is open.
    private mutating func choosePrimaryPHY(_ shared: inout SharedState, _ medium: inout Medium) -> PrimaryPHY? {
        switch (isWindowOpen(on: .oneM), isWindowOpen(on: .coded)) {
        case (false, false): return nil
        case (true, false): return .oneM
        case (false, true): return .coded
        case (true, true):
            let phy = turns.choose(at: medium.now, random: &shared.random)
            shared.radio.arm(.listeningTurn, at: turns.end, &medium)
            return phy
        }
    }

    private func isWindowOpen(on phy: PrimaryPHY) -> Bool {
        initiating.state == .listening && initiating.schedules.isOpen(on: phy) || scanning.schedules.isOpen(on: phy)
    }
}

/// What the scanner and the initiator claim of the radio's time.
struct ListeningClaims {
    /// The share of the time, in percent.
    let backgroundShare: Int
    /// The time of the next PDU of a chain; `Instant.max` if there is none.
    let nextChain: Instant

    /// Whether a chain goes on so soon that an advertising event would break it. A set waits for this, at most for 50 ms after its event was due.
    func chainPrecedes(eventDue due: Instant, at now: Instant) -> Bool {
        nextChain <= now + .milliseconds(1) && now - due < .milliseconds(50)
    }
}
