import BLEHost
import BLEWire

extension HostCore {
    func startScan(_ request: ScanRequest, session: Int) {
        guard state == .poweredOn, !isGoingDown else { return }
        let wasIdle = scanner.sessions.isEmpty
        scanner.sessions.removeAll { $0.number == session }
        scanner.sessions.append(Scanner.Session(number: session, request: request))
        if wasIdle {
            scanner.advertisers.removeAll()
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
        let address = report.address
        var advertiser =
            scanner.advertisers[address] ?? Scanner.Advertiser(peer: identities.identifier(for: address))
        if advertiser.update(report, data) { learn(from: advertiser) }
        let isScannable = report.kind == .connectable || report.kind == .scannable
        if isScannable, advertiser.scanResponse == nil, !advertiser.isHeld, !advertiser.wasReportedWithoutResponse {
            advertiser.isHeld = true
            timers.add(.reportAdvertiser(address), at: now + Scanner.responsePatience)
        }
        if !isScannable { advertiser.release(address, &timers) }
        scanner.remember(advertiser, at: address)
        offer(advertiser, address, isPacket: true)
    }

    /// Its scan response has been waited for long enough.
    func reportHeld(_ address: DeviceAddress) {
        guard var advertiser = scanner.advertisers[address], advertiser.isHeld else { return }
        advertiser.isHeld = false
        advertiser.wasReportedWithoutResponse = true
        scanner.advertisers[address] = advertiser
        offer(advertiser, address, isPacket: false)
    }

    /// Reports an advertiser to the sessions that want it now.
    private func offer(_ advertiser: Scanner.Advertiser, _ address: DeviceAddress, isPacket: Bool) {
        var discovery: Discovery?
        let response = advertiser.scanResponse ?? []
        for index in scanner.sessions.indices {
            let session = scanner.sessions[index]
            if session.request.allowDuplicates {
                guard isPacket else { continue }
            } else {
                guard !advertiser.isHeld, session.reported[address] != advertiser.version else { continue }
            }
            guard session.request.matches(advertiser.data.span, response.span) else { continue }
            let found =
                discovery
                ?? Discovery(
                    peer: board.record(of: advertiser.peer), data: advertiser.data + response,
                    isConnectable: advertiser.isConnectable, rssi: advertiser.rssi)
            discovery = found
            scanner.sessions[index].reported[address] = advertiser.version
            centralObserver(session.number)?.discovered(found)
        }
    }

    private func learn(from advertiser: Scanner.Advertiser) {
        let response = advertiser.scanResponse ?? []
        let name = AD.localName(in: advertiser.data.span) ?? AD.localName(in: response.span)
        board.content.withLock { content in
            if let name { content.peers[advertiser.peer, default: .init()].advertisedName = name }
            content.peers[advertiser.peer, default: .init()].advertisement = advertiser.data
            if !response.isEmpty { content.peers[advertiser.peer, default: .init()].scanResponse = response }
        }
    }
}

extension Scanner.Advertiser {
    /// Takes a packet in; true if it brought something new.
    fileprivate mutating func update(_ report: AdvertisingReport, _ octets: Span<UInt8>) -> Bool {
        rssi = report.rssi
        var isNew = version == 0
        if report.kind == .scanResponse {
            if scanResponse?.span.elementsEqual(octets) != true {
                // An empty response to an advertiser that was reported already is nothing to tell.
                isNew = isNew || !octets.isEmpty || scanResponse?.isEmpty == false
                scanResponse = [UInt8](octets)
            }
        } else {
            if !data.span.elementsEqual(octets) {
                data = [UInt8](octets)
                isNew = true
            }
            if isConnectable != report.isConnectable {
                isConnectable = report.isConnectable
                isNew = true
            }
        }
        if isNew { version += 1 }
        return isNew
    }

    /// Ends the wait for the scan response.
    fileprivate mutating func release(_ address: DeviceAddress, _ timers: inout CoreTimers) {
        guard isHeld else { return }
        isHeld = false
        timers.cancel(.reportAdvertiser(address))
    }
}
