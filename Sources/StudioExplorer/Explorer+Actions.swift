import BLEValues
import BluetoothPairing
import CoreBluetooth
import DeviceScripts
import Foundation

extension Explorer {
    /// Performs an action of the user. Call it on the queue.
    ///
    /// - Throws: The reason why the action is not possible. What the device answers arrives later, in the state and the log.
    package func perform(_ action: ExplorerAction) throws(ExplorerFailure) {
        switch action {
        case .answer(let prompt, let accepts, let passkey): return try answer(prompt, accepts, passkey)
        case .clearLog: return clearLog()
        case .close(let device): return try close(device)
        default: break
        }
        guard central.state == .poweredOn else {
            throw ExplorerFailure(
                "adapter", "The Bluetooth adapter is not on: its state is \(central.state.word).",
                next: "Turn Bluetooth on, or plug the adapter in.")
        }
        switch action {
        case .startScan: if !central.isScanning { startScan() }
        case .stopScan: if central.isScanning { stopScan() }
        case .connect(let device, let discovers): try connect(device, discovers)
        case .disconnect(let device): disconnect(try opened(device))
        case .discover(let device): discover(try connected(device))
        case .read(let device, let attribute): try read(attribute, try connected(device))
        case .readAll(let device): try readAll(try connected(device))
        case .write(let device, let attribute, let value): try write(value, attribute, try connected(device))
        case .subscribe(let device, let attribute): try subscribe(true, attribute, try connected(device))
        case .unsubscribe(let device, let attribute): try subscribe(false, attribute, try connected(device))
        case .readRSSI(let device):
            let index = try connected(device)
            call("read-rssi", [:], "Read the signal strength", swift: "peripheral.readRSSI()", device)
            devices[index].peripheral.readRSSI()
        case .pair(let device, let level): pair(try connected(device), level)
        case .unpair(let device): unpair(device)
        case .answer, .clearLog, .close: break
        }
    }

    // MARK: Links

    private func opened(_ device: UUID) throws(ExplorerFailure) -> Int {
        guard let index = index(of: device) else {
            throw ExplorerFailure("unknown-device", "The device is not open.", next: "Connect to it first.")
        }
        return index
    }

    private func connected(_ device: UUID) throws(ExplorerFailure) -> Int {
        let index = try opened(device)
        guard devices[index].link == .connected else {
            throw ExplorerFailure("not-connected", "The device is not connected.", next: "Connect to it first.")
        }
        return index
    }

    private func connect(_ device: UUID, _ discovers: Bool) throws(ExplorerFailure) {
        scan.drain()
        guard let peripheral = central.retrievePeripherals(withIdentifiers: [device]).first else {
            throw ExplorerFailure("unknown-device", "The adapter does not know the device.", next: "Scan for it first.")
        }
        var index = index(of: device)
        if let index {
            guard devices[index].link == .disconnected else { return }
            devices[index].peripheral = peripheral
        } else {
            guard devices.count < Self.deviceLimit else {
                throw ExplorerFailure(
                    "too-many", "\(Self.deviceLimit) devices are open, which is the limit.", next: "Close one of them.")
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
        call("connect", ["name": name], "Connect to \(name)", swift: "central.connect(peripheral)", device)
        peripheral.delegate = self
        central.connect(peripheral)
    }

    private func disconnect(_ index: Int) {
        let device = devices[index]
        guard device.link == .connecting || device.link == .connected else { return }
        let name = title(index)
        call(
            "disconnect", ["name": name], "Disconnect from \(name)",
            swift: "central.cancelPeripheralConnection(peripheral)", device.identifier)
        if device.link == .connected { devices[index].recording.add(.action(.disconnect)) }
        devices[index].link = .disconnecting
        central.cancelPeripheralConnection(device.peripheral)
    }

    private func close(_ device: UUID) throws(ExplorerFailure) {
        let index = try opened(device)
        if central.state == .poweredOn { disconnect(index) }
        devices.remove(at: index)
        touch()
    }

    func discover(_ index: Int) {
        guard devices[index].discoveries == 0 else { return }
        devices[index].discoveries = 1
        call(
            "discover-services", [:], "Discover all services", swift: "peripheral.discoverServices(nil)",
            devices[index].identifier)
        devices[index].peripheral.discoverServices(nil)
    }

    // MARK: Values

    private func attribute(_ place: String, _ index: Int) throws(ExplorerFailure) -> ExploredDevice.Attribute {
        guard let attribute = devices[index].attribute(place) else {
            throw ExplorerFailure(
                "unknown-attribute", "The device has no such attribute any more.", next: "Discover its services again.")
        }
        return attribute
    }

    private func characteristic(_ place: String, _ index: Int) throws(ExplorerFailure) -> CharacteristicNode {
        guard case .characteristic(let node) = try attribute(place, index) else { throw ExplorerFailure.arguments }
        guard node.pending < ExploredDevice.pendingLimit else {
            throw ExplorerFailure(
                "busy", "\(ExploredDevice.pendingLimit) operations wait for the device.", next: "Wait for its answers.")
        }
        return node
    }

    private func read(_ place: String, _ index: Int) throws(ExplorerFailure) {
        let peripheral = devices[index].peripheral
        if case .descriptor(let node) = try attribute(place, index) {
            let name = node.descriptor.uuid.description
            call(
                "read", ["name": name], "Read \(name)", swift: "peripheral.readValue(for: descriptor)",
                peripheral.identifier)
            return peripheral.readValue(for: node.descriptor)
        }
        let node = try characteristic(place, index)
        guard node.characteristic.properties.contains(.read) else {
            throw ExplorerFailure("not-readable", "The characteristic cannot be read.")
        }
        read(node.characteristic, index)
    }

    private func read(_ characteristic: CBCharacteristic, _ index: Int) {
        devices[index].modify(characteristic) { $0.pendingReads += 1 }
        let name = characteristic.uuid.description
        call(
            "read", ["name": name], "Read \(name)", swift: "peripheral.readValue(for: characteristic)",
            devices[index].identifier)
        devices[index].peripheral.readValue(for: characteristic)
    }

    private func readAll(_ index: Int) throws(ExplorerFailure) {
        for node in devices[index].characteristics
        where node.pending == 0 && node.characteristic.properties.contains(.read) {
            read(node.characteristic, index)
        }
    }

    /// The octets of a value as the user entered it. Call it on the queue.
    package func octets(
        of value: ExplorerAction.WriteValue, for place: String, of device: UUID
    ) throws(ExplorerFailure) -> [UInt8] {
        let index = try opened(device)
        guard case .characteristic(let node) = try attribute(place, index) else { throw ExplorerFailure.arguments }
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
            throw ExplorerFailure("value", error.description)
        }
        // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
        guard octets.count <= 512 else {
            throw ExplorerFailure("too-long", "A value has at most 512 octets; this one has \(octets.count).")
        }
        return octets
    }

    private func write(
        _ value: ExplorerAction.WriteValue, _ place: String, _ index: Int
    ) throws(ExplorerFailure) {
        let device = devices[index]
        let octets = try octets(of: value, for: place, of: device.identifier)
        let node = try characteristic(place, index)
        let characteristic = node.characteristic
        let properties = characteristic.properties
        guard !properties.isDisjoint(with: [.write, .writeWithoutResponse]) else {
            throw ExplorerFailure("not-writable", "The characteristic cannot be written.")
        }
        let hasResponse = value.response ?? properties.contains(.write)
        let name = characteristic.uuid.description
        let line = { (type: String) in
            "peripheral.writeValue(\(Self.dataText(octets)), for: characteristic, type: \(type))"
        }
        if hasResponse {
            guard properties.contains(.write) else {
                throw ExplorerFailure(
                    "needs-no-response", "The characteristic does not support writes with response.",
                    next: "Write without response.")
            }
            devices[index].modify(characteristic) { $0.pendingWrites.append(octets) }
            call(
                "write", ["name": name, "value": Hexadecimal.text(octets.prefix(20))], "Write \(name)",
                swift: line(".withResponse"), device.identifier)
            return device.peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse)
        }
        guard properties.contains(.writeWithoutResponse) else {
            throw ExplorerFailure(
                "needs-response", "The characteristic does not support writes without response.",
                next: "Write with response.")
        }
        let limit = device.peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw ExplorerFailure(
                "too-long",
                "A write without response carries at most \(limit) octets on this link; this one has \(octets.count).",
                next: properties.contains(.write) ? "Write with response." : nil)
        }
        guard device.queuedWrites.count < ExploredDevice.queueLimit else {
            throw ExplorerFailure(
                "busy", "\(ExploredDevice.queueLimit) writes wait for space in the buffer.", next: "Wait a moment.")
        }
        call(
            "write", ["name": name, "value": Hexadecimal.text(octets.prefix(20))], "Write \(name) without response",
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

    private func subscribe(_ isOn: Bool, _ place: String, _ index: Int) throws(ExplorerFailure) {
        let node = try characteristic(place, index)
        let characteristic = node.characteristic
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw ExplorerFailure(
                "not-notifying", "The characteristic supports neither notifications nor indications.")
        }
        let name = characteristic.uuid.description
        // A notification can arrive before the answer, so the subscription is recorded first.
        let path = devices[index].path(characteristic)
        devices[index].recording.add(
            .action(isOn ? .subscribe(characteristic: path, isRefused: false) : .unsubscribe(characteristic: path)))
        call(
            isOn ? "subscribe" : "unsubscribe", ["name": name],
            isOn ? "Subscribe to \(name)" : "End the subscription to \(name)",
            swift: "peripheral.setNotifyValue(\(isOn), for: characteristic)", devices[index].identifier)
        devices[index].peripheral.setNotifyValue(isOn, for: characteristic)
    }

    /// The value of an attribute in all formats; nil before a value. Call it on the queue.
    package func formats(of place: String, of device: UUID) throws(ExplorerFailure) -> ValueDetail? {
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
            fields: fields.prefix(64).map {
                ValueDetail.Field(name: $0.name, text: ShownText.value($0.text), unit: $0.unit)
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
    package func script(of device: UUID) throws(ExplorerFailure) -> String {
        let index = try opened(device)
        guard !devices[index].recording.entries.isEmpty else {
            throw ExplorerFailure("nothing-recorded", "Nothing was recorded yet.", next: "Connect to the device.")
        }
        return devices[index].recording.script(name: "A session with \(title(index))").text
    }
}
