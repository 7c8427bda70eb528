internal import BLEAdapter
import CoreBluetooth

/// The work of a ``TransferPeripheral``, and the delegate of its manager.
///
/// `@unchecked Sendable`: `start`, `cancel` and `stop` may be called from any thread; all state is used on `queue`.
final class TransferPeripheralSession: NSObject, @unchecked Sendable {
    /// The time that the peer has to end the link after the last message.
    private static let closingLimit = Duration.seconds(2)

    private static let failureLimit = 5

    private let name: String?
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let onEvent: @Sendable (TransferEvent) -> Void
    private var end: TransferEndpoint!
    /// Keeps the manager alive; no other code reads it.
    private var keptManager: CBPeripheralManager?
    /// The manager, on the queue: its first callback sets it.
    private var manager: CBPeripheralManager?
    private var psm: CBL2CAPPSM = 0
    private var attributeLink: PeripheralAttributeLink?
    private var channelLink: ChannelLink?
    private var onStop: (@Sendable () -> Void)?
    private var isStopping = false
    private var isPublished = false
    private var power = ManagerPower()
    /// The number of failures to publish or to advertise since the last success.
    private var failures = 0
    /// Whether advertising was started and not stopped. The manager's property follows later.
    private var isAdvertising = false

    private let control = CBMutableCharacteristic(
        type: TransferService.control, properties: [.write, .indicate], value: nil, permissions: .writeable)
    private let data = CBMutableCharacteristic(
        type: TransferService.data, properties: [.writeWithoutResponse, .notify], value: nil, permissions: .writeable)
    private let channel = CBMutableCharacteristic(
        type: TransferService.channel, properties: .read, value: nil, permissions: .readable)

    init(
        _ transfer: Transfer, name: String?, timing: TransferTiming, queue: DispatchQueue, clock: any Clock<Duration>,
        onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) throws(TransferError) {
        self.name = name
        self.queue = queue
        self.clock = QueueClock(clock)
        self.onEvent = onEvent
        super.init()
        var timing = timing
        timing.linkLimit = .seconds(1_000_000_000)
        end = try .make(transfer, endsAfterOneFile: false, timing: timing, clock: self.clock, queue: queue) {
            [weak self] in self?.handle($0)
        }
    }

    func start() { keptManager = CBPeripheralManager(delegate: self, queue: queue, options: nil) }

    func cancel() { queue.async { [self] in end.cancel() } }

    func stop(_ completion: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            onStop = completion
            isStopping = true
            if manager?.state == .poweredOn { manager?.stopAdvertising() }
            if end.link != nil, !end.isEnded { end.cancel() }
            guard end.link != nil else { return stopped() }
            clock.schedule(at: clock.now + Self.closingLimit, on: queue) { [weak self] in self?.stopped() }
        }
    }

    private func stopped() {
        guard let onStop else { return }
        self.onStop = nil
        channelLink?.close()
        if manager?.state == .poweredOn { manager?.removeAllServices() }
        onStop()
    }

    private func handle(_ event: TransferEvent) {
        onEvent(event)
        // The end that receives the last message closes the channel.
        guard case .ended(_, let error) = event, let channelLink else { return }
        var isPeerLast = error == nil && end is SendingEndpoint
        if case .endedByPeer = error { isPeerLast = true }
        guard isPeerLast else { return }
        channelLink.close()
        lostLink()
    }

    private func lostLink() {
        attributeLink = nil
        channelLink = nil
        end.linkClosed()
        if let manager { advertise(with: manager) }
        stopped()
    }

    private func stopAdvertising(with manager: CBPeripheralManager) {
        isAdvertising = false
        manager.stopAdvertising()
    }

    /// Advertising events take time from the link's connection events, and a second central would be refused.
    private func opened(_ link: any TransferLink, _ manager: CBPeripheralManager) {
        stopAdvertising(with: manager)
        end.linkOpened(link, name: nil)
    }
}

extension TransferPeripheralSession: CBPeripheralManagerDelegate {
    /// Publishes the channel first: the service tells its PSM.
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        manager = peripheral
        switch power.change(to: peripheral.state) {
        case .on: publish(with: peripheral)
        case .unusable: end.fail(.notPoweredOn)
        case .off: if end.link != nil { lostLink() }
        }
    }

    /// Removes first what was published before a loss of power.
    private func publish(with manager: CBPeripheralManager) {
        stopAdvertising(with: manager)
        isPublished = false
        manager.removeAllServices()
        if psm != 0 { manager.unpublishL2CAPChannel(psm) }
        manager.publishL2CAPChannel(withEncryption: false)
    }

    /// Publishes the service.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
    ) {
        // Without a channel there are still the characteristics; the PSM is 0 then.
        psm = error == nil ? PSM : 0
        let service = CBMutableService(type: TransferService.service, primary: true)
        service.characteristics = [control, data, channel]
        peripheral.add(service)
    }

    /// Advertises.
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { return tryAgain(after: error) }
        isPublished = true
        advertise(with: peripheral)
    }

    private func advertise(with manager: CBPeripheralManager) {
        guard !isStopping, manager.state == .poweredOn, isPublished, !isAdvertising, end.link == nil else { return }
        isAdvertising = true
        var advertisement: [String: Any] = [CBAdvertisementDataServiceUUIDsKey: [TransferService.service]]
        if let name { advertisement[CBAdvertisementDataLocalNameKey] = name }
        manager.startAdvertising(advertisement)
    }

    /// Tries again after a failure.
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error {
            isAdvertising = false
            tryAgain(after: error)
        } else {
            failures = 0
        }
    }

    /// Publishes again later: the adapter may lose its power at the same moment.
    private func tryAgain(after error: any Error) {
        failures += 1
        guard failures <= Self.failureLimit else {
            return end.fail(.refused(error.localizedDescription, isSecurity: false))
        }
        clock.schedule(at: clock.now + .milliseconds(500), on: queue) { [weak self] in
            guard let self, let manager, manager.state == .poweredOn, end.link == nil, !isAdvertising else { return }
            if isPublished { advertise(with: manager) } else { publish(with: manager) }
        }
    }

    /// Tells the PSM.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        guard request.characteristic.uuid == TransferService.channel else {
            return peripheral.respond(to: request, withResult: .readNotPermitted)
        }
        let value = Data([UInt8(truncatingIfNeeded: psm), UInt8(truncatingIfNeeded: psm >> 8)])
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    /// Receives control messages and octets of the file. Another central than that of the link is refused.
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        guard let first = requests.first else { return }
        guard let link = attributeLink, link.central.identifier == first.central.identifier else {
            return peripheral.respond(
                to: first, withResult: end.link == nil ? .requestNotSupported : .insufficientResources)
        }
        guard !requests.contains(where: { $0.offset != 0 }) else {
            return peripheral.respond(to: first, withResult: .invalidOffset)
        }
        peripheral.respond(to: first, withResult: .success)
        for request in requests {
            let value = request.value ?? Data()
            let frames =
                request.characteristic.uuid == TransferService.control
                ? link.received(control: value) : [dataFrame(value)]
            for frame in frames { end.received(frame) }
        }
    }

    /// Opens the link when the central subscribes to the control messages.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == TransferService.control, end.link == nil else { return }
        let link = PeripheralAttributeLink(central, peripheral, control: control, data: data)
        attributeLink = link
        opened(link, peripheral)
    }

    /// The central ended the link.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) {
        guard characteristic.uuid == TransferService.control, let attributeLink,
            attributeLink.central.identifier == central.identifier
        else { return }
        lostLink()
    }

    /// Sends more.
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        attributeLink?.ready()
        end.hasSpace()
    }

    /// Opens the link over the channel, if there is no other link.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
    ) {
        guard let channel, end.link == nil else { return }
        let link = ChannelLink(
            channel, queue: queue, onFrame: { [weak self] in self?.end.received($0) },
            onSpace: { [weak self] in self?.end.hasSpace() }, onEnd: { [weak self] in self?.lostLink() })
        channelLink = link
        link.open()
        opened(link, peripheral)
    }
}
