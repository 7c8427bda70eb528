import BLEWire

/// Transmit power, path loss and subrating of links. The results are `HostEvent.radio`. A call returns false, without effect, if the link has
/// ended, or if this host, its controller or the peer lacks the feature (`radioFeatures`).
extension HostStack {
    /// What this host can do on a link; nothing if the link has ended.
    package func radioFeatures(of link: LinkIdentifier) -> LinkRadioFeatures {
        guard lifecycle.isRunning, let connection = connections[link], !connection.isEnding else { return [] }
        let own = lifecycle.capabilities
        let remote = connection.setUp.remoteFeatures
        func haveBoth(_ features: HCI.LEFeatures) -> Bool {
            own.features.isSuperset(of: features) && remote?.isSuperset(of: features) ?? true
        }
        var features: LinkRadioFeatures = []
        if own.has(.leEnhancedReadTransmitPowerLevel) { features.insert(.localPower) }
        if haveBoth(.powerControl), own.has(.leReadRemoteTransmitPowerLevel),
            own.has(.leSetTransmitPowerReportingEnable)
        {
            features.insert(.powerControl)
            // Only the own controller monitors, but it needs the peer's power.
            if own.features.contains(.pathLossMonitoring), own.has(.leSetPathLossReportingParameters),
                own.has(.leSetPathLossReportingEnable)
            {
                features.insert(.pathLoss)
            }
        }
        if configuration.acceptedSubrates != nil, haveBoth(.subrating), own.has(.leSubrateRequest),
            remote?.contains(.subratingHostSupport) ?? true
        {
            features.insert(.subrating)
        }
        return features
    }

    /// Reads the power with which this side sends on a PHY.
    @discardableResult
    package mutating func readTransmitPower(
        _ link: LinkIdentifier, on phy: HCI.PowerPHY = .le1M, at now: Instant
    ) -> Bool {
        guard let connection = usable(link, for: .localPower) else { return false }
        enqueue(
            HCI.LEEnhancedReadTransmitPowerLevel(connectionHandle: connection.handle, phy: phy),
            for: .readTransmitPower, on: connection)
        finish(at: now)
        return true
    }

    /// Reads the power with which the peer sends on a PHY.
    @discardableResult
    package mutating func readRemoteTransmitPower(
        _ link: LinkIdentifier, on phy: HCI.PowerPHY = .le1M, at now: Instant
    ) -> Bool {
        guard let connection = usable(link, for: .powerControl) else { return false }
        enqueue(
            HCI.LEReadRemoteTransmitPowerLevel(connectionHandle: connection.handle, phy: phy), for: .radio,
            on: connection)
        finish(at: now)
        return true
    }

    /// Turns the reports of changes of the power on either side on or off.
    @discardableResult
    package mutating func reportTransmitPower(
        _ link: LinkIdentifier, local: Bool, remote: Bool, at now: Instant
    ) -> Bool {
        guard let connection = usable(link, for: .powerControl) else { return false }
        enqueue(
            HCI.LESetTransmitPowerReportingEnable(
                connectionHandle: connection.handle, reportsLocal: local, reportsRemote: remote),
            for: .radio, on: connection)
        finish(at: now)
        return true
    }

    /// Reports the zone of the path loss and its changes; nil turns the reports off.
    @discardableResult
    package mutating func reportPathLoss(_ link: LinkIdentifier, _ zones: PathLossZones?, at now: Instant) -> Bool {
        guard let connection = usable(link, for: .pathLoss) else { return false }
        if let zones {
            enqueue(
                HCI.LESetPathLossReportingParameters(
                    connectionHandle: connection.handle, highThreshold: zones.highThreshold,
                    highHysteresis: zones.highHysteresis, lowThreshold: zones.lowThreshold,
                    lowHysteresis: zones.lowHysteresis, minimumTime: zones.minimumTime),
                for: .radio, on: connection)
        }
        enqueue(
            HCI.LESetPathLossReportingEnable(connectionHandle: connection.handle, isOn: zones != nil), for: .radio,
            on: connection)
        finish(at: now)
        return true
    }

    /// Requests that a link uses a part of its connection events. It needs `HostConfiguration.acceptedSubrates` on both sides.
    @discardableResult
    package mutating func requestSubrate(_ link: LinkIdentifier, _ requested: RequestedSubrate, at now: Instant) -> Bool
    {
        guard let connection = usable(link, for: .subrating) else { return false }
        enqueue(
            HCI.LESubrateRequest(
                connectionHandle: connection.handle, factorMinimum: requested.factors.lowerBound,
                factorMaximum: requested.factors.upperBound, maximumLatency: requested.latency,
                continuationNumber: requested.continuationNumber, supervisionTimeout: requested.timeout),
            for: .radio, on: connection)
        finish(at: now)
        return true
    }

    private func usable(_ link: LinkIdentifier, for feature: LinkRadioFeatures) -> Connection? {
        radioFeatures(of: link).contains(feature) ? connections[link] : nil
    }

    private mutating func enqueue(_ command: some HCICommand, for purpose: LinkCommand, on connection: Connection) {
        output.commands.enqueue(command, for: .link(connection.identifier, purpose))
    }
}
