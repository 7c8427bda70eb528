import BluetoothPairing
import Foundation

/// A device and the protection of its keys, in the output of `pair`, `unpair` and `bonds`.
struct PairingRecord: Encodable {
    let type: String
    let identifier: String
    let name: String?
    /// The protection: encrypted, authenticated or secureConnections. Nil after `unpair`.
    let security: String?
    /// Octets.
    let keySize: Int?
    let authenticated: Bool?
    let secureConnections: Bool?
    let bonded: Bool?
    /// Whether a sniffer can decrypt the link, because the keys come from a debug key pair.
    let debugKeys: Bool?

    init(
        _ type: String, _ identifier: UUID, _ name: String?, _ security: PairingSecurity?, debugKeys: Bool? = nil
    ) {
        self.type = type
        self.identifier = identifier.uuidString
        self.name = name.map(ValueText.printable)
        self.security = security.map { "\($0.level)" }
        keySize = security?.keySize
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
        guard let security else { return "none" }
        var words = [
            authenticated == true ? "authenticated" : security == "unencrypted" ? "not encrypted" : "encrypted"
        ]
        words.append(secureConnections == true ? "Secure Connections" : "legacy pairing")
        if let keySize { words.append("\(keySize)-octet key") }
        if bonded == false { words.append("not kept") }
        if debugKeys == true { words.append("debug keys") }
        return words.joined(separator: ", ")
    }

    func line(asJSON isJSON: Bool) -> String {
        if isJSON { return jsonLine(self) }
        let device = "\(name ?? "(no name)")  \(shortIdentifier)"
        return security == nil ? "\(type) \(device)" : "\(type) \(device)  \(protection)"
    }
}
