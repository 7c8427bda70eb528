import BLEAdapter
import BLESecurity
import BLEWire
import ESPHomeAPI

/// Pairing by the gateway's host.
extension GatewayAdapter {
    enum PairingState {
        /// The gateway has not answered yet. Without an answer the pairing counts as failed at the deadline.
        case running(deadline: Instant)
        /// The observers know of the end, and the gateway has not answered yet. The protocol has no request that ends a pairing.
        case cancelled

        var deadline: Instant? { if case .running(let deadline) = self { deadline } else { nil } }
        var isCancelled: Bool { if case .cancelled = self { true } else { false } }
    }

    /// A device that sends nothing for 30 s ends a pairing (Vol 3, Part H, 3.4). The gateway notices it first.
    private static let pairingTimeout = TimeSpan.seconds(40)

    func pair(_ number: Int, _ peer: PeerIdentifier) {
        guard case .up = links[peer]?.state, let address = links[peer]?.address else {
            pairingObservers[number]?.observer?.pairingCompleted(record(peer), .failure(.disconnected))
            return
        }
        pairings[peer] = .running(deadline: scheduler.now + Self.pairingTimeout)
        uplink.send(DeviceRequest(address: address, kind: DeviceRequestKind.pair.rawValue))
        uplink.flush()
    }

    func unpair(_ peer: PeerIdentifier) {
        guard let device = identification.address(of: peer) else { return }
        uplink.send(
            DeviceRequest(
                address: device.value, kind: DeviceRequestKind.unpair.rawValue, hasAddressType: true,
                addressType: UInt32(device.asDevice.kind.rawValue)))
        uplink.flush()
    }

    /// Reports the end of a running pairing. The gateway's host goes on, and its answer is ignored.
    func cancelPairing(_ peer: PeerIdentifier) {
        // The reason with which a host of this machine cancels.
        giveUpPairing(peer, .local(.unspecified))
    }

    /// Ends the pairings that the gateway does not answer. A late answer is ignored.
    func endLatePairings(at now: Instant) {
        for (peer, pairing) in pairings {
            if let deadline = pairing.deadline, deadline <= now { giveUpPairing(peer, .timeout) }
        }
    }

    private func giveUpPairing(_ peer: PeerIdentifier, _ failure: PairingProcedureError) {
        guard pairings[peer]?.deadline != nil else { return }
        pairings[peer] = .cancelled
        completePairing(peer, .failure(failure))
    }

    /// Forgets the pairing of a link that ends, and reports the failure if the pairing runs.
    func endPairing(_ peer: PeerIdentifier, _ failure: PairingProcedureError) {
        guard pairings.removeValue(forKey: peer)?.deadline != nil else { return }
        completePairing(peer, .failure(failure))
    }

    /// The gateway reported the end of a pairing, which the device may have begun.
    func paired(_ response: DevicePairingResponse) {
        guard let peer = peers[response.address], case .up = links[peer]?.state,
            pairings.removeValue(forKey: peer)?.isCancelled != true
        else { return }
        // The protocol says no more than that the devices paired.
        let security = LinkSecurity(keySize: 16, isAuthenticated: false, isSecureConnections: false, isBonded: true)
        completePairing(peer, response.isSuccess ? .success(security) : .failure(.encryption))
    }

    private func completePairing(_ peer: PeerIdentifier, _ result: Result<LinkSecurity, PairingProcedureError>) {
        for observer in pairingObservers.values.compactMap(\.observer) {
            observer.pairingCompleted(record(peer), result)
        }
    }
}
