import BLEValues
import BLEWire
import DeviceFiles
import StudioExplorer
import Phrases
import StudioServer

/// The arguments of `maker.clone`.
struct MakerCloneArguments: Decodable, Sendable {
    /// The identifier of the explorer, such as `d1` or `adapter`.
    let explorer: String
    /// The identifier of a device that the explorer has opened.
    let peer: String
    /// The octets of the advertisement and of the scan response that the explorer received, as hexadecimal digits.
    var data: String?
    var scanResponse: String?
}

extension MakerReport {
    /// The profile of a device with the values that an explorer has read.
    init(cloning arguments: MakerCloneArguments, from hub: StudioHub?) async throws {
        // `ExplorerDirectory` publishes the opened devices of each explorer.
        let topic = "explorer.\(arguments.explorer).devices"
        // The pages get changes some milliseconds later, and a clone has the latest values.
        hub?.touch(topic)
        guard let devices = await hub?.value(of: topic, as: [DeviceState].self) else {
            throw PhrasedError(
                "no-explorer",
                Phrase(
                    "There is no explorer \(arguments.explorer.prefix(32)).",
                    "没有探索器 \(arguments.explorer.prefix(32))。"),
                next: Phrase("Open the explorer, and connect to the device.", "请打开探索器并连接设备。"))
        }
        guard let device = devices.first(where: { $0.id == arguments.peer }) else {
            throw PhrasedError(
                "not-open", Phrase("The explorer has not opened the device.", "探索器还没有打开这台设备。"),
                next: Phrase("Connect to it in the explorer.", "请在探索器中连接它。"))
        }
        guard !device.services.isEmpty else {
            throw PhrasedError(
                "not-discovered",
                Phrase("The explorer has not discovered the device's services yet.", "探索器还没有发现这台设备的服务。"),
                next: Phrase("Connect to the device, and try again.", "请连接设备后再试。"))
        }
        var advertising = AdvertisingProfile(localName: device.name)
        for part in [arguments.data, arguments.scanResponse] {
            advertising.add(part.flatMap { Hexadecimal.octets($0) } ?? [])
        }
        let clone = DeviceClone(
            DiscoveredDevice(
                name: device.name, advertising: advertising, services: device.services.map { $0.discovered }))
        self.init(writing: clone.profile, heading: clone.heading)
        refused = clone.refused
        omitted = device.moreAttributes
    }
}

extension AdvertisingProfile {
    /// Adds the services and data of received advertising data.
    mutating func add(_ octets: [UInt8]) {
        var rest = AD.Structures(octets.span)
        while let structure = rest.next() {
            structure.forEachServiceUUID { if !services.contains($0) { services.append($0) } }
            let data = (0..<structure.data.count).map { structure.data[$0] }
            if structure.type == .manufacturerData, data.count >= 2, manufacturerData == nil { manufacturerData = data }
            if let service = structure.serviceDataUUID, !serviceData.contains(where: { $0.service == service }) {
                serviceData.append(ServiceData(service: service, octets: Array(data.dropFirst(service.octetCount))))
            }
        }
    }
}

extension ServiceState {
    fileprivate var discovered: DiscoveredDevice.Service {
        DiscoveredDevice.Service(
            uuid: BluetoothUUID(uuid) ?? BluetoothUUID(UInt16(0)), isPrimary: isPrimary,
            characteristics: characteristics.map { $0.discovered })
    }
}

extension CharacteristicState {
    /// The bits of the declaration (Vol 3, Part G, 3.3.1.1) by the cases of `CBCharacteristicProperties`.
    private static let bits: [String: UInt8] = [
        "broadcast": 0x01, "read": 0x02, "writeWithoutResponse": 0x04, "write": 0x08, "notify": 0x10, "indicate": 0x20,
        "authenticatedSignedWrites": 0x40, "extendedProperties": 0x80,
    ]

    fileprivate var discovered: DiscoveredDevice.Characteristic {
        DiscoveredDevice.Characteristic(
            uuid: BluetoothUUID(uuid) ?? BluetoothUUID(UInt16(0)),
            properties: properties.reduce(0) { $0 | Self.bits[$1, default: 0] },
            value: DiscoveredDevice.Value(value, error),
            descriptors: descriptors.map {
                DiscoveredDevice.Descriptor(
                    uuid: BluetoothUUID($0.uuid) ?? BluetoothUUID(UInt16(0)),
                    value: DiscoveredDevice.Value($0.value, $0.error))
            })
    }
}

extension DiscoveredDevice.Value {
    fileprivate init(_ value: ValueState?, _ error: AttributeFailure?) {
        if let octets = value.flatMap({ Hexadecimal.octets($0.octets) }) {
            self = .octets(octets)
        } else if let error {
            self = .refused(error.text.description, needsEncryption: error.needsSecurity)
        } else {
            self = .unread
        }
    }
}
