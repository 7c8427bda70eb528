import SystemBus

/// Why bluetoothd's adapter cannot be used at present. The description is a sentence that says what happened.
package enum BlueZError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no bus, or it ended.
    case bus(BusCallError)
    /// bluetoothd does not run, and the bus cannot start it, with its reason.
    case notRunning(String)
    /// bluetoothd ran, and is gone. It usually comes back.
    case gone
    /// bluetoothd does not answer.
    case silent
    /// The bus does not let this user talk to bluetoothd.
    case refused
    /// bluetoothd has no adapter, or not the one that is named.
    case noAdapter(String?)
    /// The adapter that was in use is gone.
    case adapterGone(String?)
    /// The adapter is switched off.
    case off(String)
    /// A switch of the system has the radio off.
    case blocked(String, isHard: Bool)

    package var description: String {
        switch self {
        case .bus(let error): "\(error)"
        case .notRunning(let reason): "bluetoothd does not run, and the bus cannot start it (\(reason))."
        case .gone: "bluetoothd has ended. This program goes on when it is back."
        case .silent: "bluetoothd does not answer."
        case .refused: "The policy of the bus does not let this user talk to bluetoothd."
        case .noAdapter(nil): "bluetoothd has no adapter."
        case .noAdapter(let name?): "bluetoothd has no adapter \(name)."
        case .adapterGone(nil): "The adapter is gone."
        case .adapterGone(let name?): "The adapter \(name) is gone."
        case .off(let name): "The adapter \(name) is switched off."
        case .blocked(let name, false): "The radio of \(name) is switched off by rfkill."
        case .blocked(let name, true): "The radio of \(name) is switched off by a switch or a key of this machine."
        }
    }
}
