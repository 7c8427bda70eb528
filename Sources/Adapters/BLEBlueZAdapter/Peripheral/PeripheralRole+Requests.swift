import BLEAdapter
import BLEWire
import SystemBus

/// Calls of bluetoothd for clients.
extension PeripheralRole {
    func take(_ call: BusCall, _ target: PublishedApplication.Target, of application: PublishedApplication) {
        switch target {
        case .service: call.fail(BusCallError.Name.unknownMethod, "A service has no methods.")
        case .characteristic(let service, let index):
            let member = application.members[service]
            let reference = CharacteristicReference(service: member.key.token, index: index)
            take(
                call, .init(session: member.key.session, characteristic: reference),
                member.definition.characteristics[index])
        case .descriptor(let service, let index, let descriptor):
            let value = application.members[service].definition.characteristics[index].descriptors[descriptor].value
            if call.message.member == "ReadValue" {
                reply(call, value, from: AttributeOptions(call.message.body.first).offset)
            } else {
                fail(call, 0x03)
            }
        }
    }

    private func take(
        _ call: BusCall, _ key: PublishedSubscriptions.Key, _ definition: CharacteristicDefinition
    ) {
        let arguments = call.message.body
        switch call.message.member {
        case "ReadValue": read(call, key, definition, AttributeOptions(arguments.first))
        case "WriteValue":
            let options = AttributeOptions(arguments.count > 1 ? arguments[1] : nil)
            guard let value = arguments.first?.bytes else { return fail(call, 0x0E) }
            write(call, key, definition, value, options)
        case "AcquireNotify": acquireNotify(call, key, AttributeOptions(arguments.first))
        case "StartNotify": startNotify(call, key)
        case "StopNotify": stopNotify(call, key)
        // A client confirmed an indication. Nothing waits for it.
        default: call.reply()
        }
    }

    // MARK: Reads and writes

    private func read(
        _ call: BusCall, _ key: PublishedSubscriptions.Key, _ definition: CharacteristicDefinition,
        _ options: AttributeOptions
    ) {
        guard PublishedFlags(definition).isReadable else { return fail(call, 0x02) }
        if let value = definition.value { return reply(call, value, from: options.offset) }
        guard let central = central(options), let observer = observer(key.session) else { return fail(call, 0x0E) }
        guard let request = wait(call, session: key.session, isRead: true) else { return fail(call, 0x11) }
        observer.receivedRead(request, of: key.characteristic, offset: options.offset, from: central)
    }

    /// bluetoothd passes a prepared write on when the client executes it, each attribute by a call of its own, with its parts joined.
    private func write(
        _ call: BusCall, _ key: PublishedSubscriptions.Key, _ definition: CharacteristicDefinition, _ value: [UInt8],
        _ options: AttributeOptions
    ) {
        guard PublishedFlags(definition).isWriteable else { return fail(call, 0x03) }
        guard options.offset <= ATT.maximumValueLength else { return fail(call, 0x07) }
        guard value.count <= ATT.maximumValueLength - options.offset else { return fail(call, 0x0D) }
        // Asked of programs that decide about prepared writes. The write itself follows.
        if options.isPrepareQuestion { return call.reply() }
        guard let central = central(options), let observer = observer(key.session) else { return fail(call, 0x0E) }
        let item = WriteItem(characteristic: key.characteristic, offset: options.offset, value: value)
        // bluetoothd has accepted the write itself if the characteristic takes commands, and does not tell a command from a request then.
        guard call.message.isReplyExpected else {
            return observer.receivedWrite(requests.next(), [item], needsResponse: false, from: central)
        }
        guard let request = wait(call, session: key.session, isRead: false) else { return fail(call, 0x11) }
        observer.receivedWrite(request, [item], needsResponse: true, from: central)
    }

    private func wait(_ call: BusCall, session: Int, isRead: Bool) -> RequestIdentifier? {
        let deadline = scheduler.now + PublishedRequests.deadline
        let request = requests.add(.init(call: call, session: session, isRead: isRead, deadline: deadline))
        if request != nil, !requests.isWatched { watchRequests(PublishedRequests.deadline) }
        return request
    }

    private func watchRequests(_ delay: TimeSpan) {
        requests.isWatched = true
        scheduler.submit(after: delay) { [weak self] in
            guard let self else { return }
            requests.isWatched = false
            for late in requests.takeExpired(at: scheduler.now) {
                log.warning(
                    "The program has not answered a \(late.isRead ? "read" : "write") request in 5 s, so bluetoothd refused it."
                )
                late.call.fail(RequestFailure.unlikely, "The program did not answer.")
            }
            if let deadline = requests.deadline { watchRequests(deadline - scheduler.now) }
        }
    }

    func respond(to identifier: RequestIdentifier, error: UInt8, value: [UInt8]?, session: Int) {
        guard let request = requests.take(identifier) else { return }
        if error != 0 {
            if !RequestFailure.isExact(error) {
                log.debug(
                    "bluetoothd has no name for the error \(ATT.ErrorCode(rawValue: error)): the client gets Unlikely Error."
                )
            }
            fail(request.call, error)
        } else if request.isRead {
            request.call.reply([.octets(Array((value ?? []).prefix(ATT.maximumValueLength)))])
        } else {
            request.call.reply()
        }
    }

    private func reply(_ call: BusCall, _ value: [UInt8], from offset: Int) {
        guard offset <= value.count else { return fail(call, 0x07) }
        call.reply([.octets(Array(value[offset...]))])
    }

    private func fail(_ call: BusCall, _ code: UInt8) {
        let (name, text) = RequestFailure.error(code)
        call.fail(name, text)
    }

    /// The client of a call. Reports its ATT_MTU if that is news.
    private func central(_ options: AttributeOptions) -> CentralRecord? {
        if let changed = clients.setMTU(options.mtu, of: options.device) {
            for number in sessions.keys.sorted() { observer(number)?.maximumUpdateLengthChanged(changed.record) }
        }
        return clients[options.device]?.record
    }

    // MARK: Subscriptions

    private func acquireNotify(_ call: BusCall, _ key: PublishedSubscriptions.Key, _ options: AttributeOptions) {
        // After this answer bluetoothd calls StartNotify, and sends values from signals. It must not be Failed: then it would do neither.
        func refuse() { call.fail(BlueZ.Failure.notSupported, "Values come as changes of the property Value.") }
        guard let central = central(options) else { return refuse() }
        let subscription = PublishedSubscriptions.Subscription(key: key, device: options.device)
        if connection?.hasPipes == true, let (socket, end) = makePipe() {
            let number = nextNumber()
            pipes.updateValue(Pipe(socket: socket, number: number), forKey: subscription)?.socket.close()
            socket.onRoom = { [weak self] in self?.pipeHasRoom(subscription) }
            socket.onEnd = { [weak self] in self?.pipeEnded(number, subscription) }
            socket.start()
            call.reply(
                [.descriptor(0), .uint16(UInt16(clamping: central.maximumUpdateLength + 3))], descriptors: [end])
        } else {
            refuse()
        }
        if subscriptions.add(subscription) { announce(subscription, isSubscribed: true) }
        // What waited for an earlier socket goes.
        flush(key.session)
    }

    /// Follows a refused AcquireNotify, which named the device. Otherwise it is of the only device that has a link; of several, bluetoothd
    /// does not tell which, and none is reported.
    private func startNotify(_ call: BusCall, _ key: PublishedSubscriptions.Key) {
        call.reply()
        guard subscriptions.devices(of: key).isEmpty, let device = clients.only else { return }
        let subscription = PublishedSubscriptions.Subscription(key: key, device: device)
        if subscriptions.add(subscription) { announce(subscription, isSubscribed: true) }
    }

    /// The last subscriber without a socket has left.
    private func stopNotify(_ call: BusCall, _ key: PublishedSubscriptions.Key) {
        call.reply()
        for device in subscriptions.devices(of: key).sorted() {
            let subscription = PublishedSubscriptions.Subscription(key: key, device: device)
            guard pipes[subscription] == nil, subscriptions.remove(subscription, at: scheduler.now) else { continue }
            announce(subscription, isSubscribed: false)
        }
    }

    private func pipeEnded(_ number: Int, _ subscription: PublishedSubscriptions.Subscription) {
        guard pipes[subscription]?.number == number else { return }
        closePipes([subscription])
        if !subscriptions.isMistaken(subscription.key, at: scheduler.now),
            subscriptions.remove(subscription, at: scheduler.now)
        {
            announce(subscription, isSubscribed: false)
        }
        flush(subscription.key.session)
    }

    func closePipes(_ ended: [PublishedSubscriptions.Subscription]) {
        for subscription in ended { pipes.removeValue(forKey: subscription)?.socket.close() }
    }

    /// Reports a change of a subscription that has happened.
    func announce(_ subscription: PublishedSubscriptions.Subscription, isSubscribed: Bool) {
        let key = subscription.key
        let devices = subscriptions.devices(of: key)
        sessions[key.session]?.updates.setSubscribers(
            Set(devices.compactMap { clients[$0]?.identifier }), to: key.characteristic)
        // A session ends the subscriptions to the services that it removes.
        guard services.contains(key.service), let client = clients[subscription.device] else { return }
        if isSubscribed {
            observer(key.session)?.subscribed(client.record, to: key.characteristic)
        } else {
            observer(key.session)?.unsubscribed(client.record, from: key.characteristic)
        }
    }
}
