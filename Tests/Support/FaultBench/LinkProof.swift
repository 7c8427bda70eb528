import BLEHost
import BLELink
import BLEWire

/// The proof that every function works on one link: discovery, values, updates, back-pressure, RSSI, reports, channels,
/// parameters.
struct LinkProof {
    let bench: FaultBench
    let air: AirWatch
    let central: FaultyHost
    let peripheral: FaultyHost
    let isStrict: Bool

    private var now: Instant { bench.now }
    /// The central's identifier of the link. Every check follows one that found the link.
    private var link: LinkIdentifier { bench.link(central, to: peripheral) ?? LinkIdentifier(rawValue: 0) }
    private var otherLink: LinkIdentifier { bench.link(peripheral, to: central) ?? LinkIdentifier(rawValue: 0) }
    private var handle: UInt16 { peripheral.valueHandle }

    /// The first function that does not work; nil if all work.
    func run() -> String? {
        let checks: [() -> String?] = [
            setUp, services, longValue, servedValue, command, notifications, indications, backPressure, signal, reports,
            channel, parameters,
        ]
        for check in checks {
            guard bench.link(central, to: peripheral) != nil, bench.link(peripheral, to: central) != nil else {
                return "the link was lost"
            }
            if let failure = check() { return failure }
        }
        return bench.problems.first
    }

    private func perform(_ operation: GATTOperation) -> Result<GATTResult, GATTError>? {
        let (central, link) = (self.central, self.link)
        let id = central.submit(operation, on: link, at: now)
        bench.run(.seconds(20)) { central.results[id] != nil || central.host.information(of: link) == nil }
        return central.results[id]
    }

    private func text(_ result: Result<GATTResult, GATTError>?) -> String { result.map { "\($0)" } ?? "nothing" }

    // MARK: Set-up and discovery

    private func setUp() -> String? {
        let mtu = min(central.host.configuration.localMTU, peripheral.host.configuration.localMTU)
        func isDone(_ information: LinkInformation?) -> Bool {
            guard let information else { return false }
            guard information.mtu == mtu else { return false }
            return !isStrict
                || information.dataLength == 251 && information.transmitPHY == 2 && information.receivePHY == 2
        }
        bench.run(.seconds(20)) {
            isDone(central.host.information(of: link)) && isDone(peripheral.host.information(of: otherLink))
        }
        for (host, link) in [(central, link), (peripheral, otherLink)] {
            guard let information = host.host.information(of: link) else { return "the link was lost" }
            guard information.mtu == mtu else { return "the ATT_MTU is \(information.mtu), not \(mtu)" }
            guard isDone(information) else {
                return "the data length is \(information.dataLength), the PHY \(information.transmitPHY)"
            }
        }
        return nil
    }

    private func services() -> String? {
        guard case .success(.services(let services)) = perform(.discoverServices(nil)) else {
            return "the services were not found"
        }
        guard let service = services.first(where: { $0.uuid == FaultyHost.serviceUUID }),
            service.range == peripheral.service.range
        else { return "the service was not found: \(services)" }
        let result = perform(.discoverCharacteristics(service: service.range, nil))
        guard case .success(.characteristics(let characteristics)) = result, characteristics.count == 1,
            characteristics[0].valueHandle == handle, characteristics[0].uuid == FaultyHost.characteristicUUID
        else { return "the characteristic was not found: \(text(result))" }
        return nil
    }

    // MARK: Values

    private func longValue() -> String? {
        for length in [1, 200 + bench.exchanges % 200, 512] {
            let value = bench.octets(length)
            let result = perform(.write(handle: handle, value: value))
            guard result == .success(.done) else { return "a write of \(length) octets ended in \(text(result))" }
            guard peripheral.value == value else {
                return "a write of \(length) octets left \(peripheral.value.count) octets, or others"
            }
        }
        return nil
    }

    private func servedValue() -> String? {
        for length in [0, 20, 500] {
            peripheral.value = bench.octets(length, 1)
            let result = perform(.read(handle: handle))
            guard result == .success(.value(peripheral.value)) else {
                return "a read of \(length) octets ended in \(text(result))"
            }
        }
        return nil
    }

    private func command() -> String? {
        for number in 0..<3 {
            let value = bench.octets(20, 2 + number)
            guard (try? central.host.writeCommand(value.span, handle: handle, on: link, at: now)) == true else {
                return "a write command was not accepted"
            }
            bench.run(.seconds(10)) { peripheral.value == value }
            guard peripheral.value == value else { return "a write command did not arrive" }
        }
        return nil
    }

    // MARK: Updates

    private func notifications() -> String? {
        if let failure = subscribe(.notification, bits: 1) { return failure }
        let sent = (0..<30).map { bench.octets(1 + $0 % 20, 10 + $0) }
        for value in sent { peripheral.host.notify(value.span, handle: handle, on: otherLink, at: now) }
        return compare("notification", sent, isIndication: false)
    }

    private func indications() -> String? {
        if let failure = subscribe(.indication, bits: 2) { return failure }
        let sent = (0..<5).map { bench.octets(20 - $0, 50 + $0) }
        for value in sent { peripheral.host.indicate(value.span, handle: handle, on: otherLink, at: now) }
        if let failure = compare("indication", sent, isIndication: true) { return failure }
        bench.run(.seconds(10)) { peripheral.inbox?.confirmations == sent.count }
        let confirmed = peripheral.inbox?.confirmations ?? 0
        guard confirmed == sent.count else { return "\(confirmed) of \(sent.count) indications were confirmed" }
        return subscribe(.off, bits: 0)
    }

    private func subscribe(_ mode: GATTOperation.NotifyMode, bits: UInt16) -> String? {
        let result = perform(.setNotify(valueHandle: handle, end: peripheral.service.range.end, mode: mode))
        guard result == .success(.done) else { return "a subscription ended in \(text(result))" }
        guard peripheral.host.clientConfiguration(ofValueHandle: handle, on: otherLink) == bits,
            peripheral.inbox?.configuration == bits
        else { return "the server does not have the subscription \(bits)" }
        return nil
    }

    private func compare(_ what: String, _ sent: [[UInt8]], isIndication: Bool) -> String? {
        bench.run(.seconds(20)) { (central.inbox?.updates.count ?? 0) >= sent.count }
        // Time for a surplus update.
        bench.run(.seconds(1))
        let updates = central.inbox?.updates ?? []
        central.inbox?.updates.removeAll()
        guard updates.count == sent.count else { return "\(updates.count) of \(sent.count) \(what)s arrived" }
        for (update, value) in zip(updates, sent)
        where update.value != value || update.handle != handle || update.isIndication != isIndication
            || update.link != link
        { return "a \(what) is not the one that was sent" }
        return nil
    }

    private func backPressure() -> String? {
        let value = bench.octets(20, 70)
        var sent = 0
        while peripheral.host.takesValues(on: otherLink), sent < 2_000 {
            guard peripheral.host.notify(value.span, handle: handle, on: otherLink, at: now) else { break }
            sent += 1
        }
        guard sent < 2_000 else { return "the queue of a link is never full" }
        bench.run(.seconds(30)) { peripheral.inbox?.drained ?? 0 > 0 && central.inbox?.updates.count == sent }
        guard let inbox = peripheral.inbox, inbox.drained > 0 else { return "a full queue was not reported as drained" }
        let arrived = central.inbox?.updates.count ?? 0
        central.inbox?.updates.removeAll()
        guard arrived == sent else { return "\(arrived) of \(sent) notifications arrived in a burst" }
        return nil
    }

    // MARK: Signals and reports

    private func signal() -> String? {
        // The last packet before the answer has the same position.
        bench.run(.seconds(1))
        let result = perform(.readRSSI)
        if !isStrict, result == .failure(.attribute(ATT.ErrorCode.requestNotSupported.rawValue)) { return nil }
        guard case .success(.rssi(let rssi)) = result else { return "the RSSI could not be read: \(text(result))" }
        let heard = air.signal(from: peripheral, at: central)
        guard rssi == heard else { return "the RSSI is \(heard ?? 127) dBm, and \(rssi) dBm was read" }
        return nil
    }

    private func reports() -> String? {
        guard let address = peripheral.host.ownAddress else { return "the peripheral has no address" }
        let data = [2, 1, 6, 11, 0xFF, 0xFF, 0xFF] + bench.octets(8, 80)
        let response = [9, 0x09] + bench.octets(8, 81)
        let advertising = AdvertisingParameters(
            data: data, scanResponse: response, intervalMinimum: 160, intervalMaximum: 160)
        peripheral.host.setAdvertising(advertising, at: now)
        central.host.setScanning(ScanParameters(), at: now)
        func isSeen() -> Bool {
            central.inbox?.reports[address]?.data == data && central.inbox?.reports[address]?.response == response
        }
        bench.run(.seconds(10), until: isSeen)
        guard let report = central.inbox?.reports[address] else { return "no report came within 10 s" }
        guard isSeen() else { return "the reports do not contain the advertised data: \(report)" }
        guard report.rssi == air.signal(from: peripheral, at: central) else {
            return
                "a report says \(report.rssi) dBm, and it was \(air.signal(from: peripheral, at: central) ?? 127) dBm"
        }
        central.host.setScanning(nil, at: now)
        bench.run(.seconds(1))
        let before = (central.inbox?.reportCount, central.reportPackets)
        bench.run(.seconds(2))
        guard central.inbox?.reportCount == before.0 else { return "the host reports after the end of the scan" }
        guard central.reportPackets == before.1 else { return "the controller reports after the end of the scan" }
        peripheral.host.setAdvertising(nil, at: now)
        bench.run(.seconds(1))
        central.inbox?.reports[address] = nil
        central.host.setScanning(ScanParameters(), at: now)
        bench.run(.seconds(1))
        central.host.setScanning(nil, at: now)
        bench.run(.seconds(1))
        guard central.inbox?.reports[address] == nil else { return "advertising continued after its end" }
        return nil
    }

    // MARK: Channels

    /// Sends SDUs over a credit-based channel and compares the echo, octet by octet.
    private func channel() -> String? {
        guard let number = central.host.connectChannel(spsm: FaultyHost.spsm, on: link, at: now) else {
            return "a channel was not requested"
        }
        let key = ChannelKey(link: link, number: number)
        bench.run(.seconds(20)) { central.channels[key]?.isOpen == true }
        guard let channel = central.channels[key], channel.isOpen else { return "a channel did not open" }
        let sdus = (0..<60).map { bench.octets(1 + ($0 * 37 + bench.exchanges) % channel.sendMTU, 100 + $0) }
        let sent = sdus.flatMap { $0 }
        var next = 0
        central.channels[key]?.isWritable = true
        bench.run(.seconds(60)) {
            while next < sdus.count, central.channels[key]?.isWritable == true {
                let sdu = sdus[next]
                switch central.host.send(sdu.span, onChannel: number, of: link, at: now) {
                case .queued: next += 1
                case .full: central.channels[key]?.isWritable = false
                case .invalidLength, .notOpen: return true
                }
            }
            return central.channels[key]?.received.count ?? sent.count >= sent.count
        }
        let received = central.channels[key]?.received ?? []
        guard received == sent else {
            return "\(received.count) of \(sent.count) octets came back on a channel, or others"
        }
        // Compares both ends: two errors that cancel each other do not change the echo.
        let arrived = peripheral.channels.first { $0.key.link == otherLink && $0.value.isIncoming }?.value.received
        guard arrived == sent else {
            return "\(arrived?.count ?? 0) of \(sent.count) octets arrived on a channel, or others"
        }
        central.host.closeChannel(number, of: link, at: now)
        bench.run(.seconds(20)) { central.openChannels == 0 && peripheral.openChannels == 0 }
        guard central.openChannels == 0, peripheral.openChannels == 0 else { return "a channel did not close" }
        return nil
    }

    // MARK: Parameters

    /// Requests another interval, from each side in turn. Both ends have to report it, and the packets on the air have
    /// to show it.
    private func parameters() -> String? {
        let current = central.host.information(of: link)?.parameters.interval
        let intervals: [UInt16] = [40, 60, 80, 120]
        var interval = intervals[bench.exchanges % intervals.count]
        if interval == current { interval = 100 }
        let wish = RequestedConnectionParameters(
            intervalMinimum: interval, intervalMaximum: interval, latency: 0, timeout: 200)
        if bench.exchanges & 1 == 0 {
            central.host.requestConnectionParameters(link, wish, at: now)
        } else {
            peripheral.host.requestConnectionParameters(otherLink, wish, at: now)
        }
        bench.run(.seconds(30)) {
            central.host.information(of: link)?.parameters.interval == interval
                && peripheral.host.information(of: otherLink)?.parameters.interval == interval
        }
        guard central.host.information(of: link)?.parameters.interval == interval,
            peripheral.host.information(of: otherLink)?.parameters.interval == interval
        else { return "a request for other connection parameters had no effect within 30 s" }
        guard central.inbox?.parameters == interval, peripheral.inbox?.parameters == interval else {
            return "new connection parameters were not reported"
        }
        bench.run(.seconds(1))
        let before = air.packets(from: central, at: peripheral)
        bench.run(.seconds(4))
        let count = air.packets(from: central, at: peripheral) - before
        let expected = 4_000_000 / (1_250 * Int(interval))
        // A peripheral with two links misses some events of each.
        guard count > expected / 4, count < expected * 3 / 2 + 2 else {
            return "\(count) connection events in 4 s at an interval of \(interval) x 1.25 ms"
        }
        return nil
    }
}
