import BLEWire

/// The functions of LE legacy pairing (Vol 3, Part H, 2.2.3 and 2.2.4).
extension CryptoProvider {
    /// The confirm value of legacy pairing (2.2.3).
    ///
    /// - Parameters:
    ///   - request: Pairing Request with its code, 56 bits.
    ///   - response: Pairing Response with its code, 56 bits.
    package func c1(
        _ key: UInt128, random: UInt128, request: UInt128, response: UInt128, initiator: DeviceAddress,
        responder: DeviceAddress
    ) -> UInt128 {
        let first =
            response << 72 | request << 16 | UInt128(responder.pairingKind) << 8 | UInt128(initiator.pairingKind)
        let second = UInt128(initiator.value) << 48 | UInt128(responder.value)
        return encrypt(encrypt(random ^ first, key: key) ^ second, key: key)
    }

    /// The short term key from the randoms of the responder and the initiator (2.2.4).
    package func s1(_ key: UInt128, responder: UInt128, initiator: UInt128) -> UInt128 {
        let low = UInt128(UInt64.max)
        return encrypt((responder & low) << 64 | initiator & low, key: key)
    }
}

extension DeviceAddress {
    /// The octet for a public or a random address in c1, f5 and f6.
    var pairingKind: UInt8 { kind == .public ? 0 : 1 }

    /// The address with its kind above it, 56 bits (2.2.7).
    var pairingNumber: UInt64 { UInt64(pairingKind) << 48 | value }
}
