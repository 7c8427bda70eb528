import BLEWire
import Synchronization

/// Knows each device by an identifier of this host's own making. May be asked from any thread.
package protocol IdentityStore: AnyObject, Sendable {
    /// The identifier of the device with this address; a device seen for the first time gets one.
    func identifier(for address: DeviceAddress) -> PeerIdentifier

    /// The address behind an identifier; nil if this host never met the device.
    func address(of identifier: PeerIdentifier) -> DeviceAddress?
}

/// Identifiers that live as long as the process; equal seeds and meetings give equal identifiers.
package final class InMemoryIdentityStore: IdentityStore {
    private struct Content {
        var random: SeededRandom
        var identifiers: [DeviceAddress: PeerIdentifier] = [:]
        var addresses: [PeerIdentifier: DeviceAddress] = [:]
    }

    private let content: Mutex<Content>

    package init(random: SeededRandom) { content = Mutex(Content(random: random)) }

    package func identifier(for address: DeviceAddress) -> PeerIdentifier {
        content.withLock { content in
            if let known = content.identifiers[address] { return known }
            // The form of a random UUID (RFC 9562, 5.4): version 4, variant 0b10.
            let identifier = PeerIdentifier(
                high: content.random.next() & ~0xF000 | 0x4000,
                low: content.random.next() & ~(3 << 62) | 1 << 63)
            content.identifiers[address] = identifier
            content.addresses[identifier] = address
            return identifier
        }
    }

    package func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        content.withLock { $0.addresses[identifier] }
    }
}
