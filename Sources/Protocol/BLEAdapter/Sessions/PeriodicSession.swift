import BLEWire
import Dispatch

/// The use of periodic advertising that a session is for. An adapter of two devices has one for each.
package enum PeriodicRole: Hashable, Sendable { case advertiser, receiver }

/// Periodic advertising of one program. Apple's frameworks have none.
package protocol PeriodicSession: AnyObject, Sendable {
    /// Starts the session's train, or changes it. `periodicAdvertisingChanged` answers, once for several calls in a row. The train stays requested
    /// while Bluetooth is off, and begins again with it.
    func startAdvertising(_ advertisement: PeriodicAdvertisement)
    /// Ends the train. No answer to a start before it follows.
    func stopAdvertising()

    /// Looks for a train without a timeout, and receives it. `syncEstablished` or `syncEnded` follows. The adapter scans meanwhile.
    ///
    /// - Parameter token: Names the train in this session, which uses each token once.
    func synchronize(_ request: PeriodicSyncRequest, token: Int)
    /// Ends the reception, the search or the wait. No call of the observer follows.
    func endSync(token: Int)

    /// Tells a connected peer of a train (Vol 6, Part B, 5.1.13). `transferEnded` answers.
    ///
    /// - Parameters:
    ///   - serviceData: A value for the peer.
    ///   - token: Names the call. These tokens are apart from those of trains.
    func transfer(_ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int)
    /// Receives the next train of which a connected peer tells, unless the adapter receives it already. `trainTransferred` or `syncEnded` follows.
    ///
    /// - Parameters:
    ///   - skip: As in `PeriodicSyncRequest`, as is `timeout`. Of several calls for one peer the last one counts.
    ///   - token: Names the train in this session, as in `synchronize`.
    func acceptTransfer(from peer: PeerIdentifier, skip: UInt16, timeout: UInt16, token: Int)

    /// Gives the data of subevents that `subeventsRequested` named, which is sent once. `subeventDataRefused` follows if it is not sent.
    ///
    /// - Parameter entries: Each subevent once.
    func setSubeventData(_ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry])
    /// Receives these subevents of a train with responses, which has no reports before. `subeventsChosen` answers.
    ///
    /// - Parameter includesTransmitPower: Whether responses contain the transmit power.
    func chooseSubevents(_ subevents: [UInt8], includesTransmitPower: Bool, token: Int)
    /// Responds to a packet of a train in a slot. `responseRefused` follows if the response is not sent.
    ///
    /// - Parameter subevent: That of the slot; one before that of the packet belongs to the next event.
    func respond(to packet: PeriodicPacket, in subevent: UInt8, slot: UInt8, _ data: [UInt8], token: Int)
}

// Without responses no train has subevents.
extension PeriodicSession {
    package func setSubeventData(_ entries: [HCI.LESetPeriodicAdvertisingSubeventData.Entry]) {}
    package func chooseSubevents(_ subevents: [UInt8], includesTransmitPower: Bool, token: Int) {}
    package func respond(to packet: PeriodicPacket, in subevent: UInt8, slot: UInt8, _ data: [UInt8], token: Int) {}
}

/// Receives the events of a periodic session, on the adapter's executor and in order.
package protocol PeriodicObserver: AnyObject, Sendable {
    func adapterStateChanged(_ state: AdapterState)
    /// - Parameters:
    ///   - failure: Nil if the train is as requested.
    ///   - isAdvertising: Whether a train is requested, after a failure the one before it.
    func periodicAdvertisingChanged(_ failure: PeriodicFailure?, isAdvertising: Bool)
    func syncEstablished(_ properties: PeriodicSyncProperties, token: Int)
    /// A peer told of a train, which is received.
    func trainTransferred(_ train: TransferredTrain, _ properties: PeriodicSyncProperties, token: Int)
    /// The train is no longer requested.
    func syncEnded(_ failure: PeriodicFailure, token: Int)
    /// - Parameter failure: Nil if the controller tells the peer of the train.
    func transferEnded(_ failure: PeriodicFailure?, token: Int)
    /// `data` is valid during the call only.
    func periodicReport(_ data: Span<UInt8>, _ properties: PeriodicReportProperties, token: Int)

    /// The controller needs the data of `count` subevents from `start` on, with 0 after the last one. One without data is sent empty.
    func subeventsRequested(from start: UInt8, count: Int)
    func subeventDataRefused(_ failure: PeriodicFailure)
    /// A receiver has responded. `data` is valid during the call only.
    func subeventResponse(_ data: Span<UInt8>, _ response: SubeventResponse)
    /// - Parameter failure: Nil if the controller receives the subevents.
    func subeventsChosen(_ failure: PeriodicFailure?, token: Int)
    /// A response to the train was not sent, perhaps one of another session.
    func responseRefused(_ failure: PeriodicFailure, token: Int)
}

// A session of one role needs only a part.
extension PeriodicObserver {
    package func periodicAdvertisingChanged(_ failure: PeriodicFailure?, isAdvertising: Bool) {}
    package func syncEstablished(_ properties: PeriodicSyncProperties, token: Int) {}
    package func trainTransferred(_ train: TransferredTrain, _ properties: PeriodicSyncProperties, token: Int) {}
    package func transferEnded(_ failure: PeriodicFailure?, token: Int) {}
    package func syncEnded(_ failure: PeriodicFailure, token: Int) {}
    package func periodicReport(_ data: Span<UInt8>, _ properties: PeriodicReportProperties, token: Int) {}
    package func subeventsRequested(from start: UInt8, count: Int) {}
    package func subeventDataRefused(_ failure: PeriodicFailure) {}
    package func subeventResponse(_ data: Span<UInt8>, _ response: SubeventResponse) {}
    package func subeventsChosen(_ failure: PeriodicFailure?, token: Int) {}
    package func responseRefused(_ failure: PeriodicFailure, token: Int) {}
}

/// The session of an adapter without periodic advertising.
package final class UnsupportedPeriodic: PeriodicSession {
    private static let queue = DispatchQueue(label: "bluetooth.periodic.unsupported")
    private let observer: WeakObserver

    private final class WeakObserver: Sendable {
        weak let value: (any PeriodicObserver)?
        init(_ value: any PeriodicObserver) { self.value = value }
    }

    package init(observer: any PeriodicObserver) {
        self.observer = WeakObserver(observer)
        call { $0.adapterStateChanged(.unsupported) }
    }

    private func call(_ body: @escaping @Sendable (any PeriodicObserver) -> Void) {
        Self.queue.async { [observer] in
            if let observer = observer.value { body(observer) }
        }
    }

    package func startAdvertising(_ advertisement: PeriodicAdvertisement) {
        call { $0.periodicAdvertisingChanged(.unsupported, isAdvertising: false) }
    }
    package func stopAdvertising() {}
    package func synchronize(_ request: PeriodicSyncRequest, token: Int) {
        call { $0.syncEnded(.unsupported, token: token) }
    }
    package func endSync(token: Int) {}
    package func transfer(_ source: PeriodicTransferSource, serviceData: UInt16, to peer: PeerIdentifier, token: Int) {
        call { $0.transferEnded(.unsupported, token: token) }
    }
    package func acceptTransfer(from peer: PeerIdentifier, skip: UInt16, timeout: UInt16, token: Int) {
        call { $0.syncEnded(.unsupported, token: token) }
    }
}
