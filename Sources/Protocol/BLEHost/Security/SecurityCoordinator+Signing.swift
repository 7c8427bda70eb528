import BLESecurity
import BLEWire

/// Signed writes on links that are not encrypted (Vol 3, Part C, 10.4, and Part F, 3.4.5.4).
extension SecurityCoordinator {
    /// Signs a PDU, without its signature. Returns nil if this host cannot.
    mutating func sign(
        _ pdu: Span<UInt8>, on connection: Connection, _ output: inout HostOutput
    ) -> DataSigning.Signature? {
        guard let crypto, let peer = connection.securityManager?.peer,
            let signature = signing[peer]?.sign(pdu, using: crypto)
        else { return nil }
        reportCounters(of: peer, &output)
        return signature
    }

    /// Verifies the signature of a PDU, which is given without it.
    mutating func verify(
        _ pdu: Span<UInt8>, _ signature: DataSigning.Signature, on connection: Connection, _ output: inout HostOutput
    ) -> Bool {
        guard let crypto, let peer = connection.securityManager?.peer,
            signing[peer]?.verify(pdu, signature, using: crypto) == true
        else { return false }
        reportCounters(of: peer, &output)
        return true
    }

    private mutating func reportCounters(of peer: DeviceAddress, _ output: inout HostOutput) {
        guard let octets = signing[peer]?.takeReport() else { return }
        output.events.append(.signCountersChanged(peer, octets))
    }
}
