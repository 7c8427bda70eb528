import BLEValues
import BLEWire
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases

extension Explorer {
    /// Performs an action of the user. Call it on the queue.
    ///
    /// - Throws: The reason why the action is not possible. What the device answers arrives later, in the state and the log.
    package func perform(_ action: ExplorerAction) throws(PhrasedError) {
        switch action {
        case .answer(let prompt, let accepts, let passkey): return try answer(prompt, accepts, passkey)
        case .clearLog: return writer.clear()
        case .offerMTU(let mtu): return try offer(mtu: mtu)
        case .close(let device): return try close(device)
        default: break
        }
        guard central.state == .poweredOn else {
            throw PhrasedError(
                "adapter",
                Phrase(
                    "The Bluetooth adapter is not on: its state is \(central.state.phrase).",
                    "蓝牙适配器未开启：它的状态是“\(central.state.phrase)”。"),
                next: Phrase("Turn Bluetooth on, or plug the adapter in.", "请开启蓝牙，或插入适配器。"))
        }
        switch action {
        case .startScan: if !central.isScanning { startScan() }
        case .stopScan: if central.isScanning { stopScan() }
        case .connect(let device, let discovers): try connect(device, discovers)
        case .disconnect(let device): disconnect(try devices.opened(device))
        case .discover(let device): discover(try devices.connected(device))
        case .read(let device, let attribute): try read(attribute, try devices.connected(device))
        case .readAll(let device): readAll(try devices.connected(device))
        case .readMissing(let device): readMissing(try devices.connected(device))
        case .write(let device, let attribute, let value): try write(value, attribute, try devices.connected(device))
        case .subscribe(let device, let attribute): try subscribe(true, attribute, try devices.connected(device))
        case .unsubscribe(let device, let attribute): try subscribe(false, attribute, try devices.connected(device))
        case .readRSSI(let device):
            let index = try devices.connected(device)
            guard devices[index].pendingSignals < ExploredDevice.pendingLimit else { throw PhrasedError.busyDevice }
            devices[index].pendingSignals += 1
            writer.call(
                "read-rssi", Phrase("Read the signal strength", "读取信号强度"), swift: "peripheral.readRSSI()", device)
            devices[index].peripheral.readRSSI()
        case .pair(let device, let level): pair(try devices.connected(device), level)
        case .unpair(let device): unpair(device)
        case .answer, .clearLog, .close, .offerMTU: break
        }
    }

    // MARK: Links

    private func connect(_ device: UUID, _ discovers: Bool) throws(PhrasedError) {
        scan.drain()
        guard let peripheral = central.retrievePeripherals(withIdentifiers: [device]).first else {
            throw PhrasedError(
                "unknown-device", Phrase("The adapter does not know the device.", "适配器不认识这台设备。"),
                next: Phrase("Scan for it first.", "请先扫描。"))
        }
        guard let index = try devices.open(peripheral, name: scan.name(of: device)) else { return }
        devices[index].link = .connecting
        devices[index].reason = nil
        devices[index].discovers = discovers
        devices[index].isBonded = isBonded(device)
        let name = devices[index].title
        writer.call("connect", Phrase("Connect to \(name)", "连接 \(name)"), swift: "central.connect(peripheral)", device)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    private func disconnect(_ index: Int) {
        let device = devices[index]
        guard device.link == .connecting || device.link == .connected else { return }
        let name = devices[index].title
        writer.call(
            "disconnect", Phrase("Disconnect from \(name)", "断开与 \(name) 的连接"),
            swift: "central.cancelPeripheralConnection(peripheral)", device.identifier)
        if device.link == .connected { devices[index].recording.add(.action(.disconnect)) }
        devices[index].link = .disconnecting
        central.cancelPeripheralConnection(device.peripheral)
    }

    private func close(_ device: UUID) throws(PhrasedError) {
        let index = try devices.opened(device)
        if central.state == .poweredOn { disconnect(index) }
        devices.remove(at: index)
        touch()
    }

    // MARK: Values

    private func read(_ place: String, _ index: Int) throws(PhrasedError) {
        if case .descriptor(let node) = try devices[index].existing(place) {
            guard node.pendingReads < ExploredDevice.pendingLimit else { throw PhrasedError.busyDevice }
            return read(node.descriptor, index)
        }
        let node = try devices[index].characteristic(place)
        guard node.characteristic.properties.contains(.read) else {
            throw PhrasedError("not-readable", Phrase("The characteristic cannot be read.", "这个特征不可读取。"))
        }
        read(node.characteristic, index)
    }

    private func read(_ characteristic: CBCharacteristic, _ index: Int) {
        devices[index].modify(characteristic) { $0.pendingReads += 1 }
        let name = characteristic.uuid.description
        writer.call(
            "read", Phrase("Read \(name)", "读取 \(name)"), swift: "peripheral.readValue(for: characteristic)",
            devices[index].identifier)
        devices[index].peripheral.readValue(for: characteristic)
    }

    func read(_ descriptor: CBDescriptor, _ index: Int) {
        devices[index].modify(descriptor) { $0.pendingReads += 1 }
        let name = descriptor.uuid.description
        writer.call(
            "read", Phrase("Read \(name)", "读取 \(name)"), swift: "peripheral.readValue(for: descriptor)",
            devices[index].identifier)
        devices[index].peripheral.readValue(for: descriptor)
    }

    private func readAll(_ index: Int) {
        for node in devices[index].characteristics
        where node.pending == 0 && node.characteristic.properties.contains(.read) {
            read(node.characteristic, index)
        }
    }

    /// Reads what a clone needs: the values that were neither read nor refused.
    private func readMissing(_ index: Int) {
        for node in devices[index].characteristics {
            if node.value == nil, node.error == nil, node.pending == 0, node.characteristic.properties.contains(.read) {
                read(node.characteristic, index)
            }
            for descriptor in node.descriptors
            where descriptor.value == nil && descriptor.error == nil && descriptor.pendingReads == 0 {
                read(descriptor.descriptor, index)
            }
        }
        touch()
    }

    private func write(
        _ value: ExplorerAction.WriteValue, _ place: String, _ index: Int
    ) throws(PhrasedError) {
        let device = devices[index]
        let octets = try devices.octets(of: value, for: place, of: device.identifier)
        let characteristic = try device.characteristic(place).characteristic
        let type = try device.writeType(of: octets, to: characteristic, response: value.response)
        let name = characteristic.uuid.description
        let line = "peripheral.writeValue(\(Self.dataText(octets)), for: characteristic, type: "
        if type == .withResponse {
            devices[index].modify(characteristic) { $0.pendingWrites.append(octets) }
            let requests = WriteRequests(octets.count, mtu: device.mtu)
            writer.call(
                "write",
                requests.parts == 0
                    ? Phrase("Write \(name)", "写入 \(name)")
                    : Phrase("Write \(name) in \(requests.parts) parts", "分 \(requests.parts) 部分写入 \(name)"),
                swift: line + ".withResponse)", device.identifier)
            return device.peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse)
        }
        writer.call(
            "write", Phrase("Write \(name) without response", "无响应写入 \(name)"),
            swift: line + ".withoutResponse)", device.identifier)
        devices[index].recording.add(
            .write(characteristic: device.path(characteristic), octets: octets, response: false))
        devices[index].queue(octets, for: characteristic)
        sendQueuedWrites(index)
    }

    /// Sends writes without response while the buffer has space.
    func sendQueuedWrites(_ index: Int) {
        let peripheral = devices[index].peripheral
        while peripheral.canSendWriteWithoutResponse, let write = devices[index].nextQueuedWrite() {
            peripheral.writeValue(Data(write.octets), for: write.characteristic, type: .withoutResponse)
        }
    }

    private func subscribe(_ isOn: Bool, _ place: String, _ index: Int) throws(PhrasedError) {
        let node = try devices[index].characteristic(place)
        let characteristic = node.characteristic
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw PhrasedError(
                "not-notifying",
                Phrase("The characteristic supports neither notifications nor indications.", "这个特征既不支持通知，也不支持指示。"))
        }
        let name = characteristic.uuid.description
        // A notification can arrive before the answer, so the subscription is recorded first.
        let path = devices[index].path(characteristic)
        devices[index].recording.add(
            .action(isOn ? .subscribe(characteristic: path, isRefused: false) : .unsubscribe(characteristic: path)))
        writer.call(
            isOn ? "subscribe" : "unsubscribe",
            isOn
                ? Phrase("Subscribe to \(name)", "订阅 \(name)")
                : Phrase("End the subscription to \(name)", "取消订阅 \(name)"),
            swift: "peripheral.setNotifyValue(\(isOn), for: characteristic)", devices[index].identifier)
        devices[index].modify(characteristic) { $0.pendingSubscriptions += 1 }
        devices[index].peripheral.setNotifyValue(isOn, for: characteristic)
    }

    private static func dataText(_ octets: [UInt8]) -> String {
        let shown = octets.prefix(12).map { "0x" + Hexadecimal.digits([$0]) }.joined(separator: ", ")
        return octets.count > 12 ? "Data([\(shown), \u{2026}])" : "Data([\(shown)])"
    }
}
