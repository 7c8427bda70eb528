import BLEWire

/// The parameters of the scanner, by the legacy command or by the extended one (Vol 4, Part E, 7.8.10 and 7.8.64).
struct ScanSettings: Hashable {
    struct Listening: Hashable {
        var isActive = false
        /// In units of 0.625 ms, like `window`.
        var interval: UInt16 = 16
        var window: UInt16 = 16
    }

    var ownAddressType = HCI.OwnAddressType.public
    var filterPolicy = HCI.ScanFilterPolicy.everyone
    private var oneM: Listening? = Listening()
    private var coded: Listening?

    init() {}

    init(_ command: HCI.LESetScanParameters) throws(HCI.ErrorCode) {
        guard command.scanType.rawValue <= 1, ListeningSchedule.isValid(command.interval, command.window) else {
            throw .invalidHCICommandParameters
        }
        ownAddressType = command.ownAddressType
        filterPolicy = command.filterPolicy
        oneM = Listening(
            isActive: command.scanType == .active, interval: command.interval, window: command.window)
    }

    /// - Parameter supported: The PHYs of the controller.
    init(_ command: HCI.LESetExtendedScanParameters, supported: LL.PHYSet) throws(HCI.ErrorCode) {
        guard !command.phys.isEmpty else { throw .invalidHCICommandParameters }
        let primary = supported.intersection([.oneM, .coded])
        guard primary.isSuperset(of: LL.PHYSet(rawValue: command.phys.rawValue)) else {
            throw .unsupportedFeatureOrParameterValue
        }
        for entry in command.entries {
            guard entry.scanType.rawValue <= 1,
                ListeningSchedule.isValid(entry.interval, entry.window, isExtended: true)
            else { throw .invalidHCICommandParameters }
        }
        ownAddressType = command.ownAddressType
        filterPolicy = command.filterPolicy
        let listening = command.entries.map {
            Listening(isActive: $0.scanType == .active, interval: $0.interval, window: $0.window)
        }
        oneM = command.phys.contains(.le1M) ? listening.first : nil
        coded = command.phys.contains(.leCoded) ? listening.last : nil
    }

    /// Nil for a PHY on which the scanner does not listen.
    subscript(phy: PrimaryPHY) -> Listening? {
        get { phy == .oneM ? oneM : coded }
        set { if phy == .oneM { oneM = newValue } else { coded = newValue } }
    }

    var schedules: ListeningSchedules {
        var schedules = ListeningSchedules()
        for phy in PrimaryPHY.allCases {
            schedules[phy] = self[phy].map { ListeningSchedule(interval: $0.interval, window: $0.window) }
        }
        return schedules
    }
}

/// For how long a scan lasts (Vol 4, Part E, 7.8.65).
enum ScanDuration: Hashable {
    /// Until the host stops it.
    case endless
    /// Once for this time. LE Scan Timeout follows.
    case once(TimeSpan)
    /// For a time at the start of each period.
    case periodic(TimeSpan, period: TimeSpan)

    init(_ command: HCI.LESetExtendedScanEnable) throws(HCI.ErrorCode) {
        let duration = TimeSpan.milliseconds(10 * Int(command.duration))
        let period = TimeSpan.milliseconds(1280 * Int(command.period))
        switch (command.duration, command.period) {
        case (0, _): self = .endless
        case (_, 0): self = .once(duration)
        default:
            guard duration < period else { throw .invalidHCICommandParameters }
            self = .periodic(duration, period: period)
        }
    }
}
