import BLEWire

/// Stores the state of managers with a restore identifier, so that a program that is started again can continue. Any
/// thread may call its methods, which do not wait for a disk.
package protocol RestorationStore: AnyObject, Sendable {
    /// The state that an earlier run stored; nil if there is none.
    func central(_ identifier: String) -> CentralRestoration?
    func peripheral(_ identifier: String) -> PeripheralRestoration?
    /// Replaces the state; nil removes it.
    func keep(_ state: CentralRestoration?, of identifier: String)
    func keep(_ state: PeripheralRestoration?, of identifier: String)
    /// The record of a device.
    func record(of peer: PeerIdentifier) -> PeerRecord
}

/// The state of a central manager: its scan, and the devices to which it is connected or connecting.
package struct CentralRestoration: Hashable, Sendable {
    package struct Connection: Hashable, Sendable {
        package var peer: PeerIdentifier
        package var reconnectsAutomatically: Bool
        package init(peer: PeerIdentifier, reconnectsAutomatically: Bool) {
            self.peer = peer
            self.reconnectsAutomatically = reconnectsAutomatically
        }
    }

    package var scan: ScanRequest?
    package var connections: [Connection]
    package init(scan: ScanRequest? = nil, connections: [Connection] = []) {
        self.scan = scan
        self.connections = connections
    }

    package var isEmpty: Bool { scan == nil && connections.isEmpty }
}

/// The state of a peripheral manager: its services in the order in which they were added, and its advertisement.
package struct PeripheralRestoration: Hashable, Sendable {
    package struct Service: Hashable, Sendable {
        /// Identifies the service in the lists of included services.
        package var token: Int
        package var definition: ServiceDefinition
        package init(token: Int, definition: ServiceDefinition) {
            self.token = token
            self.definition = definition
        }
    }

    package var services: [Service]
    package var advertisement: Advertisement?
    package init(services: [Service] = [], advertisement: Advertisement? = nil) {
        self.services = services
        self.advertisement = advertisement
    }

    package var isEmpty: Bool { services.isEmpty && advertisement == nil }
}
