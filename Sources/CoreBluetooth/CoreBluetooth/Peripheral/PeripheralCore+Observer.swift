internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// The adapter's executor calls these methods. Each change of a property happens in the dispatched body, just before the delegate's
// method that announces it.
extension PeripheralCore: PeripheralObserver {
    func adapterStateChanged(_ state: AdapterState) {
        postState(state) { [self] state in
            waitForSession()
            guard let manager else { return }
            reportRestoredState(manager)
            let (isChanged, isLost) = guarded.withLock { core in
                let isChanged = !core.isStateKnown || core.state != state
                core.isStateKnown = true
                core.state = state
                // Power off only pauses advertising; the loss of the adapter ends it. Restored advertising has not begun.
                let isLost = state.invalidatesObjects && core.restoring == nil
                if isLost {
                    core.wantsAdvertising = false
                    core.isAdvertising = false
                }
                return (isChanged, isLost)
            }
            if state == .poweredOn { resumeRestored() }
            if isLost {
                forgetServices()
                restorer?.forget()
            }
            if isChanged { delegate?.peripheralManagerDidUpdateState(manager) }
        }
    }

    func serviceAdded(token: Int, _ failure: PublishingError?) {
        dispatcher.post { [self] in
            guard let manager, let service = guarded.withLock({ $0.services[token]?.object }) else { return }
            if failure != nil { withdraw(token) }
            guard guarded.withLock({ $0.restoredTokens.remove(token) }) == nil else {
                if failure != nil { APIMisuse.warn("\(service) could not be restored") }
                return
            }
            delegate?.peripheralManager(manager, didAdd: service, error: failure?.error)
        }
    }

    func advertisingStarted(_ failure: AdvertisingError?) {
        dispatcher.post { [self] in
            guard let manager else { return }
            let wasRestored = guarded.withLock { state in
                if failure == .alreadyAdvertising { return false }
                state.wantsAdvertising = state.wantsAdvertising && failure == nil
                state.isAdvertising = state.wantsAdvertising
                defer { state.isRestoringAdvertisement = false }
                return state.isRestoringAdvertisement
            }
            if let failure, failure != .alreadyAdvertising { restorer?.advertisementChanged(nil) }
            guard !wasRestored else {
                if failure != nil { APIMisuse.warn("the advertising of an earlier run could not be resumed") }
                return
            }
            delegate?.peripheralManagerDidStartAdvertising(manager, error: failure?.error)
        }
    }

    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        subscriptionChanged(.init(peer: central.identifier, characteristic: characteristic), central, isOn: true)
    }

    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {
        subscriptionChanged(.init(peer: central.identifier, characteristic: characteristic), central, isOn: false)
    }

    /// Delivers one callback for each change up to a limit of pending ones. Beyond the limit, which a client reaches by writing its
    /// configuration repeatedly, only the last change is delivered.
    private func subscriptionChanged(
        _ key: PeripheralManagerState.SubscriptionKey, _ central: CentralRecord, isOn: Bool
    ) {
        let hasCallback = guarded.withLock { $0.pendingSubscriptions[key, default: .init()].add(isOn) }
        guard hasCallback else { return }
        let isTaken = dispatcher.post { [self] in
            reportSubscription(key, central, isOn: isOn)
            let last = guarded.withLock { $0.removePendingSubscription(key) }
            if let last, last != isOn { reportSubscription(key, central, isOn: last) }
        }
        if !isTaken { guarded.withLock { _ = $0.removePendingSubscription(key) } }
    }

    private func reportSubscription(_ key: PeripheralManagerState.SubscriptionKey, _ central: CentralRecord, isOn: Bool)
    {
        guard let manager else { return }
        let central = self.central(for: central)
        // `withdraw` takes this lock too, so it finds and removes every subscriber that is added here.
        let target = guarded.withLock { state in
            let target = state.characteristic(key.characteristic)
            if isOn { target?.addSubscriber(central) }
            return target
        }
        guard let target else { return }
        if isOn {
            delegate?.peripheralManager(manager, central: central, didSubscribeTo: target)
        } else {
            target.removeSubscriber(central)
            delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: target)
        }
    }

    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) {
        let isTaken = dispatcher.post { [self] in
            guard let manager, let delegate, let target = self.characteristic(characteristic) else {
                return refuse(request, .unlikelyError)
            }
            let pending = CBATTRequest.Pending(request, isRead: true, needsResponse: true, core: self)
            delegate.peripheralManager(
                manager,
                didReceiveRead: CBATTRequest(
                    pending: pending, central: self.central(for: central), characteristic: target, offset: offset,
                    value: nil))
        }
        if !isTaken { refuse(request, .insufficientResources) }
    }

    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        if needsResponse {
            let isTaken = dispatcher.post { [self] in deliverWrite(request, items, needsResponse: true, from: central) }
            if !isTaken { refuse(request, .insufficientResources) }
        } else {
            // A Write Command has no response (Vol 3, Part F, 3.4.5.3), so the value may be dropped.
            dispatcher.postUnlessFull { [self] in deliverWrite(request, items, needsResponse: false, from: central) }
        }
    }

    private func deliverWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        let targets = items.map { characteristic($0.characteristic) }
        guard let manager, let delegate, !items.isEmpty, !targets.contains(where: { $0 == nil }) else {
            if needsResponse { refuse(request, .unlikelyError) }
            return
        }
        let pending = CBATTRequest.Pending(request, isRead: false, needsResponse: needsResponse, core: self)
        let central = self.central(for: central)
        let requests = zip(items, targets).compactMap { item, target in
            target.map {
                CBATTRequest(
                    pending: pending, central: central, characteristic: $0, offset: item.offset,
                    value: Data(item.value))
            }
        }
        delegate.peripheralManager(manager, didReceiveWrite: requests)
    }

    func readyToUpdate() {
        // A pending callback reports the same.
        let isChanged = guarded.withLock { state in
            defer { state.isReadyPending = true }
            return !state.isReadyPending
        }
        guard isChanged else { return }
        let isTaken = dispatcher.post { [self] in
            guarded.withLock { $0.isReadyPending = false }
            guard let manager else { return }
            delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager)
        }
        if !isTaken { guarded.withLock { $0.isReadyPending = false } }
    }

    func maximumUpdateLengthChanged(_ central: CentralRecord) {
        // At most once for each link, because a client may exchange the ATT_MTU once (Vol 3, Part F, 3.4.2.1). The event does not
        // repeat, so it must not be dropped.
        dispatcher.post { [self] in
            let known = guarded.withLock { $0.centrals[central.identifier]?.object }
            known?.updateLength.withLock { $0 = central.maximumUpdateLength }
        }
    }

    func channelPublished(_ result: Result<UInt16, ChannelError>) {
        dispatcher.post { [self] in
            guard let manager else { return }
            switch result {
            case .success(let psm):
                delegate?.peripheralManager(manager, didPublishL2CAPChannel: psm, error: nil)
            case .failure(let failure):
                delegate?.peripheralManager(manager, didPublishL2CAPChannel: 0, error: failure.error)
            }
        }
    }

    func channelUnpublished(psm: UInt16, _ failure: ChannelError?) {
        dispatcher.post { [self] in
            guard let manager else { return }
            delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: psm, error: failure?.error)
        }
    }

    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {
        let isTaken = dispatcher.postUnlessFull { [self] in
            guard let manager, let delegate else { return channel.close() }
            let channel = CBL2CAPChannel(peer: self.central(for: central), handle: channel, dispatcher: dispatcher)
            delegate.peripheralManager(manager, didOpen: channel, error: nil)
        }
        if !isTaken { channel.close() }
    }

    /// Refuses a request that no delegate gets. Without an answer the client waits for 30 s, and then uses the link no more (Core
    /// Specification, Vol 3, Part F, 3.3.3).
    private func refuse(_ request: RequestIdentifier, _ error: CBATTError.Code) {
        session?.respond(to: request, error: UInt8(error.rawValue), value: nil)
    }
}

extension PublishingError {
    fileprivate var error: CBError {
        switch self {
        case .outOfSpace: CBError(describing: .outOfSpace)
        case .unknownIncludedService: CBError(describing: .invalidParameters)
        case .notPoweredOn: CBError(describing: .unknown)
        }
    }
}

extension AdvertisingError {
    fileprivate var error: CBError {
        switch self {
        case .alreadyAdvertising: CBError(describing: .alreadyAdvertising)
        case .notPoweredOn, .controller: CBError(describing: .unknown)
        }
    }
}
