import BLEAdapter
import BLEWire
import ESPHomeAPI

/// Scans of the sessions and the gateway's advertisements.
extension GatewayAdapter {
    /// The names and the reported advertisers that are kept.
    private static let tableLimit = 4096

    func startScan(_ number: Int, _ request: ScanRequest) {
        guard state == .poweredOn, sessions[number] != nil else { return }
        sessions[number]?.scan = request
        sessions[number]?.reported = [:]
        updateScan()
        uplink.flush()
    }

    func stopScan(_ number: Int) {
        sessions[number]?.scan = nil
        updateScan()
        uplink.flush()
    }

    func updateScan() {
        let wanted = state == .poweredOn && sessions.values.contains { $0.scan != nil }
        guard wanted != isScanning else { return }
        isScanning = wanted
        if wanted {
            uplink.send(SubscribeAdvertisementsRequest(flags: 1))
        } else {
            uplink.send(UnsubscribeAdvertisementsRequest())
        }
    }

    func discover(_ message: IncomingMessage) throws(APIError) {
        guard isScanning else { return }
        let scanning = sessions.keys.filter { sessions[$0]?.scan != nil }.sorted()
        do throws(ProtobufError) {
            try message.withPayload { (payload: Span<UInt8>) throws(ProtobufError) in
                try AdvertisementBatch.forEach(in: payload) { address, rssi, data in
                    report(address, rssi, data, to: scanning)
                }
            }
        } catch {
            throw .malformed(error)
        }
    }

    private func report(_ address: DeviceAddress, _ rssi: Int8, _ data: Span<UInt8>, to scanning: [Int]) {
        let peer = identification.identity(for: address)
        if let name = AD.localName(in: data) {
            snapshot.withLock { content in
                if content.names.count < Self.tableLimit || content.names[peer] != nil { content.names[peer] = name }
            }
        }
        var discovery: Discovery?
        for number in scanning {
            guard let scan = sessions[number]?.scan, scan.selects(data, scanResponse: Span()) else { continue }
            if !scan.allowDuplicates {
                let content = data.withUnsafeBytes { bytes in
                    var hasher = Hasher()
                    hasher.combine(bytes: bytes)
                    return hasher.finalize()
                }
                guard sessions[number]?.reported[peer] != content else { continue }
                if sessions[number]?.reported.count ?? 0 >= Self.tableLimit { sessions[number]?.reported = [:] }
                sessions[number]?.reported[peer] = content
            }
            let found =
                discovery
                ?? Discovery(
                    DiscoveryContent(
                        identity: peer, source: identifierSource,
                        names: PeerNames(deviceName: snapshot.withLock { $0.names[peer] }), address: address,
                        octets: AdvertisingOctets(data: data, scanResponse: Span()), isConnectable: true,
                        readsName: false),
                    rssi: rssi)
            discovery = found
            sessions[number]?.observer?.discovered(found)
        }
    }
}
