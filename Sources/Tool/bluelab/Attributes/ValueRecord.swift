import DeviceFiles
import BLEValues
import BLEWire
import CoreBluetooth
import Foundation

/// A value in the output of `read` and `notify`.
struct ValueRecord: Encodable {
    let type: String
    /// The UUID of the characteristic's service.
    let service: String?
    let characteristic: String
    /// The UUID of the descriptor that was read.
    var descriptor: String?
    let name: String?
    /// Hexadecimal digits.
    let value: String
    /// The decoded value.
    let text: String
    /// The first number of the value, in `unit`.
    let number: Double?
    let unit: String?
    /// Seconds since the start of the command. Notifications only.
    let time: Double?

    init(
        _ characteristic: CBCharacteristic, _ octets: [UInt8], _ format: ValueFormat?, field: String? = nil,
        time: Duration? = nil
    ) throws {
        type = time == nil ? "value" : "notification"
        service = characteristic.service?.uuid.uuidString
        self.characteristic = characteristic.uuid.uuidString
        let name = displayName(characteristic.uuid)
        self.name = name == self.characteristic ? nil : name
        value = Hexadecimal.digits(octets)
        self.time = time.map { ($0 / .milliseconds(1)).rounded() / 1000 }
        let quantity = Quantity(octets, of: characteristic.uuid, format, field: field)
        number = quantity?.number
        unit = quantity?.unit
        text = try Self.text(octets, format) ?? ValueText.fitting(octets, of: characteristic.uuid)
    }

    /// A descriptor's value.
    init(_ descriptor: CBDescriptor, _ format: ValueFormat?) throws {
        type = "value"
        service = descriptor.characteristic?.service?.uuid.uuidString
        characteristic = descriptor.characteristic?.uuid.uuidString ?? ""
        self.descriptor = descriptor.uuid.uuidString
        let name = displayName(descriptor.uuid)
        self.name = name == descriptor.uuid.uuidString ? nil : name
        let octets = descriptor.octets
        value = Hexadecimal.digits(octets)
        (number, unit, time) = (nil, nil, nil)
        text = try Self.text(octets, format) ?? ValueText.fitting(octets, ofDescriptor: descriptor.uuid)
    }

    /// The value in the selected format; nil without one.
    private static func text(_ octets: [UInt8], _ format: ValueFormat?) throws -> String? {
        guard let format else { return nil }
        guard let text = format.text(octets) else {
            let expected = format.count.map { octetCount($0) } ?? "UTF-8"
            throw ToolError(
                .failed,
                "the value \(Hexadecimal.text(octets)) (\(octetCount(octets.count))) is not \(format.name): expected \(expected)."
            )
        }
        return format == ValueFormat(.utf8) ? ValueText.printable(text) : text
    }

    func line(asJSON isJSON: Bool) -> String { isJSON ? jsonLine(self) : text }

    /// The name, or the UUID of an attribute without one.
    var title: String { name ?? descriptor ?? characteristic }
}
