/// Controller and Baseband commands (OGF 0x03) of an LE host.
extension HCI {
    /// Selects the events that the controller may send (Vol 4, Part E, 7.3.1).
    package struct SetEventMask: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .setEventMask }

        package var mask: HCI.EventMask
    }

    /// Resets the controller to its state after power-on. All connections end without an event (Vol 4, Part E, 7.3.2).
    package struct Reset: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .reset }

        package init() {}
    }

    /// Reads the transmit power of a connection (Vol 4, Part E, 7.3.35).
    package struct ReadTransmitPowerLevel: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .readTransmitPowerLevel }

        package var connectionHandle: HCI.ConnectionHandle
        package var kind: HCI.TransmitPowerLevelKind

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            /// In dBm, -30 to 20.
            package var transmitPowerLevel: Int8
        }
    }

    /// Turns flow control from the controller to the host on or off (Vol 4, Part E, 7.3.38).
    package struct SetControllerToHostFlowControl: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .setControllerToHostFlowControl }

        /// 0: off. 1: ACL. 2: synchronous. 3: both.
        package var flowControl: UInt8
    }

    /// Reports the sizes of the host's buffers to the controller (Vol 4, Part E, 7.3.39).
    package struct HostBufferSize: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .hostBufferSize }

        /// In octets.
        package var aclDataPacketLength: UInt16
        /// In octets.
        package var synchronousDataPacketLength: UInt8
        package var totalACLDataPackets: UInt16
        package var totalSynchronousDataPackets: UInt16
    }

    /// Selects the second-page events that the controller may send (Vol 4, Part E, 7.3.69).
    package struct SetEventMaskPage2: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .setEventMaskPage2 }

        package var mask: HCI.EventMaskPage2
    }

    /// Reads the LE Supported (Host) bit (Vol 4, Part E, 7.3.78).
    package struct ReadLEHostSupport: HCICommand, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: HCI.Opcode { .readLEHostSupport }

        package init() {}

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var leSupportedHost: Bool
            /// Formerly simultaneous LE and BR/EDR; zero.
            package var unused: UInt8 = 0
        }
    }

    /// Sets the LE Supported (Host) bit (Vol 4, Part E, 7.3.79).
    package struct WriteLEHostSupport: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .writeLEHostSupport }

        package var leSupportedHost: Bool
        /// Formerly simultaneous LE and BR/EDR; zero.
        package var unused: UInt8 = 0
    }

    /// Reads the authenticated payload timeout of a connection (Vol 4, Part E, 7.3.93).
    package struct ReadAuthenticatedPayloadTimeout: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .readAuthenticatedPayloadTimeout }

        package var connectionHandle: HCI.ConnectionHandle

        package struct ReturnParameters: FieldPDU, Hashable {
            package var status: HCI.ErrorCode
            package var connectionHandle: HCI.ConnectionHandle
            /// In units of 10 ms.
            package var timeout: UInt16
        }
    }

    /// Sets the authenticated payload timeout of a connection (Vol 4, Part E, 7.3.94).
    package struct WriteAuthenticatedPayloadTimeout: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .writeAuthenticatedPayloadTimeout }
        package typealias ReturnParameters = HCI.ConnectionReturn

        package var connectionHandle: HCI.ConnectionHandle
        /// In units of 10 ms, not 0.
        package var timeout: UInt16
    }
}
