import BLEAdapter
import BLEWire
import ESPHomeAPI

/// The requests of the central as messages to the gateway, and the gateway's messages.
extension GatewayAdapter {
    func carryOut(_ request: RemoteRequest) {
        switch request {
        case .scan(true): uplink.send(SubscribeAdvertisementsRequest(flags: 1))
        case .scan(false): uplink.send(UnsubscribeAdvertisementsRequest())
        // A gateway reports each packet.
        case .repeatReports: break
        case .connect(let peer): connect(peer)
        case .disconnect(let peer):
            endPairing(peer)
            guard let address = links[peer]?.address else { return }
            uplink.send(DeviceRequest(address: address, kind: DeviceRequestKind.disconnect.rawValue))
        case .perform(let operation, let peer): perform(operation, peer)
        case .write(let value, let handle, let peer):
            if let address = links[peer]?.address {
                uplink.send(
                    GATTWriteRequest(address: address, handle: UInt32(handle), needsResponse: false, data: value))
            }
            central.wrote(value.count)
        case .openChannel(let psm, let use):
            log.error("L2CAP channels do not work over \(network): use an adapter of this machine.")
            central.channelOpened(.failure(.refused), psm: psm, use)
        case .forget(let peer):
            endPairing(peer)
            if let link = links.removeValue(forKey: peer) { peers[link.address] = nil }
        }
    }

    private func connect(_ peer: PeerIdentifier) {
        // The central knows the address.
        guard let device = snapshot.identification.address(of: peer) else { return }
        links[peer] = GatewayLink(address: device.value)
        peers[device.value] = peer
        send(.connectWithoutCache, to: device)
    }

    /// Sends a request for a device that need not have a link.
    func send(_ kind: DeviceRequestKind, to device: DeviceAddress) {
        uplink.send(
            DeviceRequest(
                address: device.value, kind: kind.rawValue, hasAddressType: true,
                addressType: UInt32(device.asDevice.kind.rawValue)))
    }

    private func perform(_ operation: GATTOperation, _ peer: PeerIdentifier) {
        if operation == .readRSSI { log.error("The signal strength of links is unknown over \(network).") }
        step(peer) { $0.begin(operation) }
    }

    private func step(_ peer: PeerIdentifier, _ body: (inout GatewayLink) -> GatewayLink.Step?) {
        guard var link = links.removeValue(forKey: peer) else { return }
        let step = body(&link)
        links[peer] = link
        switch step {
        case .send(let message): uplink.send(message)
        case .end(let result): central.finished(peer, result, at: scheduler.now)
        case nil: break
        }
    }

    // MARK: Messages of the gateway

    func handle(_ message: IncomingMessage) throws(APIError) {
        switch message.type {
        case AdvertisementBatch.batchType: return try discover(message)
        case GATTNotifyDataResponse.type: return try deliver(message)
        case DeviceInfoResponse.type: try confirm(message.decode())
        case DeviceConnectionResponse.type: connectionChanged(try message.decode())
        case DevicePairingResponse.type: paired(try message.decode())
        case GATTGetServicesResponse.type:
            let response = try message.decode(GATTGetServicesResponse.self)
            answer(response.address) { $0.receive(response) }
        case GATTGetServicesDoneResponse.type:
            try answer(message.decode(GATTGetServicesDoneResponse.self).address) { $0.receivedServices() }
        case GATTReadResponse.type:
            let response = try message.decode(GATTReadResponse.self)
            answer(response.address) { $0.receive(response) }
        case GATTWriteResponse.type:
            let response = try message.decode(GATTWriteResponse.self)
            answer(response.address) { $0.receive(response) }
        case GATTNotifyResponse.type:
            let response = try message.decode(GATTNotifyResponse.self)
            answer(response.address) { $0.receive(response) }
        case GATTErrorResponse.type:
            let response = try message.decode(GATTErrorResponse.self)
            answer(response.address) { $0.receive(response) }
        default: return
        }
        settle()
    }

    private func answer(_ address: UInt64, _ body: (inout GatewayLink) -> GatewayLink.Step?) {
        if let peer = peers[address] { step(peer, body) }
    }

    private func confirm(_ response: DeviceInfoResponse) throws(APIError) {
        let features = BluetoothFeatures(rawValue: response.bluetoothFeatures)
        guard features.isSuperset(of: [.rawAdvertisements, .activeConnections, .remoteCaching]) else {
            throw .refused("It is no Bluetooth proxy with active connections.")
        }
        uplink.confirm()
        report?(nil)
        central.set(.poweredOn)
    }

    private func connectionChanged(_ response: DeviceConnectionResponse) {
        guard let peer = peers[response.address] else { return }
        if response.isConnected {
            central.connected(peer, mtu: Int(response.mtu))
        } else {
            endPairing(peer)
            central.ended(peer, Self.failure(response.error), at: scheduler.now)
        }
    }

    private static func failure(_ error: Int32) -> ConnectionError {
        switch error {
        case 0x08: .supervisionTimeout
        case 0x13: .endedByPeer
        case 0x16: .endedByHost
        case 0x22: .attributeTimeout
        case 0x3E, 0x85: .establishmentFailed
        case 0x09, 0x80: .limitReached
        case 1...0xFF: .controller(UInt8(error))
        default: .establishmentFailed
        }
    }

    private func discover(_ message: IncomingMessage) throws(APIError) {
        do throws(ProtobufError) {
            try message.withPayload { (payload: Span<UInt8>) throws(ProtobufError) in
                try AdvertisementBatch.forEach(in: payload) { address, rssi, data in
                    central.report(address, rssi: rssi, data)
                }
            }
        } catch {
            throw .malformed(error)
        }
    }

    private func deliver(_ message: IncomingMessage) throws(APIError) {
        do throws(ProtobufError) {
            try message.withPayload { (payload: Span<UInt8>) throws(ProtobufError) in
                try GATTNotifyData.decode(payload) { address, handle, value in
                    guard let peer = peers[address], let handle = UInt16(exactly: handle) else { return }
                    central.received(value, handle: handle, from: peer)
                }
            }
        } catch {
            throw .malformed(error)
        }
    }
}
