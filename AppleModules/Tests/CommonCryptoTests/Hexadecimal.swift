/// Octets as hexadecimal digits, in both directions.
func hex(_ octets: some Sequence<UInt8>) -> String {
    octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func octets(_ hex: String) -> [UInt8] {
    let digits = hex.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).map { start in
        let first = digits.index(digits.startIndex, offsetBy: start)
        return UInt8(digits[first...].prefix(2), radix: 16)!
    }
}
