/// LE commands for packet length and PHY.
extension HCI {
    /// Suggests the largest packet of a connection (Vol 4, Part E, 7.8.33).
    package struct LESetDataLength: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetDataLength }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: UInt16
        /// Payload octets, 27 to 251.
        package var txOctets: UInt16
        /// In microseconds, 328 to 17040.
        package var txTime: UInt16

        package init(connectionHandle: UInt16, txOctets: UInt16, txTime: UInt16) {
            self.connectionHandle = connectionHandle
            self.txOctets = txOctets
            self.txTime = txTime
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            txOctets = try bytes.readUInt16()
            txTime = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 6 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(txOctets)
            try output.write(txTime)
        }
    }

    /// Reads the largest packet suggested for new connections (Vol 4, Part E, 7.8.34).
    package struct LEReadSuggestedDefaultDataLength: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadSuggestedDefaultDataLength }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In octets, 27 to 251.
            package var maximumTxOctets: UInt16
            /// In microseconds.
            package var maximumTxTime: UInt16

            package init(status: HCI.ErrorCode, maximumTxOctets: UInt16, maximumTxTime: UInt16) {
                self.status = status
                self.maximumTxOctets = maximumTxOctets
                self.maximumTxTime = maximumTxTime
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                maximumTxOctets = try bytes.readUInt16()
                maximumTxTime = try bytes.readUInt16()
                try bytes.finish()
            }

            package var encodedCount: Int { 5 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(maximumTxOctets)
                try output.write(maximumTxTime)
            }
        }
    }

    /// Suggests the largest packet for new connections (Vol 4, Part E, 7.8.35).
    package struct LEWriteSuggestedDefaultDataLength: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leWriteSuggestedDefaultDataLength }

        /// In octets, 27 to 251.
        package var maximumTxOctets: UInt16
        /// In microseconds.
        package var maximumTxTime: UInt16

        package init(maximumTxOctets: UInt16, maximumTxTime: UInt16) {
            self.maximumTxOctets = maximumTxOctets
            self.maximumTxTime = maximumTxTime
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            maximumTxOctets = try bytes.readUInt16()
            maximumTxTime = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(maximumTxOctets)
            try output.write(maximumTxTime)
        }
    }

    /// Reads the largest packets that the controller can send and receive (Vol 4, Part E, 7.8.46).
    package struct LEReadMaximumDataLength: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadMaximumDataLength }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            /// In octets, 27 to 251.
            package var maximumTxOctets: UInt16
            /// In microseconds.
            package var maximumTxTime: UInt16
            /// In octets, 27 to 251.
            package var maximumRxOctets: UInt16
            /// In microseconds.
            package var maximumRxTime: UInt16

            package init(
                status: HCI.ErrorCode, maximumTxOctets: UInt16, maximumTxTime: UInt16, maximumRxOctets: UInt16,
                maximumRxTime: UInt16
            ) {
                self.status = status
                self.maximumTxOctets = maximumTxOctets
                self.maximumTxTime = maximumTxTime
                self.maximumRxOctets = maximumRxOctets
                self.maximumRxTime = maximumRxTime
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                maximumTxOctets = try bytes.readUInt16()
                maximumTxTime = try bytes.readUInt16()
                maximumRxOctets = try bytes.readUInt16()
                maximumRxTime = try bytes.readUInt16()
                try bytes.finish()
            }

            package var encodedCount: Int { 9 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(maximumTxOctets)
                try output.write(maximumTxTime)
                try output.write(maximumRxOctets)
                try output.write(maximumRxTime)
            }
        }
    }

    /// Reads the PHYs of a connection (Vol 4, Part E, 7.8.47).
    package struct LEReadPHY: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leReadPHY }

        package var connectionHandle: UInt16

        package init(connectionHandle: UInt16) {
            self.connectionHandle = connectionHandle
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
        }

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var connectionHandle: UInt16
            package var txPHY: HCI.PHY
            package var rxPHY: HCI.PHY

            package init(status: HCI.ErrorCode, connectionHandle: UInt16, txPHY: HCI.PHY, rxPHY: HCI.PHY) {
                self.status = status
                self.connectionHandle = connectionHandle
                self.txPHY = txPHY
                self.rxPHY = rxPHY
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                connectionHandle = try bytes.readConnectionHandle()
                txPHY = HCI.PHY(rawValue: try bytes.readUInt8())
                rxPHY = HCI.PHY(rawValue: try bytes.readUInt8())
                try bytes.finish()
            }

            package var encodedCount: Int { 5 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(connectionHandle)
                try output.write(txPHY.rawValue)
                try output.write(rxPHY.rawValue)
            }
        }
    }

    /// Sets the PHYs preferred for new connections (Vol 4, Part E, 7.8.48).
    package struct LESetDefaultPHY: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetDefaultPHY }

        package var noPreference: HCI.PHYPreference
        package var txPHYs: HCI.PHYMask
        package var rxPHYs: HCI.PHYMask

        package init(noPreference: HCI.PHYPreference = [], txPHYs: HCI.PHYMask, rxPHYs: HCI.PHYMask) {
            self.noPreference = noPreference
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            noPreference = HCI.PHYPreference(rawValue: try bytes.readUInt8())
            txPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
            rxPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(noPreference.rawValue)
            try output.write(txPHYs.rawValue)
            try output.write(rxPHYs.rawValue)
        }
    }

    /// Changes the PHYs of a connection. LE PHY Update Complete follows (Vol 4, Part E, 7.8.49).
    package struct LESetPHY: HCIStatusCommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .leSetPHY }

        package var connectionHandle: UInt16
        package var noPreference: HCI.PHYPreference
        package var txPHYs: HCI.PHYMask
        package var rxPHYs: HCI.PHYMask
        /// For the Coded PHY: 0 no preference, 1 S=2, 2 S=8.
        package var options: UInt16

        package init(
            connectionHandle: UInt16, noPreference: HCI.PHYPreference = [], txPHYs: HCI.PHYMask, rxPHYs: HCI.PHYMask,
            options: UInt16 = 0
        ) {
            self.connectionHandle = connectionHandle
            self.noPreference = noPreference
            self.txPHYs = txPHYs
            self.rxPHYs = rxPHYs
            self.options = options
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            noPreference = HCI.PHYPreference(rawValue: try bytes.readUInt8())
            txPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
            rxPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
            options = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(noPreference.rawValue)
            try output.write(txPHYs.rawValue)
            try output.write(rxPHYs.rawValue)
            try output.write(options)
        }
    }
}
