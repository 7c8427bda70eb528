import BLEWire

/// The functions of LE Secure Connections (Vol 3, Part H, 2.2.6 to 2.2.11). Each is AES-CMAC over its arguments, most
/// significant octet first.
extension CryptoProvider {
    /// The confirm value (2.2.6).
    package func f4(_ u: UInt256, _ v: UInt256, _ x: UInt128, _ z: UInt8) -> UInt128 {
        code(key: x) { message in
            message.append(u)
            message.append(v)
            message.append(z)
        }
    }

    /// MacKey and LTK (2.2.7).
    package func f5(
        _ secret: SharedSecret, _ n1: UInt128, _ n2: UInt128, _ a1: DeviceAddress, _ a2: DeviceAddress
    ) -> (check: CheckKey, longTerm: LongTermKey) {
        let salt: UInt128 = 0x6C88_8391_AAF5_A538_6037_0BDB_5A60_83BE
        let key = code(key: salt) { $0.append(secret.value) }
        func half(_ counter: UInt8) -> UInt128 {
            code(key: key) { message in
                message.append(counter)
                message.append(0x6274_6C65, octets: 4)
                message.append(n1)
                message.append(n2)
                message.append(a1.pairingNumber, octets: 7)
                message.append(a2.pairingNumber, octets: 7)
                message.append(256, octets: 2)
            }
        }
        return (CheckKey(value: half(0)), LongTermKey(value: half(1)))
    }

    /// The check value (2.2.8); `features` are 24 bits: AuthReq, OOB data flag and IO capability.
    package func f6(
        _ key: CheckKey, _ n1: UInt128, _ n2: UInt128, _ r: UInt128, features: UInt32, _ a1: DeviceAddress,
        _ a2: DeviceAddress
    ) -> UInt128 {
        code(key: key.value) { message in
            message.append(n1)
            message.append(n2)
            message.append(r)
            message.append(UInt64(features), octets: 3)
            message.append(a1.pairingNumber, octets: 7)
            message.append(a2.pairingNumber, octets: 7)
        }
    }

    /// The value of numeric comparison, 32 bits. A user sees it modulo one million (2.2.9).
    package func g2(_ u: UInt256, _ v: UInt256, _ x: UInt128, _ y: UInt128) -> UInt32 {
        UInt32(
            truncatingIfNeeded: code(key: x) { message in
                message.append(u)
                message.append(v)
                message.append(y)
            })
    }

    /// The conversion of a link key with a key identifier of four octets (2.2.10).
    package func h6(_ key: UInt128, identifier: UInt32) -> UInt128 {
        code(key: key) { $0.append(UInt64(identifier), octets: 4) }
    }

    /// The conversion of a link key with a salt (2.2.11).
    package func h7(salt: UInt128, _ key: UInt128) -> UInt128 {
        code(key: salt) { $0.append(key) }
    }

    /// The BR/EDR link key that belongs to an LTK (2.4.2.4): with h7 if both devices support it.
    package func linkKey(from key: LongTermKey, withH7: Bool) -> ClassicLinkKey {
        let intermediate = withH7 ? h7(salt: 0x746D_7031, key.value) : h6(key.value, identifier: 0x746D_7031)
        return ClassicLinkKey(value: h6(intermediate, identifier: 0x6C65_6272))
    }

    /// The LTK that belongs to a BR/EDR link key (2.4.2.5).
    package func longTermKey(from key: ClassicLinkKey, withH7: Bool) -> LongTermKey {
        let intermediate = withH7 ? h7(salt: 0x746D_7032, key.value) : h6(key.value, identifier: 0x746D_7032)
        return LongTermKey(value: h6(intermediate, identifier: 0x6272_6C65))
    }

    private func code(key: UInt128, _ fill: (inout Message) -> Void) -> UInt128 {
        var message = Message()
        fill(&message)
        return authenticationCode(of: message.octets.span, key: key)
    }
}

/// The key of f6, MacKey.
package struct CheckKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }
}

/// The octets under a CMAC, most significant first.
private struct Message {
    private(set) var octets: [UInt8] = []

    init() { octets.reserveCapacity(80) }

    mutating func append(_ octet: UInt8) { octets.append(octet) }
    mutating func append(_ number: UInt64, octets count: Int) {
        for index in (0..<count).reversed() { octets.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
    mutating func append(_ number: UInt128) {
        append(UInt64(truncatingIfNeeded: number >> 64), octets: 8)
        append(UInt64(truncatingIfNeeded: number), octets: 8)
    }
    mutating func append(_ number: UInt256) {
        append(number.high)
        append(number.low)
    }
}
