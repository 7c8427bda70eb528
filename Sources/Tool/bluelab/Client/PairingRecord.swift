import BluetoothPairing
import Foundation

/// A device and the protection of its keys, in the output of `pair`, `unpair` and `bonds`.
struct PairingRecord: Encodable {
    let type: String
    let identifier: String
    let name: String?
    /// The protection: encrypted, authenticated or secureConnections. Nil after `unpair`.
    let security: String?
    /// Octets. Nil if it is not known; `authenticated` and `secureConnections` are then true only if the pairing showed it.
    let keySize: Int?
    let authenticated: Bool?
    let secureConnections: Bool?
    let bonded: Bool?
    /// Whether a sniffer can decrypt the link, because the keys come from a debug key pair.
    let debugKeys: Bool?

    /// - Parameter isComplete: Whether the adapter knows the keys. Otherwise it reports a protection that they have in any case.
    init(
        _ type: String, _ identifier: UUID, _ name: String?, _ security: PairingSecurity?, debugKeys: Bool? = nil,
        isComplete: Bool = ControllerSelection.knowsKeys
    ) {
        self.type = type
        self.identifier = identifier.uuidString
        self.name = name.map(ValueText.printable)
        self.security = security.map { "\($0.level)" }
        keySize = isComplete ? security?.keySize : nil
        authenticated = security?.isAuthenticated
        secureConnections = security?.usesSecureConnections
        bonded = security?.isBonded
        self.debugKeys = debugKeys
    }

    init(_ device: PairedDevice) {
        self.init("bond", device.identifier, device.name, device.security, debugKeys: device.usesDebugKeys)
    }

    /// The first eight digits of the identifier.
    var shortIdentifier: String { String(identifier.prefix(8)) }

    /// The protection in words.
    var protection: String {
        guard let security else { return say("none") }
        var words = [
            authenticated == true ? "authenticated" : security == "unencrypted" ? "not encrypted" : "encrypted"
        ]
        words.append(
            secureConnections == true ? "Secure Connections" : keySize == nil ? "keys not known" : "legacy pairing")
        if let keySize { words.append("\(keySize)-octet key") }
        if bonded == false { words.append("not kept") }
        if debugKeys == true { words.append("debug keys") }
        return words.map(say).joined(separator: ", ")
    }

    func line(asJSON isJSON: Bool) -> String {
        if isJSON { return jsonLine(self) }
        let device = "\(say(type)) \(shownName)  \(shortIdentifier)"
        return security == nil ? device : "\(device)  \(protection)"
    }

    /// The name that the user gave the device, else its own.
    var shownName: String {
        UUID(uuidString: identifier).flatMap { OwnNames.shown(name, of: $0) } ?? say("(no name)")
    }
}
