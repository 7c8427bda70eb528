import BLERuntime
import CoreBluetooth

extension ToolError {
    /// The failure for a device that answered `what` with an error.
    static func refusal(of what: String, _ error: any Error) -> ToolError {
        guard let code = (error as? CBATTError)?.code else {
            return ToolError(kind(of: error), "\(what) failed: \(sentence(error)).")
        }
        let securityCodes: [CBATTError.Code] = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .insufficientEncryptionKeySize,
        ]
        // The profile of the service defines these codes (Vol 3, Part F, 3.4.1.1).
        let reason =
            (0x80...0x9F).contains(code.rawValue)
            ? "application error " + String(code.rawValue, radix: 16, uppercase: true) : sentence(error)
        return ToolError(
            securityCodes.contains(code) ? .security : .refused, "the device refused \(what): \(reason).")
    }

    /// The failure for a link that ended or was not established.
    ///
    /// - Parameter what: What ended, as the start of a sentence.
    @MainActor
    static func lostLink(_ what: String, _ error: (any Error)?, _ peripheral: CBPeripheral?) -> ToolError {
        let failure = ToolError(kind(of: error), "\(what): \(sentence(error)).")
        if (error as? CBError)?.code == .peerRemovedPairingInformation, let peripheral {
            // The keys of this side would fail again.
            let device = ShellWord.quoted(word(for: peripheral))
            return ToolError(
                .security, failure.lines[0], "Try: bluelab unpair \(device), then bluelab pair \(device)")
        }
        if failure.kind == .security { return failure.withPairingHint(peripheral) }
        guard let name = peripheral?.name else {
            return ToolError(failure.kind, failure.lines[0], "Try: bluelab scan")
        }
        return ToolError(
            failure.kind, failure.lines[0],
            "Try: bluelab scan --name \(ShellWord.quoted(ValueText.printable(name)))")
    }

    /// The exit code for an error of the link.
    private static func kind(of error: (any Error)?) -> Kind {
        switch (error as? CBError)?.code {
        case .connectionTimeout: .timeout
        case .peerRemovedPairingInformation, .encryptionTimedOut: .security
        default: .failed
        }
    }

    /// Adds the command that pairs with the device to a failure that requires it.
    @MainActor
    func withPairingHint(_ peripheral: CBPeripheral?) -> ToolError {
        guard kind == .security, lines.count == 1, let peripheral else { return self }
        return ToolError(.security, lines[0], "Try: bluelab pair \(ShellWord.quoted(Self.word(for: peripheral)))")
    }

    /// The name of a device, else the start of its identifier.
    @MainActor
    private static func word(for peripheral: CBPeripheral) -> String {
        OwnNames.shown(peripheral.name.map(ValueText.printable), of: peripheral.identifier)
            ?? shortened(peripheral.identifier)
    }
}

extension CBError {
    /// Whether the operation failed because its link ended.
    var isOfLostLink: Bool { [.unknown, .notConnected, .peripheralDisconnected, .connectionTimeout].contains(code) }
}

extension CentralClient.Event {
    /// The error of an operation's result.
    var error: (any Error)? {
        switch self {
        case .services(let error), .includedServices(_, let error), .characteristics(_, let error),
            .descriptors(_, let error), .value(_, let error), .descriptorValue(_, let error), .written(_, let error),
            .descriptorWritten(_, let error), .notifying(_, let error), .rssi(_, let error):
            error
        default: nil
        }
    }
}
