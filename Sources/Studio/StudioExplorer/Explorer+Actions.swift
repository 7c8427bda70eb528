import BLEPacketDecoding
import BLEValues
import BLEWire
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation
import StudioPhrases

extension Explorer {
    /// Performs an action of the user. Call it on the queue.
    ///
    /// - Throws: The reason why the action is not possible. What the device answers arrives later, in the state and the log.
    package func perform(_ action: ExplorerAction) throws(StudioError) {
        switch action {
        case .answer(let prompt, let accepts, let passkey): return try answer(prompt, accepts, passkey)
        case .clearLog: return clearLog()
        case .offerMTU(let mtu): return try offer(mtu: mtu)
        case .close(let device): return try close(device)
        default: break
        }
        guard central.state == .poweredOn else {
            throw StudioError(
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
        case .disconnect(let device): disconnect(try opened(device))
        case .discover(let device): discover(try connected(device))
        case .read(let device, let attribute): try read(attribute, try connected(device))
        case .readAll(let device): readAll(try connected(device))
        case .readMissing(let device): readMissing(try connected(device))
        case .write(let device, let attribute, let value): try write(value, attribute, try connected(device))
        case .subscribe(let device, let attribute): try subscribe(true, attribute, try connected(device))
        case .unsubscribe(let device, let attribute): try subscribe(false, attribute, try connected(device))
        case .readRSSI(let device):
            let index = try connected(device)
            guard devices[index].pendingSignals < ExploredDevice.pendingLimit else { throw Self.busy }
            devices[index].pendingSignals += 1
            call("read-rssi", Phrase("Read the signal strength", "读取信号强度"), swift: "peripheral.readRSSI()", device)
            devices[index].peripheral.readRSSI()
        case .pair(let device, let level): pair(try connected(device), level)
        case .unpair(let device): unpair(device)
        case .answer, .clearLog, .close, .offerMTU: break
        }
    }

    // MARK: Links

    func opened(_ device: UUID) throws(StudioError) -> Int {
        guard let index = index(of: device) else {
            throw StudioError(
                "unknown-device", Phrase("The device is not open.", "设备未打开。"),
                next: Phrase("Connect to it first.", "请先连接它。"))
        }
        return index
    }

    private func connected(_ device: UUID) throws(StudioError) -> Int {
        let index = try opened(device)
        guard devices[index].link == .connected else {
            throw StudioError(
                "not-connected", Phrase("The device is not connected.", "设备未连接。"),
                next: Phrase("Connect to it first.", "请先连接它。"))
        }
        return index
    }

    private func connect(_ device: UUID, _ discovers: Bool) throws(StudioError) {
        scan.drain()
        guard let peripheral = central.retrievePeripherals(withIdentifiers: [device]).first else {
            throw StudioError(
                "unknown-device", Phrase("The adapter does not know the device.", "适配器不认识这台设备。"),
                next: Phrase("Scan for it first.", "请先扫描。"))
        }
        var index = index(of: device)
        if let index {
            guard devices[index].link == .disconnected else { return }
            devices[index].peripheral = peripheral
        } else {
            guard devices.count < Self.deviceLimit else {
                throw StudioError(
                    "too-many",
                    Phrase(
                        "\(Self.deviceLimit) devices are open, which is the limit.",
                        "已打开 \(Self.deviceLimit) 台设备，达到上限。"),
                    next: Phrase("Close one of them.", "请关闭其中一台。"))
            }
            devices.append(ExploredDevice(peripheral, name: scan.name(of: device)))
            index = devices.count - 1
        }
        guard let index else { return }
        devices[index].link = .connecting
        devices[index].reason = nil
        devices[index].discovers = discovers
        devices[index].isBonded = isBonded(device)
        let name = title(index)
        call("connect", Phrase("Connect to \(name)", "连接 \(name)"), swift: "central.connect(peripheral)", device)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    private func disconnect(_ index: Int) {
        let device = devices[index]
        guard device.link == .connecting || device.link == .connected else { return }
        let name = title(index)
        call(
            "disconnect", Phrase("Disconnect from \(name)", "断开与 \(name) 的连接"),
            swift: "central.cancelPeripheralConnection(peripheral)", device.identifier)
        if device.link == .connected { devices[index].recording.add(.action(.disconnect)) }
        devices[index].link = .disconnecting
        central.cancelPeripheralConnection(device.peripheral)
    }

    private func close(_ device: UUID) throws(StudioError) {
        let index = try opened(device)
        if central.state == .poweredOn { disconnect(index) }
        devices.remove(at: index)
        touch()
    }

    // MARK: Values

    func attribute(_ place: String, _ index: Int) throws(StudioError) -> ExploredDevice.Attribute {
        guard let attribute = devices[index].attribute(place) else {
            throw StudioError(
                "unknown-attribute", Phrase("The device has no such attribute any more.", "设备上不再有这个属性。"),
                next: Phrase("Discover its services again.", "请重新发现它的服务。"))
        }
        return attribute
    }

    private func characteristic(_ place: String, _ index: Int) throws(StudioError) -> CharacteristicNode {
        guard case .characteristic(let node) = try attribute(place, index) else { throw StudioError.actionArguments }
        guard node.pending < ExploredDevice.pendingLimit else { throw Self.busy }
        return node
    }

    private static let busy = StudioError(
        "busy",
        Phrase(
            "\(ExploredDevice.pendingLimit) operations wait for the device.",
            "有 \(ExploredDevice.pendingLimit) 个操作正在等待设备。"),
        next: Phrase("Wait for its answers.", "请等待它的响应。"))

    private func read(_ place: String, _ index: Int) throws(StudioError) {
        if case .descriptor(let node) = try attribute(place, index) {
            guard node.pendingReads < ExploredDevice.pendingLimit else { throw Self.busy }
            return read(node.descriptor, index)
        }
        let node = try characteristic(place, index)
        guard node.characteristic.properties.contains(.read) else {
            throw StudioError("not-readable", Phrase("The characteristic cannot be read.", "这个特征不可读取。"))
        }
        read(node.characteristic, index)
    }

    private func read(_ characteristic: CBCharacteristic, _ index: Int) {
        devices[index].modify(characteristic) { $0.pendingReads += 1 }
        let name = characteristic.uuid.description
        call(
            "read", Phrase("Read \(name)", "读取 \(name)"), swift: "peripheral.readValue(for: characteristic)",
            devices[index].identifier)
        devices[index].peripheral.readValue(for: characteristic)
    }

    func read(_ descriptor: CBDescriptor, _ index: Int) {
        devices[index].modify(descriptor) { $0.pendingReads += 1 }
        let name = descriptor.uuid.description
        call(
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

    /// The octets of a value as the user entered it. Call it on the queue.
    package func octets(
        of value: ExplorerAction.WriteValue, for place: String, of device: UUID
    ) throws(StudioError) -> [UInt8] {
        let index = try opened(device)
        guard case .characteristic(let node) = try attribute(place, index) else { throw StudioError.actionArguments }
        let octets: [UInt8]
        do throws(ValueError) {
            if value.format == "sig" {
                guard let schema = node.schema else {
                    throw ValueError(description: "the SIG defines no format for this characteristic.")
                }
                octets = try schema.encode(value.text)
            } else {
                guard let format = ValueFormat(name: value.format) else {
                    throw ValueError(description: "\"\(value.format.prefix(32))\" is not a format.")
                }
                octets = try format.octets(value.text)
            }
        } catch {
            throw StudioError("value", ValueProblems.phrase(error.description))
        }
        // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
        guard octets.count <= 512 else {
            throw StudioError(
                "too-long",
                Phrase(
                    "A value has at most 512 octets; this one has \(octets.count).",
                    "值最多有 512 字节，这个值有 \(octets.count) 字节。"))
        }
        return octets
    }

    /// The number of operations that wait for a connected device. Call it on the queue.
    package func pending(of device: UUID) throws(StudioError) -> Int {
        devices[try connected(device)].characteristics.reduce(0) { sum, node in
            sum + node.pending + node.descriptors.reduce(0) { $0 + $1.pendingReads }
        }
    }

    /// The requests of a write of `count` octets with response to a device.
    package func writeRequests(_ count: Int, to device: UUID) throws(StudioError) -> WriteRequests {
        WriteRequests(count, mtu: devices[try opened(device)].mtu)
    }

    private func write(
        _ value: ExplorerAction.WriteValue, _ place: String, _ index: Int
    ) throws(StudioError) {
        let device = devices[index]
        let octets = try octets(of: value, for: place, of: device.identifier)
        let node = try characteristic(place, index)
        let characteristic = node.characteristic
        let properties = characteristic.properties
        guard !properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
            throw StudioError("not-writable", Phrase("The characteristic cannot be written.", "这个特征不可写入。"))
        }
        let hasResponse = value.response ?? properties.contains(.write)
        let name = characteristic.uuid.description
        let line = { (type: String) in
            "peripheral.writeValue(\(Self.dataText(octets)), for: characteristic, type: \(type))"
        }
        if hasResponse {
            guard properties.contains(.write) else {
                throw StudioError(
                    "needs-no-response",
                    Phrase("The characteristic does not support writes with response.", "这个特征不支持有响应写入。"),
                    next: Phrase("Write without response.", "请使用无响应写入。"))
            }
            devices[index].modify(characteristic) { $0.pendingWrites.append(octets) }
            let requests = WriteRequests(octets.count, mtu: device.mtu)
            call(
                "write",
                requests.parts == 0
                    ? Phrase("Write \(name)", "写入 \(name)")
                    : Phrase("Write \(name) in \(requests.parts) parts", "分 \(requests.parts) 部分写入 \(name)"),
                swift: line(".withResponse"), device.identifier)
            return device.peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse)
        }
        guard properties.contains(.writeWithoutResponse) else {
            throw StudioError(
                "needs-response",
                Phrase("The characteristic does not support writes without response.", "这个特征不支持无响应写入。"),
                next: .writeWithResponse)
        }
        let limit = device.peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw StudioError(
                "too-long",
                Phrase(
                    "A write without response carries at most \(limit) octets on this link; this one has \(octets.count).",
                    "在这条链路上，无响应写入最多携带 \(limit) 字节，这次有 \(octets.count) 字节。"),
                next: properties.contains(.write) ? .writeWithResponse : nil)
        }
        guard device.queuedWrites.count < ExploredDevice.queueLimit else {
            throw StudioError(
                "busy",
                Phrase(
                    "\(ExploredDevice.queueLimit) writes wait for space in the buffer.",
                    "有 \(ExploredDevice.queueLimit) 次写入正在等待缓冲区的空间。"),
                next: Phrase("Wait a moment.", "请稍候。"))
        }
        call(
            "write", Phrase("Write \(name) without response", "无响应写入 \(name)"),
            swift: line(".withoutResponse"), device.identifier)
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

    private func subscribe(_ isOn: Bool, _ place: String, _ index: Int) throws(StudioError) {
        let node = try characteristic(place, index)
        let characteristic = node.characteristic
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw StudioError(
                "not-notifying",
                Phrase("The characteristic supports neither notifications nor indications.", "这个特征既不支持通知，也不支持指示。"))
        }
        let name = characteristic.uuid.description
        // A notification can arrive before the answer, so the subscription is recorded first.
        let path = devices[index].path(characteristic)
        devices[index].recording.add(
            .action(isOn ? .subscribe(characteristic: path, isRefused: false) : .unsubscribe(characteristic: path)))
        call(
            isOn ? "subscribe" : "unsubscribe",
            isOn
                ? Phrase("Subscribe to \(name)", "订阅 \(name)")
                : Phrase("End the subscription to \(name)", "取消订阅 \(name)"),
            swift: "peripheral.setNotifyValue(\(isOn), for: characteristic)", devices[index].identifier)
        devices[index].modify(characteristic) { $0.pendingSubscriptions += 1 }
        devices[index].peripheral.setNotifyValue(isOn, for: characteristic)
    }

    /// The value of an attribute in all formats; nil before a value. Call it on the queue.
    package func formats(of place: String, of device: UUID) throws(StudioError) -> ValueDetail? {
        let index = try opened(device)
        let (octets, schema): ([UInt8]?, Schema?) =
            switch try attribute(place, index) {
            case .characteristic(let node): (node.value?.octets, node.schema)
            case .descriptor(let node):
                (node.value?.octets, node.descriptor.uuid.shortValue.flatMap(Schemas.descriptorSchema))
            }
        guard let octets else { return nil }
        let fields = (try? schema?.decode(octets))?.entries ?? []
        return ValueDetail(
            octets: Hexadecimal.digits(octets),
            fields: fields.prefix(64).map { field in
                ValueDetail.Field(
                    name: Phrase(data: field.name, chinese: ValueWords.name(field, in: .chinese)),
                    text: ShownText.value(
                        ValueWords.text(field, in: .english), chinese: ValueWords.text(field, in: .chinese)))
            },
            formats: ValueFormat.all.compactMap { format in
                format.text(octets).map { FormattedValue(format: format.name, text: ShownText.value($0)) }
            })
    }

    private static func dataText(_ octets: [UInt8]) -> String {
        let shown = octets.prefix(12).map { "0x" + Hexadecimal.digits([$0]) }.joined(separator: ", ")
        return octets.count > 12 ? "Data([\(shown), \u{2026}])" : "Data([\(shown)])"
    }

    // MARK: The script

    /// The session with a device as a script of `bluelab run`. Call it on the queue.
    package func script(of device: UUID) throws(StudioError) -> String {
        let index = try opened(device)
        guard !devices[index].recording.entries.isEmpty else {
            throw StudioError(
                "nothing-recorded", Phrase("Nothing was recorded yet.", "还没有记录任何内容。"),
                next: Phrase("Connect to the device.", "请连接设备。"))
        }
        return devices[index].recording.script(name: "A session with \(title(index))").text
    }
}

extension Phrase {
    fileprivate static let writeWithResponse = Phrase("Write with response.", "请使用有响应写入。")
}
