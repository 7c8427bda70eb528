import BLEAdapter
import BLEWire
import ESPHomeAPI

/// The links of a client: connections, their ends, and what the client asks of a device.
extension GatewaySession {
    mutating func request(_ request: DeviceRequest, at now: Instant) {
        let kind = DeviceRequestKind(rawValue: request.kind)
        switch kind {
        case .connect, .connectWithCache, .connectWithoutCache: connect(request, at: now)
        case .disconnect: disconnect(request.address, at: now)
        case .pair:
            guard let link = links[request.address], case .up = link.state else {
                return connection.send(
                    DevicePairingResponse(
                        address: request.address, isSuccess: false, error: GatewayError.notConnected))
            }
            pairing.insert(request.address)
            commands.append(.pair(link.identifier))
        case .unpair:
            let identifier = links[request.address]?.identifier ?? identify(address(of: request))
            commands.append(.unpair(identifier))
            connection.send(DeviceUnpairingResponse(address: request.address, isSuccess: true))
        case .clearCache:
            // The session keeps no services after a discovery, and one that runs goes on.
            connection.send(DeviceClearCacheResponse(address: request.address, isSuccess: true))
        default: break
        }
    }

    func address(of request: DeviceRequest) -> DeviceAddress {
        DeviceAddress(kind: request.addressType & 1 == 0 ? .public : .random, value: request.address)
    }

    mutating func connect(_ request: DeviceRequest, at now: Instant) {
        if let link = links[request.address] {
            // A client that asks again gets the state; a pending attempt answers both requests.
            let isOpening = link.pending.contains { if case .opening = $0 { true } else { false } }
            if case .up = link.state, !isOpening {
                commands.append(.submit(.readRSSI, link.identifier))
                links[request.address]?.pending.append(.opening)
            }
            return
        }
        // A bonded device has one identifier for its private addresses and its identity address: it gets one link.
        guard adapterState == .poweredOn || adapterState == .unknown, request.address <= 0xFFFF_FFFF_FFFF,
            case let identifier = identify(address(of: request)), addresses[identifier] == nil,
            slots.reserve(request.address)
        else {
            return connection.send(
                DeviceConnectionResponse(address: request.address, error: GatewayError.noResources))
        }
        slotsChanged = true
        links[request.address] = Link(
            identifier: identifier, state: .connecting(deadline: now + Self.connectionTimeout))
        addresses[identifier] = request.address
        // The adapter reports its state some milliseconds after the session began. Until then the request waits.
        if adapterState == .poweredOn { commands.append(.connect(identifier)) }
    }

    mutating func disconnect(_ address: UInt64, at now: Instant) {
        guard let link = links[address] else {
            connection.send(DeviceConnectionResponse(address: address))
            return reportSlots()
        }
        if case .ending = link.state { return }
        // Connection Terminated By Local Host.
        cancel(address, link, error: 0x16, at: now)
    }

    /// Cancels a link. The client gets the error when the adapter reports the end, or at once if the adapter does not know the link yet.
    mutating func cancel(_ address: UInt64, _ link: Link, error: Int32, at now: Instant) {
        guard adapterState == .poweredOn else { return end(address, error: error) }
        links[address]?.state = .ending(error: error, deadline: now + Self.endTimeout)
        commands.append(.cancelConnection(link.identifier))
    }

    mutating func end(_ address: UInt64, error: Int32) {
        guard let link = links.removeValue(forKey: address) else { return }
        addresses[link.identifier] = nil
        slots.release(address)
        slotsChanged = true
        for operation in link.pending {
            switch operation {
            case .read(let handle), .write(let handle), .lookUp(_, let handle, _):
                fail(address, handle, GatewayError.notConnected)
            case .opening, .discovery: break
            }
        }
        if link.wantsServices { fail(address, 0, GatewayError.notConnected) }
        if pairing.remove(address) != nil {
            connection.send(
                DevicePairingResponse(address: address, isSuccess: false, error: GatewayError.notConnected))
        }
        connection.send(DeviceConnectionResponse(address: address, error: error))
    }

    mutating func fail(_ address: UInt64, _ handle: UInt16, _ error: Int32) {
        connection.send(GATTErrorResponse(address: address, handle: UInt32(handle), error: error))
    }
}
