import BLEAdapter
import BLESecurity
import BLEWire
import ESPHomeAPI

/// Pairing by the gateway's host.
extension GatewayAdapter {
    func pair(_ number: Int, _ peer: PeerIdentifier) {
        guard central.isUp(peer), let address = links[peer]?.address else {
            pairingObservers[number]?.observer?.pairingCompleted(snapshot.record(peer), .failure(.disconnected))
            return
        }
        pairings.begin(peer, at: scheduler.now)
        uplink.send(DeviceRequest(address: address, kind: DeviceRequestKind.pair.rawValue))
        settle()
    }

    func unpair(_ peer: PeerIdentifier) {
        guard let device = snapshot.identification.address(of: peer) else { return }
        send(.unpair, to: device)
        settle()
    }

    /// Reports the end of a running pairing. The gateway's host goes on, and its answer is ignored.
    func cancelPairing(_ peer: PeerIdentifier) {
        // The reason with which a host of this machine cancels.
        giveUpPairing(peer, .local(.unspecified))
    }

    /// Ends the pairings that the gateway does not answer. A late answer is ignored.
    func endLatePairings(at now: Instant) {
        for peer in pairings.late(at: now) { giveUpPairing(peer, .timeout) }
    }

    private func giveUpPairing(_ peer: PeerIdentifier, _ failure: PairingProcedureError) {
        if pairings.giveUp(peer) { completePairing(peer, .failure(failure)) }
    }

    /// Forgets the pairing of a link that ends, and reports the failure if the pairing runs.
    func endPairing(_ peer: PeerIdentifier) {
        if pairings.end(peer) { completePairing(peer, .failure(.disconnected)) }
    }

    /// The gateway reported the end of a pairing, which the device may have begun.
    func paired(_ response: DevicePairingResponse) {
        guard let peer = peers[response.address], central.isUp(peer), pairings.complete(peer) else { return }
        // The protocol says no more than that the devices paired.
        let security = LinkSecurity(
            keySize: LinkSecurity.untoldKeySize, isAuthenticated: false, isSecureConnections: false, isBonded: true)
        completePairing(peer, response.isSuccess ? .success(security) : .failure(.encryption))
    }

    private func completePairing(_ peer: PeerIdentifier, _ result: Result<LinkSecurity, PairingProcedureError>) {
        for observer in pairingObservers.values.compactMap(\.observer) {
            observer.pairingCompleted(snapshot.record(peer), result)
        }
    }
}
