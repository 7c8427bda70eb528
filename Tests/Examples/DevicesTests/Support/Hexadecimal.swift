/// The octets of hexadecimal digits, for sample data.
func hex(_ digits: String) -> [UInt8] {
    var octets: [UInt8] = []
    var high: UInt8?
    for digit in digits.compactMap(\.hexDigitValue) {
        if let first = high {
            octets.append(first << 4 | UInt8(digit))
            high = nil
        } else {
            high = UInt8(digit)
        }
    }
    return octets
}
