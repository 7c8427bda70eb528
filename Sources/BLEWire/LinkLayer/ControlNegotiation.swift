extension LL {
    /// Reports the central's features and requests the peer's (Vol 6, Part B, 2.4.2.9).
    package struct FeatureReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .featureReq }
        package var features: FeatureSet

        package init(features: FeatureSet) {
            self.features = features
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            features = FeatureSet(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(features.rawValue)
        }
    }

    /// The features that both sides support (Vol 6, Part B, 2.4.2.10).
    package struct FeatureRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .featureRsp }
        package var features: FeatureSet

        package init(features: FeatureSet) {
            self.features = features
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            features = FeatureSet(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(features.rawValue)
        }
    }

    /// Reports the peripheral's features and requests the peer's (Vol 6, Part B, 2.4.2.15).
    package struct PeripheralFeatureReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .peripheralFeatureReq }
        package var features: FeatureSet

        package init(features: FeatureSet) {
            self.features = features
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            features = FeatureSet(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(features.rawValue)
        }
    }

    /// Reports the longest packets that the sender receives and sends, and requests the peer's (Vol 6, Part B,
    /// 2.4.2.21).
    package struct LengthReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .lengthReq }
        /// Payload octets, 27 to 251.
        package var maxRxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxRxTime: UInt16
        /// Payload octets, 27 to 251.
        package var maxTxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxTxTime: UInt16

        package init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16) {
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            maxRxOctets = try bytes.readUInt16()
            maxRxTime = try bytes.readUInt16()
            maxTxOctets = try bytes.readUInt16()
            maxTxTime = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(maxRxOctets)
            try output.write(maxRxTime)
            try output.write(maxTxOctets)
            try output.write(maxTxTime)
        }
    }

    /// Reports the longest packets that the sender receives and sends (Vol 6, Part B, 2.4.2.21).
    package struct LengthRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .lengthRsp }
        /// Payload octets, 27 to 251.
        package var maxRxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxRxTime: UInt16
        /// Payload octets, 27 to 251.
        package var maxTxOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var maxTxTime: UInt16

        package init(maxRxOctets: UInt16, maxRxTime: UInt16, maxTxOctets: UInt16, maxTxTime: UInt16) {
            self.maxRxOctets = maxRxOctets
            self.maxRxTime = maxRxTime
            self.maxTxOctets = maxTxOctets
            self.maxTxTime = maxTxTime
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            maxRxOctets = try bytes.readUInt16()
            maxRxTime = try bytes.readUInt16()
            maxTxOctets = try bytes.readUInt16()
            maxTxTime = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(maxRxOctets)
            try output.write(maxRxTime)
            try output.write(maxTxOctets)
            try output.write(maxTxTime)
        }
    }

    /// Reports the sender's preferred PHYs and requests the peer's (Vol 6, Part B, 2.4.2.22).
    package struct PHYReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .phyReq }
        package var txPHYs: PHYSet
        package var rxPHYs: PHYSet

        package init(txPHYs: PHYSet, rxPHYs: PHYSet) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            txPHYs = PHYSet(rawValue: try bytes.readUInt8())
            rxPHYs = PHYSet(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(txPHYs.rawValue)
            try output.write(rxPHYs.rawValue)
        }
    }

    /// Reports the sender's preferred PHYs (Vol 6, Part B, 2.4.2.22).
    package struct PHYRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .phyRsp }
        package var txPHYs: PHYSet
        package var rxPHYs: PHYSet

        package init(txPHYs: PHYSet, rxPHYs: PHYSet) {
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            txPHYs = PHYSet(rawValue: try bytes.readUInt8())
            rxPHYs = PHYSet(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(txPHYs.rawValue)
            try output.write(rxPHYs.rawValue)
        }
    }
}
