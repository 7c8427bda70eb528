import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// The services of sessions in the local database, their clients, and the requests of clients.
struct LocalServer {
    private(set) var services = LocalServices()
    private var requests = RequestTable()

    // MARK: Services

    mutating func add(
        _ definition: ServiceDefinition, token: Int, session: Int, _ context: inout SessionContext, at now: Instant
    ) {
        var included: [HandleRange] = []
        for includedToken in definition.includedServices {
            // An include definition refers to a service of the same server (Vol 3, Part G, 3.2).
            guard let service = services.service(includedToken, of: session) else {
                return context.emit(.serviceAdded(token: token, .unknownIncludedService, session: session))
            }
            included.append(service.added.range)
        }
        guard let added = context.host.database.add(definition, included: included) else {
            return context.emit(.serviceAdded(token: token, .outOfSpace, session: session))
        }
        services.add(LocalServices.Service(session: session, token: token, added: added))
        context.host.databaseChanged([added.range], at: now)
        context.emit(.serviceAdded(token: token, nil, session: session))
    }

    /// Removes services of a session. Each client gets one Service Changed for each span of removed services that no
    /// other service interrupts (Vol 3, Part G, 7.1).
    ///
    /// The subscriptions end without an event. The session ends them itself for each service that it removes.
    mutating func removeServices(
        of session: Int, _ context: inout SessionContext, at now: Instant, where isMeant: (_ token: Int) -> Bool
    ) {
        var ranges: [HandleRange] = []
        // Goes from the last service to the first: a service that includes another was added after it.
        for index in services.services.indices.reversed() {
            let service = services.services[index]
            guard service.session == session, isMeant(service.token) else { continue }
            let handles = service.added.characteristics.map(\.valueHandle)
            for link in context.links.indices { context.links[link].subscriptions.removeAll(where: handles.contains) }
            context.emit(.serviceRemoved(token: service.token, session: session))
            services.remove(at: index)
            context.host.database.remove(service.added.range)
            ranges.append(service.added.range)
        }
        context.host.databaseChanged(ranges, at: now)
    }

    /// Removes the services of all sessions. The adapter is gone for good.
    mutating func forgetServices(_ context: inout SessionContext) {
        for service in services.services.reversed() {
            context.host.database.remove(service.added.range)
            context.emit(.serviceRemoved(token: service.token, session: service.session))
        }
        services.removeAll()
    }

    // MARK: Clients

    private func record(ofClient index: Int, _ context: borrowing SessionContext) -> CentralRecord {
        CentralRecord(
            identifier: context.links[index].peerIdentifier,
            maximumUpdateLength: context.links[index].maximumUpdateLength)
    }

    func clientConnected(_ link: LinkIdentifier, from address: DeviceAddress, _ context: inout SessionContext) {
        let peer = context.peers.claim(address)
        let identifier = context.peers[peer].identifier
        let mtu = context.host.mtu(of: link) ?? Int(ATT.defaultMTU)
        var client = Link(link, to: peer, identifier, role: .peripheral)
        client.maximumUpdateLength = max(20, mtu - 3)
        context.links.append(client)
        context.emit(.linkUp(identifier, .peripheral, mtu: mtu))
    }

    mutating func clientDisconnected(_ index: Int, _ context: inout SessionContext) {
        let record = record(ofClient: index, context)
        let link = context.links.remove(at: index)
        requests.removeAll(of: link.identifier)
        for handle in link.subscriptions { announce(record, handle, isSubscribed: false, &context) }
        context.emit(.linkDown(record.identifier, .peripheral))
        context.peers.release(link.peer)
    }

    /// A notification carries at most ATT_MTU - 3 octets of a value (Vol 3, Part F, 3.4.7.1).
    func clientMTUChanged(_ index: Int, _ mtu: Int, _ context: inout SessionContext) {
        let length = max(20, mtu - 3)
        guard length != context.links[index].maximumUpdateLength else { return }
        context.links[index].maximumUpdateLength = length
        let record = record(ofClient: index, context)
        context.emit(.mtuChanged(record.identifier, .peripheral, mtu: mtu))
        context.emit(.maximumUpdateLengthChanged(record))
    }

    // MARK: Subscriptions

    func subscriptionChanged(
        _ link: LinkIdentifier, handle: UInt16, _ configuration: UInt16, _ context: inout SessionContext
    ) {
        guard let index = context.links.index(of: link, role: .peripheral) else { return }
        // Bit 0 enables notifications, bit 1 indications (Vol 3, Part G, 3.3.3.3).
        let isSubscribed = configuration & 3 != 0
        guard isSubscribed != context.links[index].subscriptions.contains(handle) else { return }
        if isSubscribed {
            context.links[index].subscriptions.append(handle)
        } else {
            context.links[index].subscriptions.removeAll { $0 == handle }
        }
        announce(record(ofClient: index, context), handle, isSubscribed: isSubscribed, &context)
    }

    private func announce(
        _ central: CentralRecord, _ handle: UInt16, isSubscribed: Bool, _ context: inout SessionContext
    ) {
        guard let target = services.target(of: handle) else { return }
        if isSubscribed {
            context.emit(.subscribed(central, target.characteristic, session: target.session))
        } else {
            context.emit(.unsubscribed(central, target.characteristic, session: target.session))
        }
    }

    // MARK: Requests

    mutating func readRequested(
        _ link: LinkIdentifier, _ number: UInt32, handle: UInt16, offset: Int, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let index = context.links.index(of: link, role: .peripheral), let target = services.target(of: handle)
        else { return context.host.respondToRead(number, error: .unlikelyError, on: link, at: now) }
        let request = requests.add(
            .init(session: target.session, link: link, number: number, isRead: true, needsResponse: true))
        context.emit(
            .readRequest(
                request, target.characteristic, offset: offset, record(ofClient: index, context),
                session: target.session))
    }

    mutating func writeRequested(
        _ link: LinkIdentifier, _ number: UInt32, _ items: ArraySlice<ATTWriteItem>, needsResponse: Bool,
        _ context: inout SessionContext, at now: Instant
    ) {
        let first = context.output.items.count
        var session: Int?
        for item in items {
            // An Execute Write Request writes all prepared values (Vol 3, Part F, 3.4.6.3).
            guard let target = services.target(of: item.handle), session == nil || session == target.session else {
                // The service is gone, or a prepared write covers services of two sessions. Neither session could
                // accept such a write as a whole.
                context.output.items.removeSubrange(first...)
                break
            }
            session = target.session
            context.output.items.append(
                SessionWriteItem(
                    characteristic: target.characteristic, offset: item.offset, value: item.value))
        }
        let count = context.output.items.count
        guard let index = context.links.index(of: link, role: .peripheral), count > first, let session else {
            context.output.items.removeSubrange(first...)
            if needsResponse { context.host.respondToWrite(number, error: .unlikelyError, on: link, at: now) }
            return
        }
        let request = requests.add(
            .init(session: session, link: link, number: number, isRead: false, needsResponse: needsResponse))
        context.emit(
            .writeRequest(
                request, items: first..<count, needsResponse: needsResponse, record(ofClient: index, context),
                session: session))
    }

    /// Answers a request of a client. An `error` of 0 accepts it. Has no effect if the request is unknown or already
    /// answered.
    mutating func respond(
        to identifier: RequestIdentifier, error: UInt8, value: [UInt8]?, _ context: inout SessionContext,
        at now: Instant
    ) {
        guard let request = requests.take(identifier) else { return }
        if !request.isRead {
            let error = error == 0 ? nil : ATT.ErrorCode(rawValue: error)
            context.host.respondToWrite(request.number, error: error, on: request.link, at: now)
        } else if error == 0 {
            let octets = value ?? []
            context.host.respondToRead(request.number, value: octets.span, on: request.link, at: now)
        } else {
            context.host.respondToRead(request.number, error: .init(rawValue: error), on: request.link, at: now)
        }
    }

    /// Refuses the requests that a session has not answered: their clients wait 30 s at most, and then use the link no more
    /// (Vol 3, Part F, 3.3.3).
    mutating func refuseRequests(of session: Int, _ context: inout SessionContext, at now: Instant) {
        for request in requests.waiting(for: session) {
            respond(to: request, error: ATT.ErrorCode.unlikelyError.rawValue, value: nil, &context, at: now)
        }
    }

    mutating func removeRequests() { requests.removeAll() }
}
