#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import Foundation

// Called on the adapter's executor. What a delegate's method announces is done in the delivered body, just before the call.
extension PeripheralCore: PeripheralObserver {
    func adapterStateChanged(_ state: AdapterState) {
        let state = CBManagerState(rawValue: state.rawValue) ?? .unknown
        delivery.post { [self] in
            awaitStart()
            guard let manager else { return }
            tellRestoredState(manager)
            let (isNews, isLost) = guarded.withLock { core in
                let isNews = !core.isStateKnown || core.state != state
                core.isStateKnown = true
                core.state = state
                // Switched off, advertising only pauses; lost, it is over. What is to be restored has not begun.
                let isLost = state.invalidatesObjects && core.restoring == nil
                if isLost {
                    core.wantsAdvertising = false
                    core.isAdvertising = false
                }
                return (isNews, isLost)
            }
            if state == .poweredOn { resumeRestored() }
            if isLost {
                forgetServices()
                restorer?.forget()
            }
            if isNews { delegate?.peripheralManagerDidUpdateState(manager) }
        }
    }

    func serviceAdded(token: Int, _ failure: PublishFailure?) {
        delivery.post { [self] in
            guard let manager, let service = guarded.withLock({ $0.services[token]?.object }) else { return }
            if failure != nil { withdraw(token) }
            guard guarded.withLock({ $0.restoredTokens.remove(token) }) == nil else {
                if failure != nil { APIMisuse.warn("\(service) could not be restored") }
                return
            }
            delegate?.peripheralManager(manager, didAdd: service, error: failure?.error)
        }
    }

    func advertisingStarted(_ failure: AdvertisingFailure?) {
        delivery.post { [self] in
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

    /// Tells the delegate of each change, as long as few wait for it. Of more than that, which a client can cause by writing its
    /// configuration again and again, the last one counts.
    private func subscriptionChanged(_ key: State.SubscriptionKey, _ central: CentralRecord, isOn: Bool) {
        let isTold = guarded.withLock { $0.waitingSubscriptions[key, default: .init()].add(isOn) }
        guard isTold else { return }
        delivery.post { [self] in
            tell(key, central, isOn: isOn)
            let last = guarded.withLock { state in
                let last = state.waitingSubscriptions[key]?.removeFirst()
                if last != nil { state.waitingSubscriptions[key] = nil }
                return last
            }
            if let last, last != isOn { tell(key, central, isOn: last) }
        }
    }

    private func tell(_ key: State.SubscriptionKey, _ central: CentralRecord, isOn: Bool) {
        guard let manager else { return }
        let central = self.central(for: central)
        // Under the lock with which another thread takes the service away: a subscriber that is added is one that `withdraw`
        // finds and removes.
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
        delivery.post { [self] in
            guard let manager, let delegate, let target = self.characteristic(characteristic) else {
                return refuse(request)
            }
            let pending = CBATTRequest.Pending(request, isRead: true, needsResponse: true, core: self)
            delegate.peripheralManager(
                manager,
                didReceiveRead: CBATTRequest(
                    pending: pending, central: self.central(for: central), characteristic: target, offset: offset,
                    value: nil))
        }
    }

    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        if needsResponse {
            delivery.post { [self] in tellWrite(request, items, needsResponse: true, from: central) }
        } else {
            // A client that writes without response waits for nothing.
            delivery.postUnlessFull { [self] in tellWrite(request, items, needsResponse: false, from: central) }
        }
    }

    private func tellWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        let targets = items.map { characteristic($0.characteristic) }
        guard let manager, let delegate, !items.isEmpty, !targets.contains(where: { $0 == nil }) else {
            if needsResponse { refuse(request) }
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
        // One that is on its way says the same.
        let isNews = guarded.withLock { state in
            defer { state.isReadyOnItsWay = true }
            return !state.isReadyOnItsWay
        }
        guard isNews else { return }
        delivery.post { [self] in
            guarded.withLock { $0.isReadyOnItsWay = false }
            guard let manager else { return }
            delegate?.peripheralManagerIsReady(toUpdateSubscribers: manager)
        }
    }

    func maximumUpdateLengthChanged(_ central: CentralRecord) {
        // At most once for each link: a client may ask for an ATT_MTU once (Vol 3, Part F, 3.4.2.1). A change that is dropped
        // does not come again.
        delivery.post { [self] in
            let known = guarded.withLock { $0.centrals[central.identifier]?.object }
            known?.updateLength.withLock { $0 = central.maximumUpdateLength }
        }
    }

    func channelPublished(_ result: Result<UInt16, ChannelFailure>) {
        delivery.post { [self] in
            guard let manager else { return }
            switch result {
            case .success(let psm):
                delegate?.peripheralManager(manager, didPublishL2CAPChannel: psm, error: nil)
            case .failure(let failure):
                delegate?.peripheralManager(manager, didPublishL2CAPChannel: 0, error: failure.error)
            }
        }
    }

    func channelUnpublished(psm: UInt16, _ failure: ChannelFailure?) {
        delivery.post { [self] in
            guard let manager else { return }
            delegate?.peripheralManager(manager, didUnpublishL2CAPChannel: psm, error: failure?.error)
        }
    }

    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {
        let isTaken = delivery.postUnlessFull { [self] in
            guard let manager, let delegate else { return channel.close() }
            let channel = CBL2CAPChannel(peer: self.central(for: central), handle: channel, delivery: delivery)
            delegate.peripheralManager(manager, didOpen: channel, error: nil)
        }
        if !isTaken { channel.close() }
    }

    /// Nobody is there who could answer: the client shall not wait for its time to run out.
    private func refuse(_ request: RequestIdentifier) {
        session?.respond(to: request, error: UInt8(CBATTError.Code.unlikelyError.rawValue), value: nil)
    }
}

extension PublishFailure {
    fileprivate var error: CBError {
        switch self {
        case .outOfSpace: CBError(describing: .outOfSpace)
        case .unknownIncludedService: CBError(describing: .invalidParameters)
        case .notPoweredOn: CBError(describing: .unknown)
        }
    }
}

extension AdvertisingFailure {
    fileprivate var error: CBError {
        switch self {
        case .alreadyAdvertising: CBError(describing: .alreadyAdvertising)
        case .notPoweredOn, .controller: CBError(describing: .unknown)
        }
    }
}
#endif
