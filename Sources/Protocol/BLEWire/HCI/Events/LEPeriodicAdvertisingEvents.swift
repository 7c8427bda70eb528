/// LE Meta events of periodic advertising, other than reports.
extension HCI {
    /// A train is received, or LE Periodic Advertising Create Sync has failed (Vol 4, Part E, 7.7.65.14).
    package struct LEPeriodicAdvertisingSyncEstablished: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSyncEstablished }

        package var status: HCI.ErrorCode
        package var syncHandle: HCI.ConnectionHandle
        package var advertisingSID: UInt8
        package var advertiserAddress: DeviceAddress
        package var advertiserPHY: HCI.PHY
        /// In units of 1.25 ms.
        package var interval: UInt16
        package var advertiserClockAccuracy: HCI.ClockAccuracy
    }

    /// The same, with the subevents and response slots of the train (Vol 4, Part E, 7.7.65.14).
    package struct LEPeriodicAdvertisingSyncEstablishedV2: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSyncEstablishedV2 }

        package var status: HCI.ErrorCode
        package var syncHandle: HCI.ConnectionHandle
        package var advertisingSID: UInt8
        package var advertiserAddress: DeviceAddress
        package var advertiserPHY: HCI.PHY
        /// In units of 1.25 ms.
        package var interval: UInt16
        package var advertiserClockAccuracy: HCI.ClockAccuracy
        /// 0 to 128; 0 means a train without responses.
        package var subeventCount: UInt8
        /// In units of 1.25 ms.
        package var subeventInterval: UInt8
        /// In units of 1.25 ms.
        package var responseSlotDelay: UInt8
        /// In units of 0.125 ms.
        package var responseSlotSpacing: UInt8
    }

    /// No packet of a train was received for the sync timeout (Vol 4, Part E, 7.7.65.16).
    package struct LEPeriodicAdvertisingSyncLost: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSyncLost }

        package var syncHandle: HCI.ConnectionHandle
    }

    /// A peer has told of a train, and the controller synchronized with it or failed (Vol 4, Part E, 7.7.65.24).
    package struct LEPeriodicAdvertisingSyncTransferReceived: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSyncTransferReceived }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        /// A value of the peer's host.
        package var serviceData: UInt16
        package var syncHandle: HCI.ConnectionHandle
        package var advertisingSID: UInt8
        package var advertiserAddress: DeviceAddress
        package var advertiserPHY: HCI.PHY
        /// In units of 1.25 ms.
        package var interval: UInt16
        package var advertiserClockAccuracy: HCI.ClockAccuracy
    }

    /// The same, with the subevents and response slots of the train (Vol 4, Part E, 7.7.65.24).
    package struct LEPeriodicAdvertisingSyncTransferReceivedV2: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSyncTransferReceivedV2 }

        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
        /// A value of the peer's host.
        package var serviceData: UInt16
        package var syncHandle: HCI.ConnectionHandle
        package var advertisingSID: UInt8
        package var advertiserAddress: DeviceAddress
        package var advertiserPHY: HCI.PHY
        /// In units of 1.25 ms.
        package var interval: UInt16
        package var advertiserClockAccuracy: HCI.ClockAccuracy
        /// 0 to 128; 0 means a train without responses.
        package var subeventCount: UInt8
        /// In units of 1.25 ms.
        package var subeventInterval: UInt8
        /// In units of 1.25 ms.
        package var responseSlotDelay: UInt8
        /// In units of 0.125 ms.
        package var responseSlotSpacing: UInt8
    }

    /// The controller needs the data of subevents (Vol 4, Part E, 7.7.65.36).
    package struct LEPeriodicAdvertisingSubeventDataRequest: HCILEEvent, FieldPDU, Hashable {
        package static var subeventCode: HCI.LESubeventCode { .periodicAdvertisingSubeventDataRequest }

        package var advertisingHandle: UInt8
        /// The first subevent, 0x00 to 0x7F.
        package var subeventStart: UInt8
        /// 1 to 128.
        package var subeventCount: UInt8
    }
}
