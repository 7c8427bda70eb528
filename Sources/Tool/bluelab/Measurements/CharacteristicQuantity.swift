import DeviceFiles
import BLEValues
import CoreBluetooth

extension Quantity {
    /// The number of a value in `format`, else in the format that the SIG defines for the characteristic, else of an integer of 1, 2 or 4
    /// octets.
    ///
    /// - Parameter field: A part of the name of the field; nil selects the first number.
    init?(_ octets: [UInt8], of characteristic: CBUUID, _ format: ValueFormat?, field: String? = nil) {
        self.init(octets, characteristic.shortValue.flatMap(Schemas.schema), format, field: field)
    }
}
