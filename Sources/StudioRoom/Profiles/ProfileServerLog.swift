import BLEValues
import CoreBluetooth
import DeviceProfiles
import ProfileServing

/// Describes the events of a `ProfileServer` for people.
package struct ProfileServerLog {
    /// The least time between two descriptions of updates of one characteristic.
    private static let updateInterval = Duration.seconds(1)

    package private(set) var isAdvertising = false
    private var subscribers: [ObjectIdentifier: Int] = [:]
    private var lastUpdates: [ObjectIdentifier: Duration] = [:]

    package init() {}

    /// The number of subscriptions.
    package var subscriptions: Int { subscribers.values.reduce(0, +) }

    /// Adds an event. Returns nil for an update soon after another one of the same characteristic.
    package mutating func happening(_ event: ServerEvent, at time: Duration) -> Happening? {
        switch event {
        case .state(let state):
            (isAdvertising, subscribers, lastUpdates) = (false, [:], [:])
            let isOn = state == .poweredOn
            return callback(
                isOn
                    ? "Bluetooth is on: the device publishes its services."
                    : "Bluetooth is not on: the device serves nothing.", "peripheralManagerDidUpdateState(_:)")
        case .published(let service):
            return callback("The service \(service.uuid) is published.", "peripheralManager(_:didAdd:error:)")
        case .advertising(let advertising):
            isAdvertising = true
            let name = advertising.localName.map { "as \(Self.shown($0))" } ?? "without a name"
            return callback("The device advertises \(name).", "peripheralManagerDidStartAdvertising(_:error:)")
        case .read(let details):
            return callback("A central reads \(Self.sentence(details))", "peripheralManager(_:didReceiveRead:)")
        case .write(let details):
            return callback("A central writes \(Self.sentence(details))", "peripheralManager(_:didReceiveWrite:)")
        case .subscription(let details):
            let key = ObjectIdentifier(details.characteristic)
            subscribers[key] = max(0, subscribers[key, default: 0] + (details.isSubscribed ? 1 : -1))
            lastUpdates[key] = nil
            let name = details.characteristic.uuid.description
            return details.isSubscribed
                ? callback("A central subscribes to \(name).", "peripheralManager(_:central:didSubscribeTo:)")
                : callback(
                    "A central ends its subscription to \(name).", "peripheralManager(_:central:didUnsubscribeFrom:)")
        case .update(let characteristic, let value):
            let key = ObjectIdentifier(characteristic)
            if let last = lastUpdates[key], time - last < Self.updateInterval { return nil }
            lastUpdates[key] = time
            return Happening(
                .call, "The device sends \(characteristic.uuid): \(Self.shown(value))",
                swift: "manager.updateValue(_:for:onSubscribedCentrals:)")
        case .ready:
            return callback("The transmit queue has room again.", "peripheralManagerIsReady(toUpdateSubscribers:)")
        case .lostUpdates(let count):
            return Happening(.error, "\(count) updates are lost: a central writes faster than it receives.")
        case .failed(let sentence): return Happening(.error, "The profile fails: \(sentence)")
        }
    }

    private func callback(_ text: String, _ method: String) -> Happening { Happening(.callback, text, swift: method) }

    private static func sentence(_ details: RequestDetails) -> String {
        let name = details.characteristic.uuid.description
        if let error = details.error { return "\(name): refused with \(error.word)." }
        return "\(name): \(shown(details.value))"
    }

    private static func shown(_ value: [UInt8]) -> String {
        let digits = Hexadecimal.text(value.prefix(20))
        return value.isEmpty ? "no octets" : value.count > 20 ? "\(digits)… (\(value.count) octets)" : digits
    }

    /// A name without characters that change the direction or the lines of a text.
    private static func shown(_ name: String) -> String {
        String(
            name.prefix(64).map { character in
                let isPrintable = character.unicodeScalars.allSatisfy { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                        false
                    default: true
                    }
                }
                return isPrintable ? character : "\u{FFFD}"
            })
    }
}
