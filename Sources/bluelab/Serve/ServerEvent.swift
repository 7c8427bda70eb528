import BLEValues
import CoreBluetooth
import DeviceProfiles
import Foundation

/// What happens in a server, for the output.
enum ServerEvent {
    case state(CBManagerState)
    case advertising(AdvertisingProfile)
    case read(RequestDetails)
    case write(RequestDetails)
    case subscription(SubscriptionDetails)
    case update(CBCharacteristic, [UInt8])
    /// The number of updates that did not fit into the queue.
    case lostUpdates(Int)
    case failed(String)
}

struct RequestDetails {
    let characteristic: CBCharacteristic
    let central: UUID
    let value: [UInt8]
    let error: ErrorCode?

    init(_ request: CBATTRequest, _ value: [UInt8], error: ErrorCode? = nil) {
        characteristic = request.characteristic
        central = request.central.identifier
        self.value = value
        self.error = error
    }
}

struct SubscriptionDetails {
    let characteristic: CBCharacteristic
    let central: UUID
    let isSubscribed: Bool

    init(_ central: CBCentral, _ characteristic: CBCharacteristic, isSubscribed: Bool) {
        self.characteristic = characteristic
        self.central = central.identifier
        self.isSubscribed = isSubscribed
    }
}

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
