import AdvertisementScanning
import BLEAdapter
import BLEStore

/// The devices that the store knows, because a program of this user was connected to them, or because the user named them.
enum KnownDevices {
    /// Words for the completion of DEVICE in a shell.
    static var words: [String] {
        let own = OwnNames.current
        let others = ProcessStore.shared.knownNames.map { identifier, names in
            own[identifier].map { word($0, identifier, isOwn: true) }
                ?? word(names.advertisedName ?? names.deviceName, identifier)
        }
        return Set(others + own.sorted.map { word($0.name, $0.identifier, isOwn: true) }).sorted()
    }

    /// The name if it is one word of a shell, otherwise the first eight digits of the identifier.
    ///
    /// - Parameter isOwn: Whether the user wrote the name. Only then it may have letters of other alphabets.
    static func word(_ name: String?, _ identifier: PeerIdentifier, isOwn: Bool = false) -> String {
        if let name, !name.isEmpty, name.utf8.allSatisfy({ isPlain($0) || (isOwn && $0 >= 0x80) }) { return name }
        return identifier.shortText
    }

    private static func isPlain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
