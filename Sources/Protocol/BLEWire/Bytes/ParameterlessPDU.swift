/// A PDU without parameters.
package protocol ParameterlessPDU: PDU {
    init()
}

extension ParameterlessPDU {
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        try bytes.finish()
        self.init()
    }

    package var encodedCount: Int { 0 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {}
}
