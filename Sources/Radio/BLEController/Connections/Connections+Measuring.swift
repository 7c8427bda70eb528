import BLEWire

/// What a link measures in its events: received power, path loss, and the losses on its channels.
extension Connections {
    /// The shortest time between two requests for another power of the peer that the controller makes by itself. Another change should be rarer
    /// than one in a second (Vol 6, Part B, 5.1.18).
    private static let requestSpacing = TimeSpan.seconds(1)

    /// Uses the measurements of an event that has ended.
    ///
    /// - Parameter counter: The counter of the event.
    mutating func evaluate(
        _ event: LinkLayerConnection.Event, counter: UInt16, _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        let isReceived = event.isAnchored && event.errors == 0
        links[slot].channels.reporter?.note(event.channel, isLost: !isReceived, at: medium.now)
        reportChannels(slot, &radio, &medium)
        guard isReceived else { return }
        let (phy, rssi) = (links[slot].phys.rx, links[slot].signal.rssi)
        let loss = links[slot].procedures.power.pathLoss(rssi: rssi, on: phy)
        if let report = links[slot].signal.pathLoss.measure(loss, event: counter) {
            host.reportPathLoss(links[slot], report)
        }
        askForPower(slot, &radio, &host, &medium)
        keepPower(slot, &radio, &host, &medium)
    }

    // MARK: Power

    /// Asks once for the peer's power on the PHY in use, if path loss or reports need it.
    mutating func askForPower(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        let phy = links[slot].phys.rx
        guard links[slot].signal.pathLoss.isOn || links[slot].procedures.power.reports.contains(.remote),
            links[slot].procedures.power.mayAsk(on: phy)
        else { return }
        links[slot].procedures.power.noteRequest(on: phy)
        requestProcedure(.powerControl(PowerRequest(phy: phy, purpose: .own)), slot, &radio, &host, &medium)
    }

    /// Requests another power of the peer if the received power is outside of the preferred range.
    private mutating func keepPower(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        let phy = links[slot].phys.rx
        guard medium.now >= links[slot].procedures.power.quietUntil,
            let delta = links[slot].procedures.power.wantedChange(rssi: links[slot].signal.rssi, on: phy)
        else { return }
        links[slot].procedures.power.quietUntil = medium.now + Self.requestSpacing
        requestProcedure(
            .powerControl(PowerRequest(phy: phy, delta: delta, purpose: .own)), slot, &radio, &host, &medium)
    }

    // MARK: Channels

    /// Sends the report of a peripheral that is due.
    mutating func reportChannels(_ slot: Int, _ radio: inout ControllerRadio, _ medium: inout Medium) {
        guard links[slot].procedures.outgoing.count < LinkLayerProcedures.mostUnacknowledged else { return }
        let report = links[slot].channels.reporter?.takeReport(
            allowed: defaults.channelClassification, delay: links[slot].timing.usedSpan, at: medium.now)
        if let report { links[slot].procedures.send(LL.ChannelStatusInd(classification: report)) }
        // A report that has to wait keeps the peripheral awake.
        if report != nil || links[slot].channels.reporter?.isPending == true { wakeLink(slot, &radio, &medium) }
    }

    /// Turns the reports of a peripheral on or off.
    mutating func setReports(
        _ indication: LL.ChannelReportingInd, _ slot: Int, _ radio: inout ControllerRadio, _ medium: inout Medium
    ) {
        var reporter = links[slot].channels.reporter ?? ChannelReporter()
        reporter.set(indication)
        links[slot].channels.reporter = reporter
        reportChannels(slot, &radio, &medium)
    }

    /// Takes the report of a peripheral, if this controller has asked for it.
    mutating func learnChannels(
        _ classification: LL.ChannelClassification, _ slot: Int, _ radio: inout ControllerRadio,
        _ host: inout HostInterface, _ medium: inout Medium
    ) {
        guard links[slot].channels.peripheralStatus != nil else { return }
        links[slot].channels.peripheralStatus = classification
        chooseChannels(slot, &radio, &host, &medium)
    }

    /// Starts a channel map update of a central if it needs another map (Vol 6, Part B, 5.1.2).
    mutating func chooseChannels(
        _ slot: Int, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) {
        let map = links[slot].channels.chosenMap(from: defaults.channelClassification)
        // A procedure may be about another channel map.
        let isChanging =
            links[slot].procedures.hasWaiting(.channelMap(map))
            || links[slot].changes.contains { if case .channelMap = $0 { true } else { false } }
        guard links[slot].channels.map != map || isChanging else { return }
        requestProcedure(.channelMap(map), slot, &radio, &host, &medium)
    }
}
