import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

extension HostCore {
    func add(_ definition: ServiceDefinition, token: Int, session: Int) {
        guard state == .poweredOn || state == .poweredOff else {
            return answerAdd(token, session, .notPoweredOn)
        }
        var included: [HandleRange] = []
        for includedToken in definition.includedServices {
            guard let service = publisher.service(includedToken, of: session) else {
                return answerAdd(token, session, .unknownIncludedService)
            }
            included.append(service.added.range)
        }
        guard let added = host.database.add(definition, included: included) else {
            return answerAdd(token, session, .outOfSpace)
        }
        publisher.add(Publisher.Service(session: session, token: token, added: added))
        host.databaseChanged([added.range], at: now)
        answerAdd(token, session, nil)
    }

    private func answerAdd(_ token: Int, _ session: Int, _ failure: PublishFailure?) {
        peripheralObserver(session)?.serviceAdded(token: token, failure)
    }

    /// Removes services of a session. Each client gets one Service Changed for those that have no other service between
    /// them.
    ///
    /// Subscriptions end here without a word: the session ends them itself for each service that it removes.
    func removeServices(of session: Int, where isMeant: (_ token: Int) -> Bool) {
        var ranges: [HandleRange] = []
        // From the last to the first: a service that includes another was added after it.
        for index in publisher.services.indices.reversed() {
            let service = publisher.services[index]
            guard service.session == session, isMeant(service.token) else { continue }
            let handles = service.added.characteristics.map(\.valueHandle)
            for client in clients.indices { clients[client].subscriptions.removeAll(where: handles.contains) }
            board.content.withLock { content in
                content.subscriptions.removeAll {
                    $0.session == session && $0.characteristic.service == service.token
                }
            }
            publisher.remove(at: index)
            host.database.remove(service.added.range)
            ranges.append(service.added.range)
        }
        host.databaseChanged(ranges, at: now)
    }

    /// The adapter went away for good: the sessions' services are gone.
    func forgetDatabase() {
        for service in publisher.services.reversed() { host.database.remove(service.added.range) }
        publisher.removeAll()
        let unanswered = advertiser.wishes.filter(\.isNew)
        advertiser = AdvertisingSchedule()
        for wish in unanswered {
            for _ in 0...wish.refusals { peripheralObserver(wish.session)?.advertisingStarted(.notPoweredOn) }
        }
        board.content.withLock { $0.subscriptions.removeAll() }
    }

    func closePeripheral(_ session: Int) {
        peripherals.removeAll { $0.number == session }
        stopAdvertising(session: session)
        closePeripheralChannels(session)
        removeServices(of: session) { _ in true }
        board.content.withLock { content in content.waitingForUpdates.removeAll { $0.session == session } }
    }
}
