import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    func startScan(_ request: ScanRequest, session: Int) {
        guard state == .poweredOn, !isGoingDown else { return }
        let wasIdle = scanner.sessions.isEmpty
        scanner.sessions.removeAll { $0.number == session }
        scanner.sessions.append(Scanner.Session(number: session, request: request))
        if wasIdle {
            scanner.holds = HoldQueue()
            board.content.withLock { $0.advertisers.beginScan() }
            host.setScanning(ScanParameters(), at: now)
        }
    }

    func stopScan(session: Int) {
        guard scanner.sessions.contains(where: { $0.number == session }) else { return }
        scanner.sessions.removeAll { $0.number == session }
        if scanner.sessions.isEmpty, state == .poweredOn { host.setScanning(nil, at: now) }
    }

    func received(_ report: AdvertisingReport, _ data: Span<UInt8>) {
        guard !scanner.sessions.isEmpty else { return }
        let isScannable = report.kind == .connectable || report.kind == .scannable
        let discovery = board.content.withLock { content -> Discovery? in
            let place = content.advertisers.hear(report.address) ?? admit(report.address, &content)
            content.advertisers.update(place, report, data)
            if let hold = content.advertisers.entries[place].hold {
                if !isScannable {
                    scanner.holds.release(hold)
                    content.advertisers[place].hold = nil
                }
            } else if isScannable, !content.advertisers.entries[place].hasScanResponse,
                !content.advertisers.entries[place].wasReportedWithoutResponse
            {
                content.advertisers[place].hold = scanner.holds.add(place, until: now + Scanner.responsePatience)
            }
            return choose(place, content, isPacket: true)
        }
        tell(discovery)
    }

    private func admit(_ address: DeviceAddress, _ content: inout SharedBoard.Content) -> Int {
        let peer = identities.identifier(for: address)
        return content.advertisers.admit(address, peer, content.names(of: peer, at: address), &scanner.holds)
    }

    /// Its scan response has been waited for long enough.
    func reportHeld(_ place: Int) {
        let discovery = board.content.withLock { content in
            content.advertisers[place].hold = nil
            content.advertisers[place].wasReportedWithoutResponse = true
            return choose(place, content, isPacket: false)
        }
        tell(discovery)
    }

    /// What the sessions that want it now are to be told of an advertiser; nil if none wants it.
    private func choose(_ place: Int, _ content: borrowing SharedBoard.Content, isPacket: Bool) -> Discovery? {
        scanner.choose(content.advertisers, place, isPacket: isPacket)
        return scanner.hasChosen ? content.advertisers.entries[place].discovery : nil
    }

    private func tell(_ discovery: Discovery?) {
        guard let discovery else { return }
        for session in scanner.chosen { centralObserver(session)?.discovered(discovery) }
    }
}

extension AdvertiserTable.Entry {
    /// Shares its buffers with the table.
    fileprivate var discovery: Discovery {
        Discovery(
            peer: PeerRecord(identifier: peer, name: name), data: data, scanResponse: scanResponse,
            isConnectable: isConnectable, rssi: rssi)
    }
}
