import BLEWire
import Testing

@testable import BLEAttribute

extension ClientProcedure {
    /// Feeds a whole PDU, in hexadecimal, to a machine of its own.
    mutating func feed(_ text: String, mtu: Int = 23) throws -> ClientStep<Output> {
        try feed(octets(text), mtu: mtu)
    }

    mutating func feed(_ pdu: [UInt8], mtu: Int = 23) throws -> ClientStep<Output> {
        receive(try ATT.Packet(decoding: pdu.span), mtu: mtu)
    }
}

extension ClientStep {
    /// The request that it sends.
    var request: ClientRequest? { if case .send(let request) = self { request } else { nil } }
    /// How it ends badly.
    var failure: GATTError? { if case .fail(let failure) = self { failure } else { nil } }
    /// What it brought.
    var output: Output? { if case .finish(let output) = self { output } else { nil } }
}

extension GATTError {
    static let nonsense = GATTError.attribute(0x0E)
    static let malformed = GATTError.attribute(0x04)
}

func handles(_ start: UInt16, _ end: UInt16) -> HandleRange { HandleRange(start: start, end: end) }

extension ATTBearer {
    /// The number of indications without a confirmation.
    var unconfirmedIndications: Int { server.queuedIndications.count + server.indications.count }
}
