import BLEAdapter
import BLEAttribute
import BLEHost
import BLESecurity
import BLESessions
import BLEWire

/// Identifiers that are the address.
struct AddressIdentities: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier {
        PeerIdentifier(high: UInt64(address.kind.rawValue), low: address.value)
    }

    func address(of identifier: PeerIdentifier) -> DeviceAddress? {
        guard identifier.high <= 1 else { return nil }
        return DeviceAddress(kind: identifier.high == 1 ? .random : .public, value: identifier.low)
    }
}

/// Two central sessions, one peripheral session, two periodic sessions and an agent, as a program has them.
extension HostWorld {
    private static let (centrals, peripheral, periodics, agent) = (1...2, 3, 4...5, 6)

    private static func identifier(_ number: UInt8) -> PeerIdentifier {
        AddressIdentities().identifier(for: peer(number))
    }

    mutating func openSessions() {
        for number in Self.centrals { sessions.openCentral(number, at: now) }
        sessions.openPeripheral(Self.peripheral, at: now)
        for number in Self.periodics { sessions.openPeriodic(number, at: now) }
        sessions.setAgent(PairingAgentCapability(ioCapability: .keyboardDisplay), session: Self.agent, at: now)
    }

    mutating func connectSession(to number: UInt8) {
        sessions.connect(Self.identifier(number), options: ConnectionOptions(), session: 1, at: now)
    }

    // MARK: Events

    /// Takes the events until none is left, as the driver does.
    mutating func takeSessions() {
        var rounds = 0
        repeat {
            var output = SessionOutput()
            sessions.takeOutput(into: &output, at: now)
            takePackets()
            require(output.events.count < 100_000, "\(output.events.count) events after one call")
            for event in output.events { take(event, output) }
            rounds += 1
            require(rounds < 1_000, "events cause events without end")
        } while sessions.hasEvents
    }

    private mutating func take(_ event: SessionEvent, _ output: borrowing SessionOutput) {
        let count = output.arena.octets.count
        func check(_ range: Range<Int>) { require(range.upperBound <= count, "an event has no octets") }
        switch event {
        case .discovered(let run):
            let run = output.runs[run]
            require(run.discoveries.upperBound <= output.discoveries.count, "an event has no discoveries")
            require(run.sessions.upperBound <= output.sessions.count, "an event has no sessions")
        case .completed(_, _, _, let session):
            require(Self.centrals.contains(session), "an operation ends for another session")
            pendingOperations -= 1
            require(pendingOperations >= 0, "an operation ends twice")
        case .value(_, let link, let value):
            check(value.octets)
            if value.isIndication { host.confirmIndication(on: link, at: now) }
        case .servicesChanged(_, _, let link, let range):
            require(range.upperBound <= output.sessions.count, "an event has no sessions")
            host.confirmIndication(on: link, at: now)
        case .nameChanged(_, _, let range):
            require(range.upperBound <= output.sessions.count, "an event has no sessions")
        case .readRequest(let request, _, let offset, _, _):
            sessions.respond(to: request, error: 0, value: [UInt8](repeating: 9, count: max(0, 100 - offset)), at: now)
        case .writeRequest(let request, let items, let needsResponse, _, _):
            for item in output.items[items] { check(item.value) }
            if needsResponse { sessions.respond(to: request, error: 0, value: nil, at: now) }
        case .channelReceived(let channel, let range):
            check(range)
            host.consumed(range.count, onChannel: channel.number, of: channel.link, at: now)
        case .channelOpened(let channel, _, _, _), .channelAccepted(let channel, _, _, _):
            openChannels.append((channel.link, channel.number))
        case .channelClosing(let channel, _): sessions.channelFlushed(channel, at: now)
        case .channelClosed(let channel, _):
            openChannels.removeAll { $0.link == channel.link && $0.number == channel.number }
        case .pairing(.asked(_, let number, _, _)): question = number
        case .periodic(.report(let data, _, _, let session)):
            check(data)
            require(Self.periodics.contains(session), "data of a train for another session")
        default: break
        }
        require(openChannels.count <= 64 * 64, "\(openChannels.count) channels are open")
    }

    // MARK: Calls

    /// One call of a session.
    mutating func callSession(_ input: inout Input) {
        let (peer, session) = (Self.identifier(input.octet()), Self.centrals.lowerBound + Int(input.octet() & 1))
        let value = [UInt8](repeating: input.octet(), count: Int(input.octet()) * 2)
        switch input.octet() % 40 {
        case 0: if input.octet() & 3 == 0 { sessions.powerOff(at: now) } else { sessions.powerOn(at: now) }
        case 1: if input.octet() & 7 == 0 { sessions.detach(at: now) } else { sessions.attach(at: now) }
        case 2: sessions.startScan(ScanRequest(allowDuplicates: input.octet() & 1 == 0), session: session, at: now)
        case 3: sessions.stopScan(session: session, at: now)
        case 4, 5:
            let options = ConnectionOptions(
                startDelay: .milliseconds(Int(input.octet() & 3) * 100), reconnectsAutomatically: input.octet() & 1 == 0
            )
            sessions.connect(peer, options: options, session: session, at: now)
        case 6: sessions.cancelConnection(peer, session: session, at: now)
        case 7:
            sessions.closeCentral(session, at: now)
            sessions.openCentral(session, at: now)
        case 8..<14: submit(&input, value, to: peer, session: session)
        case 14..<24: callPeripheral(&input, value, peer)
        case 24..<28: callChannels(&input, value, peer, session: session)
        case 28..<32: callPairing(&input, peer)
        default: callPeriodic(&input, peer)
        }
        take()
    }

    private mutating func submit(_ input: inout Input, _ value: [UInt8], to peer: PeerIdentifier, session: Int) {
        let handle = input.number16()
        let whole = HandleRange(start: 1, end: 0xFFFF)
        let mode: GATTOperation.NotifyMode = handle & 1 == 0 ? .notification : .indication
        let operations: [GATTOperation] = [
            .discoverServices(nil), .discoverServices([BluetoothUUID(UInt16(0xFEE7))]),
            .discoverCharacteristics(service: whole, nil), .discoverIncludedServices(service: whole, nil),
            .discoverDescriptors(after: handle, end: 0xFFFF), .read(handle: handle),
            .write(handle: handle, value: value),
            .setNotify(valueHandle: handle, end: 0xFFFF, mode: mode), .readRSSI,
        ]
        guard input.octet() & 3 != 0 else {
            var batch = WriteCommandBatch()
            for _ in 0..<3 { batch.append(value.span, handle: handle, to: peer, session: session) }
            return sessions.write(batch, at: now)
        }
        pendingOperations += 1
        sessions.submit(input.one(of: operations), to: peer, session: session, at: now)
    }

    private mutating func callPeripheral(_ input: inout Input, _ value: [UInt8], _ peer: PeerIdentifier) {
        let number = Int(input.octet() & 3)
        switch input.octet() % 8 {
        case 0:
            tokens += 1
            let characteristics = (0..<1 + number).map {
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0x36F5 + $0)), properties: 0x7E, permissions: 3,
                    value: $0 == 1 ? value : nil, descriptors: [])
            }
            sessions.add(
                ServiceDefinition(
                    uuid: BluetoothUUID(UInt16(0xFEE8)), isPrimary: true, includedServices: [],
                    characteristics: characteristics), token: tokens, session: Self.peripheral, at: now)
        case 1: sessions.removeServices(of: Self.peripheral, at: now) { [tokens] in $0 == tokens - number }
        case 2, 3:
            var advertisement = Advertisement(localName: "name", services: [BluetoothUUID(UInt16(0xFEE8))])
            advertisement.isConnectable = number & 1 == 0
            if number & 2 != 0 {
                advertisement.extended = Advertisement.Extended()
                advertisement.structures = [Advertisement.Structure(type: 0xFF, octets: Array(value.prefix(250)))]
            }
            sessions.startAdvertising(advertisement, session: Self.peripheral, at: now)
        case 4: sessions.stopAdvertising(session: Self.peripheral, at: now)
        case 5, 6:
            sessions.update(
                value.span, of: CharacteristicReference(service: tokens - number, index: 0), session: Self.peripheral,
                targets: [peer], at: now)
        default:
            sessions.setLatency(RequestedLatency(rawValue: number) ?? .low, of: peer, at: now)
            sessions.setBackground(number & 1 == 0, at: now)
        }
    }

    private mutating func callChannels(
        _ input: inout Input, _ value: [UInt8], _ peer: PeerIdentifier, session: Int
    ) {
        switch input.octet() % 6 {
        case 0: sessions.publishChannel(requiresEncryption: input.octet() & 1 == 0, session: Self.peripheral)
        case 1: sessions.unpublishChannel(0x80 + UInt16(input.octet() & 3), session: Self.peripheral, at: now)
        case 2, 3: sessions.openChannel(psm: 0x80 + UInt16(input.octet() & 3), to: peer, session: session, at: now)
        case 4:
            guard let channel = openChannels.last else { break }
            _ = sessions.send(
                value.span, on: ChannelIdentifier(link: channel.link, number: channel.number), at: now)
        default:
            guard let channel = openChannels.last else { break }
            sessions.closeChannel(ChannelIdentifier(link: channel.link, number: channel.number), at: now)
        }
    }

    private mutating func callPairing(_ input: inout Input, _ peer: PeerIdentifier) {
        switch input.octet() % 4 {
        case 0: sessions.pair(peer, minimum: input.octet() & 1 == 0 ? .unauthenticated : .authenticated, at: now)
        case 1: sessions.cancelPairing(with: peer, at: now)
        case 2:
            let answers: [AgentAnswer] = [.accept(true), .passkey(Passkey(value: 1)), .accept(false), .cancel]
            if let question { sessions.answer(question, input.one(of: answers), session: Self.agent, at: now) }
        default: sessions.unpair(peer, at: now)
        }
    }

    private mutating func callPeriodic(_ input: inout Input, _ peer: PeerIdentifier) {
        let number = Int(input.octet())
        let (session, token) = (Self.periodics.lowerBound + number & 1, tokens - number >> 1 & 3)
        // Each request has a token of its own.
        tokens += 1
        switch input.octet() % 8 {
        case 0:
            let data = [UInt8](repeating: 9, count: number * 7)
            sessions.startPeriodicAdvertising(PeriodicAdvertisement(data: data), session: session, at: now)
        case 1: sessions.stopPeriodicAdvertising(session: session, at: now)
        case 2, 3:
            let request = PeriodicSyncRequest(address: Self.peer(input.octet()), sid: 5, timeout: UInt16(number) * 4)
            sessions.synchronize(request, token: tokens, session: session, at: now)
        case 4: sessions.endSync(token: token, session: session, at: now)
        case 5:
            let source: PeriodicTransferSource = number & 8 == 0 ? .advertisement : .sync(token: token)
            sessions.transferTrain(source, serviceData: 1, to: peer, token: tokens, session: session, at: now)
        case 6: sessions.acceptTrain(from: peer, skip: 0, timeout: 100, token: tokens, session: session, at: now)
        default:
            sessions.closePeriodic(session, at: now)
            sessions.openPeriodic(session, at: now)
        }
    }
}
