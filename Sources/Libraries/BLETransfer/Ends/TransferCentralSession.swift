internal import BLEAdapter
import CoreBluetooth

/// The work of a ``TransferCentral``, and the delegate of its manager.
///
/// `@unchecked Sendable`: `start` and `cancel` may be called from any thread; all state is used on `queue`.
final class TransferCentralSession: NSObject, @unchecked Sendable {
    /// The time that the peer has to close a channel after the last message.
    private static let closingLimit = Duration.seconds(1)

    private let peer: TransferCentral.Peer
    private let carrier: TransferCarrier
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let onEvent: @Sendable (TransferEvent) -> Void
    private var end: TransferEndpoint!
    /// Keeps the manager alive; no other code reads it.
    private var keptManager: CBCentralManager?
    /// The manager, on the queue: its first callback sets it.
    private var manager: CBCentralManager?
    private var peripheral: CBPeripheral?
    /// The peripheral that was found. An adapter that went and came back needs another object for it.
    private var identifier: UUID?
    private var power = ManagerPower()
    private var control: CBCharacteristic?
    private var data: CBCharacteristic?
    private var attributeLink: CentralAttributeLink?
    private var channelLink: ChannelLink?
    /// The last event, until the link has ended.
    private var final: TransferEvent?
    private var isOver = false

    init(
        _ transfer: Transfer, peer: TransferCentral.Peer, carrier: TransferCarrier, timing: TransferTiming,
        queue: DispatchQueue, clock: any Clock<Duration>, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) throws(TransferError) {
        self.peer = peer
        self.carrier = carrier
        self.queue = queue
        self.clock = QueueClock(clock)
        self.onEvent = onEvent
        if case .identifier(let identifier) = peer { self.identifier = identifier }
        super.init()
        end = try .make(transfer, endsAfterOneFile: true, timing: timing, clock: self.clock, queue: queue) {
            [weak self] in self?.handle($0)
        }
    }

    func start() {
        queue.async { [self] in end.start() }
        keptManager = CBCentralManager(delegate: self, queue: queue)
    }

    func cancel() {
        queue.async { [self] in
            end.cancel()
            closeIfFlushed()
        }
    }

    // MARK: End

    private func handle(_ event: TransferEvent) {
        guard case .ended(_, let error) = event else { return onEvent(event) }
        final = event
        manager?.stopScan()
        let isPeerInformed =
            switch error {
            case .endedByPeer, .noLink, .noService, .refused, .notPoweredOn: true
            case nil, .ended, .file: false
            }
        if isPeerInformed || end.link == nil || error == nil && end is SendingEndpoint {
            disconnect()
        } else {
            clock.schedule(at: clock.now + Self.closingLimit, on: queue) { [weak self] in self?.disconnect() }
        }
    }

    /// Ends the link after the last message. The peer closes a channel.
    private func closeIfFlushed() {
        if final != nil, let attributeLink, attributeLink.isFlushed { disconnect() }
    }

    private func disconnect() {
        channelLink?.close()
        guard !isOver, let manager, let peripheral, manager.state == .poweredOn, peripheral.state != .disconnected
        else {
            return complete()
        }
        if peripheral.state == .disconnecting { return }
        let wasConnected = peripheral.state == .connected
        manager.cancelPeripheralConnection(peripheral)
        if !wasConnected { complete() }
    }

    private func complete() {
        guard !isOver, let final else { return }
        isOver = true
        onEvent(final)
    }

    private func fail(_ error: TransferError) { end.fail(error) }

    private func fail(_ error: any Error) {
        let securityCodes: [CBATTError.Code] = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .insufficientEncryptionKeySize,
        ]
        let code = (error as? CBATTError)?.code
        if code == .insufficientResources { return end.fail(.endedByPeer(.busy)) }
        end.fail(
            .refused(error.localizedDescription, isSecurity: code.map { securityCodes.contains($0) } ?? false))
    }

    private func opened(_ link: any TransferLink) { end.linkOpened(link, name: peripheral?.name) }

    private func lostLink() {
        attributeLink = nil
        channelLink?.close()
        channelLink = nil
        control = nil
        data = nil
        end.linkClosed()
    }
}

extension TransferCentralSession: CBCentralManagerDelegate {
    /// Looks for the peripheral.
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        manager = central
        switch power.change(to: central.state) {
        case .on: find(with: central)
        case .unusable: fail(.notPoweredOn)
        // It may come back before the time limit of the link.
        case .off:
            lostLink()
            peripheral = nil
        }
    }

    private func find(with manager: CBCentralManager) {
        guard !end.isEnded else { return }
        if let identifier, let known = manager.retrievePeripherals(withIdentifiers: [identifier]).first {
            return connect(known, manager)
        }
        manager.scanForPeripherals(withServices: [TransferService.service])
    }

    private func connect(_ peripheral: CBPeripheral, _ manager: CBCentralManager) {
        self.peripheral = peripheral
        identifier = peripheral.identifier
        peripheral.delegate = self
        manager.connect(peripheral)
    }

    /// Compares a peripheral with the one that is looked for.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil, !end.isEnded else { return }
        let isWanted =
            switch peer {
            case _ where identifier != nil: identifier == peripheral.identifier
            case .any: true
            case .named(let name):
                name == advertisementData[CBAdvertisementDataLocalNameKey] as? String || name == peripheral.name
            case .identifier: false
            }
        guard isWanted else { return }
        central.stopScan()
        connect(peripheral, central)
    }

    /// Looks for the service.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        if end.isEnded { return disconnect() }
        peripheral.discoverServices([TransferService.service])
    }

    /// Tries again until the time limit.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard !end.isEnded else { return complete() }
        clock.schedule(at: clock.now + .milliseconds(500), on: queue) { [weak self] in
            guard let self, !end.isEnded, let manager, let peripheral = self.peripheral,
                manager.state == .poweredOn, peripheral.state == .disconnected
            else { return }
            manager.connect(peripheral)
        }
    }

    /// Connects again unless the transfer has ended.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        lostLink()
        if end.isEnded { complete() } else { central.connect(peripheral) }
    }
}

extension TransferCentralSession: CBPeripheralDelegate {
    /// Looks for the characteristics.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let error { return fail(error) }
        guard let service = peripheral.services?.first(where: { $0.uuid == TransferService.service }) else {
            return fail(.noService)
        }
        peripheral.discoverCharacteristics(nil, for: service)
    }

    /// Prepares the carrier.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        if let error { return fail(error) }
        func characteristic(_ uuid: CBUUID) -> CBCharacteristic? { service.characteristics?.first { $0.uuid == uuid } }
        switch carrier {
        case .attributes:
            guard let control = characteristic(TransferService.control), let data = characteristic(TransferService.data)
            else { return fail(.noService) }
            self.control = control
            self.data = data
            // The peripheral may send when the control is on, so the octets of the file are on before.
            peripheral.setNotifyValue(true, for: data)
        case .channel:
            guard let channel = characteristic(TransferService.channel) else { return fail(.noService) }
            peripheral.readValue(for: channel)
        }
    }

    /// Opens the link once both characteristics notify.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if let error { return fail(error) }
        guard let control, let data, characteristic.isNotifying else { return }
        if characteristic === data { return peripheral.setNotifyValue(true, for: control) }
        guard characteristic === control, attributeLink == nil else { return }
        let link = CentralAttributeLink(peripheral, control: control, data: data)
        attributeLink = link
        opened(link)
    }

    /// Receives control messages, octets of the file, or the PSM.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return fail(error) }
        let value = characteristic.value ?? Data()
        if let attributeLink, characteristic === control || characteristic === data {
            for frame in attributeLink.received(value, of: characteristic) { end.received(frame) }
            return closeIfFlushed()
        }
        guard characteristic.uuid == TransferService.channel else { return }
        guard value.count == 2,
            let psm = CBL2CAPPSM(exactly: Int(value[value.startIndex]) | Int(value[value.startIndex + 1]) << 8)
        else { return fail(.noService) }
        peripheral.openL2CAPChannel(psm)
    }

    /// Sends the next part of the control stream.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { return fail(error) }
        attributeLink?.written()
        closeIfFlushed()
        if let attributeLink, attributeLink.isFlushed { end.hasSpace() }
    }

    /// Sends more octets of the file.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { end.hasSpace() }

    /// Opens the link over the channel.
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        guard let channel else { return error.map(fail) ?? fail(.noService) }
        let link = ChannelLink(
            channel, queue: queue, onFrame: { [weak self] in self?.end.received($0) },
            onSpace: { [weak self] in self?.end.hasSpace() }, onEnd: { [weak self] in self?.channelEnded() })
        channelLink = link
        link.open()
        opened(link)
    }

    /// The peripheral closed the channel, or the link ended. A lost channel is opened again with another link.
    private func channelEnded() {
        if end.isEnded { return disconnect() }
        end.linkClosed()
        channelLink = nil
        guard let manager, let peripheral, peripheral.state == .connected else { return }
        manager.cancelPeripheralConnection(peripheral)
    }
}
