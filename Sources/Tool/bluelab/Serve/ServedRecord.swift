import CoreBluetooth
import Foundation

/// A line of `bluelab serve --json` about a request, a subscription or an update.
struct ServedRecord: Encodable {
    /// `served-read`, `served-write`, `served-update`, `client-subscribed` or `client-unsubscribed`.
    let type: String
    /// Seconds since the start.
    let time: Double
    /// The identifier of the client.
    var identifier: String?
    let service: String?
    let characteristic: String
    let name: String?
    /// Hexadecimal digits.
    var value: String?
    var text: String?
    /// The ATT error that the client received.
    var error: String?

    init(_ type: String, _ characteristic: CBCharacteristic, time: Double) {
        self.type = type
        self.time = time
        service = characteristic.service.map { CBUUID(short: $0.uuid).uuidString }
        self.characteristic = characteristic.uuid.uuidString
        let name = displayName(characteristic.uuid)
        self.name = name == self.characteristic ? nil : name
    }
}

extension CBUUID {
    /// The 16-bit form of a UUID that has one.
    fileprivate convenience init(short uuid: CBUUID) {
        let digits = uuid.uuidString.uppercased()
        let isShort = digits.hasPrefix("0000") && digits.hasSuffix("-0000-1000-8000-00805F9B34FB")
        self.init(string: isShort ? String(digits.dropFirst(4).prefix(4)) : digits)
    }
}

/// A line of `bluelab serve --json` about the profile.
struct ServingRecord: Encodable {
    /// `serving` after the start of advertising, `profile-changed`, or `profile-refused`.
    let type: String
    /// Seconds since the start.
    let time: Double
    /// The file, or the name of the shipped profile.
    let profile: String
    /// The advertised name.
    var name: String?
    /// The services of the profile.
    var services: [String]?
    /// The errors of a file that cannot replace the profile.
    var errors: [String]?
}
