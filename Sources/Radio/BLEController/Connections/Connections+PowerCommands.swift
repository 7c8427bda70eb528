import BLEWire

/// The commands for transmit power and path loss (Vol 4, Part E, 7.8.117 to 7.8.121).
extension Connections {
    mutating func handlePower(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface,
        _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leEnhancedReadTransmitPowerLevel:
            let command = try HCI.LEEnhancedReadTransmitPowerLevel(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let phy = try supportedPHY(command.phy)
            host.complete(
                HCI.LEEnhancedReadTransmitPowerLevel.self,
                .init(
                    status: .success, connectionHandle: command.connectionHandle, phy: command.phy,
                    current: links[slot].procedures.power.power(on: phy), maximum: capabilities.powers.upperBound))
        case .leReadRemoteTransmitPowerLevel:
            let command = try HCI.LEReadRemoteTransmitPowerLevel(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            let request = PowerRequest(phy: try supportedPHY(command.phy), purpose: .read)
            try begin(.powerControl(request), opcode, slot, &radio, &host, &medium)
        case .leSetTransmitPowerReportingEnable:
            let command = try HCI.LESetTransmitPowerReportingEnable(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            var reports: LinkPower.Reports = []
            if command.reportsLocal { reports.insert(.local) }
            if command.reportsRemote { reports.insert(.remote) }
            links[slot].procedures.power.reports = reports
            host.complete(opcode, .success, handle: command.connectionHandle)
            askForPower(slot, &radio, &host, &medium)
        case .leSetPathLossReportingParameters:
            let command = try HCI.LESetPathLossReportingParameters(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            guard let zones = PathLossMonitor.Zones(command) else { throw .invalidHCICommandParameters }
            links[slot].signal.pathLoss.set(zones)
            host.complete(opcode, .success, handle: command.connectionHandle)
        case .leSetPathLossReportingEnable:
            let command = try HCI.LESetPathLossReportingEnable(from: parameters)
            let slot = try slot(of: command.connectionHandle)
            guard links[slot].signal.pathLoss.zones != nil else { throw .commandDisallowed }
            links[slot].signal.pathLoss.turn(on: command.isOn)
            host.complete(opcode, .success, handle: command.connectionHandle)
            askForPower(slot, &radio, &host, &medium)
        case .vendorWriteTransmitPower: try writePower(parameters, &radio, &host, &medium)
        default: return false
        }
        return true
    }

    /// The PHY of a command, which the controller must support in both codings (Vol 4, Part E, 7.8.117).
    private func supportedPHY(_ phy: HCI.PowerPHY) throws(HCI.ErrorCode) -> LL.PHY {
        guard let phy = LL.PHY(rawValue: phy.rawValue), capabilities.phys.isSuperset(of: LL.PHYSet([phy])) else {
            throw .unsupportedFeatureOrParameterValue
        }
        return phy
    }

    /// Sets the power of a link on its PHY.
    private mutating func writePower(
        _ parameters: Span<UInt8>, _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) {
        let command = try HCI.VendorWriteTransmitPower(from: parameters)
        guard command.role == .link else { throw .unsupportedFeatureOrParameterValue }
        guard (-127...20).contains(command.power) else { throw .invalidHCICommandParameters }
        let slot = try slot(of: command.handle)
        // A peer that acknowledges nothing would let the notifications accumulate.
        guard links[slot].procedures.outgoing.count < LinkLayerProcedures.mostUnacknowledged else {
            throw .controllerBusy
        }
        let phy = links[slot].phys.tx
        links[slot].procedures.changePower(to: command.power, on: phy, &actions)
        host.complete(
            HCI.VendorWriteTransmitPower.self,
            .init(
                status: .success, role: command.role, handle: command.handle,
                selected: links[slot].procedures.power.power(on: phy)))
        performActions(slot, &radio, &host, &medium)
        wakeLink(slot, &radio, &medium)
    }
}
