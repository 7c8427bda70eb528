import BLEAdapter
import BLEWire
import SystemBus

/// Services and their applications.
extension PeripheralRole {
    func add(_ definition: ServiceDefinition, token: Int, session: Int) {
        guard sessions[session] != nil else { return }
        guard state == .poweredOn || state == .poweredOff else {
            observer(session)?.serviceAdded(token: token, .notPoweredOn)
            return
        }
        perform(services.add(definition, PublishedKey(session: session, token: token)))
    }

    func remove(of session: Int, where isMeant: (_ token: Int) -> Bool) {
        perform(services.remove(of: session, where: isMeant))
    }

    func perform(_ steps: [PublishedServices.Step]) {
        for step in steps {
            switch step {
            case .register(let application): register(application)
            case .unregister(let number): withdraw(number)
            case .added(let key, let failure): observer(key.session)?.serviceAdded(token: key.token, failure)
            case .lost(let key):
                let uuid = services.definition(of: key).map { "\($0.uuid)" } ?? ""
                log.warning("The service \(uuid) is not offered any more.")
            }
        }
    }

    private func register(_ application: PublishedApplication) {
        guard let connection else { return }
        let objects = application.objects(
            below: connection.base, knowsEncryptedUpdates: connection.knowsEncryptedUpdates)
        let path = application.path(below: connection.base)
        var exports = objects.map { export($0, of: application, on: connection.bus) }
        exports.append(
            connection.bus.export(path, [BlueZ.objectManager: ["GetManagedObjects"]]) { call in
                call.reply([PublishedApplication.managedObjects(objects)])
            })
        applications[application.number] = Application(application: application, exports: exports)
        let generation = connection.generation
        connection.bus.call(
            BlueZ.service, connection.adapter, BlueZ.gattManager, "RegisterApplication",
            [.path(path), .properties([:])]
        ) { [weak self] result in
            guard let self, isCurrent(generation), applications[application.number] != nil else { return }
            registered(application, result)
        }
    }

    private func export(
        _ object: PublishedApplication.Object, of application: PublishedApplication, on bus: any Bus
    ) -> BusCancellable {
        bus.export(object.path, [object.interface: object.members, BlueZ.properties: BlueZ.propertyMembers]) {
            [weak self] call in
            if call.message.interface == BlueZ.properties {
                call.answer(object.interface, object.properties)
            } else {
                self?.take(call, object.target, of: application)
            }
        }
    }

    private func registered(_ application: PublishedApplication, _ result: Result<BusMessage, BusCallError>) {
        guard case .failure(let error) = result else { return perform(services.registered(application.number)) }
        guard !PublishingFailure.isEndOfBus(error) else { return }
        if PublishingFailure.isUnreadable(error), application.hasEncryptedUpdates,
            connection?.knowsEncryptedUpdates == true
        {
            // Versions before 5.62 refuse a characteristic with a flag that they do not know.
            log.warning(
                "This bluetoothd cannot demand encryption for subscriptions: clients subscribe without. Install BlueZ 5.62."
            )
            connection?.knowsEncryptedUpdates = false
            cancelExports(application.number)
            return register(application)
        }
        let uuids = application.members.map { "\($0.definition.uuid)" }.joined(separator: ", ")
        log.warning("\(PublishingFailure.sentence(services: "the services \(uuids)", error))")
        // Without an answer, bluetoothd may have it.
        if case .timeout = error { unregister(application.number) } else { cancelExports(application.number) }
        perform(services.refused(application.number))
    }

    /// Withdraws an application whose services may go on in another one.
    private func withdraw(_ number: Int) {
        guard let members = applications[number]?.application.members else { return }
        unregister(number)
        let ended = subscriptions.remove(Set(members.map(\.key)))
        closePipes(ended)
        for subscription in ended { announce(subscription, isSubscribed: false) }
        // What waited for their sockets goes.
        flushAll()
    }

    func unregister(_ number: Int) {
        guard let connection, let application = applications[number]?.application else { return }
        cancelExports(number)
        connection.bus.call(
            BlueZ.service, connection.adapter, BlueZ.gattManager, "UnregisterApplication",
            [.path(application.path(below: connection.base))]
        ) { _ in }
    }

    private func cancelExports(_ number: Int) {
        for export in applications.removeValue(forKey: number)?.exports ?? [] { export.cancel() }
    }
}
