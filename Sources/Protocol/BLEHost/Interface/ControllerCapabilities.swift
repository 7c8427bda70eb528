import BLEWire

/// The capabilities of a controller, read by the start-up sequence.
struct ControllerCapabilities: Sendable {
    var version = HCI.CoreVersion(rawValue: 0)
    var commands = HCI.SupportedCommands()
    var classicFeatures: HCI.LMPFeatures = []
    var features: HCI.LEFeatures = []
    /// The supported combinations of LE states, in the format of LE Read Supported States (Vol 4, Part E, 7.8.27).
    var states: UInt64 = 0
    var acceptListSize = 0
    /// Zero if the controller has no resolving list.
    var resolvingListSize = 0
    /// Zero if the controller has none.
    var publicAddress = DeviceAddress(kind: .public, value: 0)
    /// The octets in one ACL packet, and the number of packets in the controller.
    var bufferLength = 0
    var bufferCount = 0
    /// Whether the host uses the commands of extended advertising, scanning and connecting. It uses the legacy ones otherwise, and never both
    /// (Vol 4, Part E, 3.1.1).
    var usesExtendedAdvertising = false
    /// The most octets of data of an advertising set, and the most sets.
    var maximumAdvertisingData = HCI.AdvertisingData.maximumCount
    var advertisingSets = 1
    /// The most entries of the Periodic Advertiser List.
    var periodicListSize = 1
    var maximumDataLength = HCI.LEReadMaximumDataLength.ReturnParameters(
        status: .success, maximumTxOctets: 27, maximumTxTime: 328, maximumRxOctets: 27, maximumRxTime: 328)

    /// The longest data PDUs to request, in octets and microseconds (Vol 6, Part B, 4.5.10): 251 octets, and their
    /// duration on the slowest PHY of the controller. Both are lower if the controller supports less. On faster PHYs
    /// the longer time has no effect.
    var longestData: (octets: UInt16, time: UInt16) {
        let time: UInt16 = features.contains(.phyCoded) ? 17_040 : 2_120
        let maximum = maximumDataLength
        return (
            maximum.maximumTxOctets > 27 ? min(251, maximum.maximumTxOctets) : 251,
            maximum.maximumTxTime > 328 ? min(time, maximum.maximumTxTime) : time
        )
    }

    /// The PHYs that a peer may choose (Vol 4, Part E, 7.8.48): all, but 2M only with `uses2M`.
    func acceptablePHYs(uses2M: Bool) -> HCI.PHYMask {
        var phys = HCI.PHYMask.le1M
        if uses2M, features.contains(.phy2M) { phys.insert(.le2M) }
        if features.contains(.phyCoded) { phys.insert(.leCoded) }
        return phys
    }

    /// The PHYs of the primary advertising channels on which the controller scans and initiates.
    var primaryPHYs: HCI.PHYMask {
        usesExtendedAdvertising && features.contains(.phyCoded) ? [.le1M, .leCoded] : .le1M
    }

    /// Whether the controller has all that a host needs to advertise, scan and connect without the legacy commands.
    var hasExtendedAdvertising: Bool {
        features.contains(.extendedAdvertising) && Self.extendedAdvertisingCommands.allSatisfy(has)
    }

    static let extendedAdvertisingCommands: [HCI.Opcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
    ]

    func has(_ command: HCI.Opcode) -> Bool { commands.contains(command) }

    /// Whether the controller has the commands with which a host uses a resolving list.
    var hasResolvingList: Bool {
        features.contains(.privacy) && has(.leAddDeviceToResolvingList) && has(.leRemoveDeviceFromResolvingList)
            && has(.leReadResolvingListSize) && has(.leSetAddressResolutionEnable)
            && has(.leSetResolvablePrivateAddressTimeout)
    }
}
