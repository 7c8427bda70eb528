import BLEAdapter
import BLEWire

/// L2CAP channels, and what bluetoothd cannot do.
extension PeripheralRole {
    func publishChannel(requiresEncryption: Bool, session: Int) {
        guard let observer = observer(session) else { return }
        guard state == .poweredOn else { return observer.channelPublished(.failure(.notPoweredOn)) }
        guard let channels, let generation = connection?.generation else {
            return observer.channelPublished(.failure(.refused))
        }
        channels.publish(requiresEncryption: requiresEncryption) { [weak self] result in
            guard let self else { return }
            if case .success(let psm) = result {
                guard isCurrent(generation), sessions[session] != nil else { return channels.unpublish(psm) }
                publishedChannels[psm] = session
            }
            self.observer(session)?.channelPublished(result)
        } onOpened: { [weak self] channel, address in
            guard let self, isCurrent(generation), let observer = self.observer(session) else { return channel.close() }
            let identifier = snapshot.identification.identifier(for: address)
            let known = clients.device(of: identifier).flatMap { clients[$0] }
            observer.channelOpened(
                channel, by: known?.record ?? CentralRecord(identifier: identifier, maximumUpdateLength: 20))
        }
    }

    func unpublishChannel(_ psm: UInt16, session: Int) {
        guard publishedChannels[psm] == session else {
            observer(session)?.channelUnpublished(psm: psm, .unknownPSM)
            return
        }
        closeChannel(psm)
        observer(session)?.channelUnpublished(psm: psm, nil)
    }

    func closeChannel(_ psm: UInt16) {
        publishedChannels[psm] = nil
        channels?.unpublish(psm)
    }

    /// bluetoothd has no call for the parameters of a link.
    func setLatency() {
        logOnce(
            .latency,
            "bluetoothd passes no requests for a connection interval on, so the latency stays. Name the controller hci0 to request one."
        )
    }
}
