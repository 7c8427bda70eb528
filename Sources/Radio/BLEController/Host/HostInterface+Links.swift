import BLEWire

/// The events about a link.
extension HostInterface {
    /// Sends LE Connection Complete in the form that the host's event mask selects. `link` is nil if there is no connection. The short
    /// form has no identity kinds and no private addresses (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
    mutating func reportConnection(
        _ link: LinkLayerConnection?, status: HCI.ErrorCode, peer: DeviceAddress, role: HCI.Role,
        localPrivateAddress: DeviceAddress? = nil, peerPrivateAddress: DeviceAddress? = nil
    ) {
        // Only a peripheral learns the accuracy from the connection request.
        let accuracy = role == .peripheral ? link?.timing.peerAccuracy ?? .ppm500 : .ppm500
        let none = DeviceAddress(kind: .random, value: 0)
        if allows(.enhancedConnectionComplete) {
            emit(
                le: HCI.LEEnhancedConnectionComplete(
                    status: status, connectionHandle: link?.handle ?? 0, role: role, peerAddress: peer,
                    localResolvablePrivateAddress: localPrivateAddress ?? none,
                    peerResolvablePrivateAddress: peerPrivateAddress ?? none,
                    interval: link?.timing.interval ?? 0, latency: link?.timing.latency ?? 0,
                    supervisionTimeout: link?.timing.timeout ?? 0, centralClockAccuracy: accuracy))
        } else {
            emit(
                le: HCI.LEConnectionComplete(
                    status: status, connectionHandle: link?.handle ?? 0, role: role, peerAddress: peer.asDevice,
                    interval: link?.timing.interval ?? 0, latency: link?.timing.latency ?? 0,
                    supervisionTimeout: link?.timing.timeout ?? 0, centralClockAccuracy: accuracy))
        }
        guard let link else { return }
        let algorithm: UInt8 = if case .two = link.channels.selection { 1 } else { 0 }
        emit(le: HCI.LEChannelSelectionAlgorithm(connectionHandle: link.handle, algorithm: algorithm))
    }

    /// Reports the data length to the host if it has changed.
    mutating func reportLengths(_ link: LinkLayerConnection) {
        let lengths = link.lengths
        guard lengths != link.reported.lengths else { return }
        link.reported.lengths = lengths
        emit(
            le: HCI.LEDataLengthChange(
                connectionHandle: link.handle, maximumTxOctets: lengths.tx.octets,
                maximumTxTime: lengths.tx.time, maximumRxOctets: lengths.rx.octets, maximumRxTime: lengths.rx.time))
    }

    mutating func reportParameters(_ link: LinkLayerConnection, _ status: HCI.ErrorCode) {
        emit(
            le: HCI.LEConnectionUpdateComplete(
                status: status, connectionHandle: link.handle, interval: link.timing.interval,
                latency: link.timing.latency, supervisionTimeout: link.timing.timeout))
    }

    mutating func reportSubrate(_ link: LinkLayerConnection, _ status: HCI.ErrorCode) {
        link.reported.factor = link.timing.subrating.factor
        emit(
            le: HCI.LESubrateChange(
                status: status, connectionHandle: link.handle, factor: link.timing.subrating.factor,
                latency: link.timing.latency, continuationNumber: link.timing.subrating.continuationNumber,
                supervisionTimeout: link.timing.timeout))
    }

    mutating func reportPower(_ link: LinkLayerConnection, _ report: PowerReport) {
        emit(
            le: HCI.LETransmitPowerReporting(
                status: report.status, connectionHandle: link.handle, reason: report.reason,
                phy: HCI.PowerPHY(rawValue: report.phy.rawValue), power: report.level.power,
                limits: report.level.limits, delta: report.delta))
    }

    mutating func reportPathLoss(_ link: LinkLayerConnection, _ report: PathLossMonitor.Report) {
        emit(
            le: HCI.LEPathLossThreshold(
                connectionHandle: link.handle, pathLoss: report.loss,
                zone: HCI.PathLossZone(rawValue: report.zone.rawValue)))
    }

    mutating func reportPHY(_ link: LinkLayerConnection, _ status: HCI.ErrorCode) {
        emit(
            le: HCI.LEPHYUpdateComplete(
                status: status, connectionHandle: link.handle,
                txPHY: HCI.PHY(link.phys.tx), rxPHY: HCI.PHY(link.phys.rx)))
    }
}

extension HCI.PHY {
    /// The host sees no coding.
    init(_ phy: LL.PHY) { self.init(rawValue: min(3, phy.rawValue)) }
}
