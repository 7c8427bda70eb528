import CoreBluetooth

/// The peripheral manager of a device whose protocol is in a value of its own. Publishes the services, also after a restart of the adapter, and
/// keeps the updates that do not fit into the transmit queue.
///
/// 外设模式的公共部分：发布服务（适配器重启后再次发布），并保存暂时发不出去的通知。
package final class GATTServer: NSObject, CBPeripheralManagerDelegate {
    /// The published services and the advertisement.
    package struct Content {
        package var name: String
        package var advertised: [CBUUID]
        package var services: [CBMutableService]

        package init(name: String, advertised: [CBUUID], services: [CBMutableService]) {
            self.name = name
            self.advertised = advertised
            self.services = services
        }
    }

    private struct Update {
        let value: Data
        let characteristic: CBUUID
        let central: CBCentral?
    }

    /// The number of updates that wait for the transmit queue. Further ones are dropped, so that a client that reads nothing cannot use up the memory.
    package static let waitingLimit = 1024

    /// Returns the value of a characteristic; nil refuses the read.
    package var onRead: (CBUUID, CBCentral) -> Data? = { _, _ in nil }
    /// Takes a written value.
    package var onWrite: (CBUUID, Data, CBCentral) -> CBATTError.Code = { _, _, _ in .writeNotPermitted }
    /// A client has subscribed, or has unsubscribed or disconnected.
    package var onSubscription: (CBUUID, CBCentral, Bool) -> Void = { _, _, _ in }
    /// Starts to advertise in another way than with a name and services.
    package var advertisement: ((CBPeripheralManager) -> Void)?
    /// Receives log lines.
    package var log: (String) -> Void = { _ in }

    /// Whether no update waits for the transmit queue.
    package var isIdle: Bool { waiting.isEmpty }

    private let queue: DispatchQueue?
    private let content: () -> Content
    private var manager: CBPeripheralManager?
    private var name = ""
    private var advertised: [CBUUID] = []
    private var servicesLeft = 0
    private var characteristics: [CBUUID: CBMutableCharacteristic] = [:]
    private var waiting: [Update] = []
    /// Whether a write has no answer yet.
    private var isAnswering = false
    private var subscribers: [CBUUID: [CBCentral]] = [:]

    /// - Parameters:
    ///   - queue: The queue of all closures; nil is the main queue.
    ///   - content: Makes new services. No two characteristics have one UUID.
    package init(queue: DispatchQueue?, content: @escaping () -> Content) {
        self.queue = queue
        self.content = content
    }

    /// Creates the peripheral manager. In a `World`, call it inside of `VirtualDevice.run`.
    package func start() {
        // Clients that select a device by its name compare the device name after their first connection. Apple's API has no way to set it; a copy
        // outside of the package omits it. 客户端连接一次之后看到的是 GAP 设备名称；苹果的 API 不支持设置。
        LocalBluetoothDevice.rename(content().name)
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    /// Removes the services, and releases the manager.
    package func stop() {
        guard let manager else { return }
        self.manager = nil
        manager.delegate = nil
        if manager.state == .poweredOn {
            manager.stopAdvertising()
            manager.removeAllServices()
        }
        forgetClients()
    }

    /// Publishes the present content in the place of the former one.
    package func publishAgain() {
        guard let manager, manager.state == .poweredOn else { return }
        manager.stopAdvertising()
        publish(manager)
    }

    /// Sends a value to a client, or to all that have subscribed.
    package func update(_ value: Data, for characteristic: CBUUID, to central: CBCentral? = nil) {
        guard waiting.count < Self.waitingLimit else { return log("the client takes no updates; one is dropped") }
        waiting.append(Update(value: value, characteristic: characteristic, central: central))
        send()
    }

    private func send() {
        guard let manager, !isAnswering else { return }
        var sent = 0
        while sent < waiting.count {
            let update = waiting[sent]
            guard let characteristic = characteristics[update.characteristic] else {
                sent += 1
                continue
            }
            let isSent = manager.updateValue(
                update.value, for: characteristic, onSubscribedCentrals: update.central.map { [$0] })
            // The queue is full. peripheralManagerIsReady(toUpdateSubscribers:) continues. 发送队列已满，等待下面的回调。
            guard isSent else { break }
            sent += 1
        }
        waiting.removeFirst(sent)
    }

    private func publish(_ manager: CBPeripheralManager) {
        let content = content()
        (name, advertised, servicesLeft) = (content.name, content.advertised, content.services.count)
        (characteristics, waiting) = ([:], [])
        for case let characteristic as CBMutableCharacteristic in content.services.flatMap({ $0.characteristics ?? [] })
        {
            characteristics[characteristic.uuid] = characteristic
        }
        manager.removeAllServices()
        for service in content.services { manager.add(service) }
    }

    private func advertise(_ manager: CBPeripheralManager) {
        if let advertisement { return advertisement(manager) }
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: advertised,
        ])
    }

    // MARK: CBPeripheralManagerDelegate

    package func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        // All links are gone. 所有连接都已断开。
        forgetClients()
        guard peripheral.state == .poweredOn else { return log("Bluetooth is not usable") }
        publish(peripheral)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return log("could not publish \(service.uuid): \(error.localizedDescription)") }
        servicesLeft -= 1
        if servicesLeft == 0 { advertise(peripheral) }
    }

    package func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        log(error.map { "could not advertise: \($0.localizedDescription)" } ?? "advertising as \(name)")
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        // The callbacks of a client that changes its subscription very often need not alternate. 订阅变化太快时，回调不一定成对。
        let isKnown = subscribers[characteristic.uuid]?.contains { $0.identifier == central.identifier } ?? false
        guard !isKnown else { return }
        subscribers[characteristic.uuid, default: []].append(central)
        onSubscription(characteristic.uuid, central, true)
    }

    package func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { unsubscribe(central, characteristic.uuid) }

    private func unsubscribe(_ central: CBCentral, _ uuid: CBUUID) {
        guard let index = subscribers[uuid]?.firstIndex(where: { $0.identifier == central.identifier }) else { return }
        subscribers[uuid]?.remove(at: index)
        waiting.removeAll { $0.central?.identifier == central.identifier && $0.characteristic == uuid }
        onSubscription(uuid, central, false)
    }

    /// Ends the subscriptions that the manager does not end.
    private func forgetClients() {
        (characteristics, waiting) = ([:], [])
        for (uuid, centrals) in subscribers {
            for central in centrals { unsubscribe(central, uuid) }
        }
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard let value = onRead(request.characteristic.uuid, request.central) else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = Data(value.dropFirst(request.offset))
        peripheral.respond(to: request, withResult: .success)
    }

    package func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        // The answer to a write precedes the notifications that follow from it, as on real devices. 先回应写请求，再发通知。
        isAnswering = true
        defer {
            isAnswering = false
            send()
        }
        // One answer to the first request stands for all. None of these protocols writes values in parts. 只回应第一个请求。
        guard requests.allSatisfy({ $0.offset == 0 }) else {
            return peripheral.respond(to: first, withResult: .invalidOffset)
        }
        for request in requests {
            let result = onWrite(request.characteristic.uuid, request.value ?? Data(), request.central)
            guard result == .success else { return peripheral.respond(to: first, withResult: result) }
        }
        peripheral.respond(to: first, withResult: .success)
    }

    package func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }
}
