import BLEWire

extension RoomDevice {
    /// The identifier of the device with a number: `d1` for 1.
    package static func identifier(_ number: Int) -> String { "d\(number)" }

    /// The number in an identifier; nil if the text is no identifier of a device.
    package static func number(_ identifier: String) -> Int? {
        identifier.first == "d" ? Int(identifier.dropFirst()) : nil
    }
}

extension RoomLink {
    /// The identifier of the link with an access address.
    package static func identifier(_ accessAddress: UInt32) -> String {
        hexadecimal(accessAddress, digits: 8).lowercased()
    }
}
