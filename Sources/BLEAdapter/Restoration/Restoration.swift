import BLEWire

/// Where managers with a restore identifier keep what they do, so that a program that was started anew can go on. Any thread;
/// nothing waits for a disk.
package protocol RestorationStore: AnyObject, Sendable {
    /// What an earlier run left behind; nil: nothing.
    func central(_ identifier: String) -> CentralRestoration?
    func peripheral(_ identifier: String) -> PeripheralRestoration?
    /// Replaces what is kept; nil forgets it.
    func keep(_ state: CentralRestoration?, of identifier: String)
    func keep(_ state: PeripheralRestoration?, of identifier: String)
    /// What is known of a device.
    func record(of peer: PeerIdentifier) -> PeerRecord
}

/// What a central manager does: what it scans for, and which devices it is connected to or wants to be.
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

/// What a peripheral manager does: the services in the order in which they were added, and what it advertises.
package struct PeripheralRestoration: Hashable, Sendable {
    package struct Service: Hashable, Sendable {
        /// Names the service, for the lists of included ones.
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
