import BLEWire

/// An event of periodic advertising, other than a report.
package enum PeriodicEvent: Hashable, Sendable {
    /// Answers `setPeriodicAdvertising` for a set. Nil means that the set has the requested state. After an error it advertises periodically as
    /// before the request, if it did and the controller still allows that (`HostStack.periodicAdvertising(of:)`). The event repeats with an error
    /// if the controller later refuses to continue.
    case advertisingChanged(AdvertisingSet, HCI.ErrorCode?)
    /// Answers `synchronize`: the train is received.
    case established(PeriodicTrainIdentifier, PeriodicReception)
    /// Answers `synchronize`: the train cannot be received, and is no longer requested.
    case failed(PeriodicTrainIdentifier, HCI.ErrorCode)
    /// No packet of a received train came for its timeout. The train is no longer requested.
    case lost(PeriodicTrainIdentifier)
    /// The peer of a link told of a train, which is received now. It also answers `synchronize` for this train.
    case transferred(PeriodicTrainIdentifier, PeriodicReception, from: LinkIdentifier, serviceData: UInt16)
    /// Answers `transfer` and `acceptTransfers` with the token of the call. Nil means that the controller has carried out the command. Calls that
    /// are not possible are answered before others that wait.
    case transferEnded(PeriodicTransfer, LinkIdentifier, HCI.ErrorCode?, token: Int = 0)
    /// The controller needs the data of `count` subevents from `start` on, with 0 after the last one. `HostStack.setSubeventData` gives it. A
    /// subevent without data is sent empty.
    case subeventDataRequested(AdvertisingSet, start: UInt8, count: UInt8)
    /// The data of subevents is not sent.
    case subeventDataRefused(AdvertisingSet, HCI.ErrorCode)
    /// A receiver has responded in a subevent of an own train.
    case response(PeriodicResponse)
    /// Answers `chooseSubevents`. Nil means that the controller receives them.
    case subeventsChosen(PeriodicTrainIdentifier, HCI.ErrorCode?)
    /// A response is not sent.
    case responseRefused(PeriodicTrainIdentifier, HCI.ErrorCode)
}

/// The properties of a received train.
package struct PeriodicReception: Hashable, Sendable {
    package let phy: HCI.PHY
    /// In units of 1.25 ms.
    package let interval: UInt16
    package let clockAccuracy: HCI.ClockAccuracy
    /// Nil for a train without responses.
    package let subevents: HCI.PeriodicSubevents?

    package init(
        phy: HCI.PHY, interval: UInt16, clockAccuracy: HCI.ClockAccuracy, subevents: HCI.PeriodicSubevents? = nil
    ) {
        self.subevents = subevents
        self.phy = phy
        self.interval = interval
        self.clockAccuracy = clockAccuracy
    }
}

/// What the peer of a link is told, or may tell (Vol 4, Part E, 7.8.89 to 7.8.91).
package enum PeriodicTransfer: Hashable, Sendable {
    /// A received train.
    case train(PeriodicTrainIdentifier)
    /// The train of an own set.
    case set(AdvertisingSet)
    /// Trains of which the peer tells.
    case acceptance
}

/// The data of one event of a received train (Vol 4, Part E, 7.7.65.15).
package struct PeriodicReport: Hashable, Sendable {
    package let train: PeriodicTrainIdentifier
    /// In dBm; 127 means not available.
    package let rssi: Int8
    /// In dBm; 127 means not available.
    package let transmitPower: Int8
    /// Whether the controller did not receive all of the data, or there is more than a train can have.
    package let isTruncated: Bool
    /// AD structures, as a range of the arena.
    package let data: Range<Int>
    /// What a response answers; nil for a train without responses.
    package var request: PeriodicRequest?
}

/// A packet of a train with responses: its event and its subevent.
package struct PeriodicRequest: Hashable, Sendable {
    package let event: UInt16
    package let subevent: UInt8

    package init(event: UInt16, subevent: UInt8) {
        self.event = event
        self.subevent = subevent
    }
}

/// A response to a subevent of an own train (Vol 4, Part E, 7.7.65.37).
package struct PeriodicResponse: Hashable, Sendable {
    package let set: AdvertisingSet
    package let subevent: UInt8
    package let slot: UInt8
    /// In dBm; 127 means not available.
    package let rssi: Int8
    /// In dBm; 127 means not available.
    package let transmitPower: Int8
    /// AD structures, as a range of the arena.
    package let data: Range<Int>
}
