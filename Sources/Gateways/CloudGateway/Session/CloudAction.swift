import BLEAdapter
import BLEWire
import MQTTClient

/// What a session of the cloud gateway asks of its driver.
package enum CloudAction: Equatable, Sendable {
    case connectBroker
    case disconnectBroker
    case subscribe(String)
    /// The number comes back in `published`.
    case publish(MQTTPublication, number: UInt64)
    /// A message that must not be lost while the broker is away.
    case store(topic: String, payload: [UInt8])
    case adapter(CloudAdapterCommand)
    /// The session has stopped.
    case finish
}

package enum CloudAdapterCommand: Equatable, Sendable {
    case startScan
    case stopScan
    case connect(PeerIdentifier)
    case cancelConnection(PeerIdentifier)
    case submit(GATTOperation, PeerIdentifier)
    /// `wroteCommand` with this number follows.
    case writeCommand([UInt8], handle: UInt16, PeerIdentifier, number: Int)
}

/// What a session has done since it began.
package struct CloudCounts: Hashable, Sendable {
    package var advertisements = 0
    /// Advertisements beyond the rate limits.
    package var limitedAdvertisements = 0
    package var values = 0
    package var commands = 0
    package var repeatedCommands = 0
    package var invalidCommands = 0
    package var connections = 0
    package var failedConnections = 0
    package var droppedReplies = 0
    /// Other publications beyond those that may wait for the broker.
    package var droppedPublications = 0
}

extension AdapterState {
    /// The state in messages.
    var word: String {
        switch self {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "off"
        case .poweredOn: "on"
        }
    }
}
