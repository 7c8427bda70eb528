import BLEAdapter
import BLEWire

extension HostCore {
    /// Has the store keep a device that this host is connected to: from now on a program may know it by its identifier.
    func rememberNames(_ index: Int) {
        let peer = connections[index].peer
        let address = connections[index].address
        identities.remember(address, board.content.withLock { $0.names(of: peer, at: address) })
    }

    /// Gives this host another GAP device name. Clients that are connected hear that the GAP service changed, and read it
    /// anew.
    func rename(_ name: [UInt8]) {
        host.database.deviceName = name
        host.databaseChanged([host.database.gapService], at: now)
    }
}
