import BLEAttribute
import BLEHost
import BLELink
import BLEWire

/// The answers to clients, and the echo on credit-based channels.
extension FaultyHost {
    var openChannels: Int { channels.count }

    func serve(_ event: HostEvent, _ bytes: [UInt8], _ items: [ATTWriteItem], at now: Instant) {
        switch event {
        case .readRequest(let link, let request, _, let offset):
            if offset <= value.count {
                let rest = Array(value[offset...])
                host.respondToRead(request, value: rest.span, on: link, at: now)
            } else {
                host.respondToRead(request, error: .invalidOffset, on: link, at: now)
            }
        case .writeRequest(let link, let request, let range, let needsResponse):
            for item in items[range] where item.handle == valueHandle { write(bytes[item.value], at: item.offset) }
            if needsResponse { host.respondToWrite(request, error: nil, on: link, at: now) }
        case .value(let link, let value) where value.isIndication: host.confirmIndication(on: link, at: now)
        case .servicesChanged(let link, _): host.confirmIndication(on: link, at: now)
        case .channel(let link, let event): take(event, bytes, on: link, at: now)
        case .disconnected(let link, _):
            // The ends of its channels precede this event.
            for key in channels.keys where key.link == link { problem("a channel outlives its link") }
        default: break
        }
    }

    private func write(_ part: ArraySlice<UInt8>, at offset: Int) {
        if offset == 0 { value.removeAll(keepingCapacity: true) }
        guard offset == value.count else { return }
        value.append(contentsOf: part)
    }

    private func take(_ event: CreditBasedEvent, _ bytes: [UInt8], on link: LinkIdentifier, at now: Instant) {
        switch event {
        case .opened(let number, let information):
            let key = ChannelKey(link: link, number: number)
            if channels[key] != nil { problem("channel \(number) opened twice") }
            channels[key] = Channel(isIncoming: information.isIncoming, sendMTU: information.sendMTU, isOpen: true)
        case .securityRequired(let number, _): problem("channel \(number) waits for security")
        case .refused(let number, _):
            if channels[ChannelKey(link: link, number: number)] != nil { problem("an open channel was refused") }
        case .received(let number, let range):
            let key = ChannelKey(link: link, number: number)
            guard let channel = channels[key] else { return problem("octets for channel \(number), which is not open") }
            if inbox != nil { channels[key]?.received.append(contentsOf: bytes[range]) }
            if channel.isIncoming {
                channels[key]?.echo.append(Array(bytes[range]))
                echo(key, at: now)
            } else {
                host.consumed(range.count, onChannel: number, of: link, at: now)
            }
        case .writable(let number):
            let key = ChannelKey(link: link, number: number)
            channels[key]?.isWritable = true
            echo(key, at: now)
        case .reconfigured(let number, let sendMTU):
            channels[ChannelKey(link: link, number: number)]?.sendMTU = sendMTU
        case .closed(let number, _):
            if channels.removeValue(forKey: ChannelKey(link: link, number: number)) == nil {
                problem("channel \(number) closed, and was not open")
            }
        }
    }

    /// Sends the queued echoes. Their octets count as read only then, so that a slow reader stops the peer.
    private func echo(_ key: ChannelKey, at now: Instant) {
        while let sdu = channels[key]?.echo.first {
            guard host.send(sdu.span, onChannel: key.number, of: key.link, at: now) == .queued else { return }
            channels[key]?.echo.removeFirst()
            host.consumed(sdu.count, onChannel: key.number, of: key.link, at: now)
        }
    }
}

struct ChannelKey: Hashable {
    var link: LinkIdentifier
    var number: UInt32
}

struct Channel {
    var isIncoming: Bool
    /// The longest SDU that the peer accepts, in octets.
    var sendMTU: Int
    var isOpen: Bool
    var isWritable = true
    /// The octets that arrived during a proof.
    var received: [UInt8] = []
    /// The queued echoes, on a channel of the peer.
    var echo: [[UInt8]] = []
}

/// The data that arrives at a host during a proof.
struct Inbox {
    struct Update {
        var link: LinkIdentifier
        var handle: UInt16
        var value: [UInt8]
        var isIndication: Bool
    }

    struct Report {
        var data: [UInt8] = []
        var response: [UInt8] = []
        /// The RSSI of the last report, in dBm.
        var rssi: Int8 = 127
    }

    var updates: [Update] = []
    var confirmations = 0
    var drained = 0
    /// The last configuration that a client wrote.
    var configuration: UInt16 = 0
    /// The last interval that was reported.
    var parameters: UInt16?
    var reports: [DeviceAddress: Report] = [:]
    var reportCount = 0

    mutating func take(_ event: HostEvent, _ bytes: [UInt8]) {
        switch event {
        case .value(let link, let value):
            updates.append(
                Update(
                    link: link, handle: value.handle, value: Array(bytes[value.octets]),
                    isIndication: value.isIndication))
        case .indicationConfirmed: confirmations += 1
        case .transmitQueueDrained: drained += 1
        case .subscriptionChanged(_, _, let bits): configuration = bits
        case .parametersChanged(_, let parameters): self.parameters = parameters.interval
        case .advertisingReport(let report):
            reportCount += 1
            let data = Array(bytes[report.data])
            reports[report.address, default: Report()].rssi = report.rssi
            if report.kind == .scanResponse {
                reports[report.address]?.response = data
            } else {
                reports[report.address]?.data = data
            }
        default: break
        }
    }
}
