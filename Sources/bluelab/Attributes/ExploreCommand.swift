import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct ExploreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Show the services and characteristics of a device with their values.",
        discussion: """
            Connects, discovers all services and characteristics, and reads each readable value.

              bluelab explore wristband
              bluelab explore 5B1D7A10 --all

            Values are decoded by the format that the Bluetooth SIG defines for the characteristic, else shown as text or octets.
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Flag(help: "Include descriptors and their values.")
    var all = false

    @Flag(help: "Show the tree without reading values.")
    var noValues = false

    @OptionGroup var color: ColorOptions

    func run() async throws {
        options.apply()
        let terminal = color.terminal()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let services = try await client.discoverAll(of: device.peripheral, descriptors: all)
            var tree = AttributeTree(terminal: terminal)
            for service in services {
                tree.add(service)
                for characteristic in service.characteristics ?? [] {
                    let value = noValues ? nil : await value(of: characteristic, device)
                    if case .failure(let failure) = value, !failure.isRefusal { throw failure }
                    tree.add(characteristic, value)
                    for descriptor in characteristic.descriptors ?? [] {
                        if !noValues { try await read(descriptor, device) }
                        tree.add(descriptor)
                    }
                }
            }
            if options.json {
                for line in tree.json { try emit(line) }
            } else {
                try emit(device.headline(terminal))
                for line in tree.lines { try emit(line) }
            }
        }
    }

    /// Reads a descriptor. After a refusal it has no value.
    @MainActor
    private func read(_ descriptor: CBDescriptor, _ device: ConnectedDevice) async throws {
        do {
            try await device.client.read(descriptor, of: device.peripheral)
        } catch let failure as ToolFailure where failure.isRefusal {}
    }

    /// The result of a read; nil if the characteristic is not readable.
    @MainActor
    private func value(of characteristic: CBCharacteristic, _ device: ConnectedDevice) async
        -> Result<[UInt8], ToolFailure>?
    {
        guard characteristic.properties.contains(.read) else { return nil }
        do {
            return .success(try await device.client.read(characteristic, of: device.peripheral))
        } catch {
            return .failure(error as? ToolFailure ?? ToolFailure(.failed, "\(error)"))
        }
    }
}

extension ConnectedDevice {
    /// The device and its ATT_MTU in one line.
    func headline(_ terminal: Terminal) -> String {
        let name = terminal.styled(ValueText.printable(peripheral.name ?? "(no name)"), .bold)
        // A Write Command's header takes 3 octets of the ATT_MTU (Vol 3, Part F, 3.4.5.3).
        let mtu = peripheral.maximumWriteValueLength(for: .withoutResponse) + 3
        return "\(name)  \(shortened(peripheral.identifier))  MTU \(mtu)"
    }
}
