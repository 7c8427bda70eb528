import BLEWire

extension PeriodicTrain {
    /// The host's parameters.
    struct Settings: Hashable {
        /// In units of 1.25 ms, 6 to 65535.
        var intervals: ClosedRange<UInt16>
        /// In dBm; nil leaves the field out.
        var txPower: Int8?
        /// Nil for a train without responses.
        var subevents: TrainSubevents.Settings?

        init(intervals: ClosedRange<UInt16>, txPower: Int8? = nil, subevents: TrainSubevents.Settings? = nil) {
            self.intervals = intervals
            self.txPower = txPower
            self.subevents = subevents
        }

        /// - Parameter txPower: The power of the controller.
        init(_ command: HCI.LESetPeriodicAdvertisingParameters, txPower: Int8) throws(HCI.ErrorCode) {
            let (shortest, longest) = (command.intervalMinimum, command.intervalMaximum)
            guard shortest >= 6, shortest <= longest, command.properties.isSubset(of: .includesTxPower) else {
                throw .invalidHCICommandParameters
            }
            intervals = shortest...longest
            self.txPower = command.properties.contains(.includesTxPower) ? txPower : nil
        }

        /// - Parameter txPower: The power of the controller.
        init(_ command: HCI.LESetPeriodicAdvertisingParametersV2, txPower: Int8) throws(HCI.ErrorCode) {
            try self.init(
                HCI.LESetPeriodicAdvertisingParameters(
                    advertisingHandle: command.advertisingHandle, intervalMinimum: command.intervalMinimum,
                    intervalMaximum: command.intervalMaximum, properties: command.properties),
                txPower: txPower)
            subevents = try TrainSubevents.Settings(command)
        }
    }

    /// What follows from the parameters of the set.
    struct Carrier: Hashable {
        /// 0 to 15.
        var setID: UInt8
        var phy: LL.PHY
        /// The PHY for which the lengths are checked: S=8 unless the host requires S=2 (Vol 4, Part E, 7.8.61).
        var assumedPHY: LL.PHY

        init(setID: UInt8, phy: LL.PHY, assumedPHY: LL.PHY? = nil) {
            self.setID = setID
            self.phy = phy
            self.assumedPHY = assumedPHY ?? phy
        }
    }
}
