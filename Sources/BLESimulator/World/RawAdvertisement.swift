import BLEAdapter
import BLEVirtualRadio
import BLEWire

/// What a ``VirtualAdvertiser`` sends: the kind of packet, and the octets in it as they are.
public struct RawAdvertisement: Hashable, Sendable {
    /// The advertising packets of the legacy channels (Core Specification, Vol 6, Part B, 2.3.1).
    public enum Packet: Hashable, Sendable {
        /// ADV_IND: others may connect and ask for the scan response. The link of a central that connects is ended at once, because there
        /// is no host behind it, and its manager reports `didFailToConnect`.
        case connectable
        /// ADV_SCAN_IND: others may ask for the scan response.
        case scannable
        /// ADV_NONCONN_IND: nothing is answered. What beacons send.
        case nonConnectable
        /// ADV_DIRECT_IND, low duty cycle: for one device alone, and without data. The link is ended as with `connectable`.
        case directed(to: RadioAddress)
    }

    /// The kind of packet.
    public var packet: Packet
    /// The advertising data, 31 octets at most. They need not be well-formed.
    public var data: [UInt8]
    /// The scan response, 31 octets at most, for connectable and scannable packets.
    public var scanResponse: [UInt8]
    /// The time between advertising events, 20 ms to 10.24 s, in steps of 0.625 ms. A random delay of up to 10 ms is added to each
    /// (Vol 6, Part B, 4.4.2.2).
    public var interval: Duration

    /// An advertisement of octets; see the properties for their bounds.
    public init(
        _ packet: Packet = .nonConnectable, data: [UInt8] = [], scanResponse: [UInt8] = [],
        interval: Duration = .milliseconds(100)
    ) {
        self.packet = packet
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }

    /// An advertisement of AD structures, which take 31 octets at most together.
    public init(
        _ packet: Packet = .nonConnectable, structures: [AdvertisingStructure],
        scanResponse: [AdvertisingStructure] = [], interval: Duration = .milliseconds(100)
    ) {
        self.init(
            packet, data: structures.flatMap(\.octets), scanResponse: scanResponse.flatMap(\.octets),
            interval: interval)
    }

    /// Why something cannot be advertised, in one sentence.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence that names the fault and the remedy.
        public let description: String
    }

    func encoded() throws(Failure) -> RawAdvertising {
        guard let data = HCI.AdvertisingData(data.span), let response = HCI.AdvertisingData(scanResponse.span) else {
            throw Failure(
                description:
                    "The advertising data has \(self.data.count) octets and the scan response \(scanResponse.count): each has at most 31."
            )
        }
        guard (.milliseconds(20) ... .milliseconds(10_240)).contains(interval) else {
            throw Failure(description: "An advertising interval of \(interval) is not possible: use 20 ms to 10.24 s.")
        }
        let units = TimeSpan(interval).nanoseconds / 625_000
        var advertising = RawAdvertising(
            type: .nonconnectableUndirected, interval: UInt16(clamping: units), data: data, response: response)
        switch packet {
        case .connectable: advertising.type = .connectableUndirected
        case .scannable: advertising.type = .scannableUndirected
        case .nonConnectable:
            guard scanResponse.isEmpty else {
                throw Failure(description: "A non-connectable packet has no scan response: use .scannable.")
            }
        case .directed(let target):
            guard self.data.isEmpty, scanResponse.isEmpty else {
                throw Failure(description: "A directed packet carries no data: leave data and scan response empty.")
            }
            advertising.type = .connectableDirectedLowDutyCycle
            advertising.target = target.value
        }
        return advertising
    }
}
