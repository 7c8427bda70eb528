import BLESecurity
import BLEWire

/// Signed writes on links that are not encrypted (Vol 3, Part C, 10.4, and Part F, 3.4.5.4).
extension SecurityCoordinator {
    /// Signs and verifies with the keys of the bond from now on.
    func useSignatureKeys(counters: [UInt8]?, on connection: Connection) {
        connection.securityManager?.signing = bond(of: connection).flatMap { DataSigning($0, counters: counters) }
    }

    /// Signs a PDU, without its signature. Returns nil if this host cannot.
    func sign(_ pdu: Span<UInt8>, on connection: Connection, _ output: inout HostOutput) -> DataSigning.Signature? {
        guard let crypto else { return nil }
        let signature = connection.securityManager?.signing?.sign(pdu, using: crypto)
        reportCounters(connection, &output)
        return signature
    }

    /// Verifies the signature of a PDU, which is given without it.
    func verify(
        _ pdu: Span<UInt8>, _ signature: DataSigning.Signature, on connection: Connection, _ output: inout HostOutput
    ) -> Bool {
        guard let crypto,
            connection.securityManager?.signing?.verify(pdu, signature, using: crypto) == true
        else { return false }
        reportCounters(connection, &output)
        return true
    }

    private func reportCounters(_ connection: Connection, _ output: inout HostOutput) {
        guard let octets = connection.securityManager?.signing?.takeReport(), let bond = bond(of: connection)
        else { return }
        output.events.append(.signCountersChanged(bond.peer, octets))
    }
}
