import BLEAdapter
import BLEWire

/// The content of a host's store.
struct StoreContent: Hashable, Sendable {
    /// A device that this host was connected to.
    struct Peer: Hashable, Sendable {
        var address: DeviceAddress
        var identifier: PeerIdentifier
        var deviceName: String?
        var advertisedName: String?
        /// The number of the last connection. A later connection has a higher number. It is not a time, so that it is
        /// the same in every run of a world and does not depend on the system's clock.
        var lastMeeting: UInt64
    }

    /// Identifies a manager by its role and its restore identifier.
    struct ManagerKey: Hashable, Sendable {
        enum Role: UInt8, Sendable { case central = 2, peripheral = 3 }
        var role: Role
        var identifier: String
    }

    /// An entry of a kind that this version does not support. It is stored unchanged.
    struct Foreign: Hashable, Sendable {
        var kind: UInt8
        var octets: [UInt8]
    }

    /// The maximum number of stored devices. The device with the oldest last connection is removed first.
    static let peerLimit = 4096
    /// The maximum number of stored managers. Managers of other programs are removed first.
    static let managerLimit = 256

    private(set) var peers: [DeviceAddress: Peer] = [:]
    /// The encoded states.
    var managers: [ManagerKey: [UInt8]] = [:]
    var foreign: [Foreign] = []

    /// Adds or updates a device and makes it the latest one. Returns the devices that were removed for it.
    @discardableResult
    mutating func meet(_ peer: Peer) -> [Peer] {
        var peer = peer
        var last: UInt64 = 0
        for known in peers.values where known.lastMeeting > last { last = known.lastMeeting }
        peer.lastMeeting = last &+ 1
        peers[peer.address] = peer
        return forgetOldest()
    }

    /// Adds a device without changing its place in the order.
    mutating func insert(_ peer: Peer) { peers[peer.address] = peer }

    /// The devices in the order of their last connections, the oldest first.
    var peersByMeeting: [Peer] {
        peers.values.sorted {
            ($0.lastMeeting, $0.address.kind.rawValue, $0.address.value)
                < ($1.lastMeeting, $1.address.kind.rawValue, $1.address.value)
        }
    }

    /// Removes the entries above the limits, except the managers in `own`.
    mutating func trim(keeping own: Set<ManagerKey>) {
        forgetOldest()
        guard managers.count > Self.managerLimit else { return }
        // A program may use one identifier in both roles. Equal contents lose the same one.
        let others = managers.keys.filter { !own.contains($0) }.sorted {
            ($0.identifier, $0.role.rawValue) < ($1.identifier, $1.role.rawValue)
        }
        for key in others.prefix(managers.count - Self.managerLimit) { managers[key] = nil }
    }

    @discardableResult
    private mutating func forgetOldest() -> [Peer] {
        guard peers.count > Self.peerLimit else { return [] }
        let oldest = Array(peersByMeeting.prefix(peers.count - Self.peerLimit))
        for peer in oldest { peers[peer.address] = nil }
        return oldest
    }
}

extension StoreContent: StoreCodable {
    private static let peerKind: UInt8 = 1

    init(from reader: inout StoreReader) throws(DecodeError) {
        while !reader.isAtEnd {
            let kind = try reader.octet()
            let octets = try reader.block()
            if kind == Self.peerKind {
                insert(try Peer(decoding: octets))
            } else if let role = ManagerKey.Role(rawValue: kind) {
                var part = StoreReader(octets)
                let identifier = try part.text()
                managers[ManagerKey(role: role, identifier: identifier)] = Array(try part.block())
                try part.finish()
            } else {
                foreign.append(Foreign(kind: kind, octets: Array(octets)))
            }
        }
    }

    func write(to writer: inout StoreWriter) {
        for peer in peersByMeeting {
            writer.integer(UInt64(Self.peerKind), 1)
            writer.block(peer.encoded)
        }
        let keys = managers.keys.sorted {
            ($0.role.rawValue, $0.identifier) < ($1.role.rawValue, $1.identifier)
        }
        for key in keys {
            var part = StoreWriter()
            part.text(key.identifier)
            part.block(managers[key] ?? [])
            writer.integer(UInt64(key.role.rawValue), 1)
            writer.block(part.octets)
        }
        for part in foreign {
            writer.integer(UInt64(part.kind), 1)
            writer.block(part.octets)
        }
    }
}

extension StoreContent.Peer: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        address = DeviceAddress(kind: .init(rawValue: try reader.octet()), value: try reader.integer(6))
        identifier = try PeerIdentifier(from: &reader)
        deviceName = try reader.optional { reader throws(DecodeError) in try reader.text() }
        advertisedName = try reader.optional { reader throws(DecodeError) in try reader.text() }
        lastMeeting = try reader.integer(8)
    }

    func write(to writer: inout StoreWriter) {
        writer.integer(UInt64(address.kind.rawValue), 1)
        writer.integer(address.value, 6)
        identifier.write(to: &writer)
        writer.optional(deviceName) { $0.text($1) }
        writer.optional(advertisedName) { $0.text($1) }
        writer.integer(lastMeeting, 8)
    }
}
