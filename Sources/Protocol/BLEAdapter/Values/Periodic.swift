import BLEWire

/// The periodic advertising of one session: an advertising set of its own that announces a train, and the train.
package struct PeriodicAdvertisement: Hashable, Sendable {
    /// The AD structures of the announcements.
    package var announcement: [UInt8]
    /// The AD structures of the train.
    package var data: [UInt8]
    /// The Advertising SID, 0 to 15; nil lets the adapter choose.
    package var sid: UInt8?
    /// The interval of the train in units of 1.25 ms, 6 to 65535.
    package var interval: UInt16
    package var includesTransmitPower: Bool
    /// The PHY of the train. Announcements of a train on Coded are on Coded as well.
    package var phy: HCI.PHY
    /// Nil for a train without responses. A train with them sends the data of its subevents instead of `data`.
    package var subevents: HCI.PeriodicSubevents?

    package init(
        announcement: [UInt8] = [], data: [UInt8], sid: UInt8? = nil, interval: UInt16 = 80,
        includesTransmitPower: Bool = false, phy: HCI.PHY = .le1M, subevents: HCI.PeriodicSubevents? = nil
    ) {
        self.subevents = subevents
        self.announcement = announcement
        self.data = data
        self.sid = sid
        self.interval = interval
        self.includesTransmitPower = includesTransmitPower
        self.phy = phy
    }
}

/// A train to receive.
package struct PeriodicSyncRequest: Hashable, Sendable {
    package var address: DeviceAddress
    /// The Advertising SID, 0 to 15.
    package var sid: UInt8
    /// The events of the train that the controller may skip, 0 to 499.
    package var skip: UInt16
    /// The time without a packet after which the train is lost, in units of 10 ms, 10 to 16384.
    package var timeout: UInt16

    package init(address: DeviceAddress, sid: UInt8, skip: UInt16 = 0, timeout: UInt16 = 1_000) {
        self.address = address
        self.sid = sid
        self.skip = skip
        self.timeout = timeout
    }
}

/// The properties of a received train.
package struct PeriodicSyncProperties: Hashable, Sendable {
    package let phy: HCI.PHY
    /// In units of 1.25 ms.
    package let interval: UInt16
    /// Nil for a train without responses.
    package let subevents: HCI.PeriodicSubevents?

    package init(phy: HCI.PHY, interval: UInt16, subevents: HCI.PeriodicSubevents? = nil) {
        self.subevents = subevents
        self.phy = phy
        self.interval = interval
    }
}

/// The train of which a session tells a peer.
package enum PeriodicTransferSource: Hashable, Sendable {
    /// The session's own train.
    case advertisement
    /// The train that the session receives under this token.
    case sync(token: Int)
}

/// A train of which a peer told.
package struct TransferredTrain: Hashable, Sendable {
    /// The device that sends the train.
    package let identifier: PeerIdentifier
    package let name: String?
    /// The Advertising SID, 0 to 15.
    package let sid: UInt8
    /// What the peer said with it.
    package let serviceData: UInt16

    package init(identifier: PeerIdentifier, name: String?, sid: UInt8, serviceData: UInt16) {
        self.identifier = identifier
        self.name = name
        self.sid = sid
        self.serviceData = serviceData
    }
}

/// What came with the data of one event of a train.
package struct PeriodicReportProperties: Hashable, Sendable {
    /// In dBm; 127 means not available.
    package let rssi: Int8
    /// In dBm; 127 means not available.
    package let transmitPower: Int8
    /// Whether a part of the data is missing.
    package let isTruncated: Bool
    /// What a response answers; nil for a train without responses.
    package let packet: PeriodicPacket?

    package init(rssi: Int8, transmitPower: Int8, isTruncated: Bool, packet: PeriodicPacket? = nil) {
        self.packet = packet
        self.rssi = rssi
        self.transmitPower = transmitPower
        self.isTruncated = isTruncated
    }
}

/// A packet of a train with responses: its event and its subevent.
package struct PeriodicPacket: Hashable, Sendable {
    package let event: UInt16
    package let subevent: UInt8

    package init(event: UInt16, subevent: UInt8) {
        self.event = event
        self.subevent = subevent
    }
}

/// What came with the data of a response to a subevent.
package struct SubeventResponse: Hashable, Sendable {
    package let subevent: UInt8
    package let slot: UInt8
    /// In dBm; 127 means not available.
    package let rssi: Int8
    /// In dBm; 127 means not available.
    package let transmitPower: Int8

    package init(subevent: UInt8, slot: UInt8, rssi: Int8, transmitPower: Int8) {
        self.subevent = subevent
        self.slot = slot
        self.rssi = rssi
        self.transmitPower = transmitPower
    }
}

/// Why periodic advertising or the reception of a train is not possible, or has ended.
package enum PeriodicFailure: Error, Hashable, Sendable {
    /// The adapter has no periodic advertising.
    case unsupported
    /// Bluetooth is off, or the controller is gone.
    case notPoweredOn
    /// There are as many sets, or trains, or octets of data as possible.
    case limit
    /// The data does not fit into the interval.
    case dataTooLong
    /// The train was heard of, but none of its packets was received.
    case notReceived
    /// No packet of the train came for the timeout.
    case lost
    /// There is no train of which to tell.
    case noTrain
    /// There is no link to the peer.
    case notConnected
    /// The peer's controller takes no trains.
    case unsupportedByPeer
    /// The time of the subevent or of the response slot has passed.
    case tooLate
    /// The controller refused, with its error code.
    case controller(UInt8)
}
