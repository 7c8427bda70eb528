import BLEAttribute
import BLEHost
import BLESecurity
import BLEWire

/// The calls of a program that uses the host without sessions.
extension HostWorld {
    /// One call of a program.
    mutating func call(_ input: inout Input) {
        if traits.contains(.sessions) { return callSession(&input) }
        let peer = Self.peer(input.octet())
        let link = host.links.isEmpty ? nil : host.links[input.below(host.links.count)].identifier
        operations += 1
        let value = [UInt8](repeating: input.octet(), count: Int(input.octet()) * 2)
        switch input.octet() % 40 {
        case 0: host.start(at: now)
        case 1: host.setScanning(input.octet() & 1 == 0 ? ScanParameters() : nil, at: now)
        case 2: advertise(input.octet())
        case 3: host.connect(to: peer, at: now)
        case 4: host.cancelConnect(to: peer, at: now)
        case 5: if input.octet() & 7 == 0 { host.powerOff(at: now) }
        case 6: if input.octet() & 7 == 0 { host.transportClosed(at: now) }
        case let call:
            guard let link else { return }
            switch call {
            case 7: host.submit(.discoverServices(nil), id: operations, on: link, at: now)
            case 8:
                host.submit(
                    .discoverCharacteristics(service: HandleRange(start: 1, end: 0xFFFF), nil), id: operations,
                    on: link,
                    at: now)
            case 9: host.submit(.read(handle: input.number16()), id: operations, on: link, at: now)
            case 10: host.submit(.write(handle: input.number16(), value: value), id: operations, on: link, at: now)
            case 11:
                host.submit(
                    .setNotify(valueHandle: input.number16(), end: 0xFFFF, mode: .notification), id: operations,
                    on: link,
                    at: now)
            case 12: host.notify(value.span, handle: valueHandle, on: link, at: now)
            case 13: host.indicate(value.span, handle: valueHandle, on: link, at: now)
            case 14: _ = host.connectChannel(spsm: 0x80, on: link, at: now)
            case 15:
                if let channel = openChannels.last {
                    _ = host.send(value.span, onChannel: channel.number, of: channel.link, at: now)
                }
            case 16: if let channel = openChannels.last { host.closeChannel(channel.number, of: channel.link, at: now) }
            case 17:
                host.requestConnectionParameters(
                    link,
                    RequestedConnectionParameters(intervalMinimum: 24, intervalMaximum: 40, latency: 0, timeout: 200),
                    at: now
                )
            case 18: host.enableServiceChanged(id: operations, on: link, at: now)
            case 19: if input.octet() & 3 == 0 { host.disconnect(link, at: now) }
            case 20..<28: callServer(call, value, on: link, &input)
            default: callRadio(call, peer, on: link, &input)
            }
        }
        take()
    }

    /// Legacy or extended advertising of one of three sets, or its end.
    private mutating func advertise(_ kind: UInt8) {
        let set = AdvertisingSet(handle: kind >> 6 % 3)
        guard kind & 1 == 0 else { return host.setAdvertising(nil, of: set, at: now) }
        let octets = [UInt8](repeating: kind, count: kind & 2 == 0 ? 3 : 600)
        let isScannable = kind & 4 != 0
        let phys = [.le1M, .le2M, .leCoded, .le1M][Int(kind >> 4 & 3)] as HCI.PHY
        host.setAdvertising(
            AdvertisingParameters(
                data: isScannable ? [] : octets, scanResponse: isScannable ? octets : [], isConnectable: kind & 6 == 0,
                pdus: kind & 8 == 0 ? .legacy : .extended(ExtendedAdvertising(secondaryPHY: phys))),
            of: set, at: now)
    }

    /// Values in groups, signed values, and pairing.
    private mutating func callServer(_ call: UInt8, _ value: [UInt8], on link: LinkIdentifier, _ input: inout Input) {
        switch call {
        case 20:
            host.notify([1, 2].map { AttributeValue(handle: valueHandle + 3 * $0, value: value) }, on: link, at: now)
        case 21: host.readValues([input.number16(), 3, input.number16()], id: operations, on: link, at: now)
        case 22:
            let values = [
                AttributeValue(handle: input.number16(), value: value), AttributeValue(handle: 9, value: [1]),
            ]
            host.writeReliably(values, id: operations, on: link, at: now)
        case 23: _ = try? host.signedWriteCommand(value.span, handle: input.number16(), on: link, at: now)
        case 24: host.secure(link, minimum: input.octet() & 1 == 0 ? .unauthenticated : .secureConnections, at: now)
        case 25:
            let answers: [AgentAnswer] = [.accept(true), .passkey(Passkey(value: 1)), .accept(false), .cancel]
            host.answerPairing(link, input.one(of: answers), at: now)
        case 26: host.databaseChanged([HandleRange(start: input.number16() | 1, end: 0xFFFF)], at: now)
        default: _ = host.cancelOperation(operations &- UInt32(input.octet() % 4), on: link, at: now)
        }
    }

    /// Trains, transmit power, path loss and subrating.
    private mutating func callRadio(
        _ call: UInt8, _ peer: DeviceAddress, on link: LinkIdentifier, _ input: inout Input
    ) {
        let train = PeriodicTrainIdentifier(address: peer, sid: call & 1 == 0 ? 5 : input.octet() & 0x1F)
        switch call {
        case 28, 29:
            let parameters = PeriodicSyncParameters(
                skip: UInt16(input.octet() & 3), timeout: UInt16(input.octet()) * 4, reports: call == 28)
            host.synchronize(train, parameters, at: now)
        case 30: host.endSync(train, at: now)
        case 31:
            _ = host.setReports(input.octet() & 1 == 0, filtersDuplicates: input.octet() & 1 == 0, of: train, at: now)
        case 32:
            let data = [UInt8](repeating: 9, count: Int(input.octet()) * 7)
            let periodic = input.octet() & 3 == 0 ? nil : PeriodicAdvertising(data: data)
            host.setPeriodicAdvertising(periodic, of: AdvertisingSet(handle: input.octet() & 3), at: now)
        case 33: host.transfer(train, serviceData: 1, over: link, at: now)
        case 34: host.transfer(AdvertisingSet(handle: input.octet() & 3), over: link, at: now)
        case 35: host.acceptTransfers(input.octet() & 1 == 0 ? nil : PeriodicSyncParameters(), from: link, at: now)
        case 36: host.readRemoteTransmitPower(link, on: HCI.PowerPHY(rawValue: input.octet() & 7), at: now)
        case 37: host.reportTransmitPower(link, local: input.octet() & 1 == 0, remote: input.octet() & 1 == 0, at: now)
        case 38:
            let zones = PathLossZones(
                highThreshold: input.octet(), highHysteresis: 2, lowThreshold: 20, lowHysteresis: 2, minimumTime: 1)
            host.reportPathLoss(link, input.octet() & 1 == 0 ? zones : nil, at: now)
        default:
            host.requestSubrate(
                link, RequestedSubrate(factors: 1...UInt16(1 + input.octet() % 9), timeout: 300), at: now)
            host.readTransmitPower(link, at: now)
        }
    }
}
