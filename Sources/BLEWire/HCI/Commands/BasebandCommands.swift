/// Controller and Baseband commands (OGF 0x03) of an LE host.
extension HCI {
    /// Selects the events that the controller may send (Vol 4, Part E, 7.3.1).
    package struct SetEventMask: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .setEventMask }

        package var mask: HCI.EventMask

        package init(mask: HCI.EventMask) {
            self.mask = mask
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            mask = HCI.EventMask(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(mask.rawValue)
        }
    }

    /// Resets the controller to its state after power-on. All connections end without an event (Vol 4, Part E, 7.3.2).
    package struct Reset: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .reset }

        package init() {}
    }

    /// Reads the transmit power of a connection (Vol 4, Part E, 7.3.35).
    package struct ReadTransmitPowerLevel: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readTransmitPowerLevel }

        package var connectionHandle: UInt16
        package var kind: HCI.TransmitPowerLevelKind

        package init(connectionHandle: UInt16, kind: HCI.TransmitPowerLevelKind) {
            self.connectionHandle = connectionHandle
            self.kind = kind
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            kind = HCI.TransmitPowerLevelKind(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 3 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(kind.rawValue)
        }

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var connectionHandle: UInt16
            /// In dBm, -30 to 20.
            package var transmitPowerLevel: Int8

            package init(status: HCI.ErrorCode, connectionHandle: UInt16, transmitPowerLevel: Int8) {
                self.status = status
                self.connectionHandle = connectionHandle
                self.transmitPowerLevel = transmitPowerLevel
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                connectionHandle = try bytes.readConnectionHandle()
                transmitPowerLevel = try bytes.readInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 4 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(connectionHandle)
                try output.write(transmitPowerLevel)
            }
        }
    }

    /// Turns flow control from the controller to the host on or off (Vol 4, Part E, 7.3.38).
    package struct SetControllerToHostFlowControl: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .setControllerToHostFlowControl }

        /// 0: off. 1: ACL. 2: synchronous. 3: both.
        package var flowControl: UInt8

        package init(flowControl: UInt8) {
            self.flowControl = flowControl
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            flowControl = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(flowControl)
        }
    }

    /// Reports the sizes of the host's buffers to the controller (Vol 4, Part E, 7.3.39).
    package struct HostBufferSize: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .hostBufferSize }

        /// In octets.
        package var aclDataPacketLength: UInt16
        /// In octets.
        package var synchronousDataPacketLength: UInt8
        package var totalACLDataPackets: UInt16
        package var totalSynchronousDataPackets: UInt16

        package init(
            aclDataPacketLength: UInt16, synchronousDataPacketLength: UInt8, totalACLDataPackets: UInt16,
            totalSynchronousDataPackets: UInt16
        ) {
            self.aclDataPacketLength = aclDataPacketLength
            self.synchronousDataPacketLength = synchronousDataPacketLength
            self.totalACLDataPackets = totalACLDataPackets
            self.totalSynchronousDataPackets = totalSynchronousDataPackets
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            aclDataPacketLength = try bytes.readUInt16()
            synchronousDataPacketLength = try bytes.readUInt8()
            totalACLDataPackets = try bytes.readUInt16()
            totalSynchronousDataPackets = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 7 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(aclDataPacketLength)
            try output.write(synchronousDataPacketLength)
            try output.write(totalACLDataPackets)
            try output.write(totalSynchronousDataPackets)
        }
    }

    /// Selects the second-page events that the controller may send (Vol 4, Part E, 7.3.69).
    package struct SetEventMaskPage2: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .setEventMaskPage2 }

        package var mask: HCI.EventMaskPage2

        package init(mask: HCI.EventMaskPage2) {
            self.mask = mask
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            mask = HCI.EventMaskPage2(rawValue: try bytes.readUInt64())
            try bytes.finish()
        }

        package var encodedCount: Int { 8 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(mask.rawValue)
        }
    }

    /// Reads the LE Supported (Host) bit (Vol 4, Part E, 7.3.78).
    package struct ReadLEHostSupport: HCICommand, HCIParameterless, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLEHostSupport }

        package init() {}

        package struct ReturnParameters: PDU, Hashable, Sendable {
            package var status: HCI.ErrorCode
            package var leSupportedHost: Bool
            /// Formerly simultaneous LE and BR/EDR; zero.
            package var unused: UInt8

            package init(status: HCI.ErrorCode, leSupportedHost: Bool, unused: UInt8 = 0) {
                self.status = status
                self.leSupportedHost = leSupportedHost
                self.unused = unused
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                leSupportedHost = try bytes.readFlag()
                unused = try bytes.readUInt8()
                try bytes.finish()
            }

            package var encodedCount: Int { 3 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(leSupportedHost ? 1 : 0 as UInt8)
                try output.write(unused)
            }
        }
    }

    /// Sets the LE Supported (Host) bit (Vol 4, Part E, 7.3.79).
    package struct WriteLEHostSupport: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .writeLEHostSupport }

        package var leSupportedHost: Bool
        /// Formerly simultaneous LE and BR/EDR; zero.
        package var unused: UInt8

        package init(leSupportedHost: Bool, unused: UInt8 = 0) {
            self.leSupportedHost = leSupportedHost
            self.unused = unused
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            leSupportedHost = try bytes.readFlag()
            unused = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(leSupportedHost ? 1 : 0 as UInt8)
            try output.write(unused)
        }
    }

    /// Reads the authenticated payload timeout of a connection (Vol 4, Part E, 7.3.93).
    package struct ReadAuthenticatedPayloadTimeout: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readAuthenticatedPayloadTimeout }

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
            /// In units of 10 ms.
            package var timeout: UInt16

            package init(status: HCI.ErrorCode, connectionHandle: UInt16, timeout: UInt16) {
                self.status = status
                self.connectionHandle = connectionHandle
                self.timeout = timeout
            }

            package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
                var bytes = bytes
                status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
                connectionHandle = try bytes.readConnectionHandle()
                timeout = try bytes.readUInt16()
                try bytes.finish()
            }

            package var encodedCount: Int { 5 }

            package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
                try output.write(status.rawValue)
                try output.write(connectionHandle)
                try output.write(timeout)
            }
        }
    }

    /// Sets the authenticated payload timeout of a connection (Vol 4, Part E, 7.3.94).
    package struct WriteAuthenticatedPayloadTimeout: HCICommand, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .writeAuthenticatedPayloadTimeout }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: UInt16
        /// In units of 10 ms, not 0.
        package var timeout: UInt16

        package init(connectionHandle: UInt16, timeout: UInt16) {
            self.connectionHandle = connectionHandle
            self.timeout = timeout
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            connectionHandle = try bytes.readConnectionHandle()
            timeout = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 4 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(connectionHandle)
            try output.write(timeout)
        }
    }
}
