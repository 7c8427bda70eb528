import CoreBluetooth
import Foundation

/// What happens in a `ProfileServer`.
package enum ServerEvent {
    case state(CBManagerState)
    case published(CBService)
    case advertising(AdvertisingProfile)
    case read(RequestDetails)
    case write(RequestDetails)
    case subscription(SubscriptionDetails)
    /// The transmit queue took an update.
    case update(CBCharacteristic, [UInt8])
    /// The transmit queue has room again.
    case ready
    /// The number of updates that did not fit into the queue.
    case lostUpdates(Int)
    case failed(String)
}

package struct RequestDetails {
    package let characteristic: CBCharacteristic
    package let central: UUID
    package let value: [UInt8]
    package let error: ErrorCode?

    init(_ request: CBATTRequest, _ value: [UInt8], error: ErrorCode? = nil) {
        characteristic = request.characteristic
        central = request.central.identifier
        self.value = value
        self.error = error
    }
}

package struct SubscriptionDetails {
    package let characteristic: CBCharacteristic
    package let central: UUID
    package let isSubscribed: Bool

    init(_ central: CBCentral, _ characteristic: CBCharacteristic, isSubscribed: Bool) {
        self.characteristic = characteristic
        self.central = central.identifier
        self.isSubscribed = isSubscribed
    }
}
