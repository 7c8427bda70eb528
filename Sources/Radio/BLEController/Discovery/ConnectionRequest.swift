import BLEWire

/// What the host wants to connect to, by the legacy command or by the extended one (Vol 4, Part E, 7.8.12 and 7.8.66).
struct ConnectionRequest: Hashable {
    typealias Parameters = HCI.LEExtendedCreateConnection.Entry

    let filterPolicy: HCI.InitiatorFilterPolicy
    /// Not used with the filter accept list.
    let peerAddress: DeviceAddress
    let ownAddressType: HCI.OwnAddressType
    private let oneM: Parameters?
    private let twoM: Parameters?
    private let coded: Parameters?

    init(_ command: HCI.LECreateConnection) {
        filterPolicy = command.filterPolicy
        peerAddress = command.peerAddress
        ownAddressType = command.ownAddressType
        oneM = Parameters(
            scanInterval: command.scanInterval, scanWindow: command.scanWindow,
            intervalMinimum: command.intervalMinimum, intervalMaximum: command.intervalMaximum,
            maximumLatency: command.maximumLatency, supervisionTimeout: command.supervisionTimeout)
        twoM = nil
        coded = nil
    }

    /// - Parameter supported: The PHYs of the controller.
    init(_ command: HCI.LEExtendedCreateConnection, supported: LL.PHYSet) throws(HCI.ErrorCode) {
        guard supported.isSuperset(of: LL.PHYSet(rawValue: command.phys.rawValue)) else {
            throw .unsupportedFeatureOrParameterValue
        }
        // The initiator cannot listen on 2M (Vol 4, Part E, 7.8.66).
        guard !command.phys.isDisjoint(with: [.le1M, .leCoded]) else { throw .invalidHCICommandParameters }
        filterPolicy = command.filterPolicy
        peerAddress = command.peerAddress
        ownAddressType = command.ownAddressType
        var entries = command.entries[...]
        oneM = command.phys.contains(.le1M) ? entries.popFirst() : nil
        twoM = command.phys.contains(.le2M) ? entries.popFirst() : nil
        coded = command.phys.contains(.leCoded) ? entries.popFirst() : nil
    }

    /// Whether all parameters are in the range of the command. Scan intervals for 2M have no meaning.
    func isValid(isExtended: Bool) -> Bool {
        guard filterPolicy.rawValue <= 1, ownAddressType.rawValue <= 3 else { return false }
        for entry in [oneM, coded] {
            guard let entry else { continue }
            guard ListeningSchedule.isValid(entry.scanInterval, entry.scanWindow, isExtended: isExtended) else {
                return false
            }
        }
        for entry in [oneM, twoM, coded] {
            guard let entry else { continue }
            let requested = LinkLayerProcedures.RequestedParameters(
                intervalMinimum: entry.intervalMinimum, intervalMaximum: entry.intervalMaximum,
                latency: entry.maximumLatency, timeout: entry.supervisionTimeout)
            guard requested.isValid else { return false }
        }
        return true
    }

    /// The parameters of a link that begins on `phy`: those of the PHY of the advertisement if the host gave none.
    func parameters(of phy: LL.PHY, foundOn primary: PrimaryPHY) -> Parameters? {
        let own = phy.isCoded ? coded : phy == .twoM ? twoM : oneM
        return own ?? (primary == .coded ? coded : oneM)
    }

    /// - Parameter channel: The channel of the first interval on each PHY, 37 to 39.
    func schedules(from channel: UInt8) -> ListeningSchedules {
        var schedules = ListeningSchedules()
        for phy in PrimaryPHY.allCases {
            schedules[phy] = (phy == .coded ? coded : oneM).map {
                ListeningSchedule(interval: $0.scanInterval, window: $0.scanWindow, firstChannel: channel)
            }
        }
        return schedules
    }
}
