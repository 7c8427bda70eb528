import BLEAdapter
import BLEWire
import SystemBus

/// Values for subscribers.
extension PeripheralRole {
    /// The bus takes messages again. The adapter calls this when its bus has drained.
    func drained() { flushAll() }

    func flushAll() { for number in sessions.keys.sorted() { flush(number) } }

    /// Sends the values of a session until bluetoothd has no room.
    func flush(_ number: Int) {
        guard let session = sessions[number] else { return }
        while let update = session.updates.first, send(update, session: number) { session.updates.removeFirst() }
        if session.updates.flushed() { session.observer?.readyToUpdate() }
    }

    /// Returns false if there is no room.
    private func send(_ update: UpdateQueue.Update, session: Int) -> Bool {
        let key = PublishedSubscriptions.Key(session: session, characteristic: update.characteristic)
        var devices = subscriptions.devices(of: key)
        let all = devices.count
        if let centrals = update.centrals {
            devices = devices.filter { device in clients[device].map { centrals.contains($0.identifier) } ?? false }
        }
        guard let connection, !devices.isEmpty else { return true }
        let targets = devices.sorted().map { PublishedSubscriptions.Subscription(key: key, device: $0) }
        guard targets.allSatisfy({ pipes[$0]?.waiting == nil }) else { return false }
        // bluetoothd takes an empty packet for the end of a socket.
        if !update.value.isEmpty,
            targets.allSatisfy({ pipes[$0] != nil && clients[$0.device]?.hasOwnValues == true })
        {
            for target in targets where pipes[target]?.socket.send(update.value.span) == .full {
                pipes[target]?.waiting = update.value
            }
            return true
        }
        guard !connection.bus.isBusy else { return false }
        if devices.count < all {
            logOnce(
                .choice,
                "A value for chosen centrals goes to all subscribers: this bluetoothd has no socket for each of them."
            )
        }
        emit(update.value, key, connection)
        return true
    }

    /// A socket takes values again.
    func pipeHasRoom(_ subscription: PublishedSubscriptions.Subscription) {
        if let pipe = pipes[subscription], let value = pipe.waiting {
            guard pipe.socket.send(value.span) != .full else { return }
            pipes[subscription]?.waiting = nil
        }
        flush(subscription.key.session)
    }

    private func emit(_ value: [UInt8], _ key: PublishedSubscriptions.Key, _ connection: PeripheralConnection) {
        guard let number = services.application(of: key.service),
            let path = applications[number]?.application.path(
                of: key.service, characteristic: key.characteristic.index, below: connection.base)
        else { return }
        var signal = BusMessage.signal(
            path, BlueZ.properties, "PropertiesChanged",
            [.string(BlueZ.characteristic), .properties(["Value": .octets(value)]), .array("s", [])])
        // Only bluetoothd gets it: a signal without a destination goes to every program that listens.
        signal.destination = BlueZ.service
        do throws(BusCallError) { try connection.bus.emit(signal) } catch {
            log.debug("A value was not sent: \(error)")
        }
    }
}
