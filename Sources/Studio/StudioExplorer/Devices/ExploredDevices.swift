import BLEValues
import CoreBluetooth
import DeviceFiles
import Foundation
import Phrases

/// The devices that the user opened, in the order of their opening.
package struct ExploredDevices {
    /// The most devices that are open at a time.
    static let limit = 16

    private var devices: [ExploredDevice] = []

    var count: Int { devices.count }
    var indices: Range<Int> { devices.indices }

    subscript(_ index: Int) -> ExploredDevice {
        get { devices[index] }
        _modify { yield &devices[index] }
    }

    func index(of device: UUID) -> Int? { devices.firstIndex { $0.identifier == device } }

    func index(of peripheral: CBPeripheral) -> Int? { devices.firstIndex { $0.peripheral === peripheral } }

    func opened(_ device: UUID) throws(PhrasedError) -> Int {
        guard let index = index(of: device) else {
            throw PhrasedError(
                "unknown-device", Phrase("The device is not open.", "设备未打开。"),
                next: Phrase("Connect to it first.", "请先连接它。"))
        }
        return index
    }

    func connected(_ device: UUID) throws(PhrasedError) -> Int {
        let index = try opened(device)
        guard devices[index].link == .connected else {
            throw PhrasedError(
                "not-connected", Phrase("The device is not connected.", "设备未连接。"),
                next: Phrase("Connect to it first.", "请先连接它。"))
        }
        return index
    }

    /// Adds a device, or gives one that is not connected its new peripheral. Returns nil if it has a link.
    mutating func open(_ peripheral: CBPeripheral, name: @autoclosure () -> String?) throws(PhrasedError) -> Int? {
        if let index = index(of: peripheral.identifier) {
            guard devices[index].link == .disconnected else { return nil }
            devices[index].peripheral = peripheral
            return index
        }
        guard devices.count < Self.limit else {
            throw PhrasedError(
                "too-many",
                Phrase("\(Self.limit) devices are open, which is the limit.", "已打开 \(Self.limit) 台设备，达到上限。"),
                next: Phrase("Close one of them.", "请关闭其中一台。"))
        }
        devices.append(ExploredDevice(peripheral, name: name()))
        return devices.count - 1
    }

    mutating func remove(at index: Int) { devices.remove(at: index) }

    /// The time of the next discovery that a change of services made necessary, in nanoseconds; nil if there is none.
    var nextDiscovery: Int64? { devices.compactMap(\.discovery.due).min() }

    package var states: [DeviceState] { devices.map(\.state) }

    // MARK: Values

    /// The number of operations that wait for a connected device.
    package func pending(of device: UUID) throws(PhrasedError) -> Int {
        devices[try connected(device)].characteristics.reduce(0) { sum, node in
            sum + node.pending + node.descriptors.reduce(0) { $0 + $1.pendingReads }
        }
    }

    /// The requests of a write of `count` octets with response to a device.
    package func writeRequests(_ count: Int, to device: UUID) throws(PhrasedError) -> WriteRequests {
        WriteRequests(count, mtu: devices[try opened(device)].mtu)
    }

    /// The octets of a value as the user entered it.
    package func octets(
        of value: ExplorerAction.WriteValue, for place: String, of device: UUID
    ) throws(PhrasedError) -> [UInt8] {
        guard case .characteristic(let node) = try devices[opened(device)].existing(place) else {
            throw PhrasedError.actionArguments
        }
        return try node.octets(of: value)
    }

    /// The value of an attribute in all formats; nil before a value.
    package func formats(of place: String, of device: UUID) throws(PhrasedError) -> ValueDetail? {
        switch try devices[opened(device)].existing(place) {
        case .characteristic(let node): node.value.map { ValueDetail($0.octets, node.schema) }
        case .descriptor(let node):
            node.value.map {
                ValueDetail($0.octets, node.descriptor.uuid.shortValue.flatMap(Schemas.descriptorSchema))
            }
        }
    }

    /// The latest values of a characteristic from a number on; none of a descriptor.
    package func pastValues(
        of place: String, of device: UUID, from start: Int = 0
    ) throws(PhrasedError) -> ValueHistoryPage {
        guard case .characteristic(let node) = try devices[opened(device)].existing(place) else {
            return ValueHistoryPage(values: [], first: 0, count: 0)
        }
        return node.pastValues(from: start)
    }

    /// The latest values of each characteristic, the oldest first, as lines of a file.
    var valueLines: String { devices.map(\.valueLines).joined() }

    /// The session with a device as a script of `bluelab run`.
    package func script(of device: UUID) throws(PhrasedError) -> String {
        let device = devices[try opened(device)]
        guard !device.recording.entries.isEmpty else {
            throw PhrasedError(
                "nothing-recorded", Phrase("Nothing was recorded yet.", "还没有记录任何内容。"),
                next: Phrase("Connect to the device.", "请连接设备。"))
        }
        return device.recording.script(name: "A session with \(device.title)").text
    }
}
