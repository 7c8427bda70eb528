import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

/// Selects the devices of a scan.
struct ScanFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only devices with this text in their name.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Only devices without this text in their name.", valueName: "text"))
    var exceptName: String?

    @Option(
        help: ArgumentHelp(
            "Only devices with this service, by UUID or SIG name. Repeat the option for several services.",
            valueName: "service"))
    var service: [String] = []

    @Option(help: ArgumentHelp("Only devices with manufacturer data of this company.", valueName: "text"))
    var company: String?

    @Option(help: ArgumentHelp("Only devices without manufacturer data of this company.", valueName: "text"))
    var exceptCompany: String?

    @Option(help: ArgumentHelp("Only devices with at least this signal strength.", valueName: "dBm"))
    var minimumRSSI: Int?

    @Option(
        help: ArgumentHelp(
            "Only devices with these octets in manufacturer or service data, such as 4c000215.", valueName: "hex"))
    var data: String?

    @Flag(help: "Only connectable devices.")
    var connectable = false

    func validate() throws {
        guard let data else { return }
        guard Hexadecimal.octets(data)?.isEmpty == false else {
            throw ValidationError("--data must be pairs of hexadecimal digits, such as 4c000215, not \"\(data)\".")
        }
    }

    /// Whether the scan shows the device.
    func accepts(_ device: SeenDevice) -> Bool {
        if let name, device.name?.localizedCaseInsensitiveContains(name) != true { return false }
        if let exceptName, device.name?.localizedCaseInsensitiveContains(exceptName) == true { return false }
        if let company, device.company?.localizedCaseInsensitiveContains(company) != true { return false }
        if let exceptCompany, device.company?.localizedCaseInsensitiveContains(exceptCompany) == true { return false }
        if let minimumRSSI, (device.rssi ?? Int.min) < minimumRSSI { return false }
        if connectable, !device.isConnectable { return false }
        if !service.isEmpty,
            !device.services.contains(where: { uuid in service.contains { CharacteristicSearch.fits(uuid, $0) } })
        {
            return false
        }
        guard let data, let wanted = Hexadecimal.octets(data) else { return true }
        let values = [device.manufacturerData].compactMap { $0 } + device.serviceData.values
        return values.contains { Array($0).contains(wanted) }
    }
}
