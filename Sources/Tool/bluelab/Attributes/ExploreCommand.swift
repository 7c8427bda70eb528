import AdvertisementScanning
import ArgumentParser
import DeviceFiles
import BLEAdapter
import BLEValues
import BLEWire
import CoreBluetooth
import Foundation

struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Show the services and characteristics of a device with their values.",
        discussion: """
            Connects, discovers all services and characteristics, and reads each readable value. A value is decoded by the format that \
            the Bluetooth SIG or the device defines for its characteristic, else shown as text or octets.

            Example: bluelab explore wristband
            Example: bluelab explore 5B1D7A10 --all
            Example: bluelab explore C0:11:22:33:44:55 --json

            --all also shows the included services and every descriptor with its value.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Flag(help: "Include descriptors with their values, and included services.")
    var all = false

    @Flag(help: "Show the tree without reading values.")
    var noValues = false

    @OptionGroup var color: ColorOptions

    func run() async throws {
        try options.apply()
        let terminal = color.terminal()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let explorer = DeviceExplorer(device: device, readsAll: all, readsValues: !noValues)
            let tree = try await explorer.tree(terminal)
            // The link's properties and the MTU are final after the discovery.
            let link = await client.linkDescription(of: device.peripheral)
            // An adapter that does not describe links does not tell their signal strength either.
            let rssi = link == nil ? nil : try await client.readRSSI(of: device.peripheral)
            let head = DeviceHead(device, link, rssi: rssi ?? device.seen?.rssi)
            if options.json {
                try emit(jsonLine(head.record))
                for line in tree.json { try emit(line) }
                return
            }
            try emit(head.line(terminal))
            for line in tree.lines { try emit(line) }
            for line in tree.notes(target.device) { printError(line) }
        }
    }
}

/// Discovers the attributes of a device and reads their values.
@MainActor
struct DeviceExplorer {
    let device: ConnectedDevice
    let readsAll: Bool
    let readsValues: Bool

    func tree(_ terminal: Terminal) async throws -> AttributeTree {
        // The user description and the presentation format belong to a characteristic's line.
        let services = try await device.client.discoverAll(of: device.peripheral, descriptors: readsAll || readsValues)
        var tree = AttributeTree(terminal: terminal)
        for service in services {
            if readsAll {
                try await device.client.discoverIncludedServices(of: service, of: device.peripheral)
            }
            tree.add(service)
            for characteristic in service.characteristics ?? [] {
                let descriptors = try await results(of: characteristic.descriptors ?? [])
                tree.add(characteristic, try await value(of: characteristic), descriptors, showsAll: readsAll)
            }
        }
        return tree
    }

    /// Reads the descriptors that the tree shows. A refusal is a result.
    private func results(of descriptors: [CBDescriptor]) async throws -> [DescriptorResult] {
        var results: [DescriptorResult] = []
        for descriptor in descriptors where readsAll || descriptor.describesCharacteristic {
            guard readsValues else {
                results.append(DescriptorResult(descriptor: descriptor, failure: nil))
                continue
            }
            do {
                try await device.client.read(descriptor, of: device.peripheral)
                results.append(DescriptorResult(descriptor: descriptor, failure: nil))
            } catch let failure as ToolError where failure.isRefusal {
                results.append(DescriptorResult(descriptor: descriptor, failure: failure))
            }
        }
        return results
    }

    /// The result of a read; nil if the characteristic is not readable.
    private func value(of characteristic: CBCharacteristic) async throws -> Result<[UInt8], ToolError>? {
        guard readsValues, characteristic.properties.contains(.read) else { return nil }
        do {
            return .success(try await device.client.read(characteristic, of: device.peripheral))
        } catch let failure as ToolError where failure.isRefusal {
            return .failure(failure)
        }
    }
}

/// A descriptor after its read.
struct DescriptorResult {
    let descriptor: CBDescriptor
    /// The refusal of the read.
    let failure: ToolError?

    /// The text of a user description.
    var userDescription: String? { descriptor.userDescription.map(ValueText.printable) }

    /// The value as text; nil if it was not read.
    var text: String? {
        if let format = descriptor.presentationFormat { return format.description }
        return switch descriptor.value {
        case let octets as Data: octets.isEmpty ? "(empty)" : Hexadecimal.text(octets)
        case let text as String: ValueText.printable(text)
        case let number as NSNumber where descriptor.uuid.uuidString == "2902": Self.configuration(number.intValue)
        case .some(let value): ValueText.printable("\(value)")
        case nil: nil
        }
    }

    /// The bits of the Client Characteristic Configuration (Vol 3, Part G, 3.3.3.3).
    private static func configuration(_ value: Int) -> String {
        switch value {
        case 0: "off"
        case 1: "notifications on"
        case 2: "indications on"
        default: hexadecimal(UInt16(truncatingIfNeeded: value), digits: 4)
        }
    }
}

/// The device and its link, the first line of `explore`.
@MainActor
struct DeviceHead {
    private let device: ConnectedDevice
    private let link: LinkDescription?

    /// In dBm.
    private let rssi: Int?

    init(_ device: ConnectedDevice, _ link: LinkDescription?, rssi: Int?) {
        self.rssi = rssi
        self.device = device
        self.link = link
    }

    /// A Write Command's header takes 3 octets of the ATT_MTU (Vol 3, Part F, 3.4.5.3).
    private var mtu: Int { device.peripheral.maximumWriteValueLength(for: .withoutResponse) + 3 }

    func line(_ terminal: Terminal) -> String {
        var parts = [
            terminal.styled(
                OwnNames.shown(device.peripheral.name.map(ValueText.printable), of: device.peripheral.identifier)
                    ?? say("(no name)"), .bold),
            shortened(device.peripheral.identifier),
        ]
        if let link { parts.append("\(link.address) (\(say(link.address.typeName.rawValue)))") }
        if let rssi { parts.append("\(rssi) dBm") }
        parts.append("MTU \(mtu)")
        if let link {
            let phys = [link.transmitPHY, link.receivePHY].map { HCI.PHY(rawValue: $0).name }
            parts.append(phys[0] == phys[1] ? phys[0] : "\(phys[0])/\(phys[1])")
            parts.append(say("interval \(number(Double(link.interval) * 1.25)) ms"))
            parts.append(say(Self.text(link)))
        }
        return parts.joined(separator: "  ")
    }

    private static func text(_ link: LinkDescription) -> String {
        guard link.security.keySize > 0 else { return "not encrypted" }
        return link.security.isAuthenticated ? "encrypted, authenticated" : "encrypted"
    }

    var record: DeviceRecord {
        DeviceRecord(
            identifier: device.peripheral.identifier.uuidString, name: device.peripheral.name,
            address: link?.address.description, addressType: link?.address.typeName, rssi: rssi, mtu: mtu,
            transmitPHY: link.map { HCI.PHY(rawValue: $0.transmitPHY).name },
            receivePHY: link.map { HCI.PHY(rawValue: $0.receivePHY).name },
            interval: link.map { Double($0.interval) * 1.25 / 1000 }, latency: link.map { Int($0.latency) },
            supervisionTimeout: link.map { Double($0.supervisionTimeout) / 100 },
            encrypted: link.map { $0.security.keySize > 0 }, authenticated: link.map(\.security.isAuthenticated))
    }
}

/// The first line of `bluelab explore --json`. Documentation/Schemas/device.json describes it.
struct DeviceRecord: Encodable {
    let type = "device"
    let identifier: String
    let name: String?
    let address: String?
    let addressType: DeviceAddress.TypeName?
    let rssi: Int?
    let mtu: Int
    let transmitPHY: String?
    let receivePHY: String?
    let interval: Double?
    let latency: Int?
    let supervisionTimeout: Double?
    let encrypted: Bool?
    let authenticated: Bool?
}
