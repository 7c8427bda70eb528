import BLEAdapter
import BLEValues
import CoreBluetooth
import Foundation

/// Publishes a profile with a peripheral manager, and answers its clients.
///
/// The server has no timer: `tick()` does what is due, and `nextDeadline` is the time for the next call. All calls and callbacks run
/// on one queue.
package final class ProfileServer: NSObject, CBPeripheralManagerDelegate {
    package private(set) var manager: CBPeripheralManager!
    package private(set) var state: ProfileState
    private let now: () -> ProfileTime
    private let report: (ServerEvent) -> Void
    /// Called after a change of `nextDeadline`.
    package var onDeadlineChange: () -> Void = {}

    private var published: [PublishedService] = []
    /// The number of characteristics that were made so far.
    private var characteristicCount = 0
    private var indices: [ObjectIdentifier: CharacteristicIndex] = [:]
    /// Services whose didAdd is pending.
    private var unconfirmed: Set<ObjectIdentifier> = []
    /// What the manager advertises; nil before the first start.
    private var advertised: AdvertisingProfile?

    private var queue = UpdateQueue()
    /// The next notification of each characteristic with an interval and subscribers.
    private var due: [CharacteristicIndex: Duration] = [:]
    private var delayedReads: [(due: Duration, request: CBATTRequest)] = []

    /// The largest number of reads that wait for their delay. Further reads are answered immediately.
    private static let delayedLimit = 256

    package init(
        _ profile: DeviceProfile, now: @escaping () -> ProfileTime, report: @escaping (ServerEvent) -> Void
    ) {
        state = ProfileState(profile)
        self.now = now
        self.report = report
    }

    /// Creates the manager, whose callbacks start the rest.
    package func start(queue: DispatchQueue? = nil) { manager = CBPeripheralManager(delegate: self, queue: queue) }

    /// Stops advertising and removes the services.
    package func stop() {
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        manager.removeAllServices()
    }

    // MARK: Publishing

    /// Replaces the profile. Services that keep their structure stay published, with their subscriptions.
    package func apply(_ profile: DeviceProfile) {
        state = ProfileState(profile, keeping: state)
        due = [:]
        if manager?.state == .poweredOn {
            publish(profile)
            for service in published { for characteristic in service.characteristics { schedule(characteristic) } }
            advertiseIfNeeded()
        }
        onDeadlineChange()
    }

    private func publish(_ profile: DeviceProfile) {
        let shapes = profile.services.map(\.discoverable)
        // An included service cannot be removed before the services that include it.
        let reusesServices = published.allSatisfy { $0.shape.includes.isEmpty } && shapes.allSatisfy(\.includes.isEmpty)
        var rest = reusesServices ? published : []
        var next: [PublishedService?] = shapes.map { shape in
            rest.firstIndex { $0.shape == shape }.map { rest.remove(at: $0) }
        }
        if !reusesServices, shapes == published.map(\.shape) {
            next = published
        } else if reusesServices {
            for service in rest {
                manager.remove(service.service)
                unconfirmed.remove(ObjectIdentifier(service.service))
            }
        } else {
            manager.removeAllServices()
            unconfirmed = []
        }
        indices = [:]
        published = []
        var created: [CBMutableService] = []
        for (index, shape) in shapes.enumerated() {
            let service =
                next[index]
                ?? PublishedService(
                    shape, included: shape.includes.map { published[$0].service }, after: characteristicCount)
            if next[index] == nil {
                created.append(service.service)
                characteristicCount += service.characteristics.count
            }
            for (number, characteristic) in service.characteristics.enumerated() {
                indices[ObjectIdentifier(characteristic)] = CharacteristicIndex(service: index, characteristic: number)
            }
            published.append(service)
        }
        queue.removeAll { indices[ObjectIdentifier($0)] == nil }
        unconfirmed.formUnion(created.map { ObjectIdentifier($0) })
        for service in created {
            do {
                try manager.add(validating: service)
            } catch {
                unconfirmed.remove(ObjectIdentifier(service))
                report(
                    .failed(
                        "the service \(service.uuid) cannot be published: \(error.localizedDescription)"))
            }
        }
    }

    /// Advertises when all services are published, and again after a change of the advertisement.
    private func advertiseIfNeeded() {
        let advertising = state.profile.advertising
        guard unconfirmed.isEmpty, advertised != advertising else { return }
        if advertised != nil { manager.stopAdvertising() }
        advertised = advertising
        manager.startAdvertising(advertising.advertisement)
    }

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        report(.state(peripheral.state))
        // A manager that was off has lost its subscriptions; what else is left begins again.
        published = []
        indices = [:]
        due = [:]
        delayedReads = []
        queue = UpdateQueue()
        unconfirmed = []
        advertised = nil
        guard peripheral.state == .poweredOn else { return }
        peripheral.removeAllServices()
        peripheral.stopAdvertising()
        publish(state.profile)
        advertiseIfNeeded()
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error {
            report(.failed("the service \(service.uuid) cannot be published: \(error.localizedDescription)"))
        } else {
            report(.published(service))
        }
        guard unconfirmed.remove(ObjectIdentifier(service)) != nil else { return }
        advertiseIfNeeded()
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { return report(.failed("advertising cannot start: \(error.localizedDescription)")) }
        report(.advertising(state.profile.advertising))
    }

    // MARK: Requests

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let index = indices[ObjectIdentifier(request.characteristic)] else {
            return peripheral.respond(to: request, withResult: .attributeNotFound)
        }
        // The parts of a long read follow the first one without a delay.
        if let delay = state.profile[index].read.delay, request.offset == 0, delayedReads.count < Self.delayedLimit {
            delayedReads.append((now().elapsed + delay, request))
            return onDeadlineChange()
        }
        answer(request, index)
    }

    private func answer(_ request: CBATTRequest, _ index: CharacteristicIndex) {
        switch state.read(index, offset: request.offset, at: now()) {
        case .success(let octets):
            request.value = Data(octets)
            manager.respond(to: request, withResult: .success)
            // A client reads a long value in parts; the first one has the whole value.
            if request.offset == 0 { report(.read(RequestDetails(request, octets))) }
        case .failure(let error):
            manager.respond(to: request, withResult: error.code.result)
            report(.read(RequestDetails(request, [], error: error.code)))
        }
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        var parts: [(characteristic: CharacteristicIndex, offset: Int, octets: [UInt8])] = []
        for request in requests {
            guard let index = indices[ObjectIdentifier(request.characteristic)] else {
                return peripheral.respond(to: first, withResult: .attributeNotFound)
            }
            parts.append((index, request.offset, Array(request.value ?? Data())))
        }
        let octets = parts.count == 1 ? parts[0].octets : parts.flatMap(\.octets)
        switch state.write(parts) {
        case .success(let updates):
            peripheral.respond(to: first, withResult: .success)
            report(.write(RequestDetails(first, octets)))
            for update in updates { send(update, by: first.central) }
        case .failure(let error):
            peripheral.respond(to: first, withResult: error.code.result)
            report(.write(RequestDetails(first, octets, error: error.code)))
        }
    }

    // MARK: Updates

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        report(.subscription(SubscriptionDetails(central, characteristic, isSubscribed: true)))
        if let characteristic = characteristic as? CBMutableCharacteristic { schedule(characteristic) }
        onDeadlineChange()
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        report(.subscription(SubscriptionDetails(central, characteristic, isSubscribed: false)))
        guard let characteristic = characteristic as? CBMutableCharacteristic,
            let index = indices[ObjectIdentifier(characteristic)], characteristic.subscribedCentrals == nil
        else { return }
        due[index] = nil
        onDeadlineChange()
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        report(.ready)
        drain()
    }

    /// The time of the next notification or delayed answer, since the start.
    package var nextDeadline: Duration? { (Array(due.values) + delayedReads.map(\.due)).min() }

    /// Sends the notifications and answers that are due.
    package func tick() {
        let time = now()
        while let position = delayedReads.firstIndex(where: { $0.due <= time.elapsed }) {
            let request = delayedReads.remove(at: position).request
            if let index = indices[ObjectIdentifier(request.characteristic)] { answer(request, index) }
        }
        let ready = due.filter { $0.value <= time.elapsed }.keys.sorted {
            ($0.service, $0.characteristic) < ($1.service, $1.characteristic)
        }
        for index in ready {
            guard let interval = state.profile[index].notifyInterval else {
                due[index] = nil
                continue
            }
            // Intervals that passed while the program did not run are left out.
            // Whole attoseconds: a quotient of doubles could leave the deadline at the present time.
            let missed = (time.elapsed - due[index, default: .zero]).attoseconds / interval.attoseconds
            due[index, default: .zero] += interval * (missed + 1)
            let characteristic = published[index.service].characteristics[index.characteristic]
            let value = state.value(of: index, at: time)
            queue.append(.init(characteristic: characteristic, value: value, centrals: nil, isPeriodic: true))
        }
        drain()
    }

    private func schedule(_ characteristic: CBMutableCharacteristic) {
        guard let index = indices[ObjectIdentifier(characteristic)], due[index] == nil,
            characteristic.subscribedCentrals != nil, let interval = state.profile[index].notifyInterval
        else { return }
        due[index] = now().elapsed + interval
    }

    private func send(_ update: ProfileState.Update, by central: CBCentral) {
        let (service, number) = (update.characteristic.service, update.characteristic.characteristic)
        let characteristic = published[service].characteristics[number]
        guard update.isEcho else {
            queue.append(.init(characteristic: characteristic, value: update.value, centrals: nil, isPeriodic: false))
            return drain()
        }
        // A notification has less room than a write.
        var rest = update.value[...]
        repeat {
            let part = rest.prefix(max(1, central.maximumUpdateValueLength))
            rest = rest.dropFirst(part.count)
            queue.append(
                .init(characteristic: characteristic, value: Array(part), centrals: [central], isPeriodic: false))
        } while !rest.isEmpty
        drain()
    }

    /// Sends what the transmit queue of the manager takes. The rest waits for `peripheralManagerIsReady`.
    private func drain() {
        let lost = queue.takeLostCount()
        if lost > 0 { report(.lostUpdates(lost)) }
        while let update = queue.first {
            guard update.characteristic.subscribedCentrals != nil else {
                queue.removeFirst()
                continue
            }
            guard
                manager.updateValue(
                    Data(update.value), for: update.characteristic, onSubscribedCentrals: update.centrals)
            else { return }
            queue.removeFirst()
            report(.update(update.characteristic, update.value))
        }
    }
}

extension ErrorCode {
    /// CoreBluetooth's error code.
    fileprivate var result: CBATTError.Code { CBATTError.Code(rawValue: Int(value)) ?? .unlikelyError }
}
