import BLEAdapter
import BLETransport
import BLEValues
import BLEWire

/// The links to devices: what the adapter reports about them, and their time limits.
extension DeviceCommands {
    /// The time in which a device must accept a connection.
    static let linkTimeout = TimeSpan.seconds(30)
    /// The time for the discovery of a device's attributes.
    static let discoveryTimeout = TimeSpan.seconds(60)
    /// The time in which the adapter must report the end of a link that was cancelled.
    static let endTimeout = TimeSpan.seconds(10)

    mutating func linkConnected(_ peer: PeerIdentifier, at now: Instant, time: Int64) {
        guard let link = links[peer], case .connecting = link.state else { return }
        links[peer]?.state = .discovering(deadline: now + Self.discoveryTimeout)
        links[peer]?.pending.append(.services)
        outputs.append(.adapter(.submit(.discoverServices(nil), peer)))
        outputs.append(.link(address: link.address, state: "connected", reason: nil, time: time))
    }

    /// - Parameter reason: In words.
    mutating func linkEnded(_ peer: PeerIdentifier, _ reason: String, time: Int64) {
        guard let link = links.remove(peer) else { return }
        let failure = CloudCommandError("disconnected", "The link ended: \(reason).")
        for origin in link.waiting { outputs.append(.failed(origin, failure)) }
        for operation in link.pending {
            switch operation {
            case .services, .characteristics: break
            case .read(let origin, _), .write(let origin), .subscribe(let origin, _, _):
                outputs.append(.failed(origin, failure))
            }
        }
        for origin in link.ending { outputs.append(.succeeded(origin, .done)) }
        if case .connecting = link.state { return }
        outputs.append(.link(address: link.address, state: "disconnected", reason: reason, time: time))
    }

    /// Takes the result of the oldest operation of a link. A result of another kind than the operation's is a failure.
    mutating func completed(
        _ peer: PeerIdentifier, at now: Instant, _ result: Result<GATTResult, GATTError>
    ) {
        guard let link = links[peer], let operation = link.pending.first else { return }
        links[peer]?.pending.removeFirst()
        switch (operation, result) {
        case (.services, .success(.services(let found))):
            links[peer]?.services = found.map { CloudLinks.Service(found: $0) }
            discover(0, of: peer)
        case (.characteristics(let index), .success(.characteristics(let found))):
            if index < link.services.count { links[peer]?.services[index].characteristics = found }
            discover(index + 1, of: peer)
        case (.services, _), (.characteristics, _):
            failWaiting(peer, Self.failure(result))
            if !link.state.isEnding { cancel(peer, at: now) }
        case (.read(let origin, let uuid), .success(.value(let value))):
            outputs.append(.succeeded(origin, .value(value, characteristic: uuid)))
        case (.write(let origin), .success(.done)): outputs.append(.succeeded(origin, .done))
        case (.subscribe(let origin, let handle, let isOn), .success(.done)):
            if isOn {
                links[peer]?.subscriptions.insert(handle)
            } else {
                links[peer]?.subscriptions.remove(handle)
            }
            outputs.append(.succeeded(origin, .subscription(handle: handle)))
        case (.read(let origin, _), _), (.write(let origin), _), (.subscribe(let origin, _, _), _):
            outputs.append(.failed(origin, Self.failure(result)))
        }
    }

    /// Fails the commands that wait for the connection.
    private mutating func failWaiting(_ peer: PeerIdentifier, _ failure: CloudCommandError) {
        let waiting = links[peer]?.waiting ?? []
        links[peer]?.waiting = []
        for origin in waiting { outputs.append(.failed(origin, failure)) }
    }

    /// Discovers the characteristics of the next service, or answers the commands that wait for the connection.
    private mutating func discover(_ index: Int, of peer: PeerIdentifier) {
        guard let link = links[peer], case .discovering = link.state else { return }
        if index < link.services.count {
            links[peer]?.pending.append(.characteristics(service: index))
            return outputs.append(
                .adapter(.submit(.discoverCharacteristics(service: link.services[index].found.range, nil), peer)))
        }
        links[peer]?.state = .up
        links[peer]?.waiting = []
        for origin in link.waiting { outputs.append(.succeeded(origin, .services(link.services))) }
    }

    mutating func received(
        _ value: [UInt8], handle: UInt16, from peer: PeerIdentifier, time: Int64
    ) {
        guard let link = links[peer], link.subscriptions.contains(handle) else { return }
        let uuid = link.characteristic(handle: handle)?.uuid
        outputs.append(.value(value, handle: handle, characteristic: uuid, address: link.address, time: time))
    }

    mutating func endLateLinks(at now: Instant, time: Int64) {
        for peer in links.peers {
            guard let link = links[peer], let deadline = link.state.deadline, deadline <= now else { continue }
            switch link.state {
            case .connecting:
                failWaiting(peer, CloudCommandError("timeout", "The device did not accept the connection within 30 s."))
                cancel(peer, at: now)
            case .discovering:
                failWaiting(peer, CloudCommandError("timeout", "The device did not tell its services within 60 s."))
                cancel(peer, at: now)
            case .ending:
                links[peer]?.ending = []
                let failure = CloudCommandError("timeout", "The adapter did not end the link within 10 s.")
                for origin in link.ending { outputs.append(.failed(origin, failure)) }
                linkEnded(peer, "the adapter did not report its end", time: time)
            case .up: break
            }
        }
    }

    /// - Parameter cancels: Whether the adapter is on, so that it can end the links.
    mutating func endAllLinks(_ reason: String, cancels: Bool, time: Int64) {
        for peer in links.peers {
            if cancels { outputs.append(.adapter(.cancelConnection(peer))) }
            linkEnded(peer, reason, time: time)
        }
        for number in commandWrites.keys.sorted() { wroteCommand(number, isAccepted: false) }
    }

    /// The reason why an operation did not bring the result of its kind.
    private static func failure(_ result: Result<GATTResult, GATTError>) -> CloudCommandError {
        guard case .failure(let failure) = result else {
            return CloudCommandError("failed", "The adapter returned a result of another kind.")
        }
        return switch failure {
        case .attribute(let code):
            CloudCommandError("att", "The device answered with the ATT error 0x\(hexadecimal(code, digits: 2)).")
        case .bearerLost: CloudCommandError("disconnected", "The device did not answer.")
        case .notConnected: CloudCommandError("not-connected", "There is no link to the device.")
        case .valueTooLong: CloudCommandError("invalid", "A value has at most 512 octets.")
        }
    }
}
