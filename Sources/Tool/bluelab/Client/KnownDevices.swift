import AdvertisementScanning
import BLEAdapter
import BLEStore

/// The devices that the store knows, because a program of this user was connected to them.
enum KnownDevices {
    /// Words for the completion of DEVICE in a shell.
    static var words: [String] {
        Set(ProcessStore.shared.knownNames.map { word($0.value.advertisedName ?? $0.value.deviceName, $0.key) })
            .sorted()
    }

    /// The name if it is one word of a shell, otherwise the first eight digits of the identifier.
    static func word(_ name: String?, _ identifier: PeerIdentifier) -> String {
        if let name, !name.isEmpty, name.utf8.allSatisfy(isPlain) { return name }
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
