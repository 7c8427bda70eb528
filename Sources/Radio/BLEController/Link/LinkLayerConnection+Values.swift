import BLEWire

extension LinkLayerConnection {
    /// What tells the packets of the link from others on the air (Vol 6, Part B, 2.1.2 and 3.1.1).
    struct Access: Hashable {
        let address: UInt32
        let crcInit: UInt32
    }

    /// The data channels, and the algorithm that selects one for each event (Vol 6, Part B, 4.5.8).
    struct DataChannels: Hashable {
        var map: LL.ChannelMap
        var selection: ChannelSelection
        /// The number of channels that the peripheral needs (Vol 6, Part B, 5.1.11).
        var minimum = 0
        /// As central: what the peripheral says about the channels; nil if this side has not asked for reports.
        var peripheralStatus: LL.ChannelClassification?
        /// As peripheral: nil until the central asks for reports.
        var reporter: ChannelReporter?

        mutating func channel(event: UInt16) -> UInt8 { selection.channel(event: event, map: map) }
    }

    /// What a link has had of the radio that it shares with other links.
    struct RadioShare: Hashable {
        /// The radio time of this link, for the comparison with other links.
        var used = TimeSpan.zero
        /// Events in a row without a PDU in each direction, because the radio was busy.
        var missed = 0
        /// Whether the last event ended with data left.
        var isBusy = false
        /// The time that extended advertising had used at the start of the last event; nil before the first one.
        var advertised: TimeSpan?
    }

    /// The host's data, and the PDU that is not acknowledged (Vol 6, Part B, 4.5.9).
    struct Transmitter {
        var acknowledgement = Acknowledgement()
        var inFlight: InFlight?
        /// Whether `inFlight` was encrypted.
        var isSealed = false
        var queue = PacketQueue()
        /// Acknowledged ACL packets that have not been reported to the host.
        var completed: UInt16 = 0
    }

    /// The transfer of trains on the link (Vol 6, Part B, 5.1.13).
    struct SyncTransfer {
        /// What the host wants of trains that the peer tells of; nil to ignore them.
        var reception: PeriodicSync.Reception?
        /// The last event in which a PDU was received, and its anchor.
        var heard: (event: UInt16, anchor: Instant)?
    }

    /// The PHYs in use.
    struct PHYs: Hashable {
        var tx: LL.PHY
        var rx: LL.PHY
        /// The coding of this side on the Coded PHY.
        var coding: LL.PHY

        init(startingOn phy: LL.PHY) {
            (tx, rx) = (phy, phy)
            coding = phy.isCoded ? phy : .codedS8
        }
    }

    /// The longest payloads in force, by data length, PHY and interval.
    struct Payloads {
        var tx = LL.minimumDataLength
        var rx = LL.minimumDataLength
    }

    /// What the host knows of the link.
    struct Reported {
        /// The data length.
        var lengths = (tx: DataLength.Limits.minimum, rx: DataLength.Limits.minimum)
        /// The subrate factor.
        var factor: UInt16 = 1
    }

    /// The signal of the peer.
    struct Signal {
        /// The power of the last received PDU in dBm; 127 before the first one.
        var rssi: Int8 = 127
        var pathLoss = PathLossMonitor()
    }
}
