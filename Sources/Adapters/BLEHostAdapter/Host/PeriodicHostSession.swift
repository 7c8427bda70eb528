import BLEAdapter
import BLEWire

/// A periodic session on the library's own host.
final class PeriodicHostSession: PeriodicSession {
    private let adapter: HostAdapter
    private let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let number = self.number
        adapter.submit { $0.closePeriodic(number) }
    }

    func startAdvertising(_ advertisement: PeriodicAdvertisement) {
        adapter.submit { [number] in
            $0.sessions.startPeriodicAdvertising(advertisement, session: number, at: $0.now)
        }
    }

    func stopAdvertising() {
        adapter.submit { [number] in $0.sessions.stopPeriodicAdvertising(session: number, at: $0.now) }
    }

    func synchronize(_ request: PeriodicSyncRequest, token: Int) {
        adapter.submit { [number] in $0.sessions.synchronize(request, token: token, session: number, at: $0.now) }
    }

    func transfer(_ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int) {
        adapter.submit { [number] in
            $0.sessions.transferTrain(
                source, serviceData: serviceData, to: peer, token: token, session: number, at: $0.now)
        }
    }

    func acceptTransfer(from peer: PeerIdentifier, skip: UInt16, timeout: UInt16, token: Int) {
        adapter.submit { [number] in
            $0.sessions.acceptTrain(
                from: peer, skip: skip, timeout: timeout, token: token, session: number, at: $0.now)
        }
    }

    func endSync(token: Int) {
        adapter.submit { [number] in $0.sessions.endSync(token: token, session: number, at: $0.now) }
    }

    func setSubeventData(_ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry]) {
        adapter.submit { [number] in $0.sessions.setSubeventData(entries, session: number, at: $0.now) }
    }

    func chooseSubevents(_ subevents: [UInt8], includesTransmitPower: Bool, token: Int) {
        adapter.submit { [number] in
            $0.sessions.chooseSubevents(
                subevents, includesTransmitPower: includesTransmitPower, token: token, session: number, at: $0.now)
        }
    }

    func respond(to packet: PeriodicPacket, in subevent: UInt8, slot: UInt8, _ data: [UInt8], token: Int) {
        adapter.submit { [number] in
            $0.sessions.respond(
                to: packet, in: subevent, slot: slot, data, token: token, session: number, at: $0.now)
        }
    }
}
