import BLEWire

/// The controller's reports about the radio of a link.
extension Connection {
    private func emit(_ event: LinkRadioEvent, _ output: inout HostOutput) {
        if !isSilent { output.events.append(.radio(identifier, event)) }
    }

    /// Takes the refusal of a command.
    func radioRefused(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ output: inout HostOutput) {
        emit(.refused(opcode, status), &output)
    }

    /// Takes the answer to LE Enhanced Read Transmit Power Level (Vol 4, Part E, 7.8.117).
    func transmitPowerRead(_ status: HCI.ErrorCode, _ parameters: Span<UInt8>, _ output: inout HostOutput) {
        guard status == .success else { return radioRefused(.leEnhancedReadTransmitPowerLevel, status, &output) }
        guard let answer = try? HCI.LEEnhancedReadTransmitPowerLevel.ReturnParameters(decoding: parameters) else {
            return radioRefused(.leEnhancedReadTransmitPowerLevel, .unspecifiedError, &output)
        }
        emit(
            .transmitPower(
                TransmitPowerReport(
                    role: role, phy: answer.phy, power: answer.current,
                    limits: answer.current == answer.maximum ? .maximum : [], change: nil)),
            &output)
    }

    /// Takes LE Transmit Power Reporting (Vol 4, Part E, 7.7.65.33).
    func powerReported(_ event: HCI.LETransmitPowerReporting, _ output: inout HostOutput) {
        // Only the reading of the peer's power can fail.
        if event.reason == .remoteRead, event.status != .success {
            return radioRefused(.leReadRemoteTransmitPowerLevel, event.status, &output)
        }
        let peerRole: LinkRole = role == .central ? .peripheral : .central
        emit(
            .transmitPower(
                TransmitPowerReport(
                    role: event.reason == .localChanged ? role : peerRole, phy: event.phy,
                    power: event.power <= 20 ? event.power : nil, limits: event.limits,
                    change: event.delta == 127 ? nil : event.delta)),
            &output)
    }

    /// Takes LE Path Loss Threshold (Vol 4, Part E, 7.7.65.32).
    func pathLossReported(_ event: HCI.LEPathLossThreshold, _ output: inout HostOutput) {
        emit(.pathLoss(event.pathLoss == 0xFF ? nil : event.pathLoss, event.zone), &output)
    }

    /// Takes LE Subrate Change (Vol 4, Part E, 7.7.65.35).
    func subrateChanged(_ event: HCI.LESubrateChange, _ output: inout HostOutput) {
        guard event.status == .success else { return radioRefused(.leSubrateRequest, event.status, &output) }
        linkLayer.parameters.latency = event.latency
        linkLayer.parameters.timeout = event.supervisionTimeout
        emit(.subrated(factor: event.factor, continuationNumber: event.continuationNumber), &output)
    }
}
