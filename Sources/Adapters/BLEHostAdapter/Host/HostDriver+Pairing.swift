import BLEAdapter
import BLESecurity
import BLESessions

/// Pairing sessions.
extension HostDriver {
    /// Calls the pairing observers of an event, and publishes the bonds.
    func handle(_ notice: PairingNotice) {
        switch notice {
        case .asked(let request, let number, let peer, let session):
            guard let observer = pairing(session) else {
                return sessions.answer(number, .cancel, session: session, at: now)
            }
            observer.asked(request, number: number, by: peer)
        case .dismissed(let number, let session): pairing(session)?.dismissed(number)
        case .keyPressed(let kind, let peer): forEachPairing { $0.keyPressed(kind, by: peer) }
        case .completed(let peer, let result): forEachPairing { $0.pairingCompleted(peer, result) }
        case .bondAdded(let record):
            snapshot.setBonds(sessions.bondRecords)
            forEachPairing { $0.bondAdded(record) }
        case .bondRemoved(let peer):
            snapshot.setBonds(sessions.bondRecords)
            forEachPairing { $0.bondRemoved(peer) }
        }
    }
}
