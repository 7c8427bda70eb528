import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

extension HostSessions {
    package mutating func add(_ definition: ServiceDefinition, token: Int, session: Int, at now: Instant) {
        guard state == .poweredOn || state == .poweredOff else {
            return emit(.serviceAdded(token: token, .notPoweredOn, session: session))
        }
        var included: [HandleRange] = []
        for includedToken in definition.includedServices {
            // An include definition refers to a service of the same server (Vol 3, Part G, 3.2).
            guard let service = services.service(includedToken, of: session) else {
                return emit(.serviceAdded(token: token, .unknownIncludedService, session: session))
            }
            included.append(service.added.range)
        }
        guard let added = host.database.add(definition, included: included) else {
            return emit(.serviceAdded(token: token, .outOfSpace, session: session))
        }
        services.add(LocalServices.Service(session: session, token: token, added: added))
        host.databaseChanged([added.range], at: now)
        emit(.serviceAdded(token: token, nil, session: session))
    }

    /// Removes services of a session. Each client gets one Service Changed for each span of removed services that no
    /// other service interrupts (Vol 3, Part G, 7.1).
    ///
    /// The subscriptions end without an event. The session ends them itself for each service that it removes.
    package mutating func removeServices(of session: Int, at now: Instant, where isMeant: (_ token: Int) -> Bool) {
        var ranges: [HandleRange] = []
        // Goes from the last service to the first: a service that includes another was added after it.
        for index in services.services.indices.reversed() {
            let service = services.services[index]
            guard service.session == session, isMeant(service.token) else { continue }
            let handles = service.added.characteristics.map(\.valueHandle)
            for link in links.indices { links[link].subscriptions.removeAll(where: handles.contains) }
            emit(.serviceRemoved(token: service.token, session: session))
            services.remove(at: index)
            host.database.remove(service.added.range)
            ranges.append(service.added.range)
        }
        host.databaseChanged(ranges, at: now)
    }

    /// Removes the services of all sessions. The adapter is gone for good.
    mutating func forgetDatabase() {
        for service in services.services.reversed() {
            host.database.remove(service.added.range)
            emit(.serviceRemoved(token: service.token, session: service.session))
        }
        services.removeAll()
        let unanswered = advertising.requests.filter(\.isNew)
        advertising = AdvertisingRequests()
        for request in unanswered {
            for _ in 0...request.refusals { emit(.advertisingStarted(.notPoweredOn, session: request.session)) }
        }
    }

    /// Removes the services, advertising and channels of the session.
    package mutating func closePeripheral(_ session: Int, at now: Instant) {
        peripherals.removeAll { $0.number == session }
        timers.cancel(.reportFirstState(session: session))
        stopAdvertising(session: session, at: now)
        closePeripheralChannels(session, at: now)
        refuseRequests(of: session, at: now)
        removeServices(of: session, at: now) { _ in true }
    }
}
