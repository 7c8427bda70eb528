/// LE commands that pass the knowledge of a periodic train to a connected device.
extension HCI {
    /// Tells the peer of a connection where a train is that this controller receives (Vol 4, Part E, 7.8.89).
    package struct LEPeriodicAdvertisingSyncTransfer: HCICommand, FieldPDU, Hashable {
        package typealias ReturnParameters = HCI.ConnectionReturn
        package static var opcode: HCI.Opcode { .lePeriodicAdvertisingSyncTransfer }

        package var connectionHandle: HCI.ConnectionHandle
        /// A value of the host, which the peer's host gets.
        package var serviceData: UInt16
        package var syncHandle: HCI.ConnectionHandle
    }

    /// Tells the peer of a connection where this controller's own train is (Vol 4, Part E, 7.8.90).
    package struct LEPeriodicAdvertisingSetInfoTransfer: HCICommand, FieldPDU, Hashable {
        package typealias ReturnParameters = HCI.ConnectionReturn
        package static var opcode: HCI.Opcode { .lePeriodicAdvertisingSetInfoTransfer }

        package var connectionHandle: HCI.ConnectionHandle
        /// A value of the host, which the peer's host gets.
        package var serviceData: UInt16
        /// 0x00 to 0xEF.
        package var advertisingHandle: UInt8
    }

    /// What a controller does with the train that a peer tells it (Vol 4, Part E, 7.8.91).
    package struct SyncTransferMode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Ignores it, without an event.
        package static let ignore = Self(rawValue: 0)
        /// Synchronizes without reports.
        package static let synchronize = Self(rawValue: 1)
        package static let report = Self(rawValue: 2)
        /// Reports with the filter of duplicates.
        package static let reportWithoutDuplicates = Self(rawValue: 3)
    }

    /// Sets what happens with trains that the peer of a connection tells (Vol 4, Part E, 7.8.91).
    package struct LESetPeriodicAdvertisingSyncTransferParameters: HCICommand, FieldPDU, Hashable {
        package typealias ReturnParameters = HCI.ConnectionReturn
        package static var opcode: HCI.Opcode { .leSetPeriodicAdvertisingSyncTransferParameters }

        package var connectionHandle: HCI.ConnectionHandle
        package var mode: HCI.SyncTransferMode
        /// 0 to 499.
        package var skip: UInt16
        /// In units of 10 ms, 0x000A to 0x4000.
        package var syncTimeout: UInt16
        package var excludedToneExtensions: HCI.ExcludedToneExtensions = []
    }

    /// Sets the same for connections that begin later (Vol 4, Part E, 7.8.92).
    package struct LESetDefaultPeriodicAdvertisingSyncTransferParameters: HCICommand, FieldPDU, Hashable {
        package static var opcode: HCI.Opcode { .leSetDefaultPeriodicAdvertisingSyncTransferParameters }

        package var mode: HCI.SyncTransferMode
        /// 0 to 499.
        package var skip: UInt16
        /// In units of 10 ms, 0x000A to 0x4000.
        package var syncTimeout: UInt16
        package var excludedToneExtensions: HCI.ExcludedToneExtensions = []
    }
}
