import BLESecurity
import SystemBus

/// A call of bluetoothd to an agent (org.bluez.Agent1). The paths are those of devices.
enum AgentCall: Hashable {
    /// bluetoothd has forgotten the agent, because it ends.
    case release
    /// The question that waits for an answer is void. The call does not tell which one; an agent has one at a time.
    case cancel
    case requestPasskey(String)
    /// With the number of digits that the peer's user has entered. No answer is expected, and repeated calls report the progress.
    case displayPasskey(String, Passkey, entered: UInt16)
    case requestConfirmation(String, ComparisonValue)
    /// A pairing without authentication that the peer began.
    case requestAuthorization(String)
    /// A connection to a BR/EDR profile of the system.
    case authorizeService
    /// A PIN of BR/EDR, before Secure Simple Pairing.
    case pinCode
    /// A call with other arguments.
    case invalid

    /// The methods of the interface.
    static let methods: Set<String> = [
        "Release", "Cancel", "RequestPinCode", "DisplayPinCode", "RequestPasskey", "DisplayPasskey",
        "RequestConfirmation", "RequestAuthorization", "AuthorizeService",
    ]

    private static let largestPasskey: UInt32 = 999_999

    init(_ message: BusMessage) {
        switch (
            message.member ?? "", message.body.first, message.body.dropFirst().first, message.body.dropFirst(2).first
        ) {
        case ("Release", _, _, _): self = .release
        case ("Cancel", _, _, _): self = .cancel
        case ("RequestPinCode", _, _, _), ("DisplayPinCode", _, _, _): self = .pinCode
        case ("AuthorizeService", _, _, _): self = .authorizeService
        case ("RequestPasskey", .path(let device)?, _, _): self = .requestPasskey(device)
        case ("DisplayPasskey", .path(let device)?, .uint32(let passkey)?, .uint16(let entered)?)
        where passkey <= Self.largestPasskey:
            self = .displayPasskey(device, Passkey(value: UInt128(passkey)), entered: entered)
        case ("RequestConfirmation", .path(let device)?, .uint32(let value)?, _) where value <= Self.largestPasskey:
            self = .requestConfirmation(device, ComparisonValue(value: value))
        case ("RequestAuthorization", .path(let device)?, _, _): self = .requestAuthorization(device)
        default: self = .invalid
        }
    }
}

/// What an agent answers.
enum AgentReply: Hashable {
    case accept
    case passkey(UInt32)
    /// org.bluez.Error.Rejected.
    case reject
    /// org.bluez.Error.Canceled.
    case cancel

    func send(_ call: BusCall) {
        switch self {
        case .accept: call.reply()
        case .passkey(let passkey): call.reply([.uint32(passkey)])
        case .reject: call.fail(BlueZ.Failure.rejected, "The agent rejects it.")
        case .cancel: call.fail(BlueZ.Failure.canceled, "The agent cancelled it.")
        }
    }
}
