extension LL {
    /// Reports the central's features and requests the peer's (Vol 6, Part B, 2.4.2.9).
    package struct FeatureReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .featureReq }
        package var features: FeatureSet
    }

    /// The features that both sides support (Vol 6, Part B, 2.4.2.10).
    package struct FeatureRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .featureRsp }
        package var features: FeatureSet
    }

    /// Reports the peripheral's features and requests the peer's (Vol 6, Part B, 2.4.2.15).
    package struct PeripheralFeatureReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .peripheralFeatureReq }
        package var features: FeatureSet
    }

    /// Reports the longest packets that the sender receives and sends, and requests the peer's (Vol 6, Part B,
    /// 2.4.2.21).
    package struct LengthReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .lengthReq }
        /// Payload octets, 27 to 251.
        package var maxRxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxRxTime: UInt16
        /// Payload octets, 27 to 251.
        package var maxTxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxTxTime: UInt16
    }

    /// Reports the longest packets that the sender receives and sends (Vol 6, Part B, 2.4.2.21).
    package struct LengthRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .lengthRsp }
        /// Payload octets, 27 to 251.
        package var maxRxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxRxTime: UInt16
        /// Payload octets, 27 to 251.
        package var maxTxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxTxTime: UInt16
    }

    /// Reports the sender's preferred PHYs and requests the peer's (Vol 6, Part B, 2.4.2.22).
    package struct PHYReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .phyReq }
        package var txPHYs: PHYSet
        package var rxPHYs: PHYSet
    }

    /// Reports the sender's preferred PHYs (Vol 6, Part B, 2.4.2.22).
    package struct PHYRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .phyRsp }
        package var txPHYs: PHYSet
        package var rxPHYs: PHYSet
    }
}
