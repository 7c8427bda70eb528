import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

/// Which devices a scan shows.
struct ScanFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Devices whose name contains this.", valueName: "text"))
    var name: String?

    @Option(help: ArgumentHelp("Devices without this in their name.", valueName: "text"))
    var exceptName: String?

    @Option(
        help: ArgumentHelp(
            "Devices with this service, by UUID or SIG name. May be given more than once.", valueName: "service"))
    var service: [String] = []

    @Option(help: ArgumentHelp("Devices whose manufacturer data is of this company.", valueName: "text"))
    var company: String?

    @Option(help: ArgumentHelp("Devices without manufacturer data of this company.", valueName: "text"))
    var exceptCompany: String?

    @Option(help: ArgumentHelp("Devices that are received at least this strongly.", valueName: "dBm"))
    var minimumRSSI: Int?

    @Option(
        help: ArgumentHelp("Devices with these octets in manufacturer or service data, as 4c000215.", valueName: "hex"))
    var data: String?

    @Flag(help: "Devices that accept connections.")
    var connectable = false

    func validate() throws {
        guard let data else { return }
        guard Hexadecimal.octets(data)?.isEmpty == false else {
            throw ValidationError("--data takes pairs of hexadecimal digits, such as 4c000215, not \"\(data)\".")
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
        let places = [device.manufacturerData].compactMap { $0 } + device.serviceData.values
        return places.contains { Array($0).contains(wanted) }
    }
}
