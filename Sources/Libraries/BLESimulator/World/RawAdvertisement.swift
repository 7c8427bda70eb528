import BLEAdapter
import BLEVirtualRadio
import BLEWire

/// The advertisement of a ``VirtualAdvertiser``: the type of its PDU and its octets.
public struct RawAdvertisement: Hashable, Sendable {
    /// The advertising PDUs of the legacy channels (Core Specification, Vol 6, Part B, 2.3.1).
    public enum Packet: Hashable, Sendable {
        /// ADV_IND: connectable and scannable. The advertiser has no host, so it terminates the link of a central at once, and the
        /// central's manager reports `didFailToConnect`.
        case connectable
        /// ADV_SCAN_IND: scannable.
        case scannable
        /// ADV_NONCONN_IND: neither connectable nor scannable. Beacons use it.
        case nonConnectable
        /// ADV_DIRECT_IND, low duty cycle: connectable by one device, without data. The advertiser terminates the link as with
        /// `connectable`.
        case directed(to: RadioAddress)
    }

    /// The type of the PDU.
    public var packet: Packet
    /// The advertising data, at most 31 octets. It may be malformed.
    public var data: [UInt8]
    /// The scan response of connectable and scannable PDUs, at most 31 octets.
    public var scanResponse: [UInt8]
    /// The advertising interval, 20 ms to 10.24 s, in steps of 0.625 ms. Each event adds a random delay of up to 10 ms (Vol 6, Part
    /// B, 4.4.2.2).
    public var interval: Duration

    /// Creates an advertisement from octets. See the properties for their limits.
    public init(
        _ packet: Packet = .nonConnectable, data: [UInt8] = [], scanResponse: [UInt8] = [],
        interval: Duration = .milliseconds(100)
    ) {
        self.packet = packet
        self.data = data
        self.scanResponse = scanResponse
        self.interval = interval
    }

    /// Creates an advertisement from AD structures, which have at most 31 octets together.
    public init(
        _ packet: Packet = .nonConnectable, structures: [AdvertisingStructure],
        scanResponse: [AdvertisingStructure] = [], interval: Duration = .milliseconds(100)
    ) {
        self.init(
            packet, data: structures.flatMap(\.octets), scanResponse: scanResponse.flatMap(\.octets),
            interval: interval)
    }

    /// The reason why an advertisement is not possible.
    public struct ParameterError: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence with the fault and its remedy.
        public let description: String
    }

    func encoded() throws(ParameterError) -> RawAdvertising {
        guard let data = HCI.AdvertisingData(data.span), let response = HCI.AdvertisingData(scanResponse.span) else {
            throw ParameterError(
                description:
                    "The advertising data has \(self.data.count) octets and the scan response \(scanResponse.count): each has at most 31."
            )
        }
        guard (.milliseconds(20) ... .milliseconds(10_240)).contains(interval) else {
            throw ParameterError(
                description: "An advertising interval of \(interval) is not possible: use 20 ms to 10.24 s.")
        }
        let units = TimeSpan(interval).nanoseconds / 625_000
        var advertising = RawAdvertising(
            type: .nonconnectableUndirected, interval: UInt16(clamping: units), data: data, response: response)
        switch packet {
        case .connectable: advertising.type = .connectableUndirected
        case .scannable: advertising.type = .scannableUndirected
        case .nonConnectable:
            guard scanResponse.isEmpty else {
                throw ParameterError(description: "A non-connectable packet has no scan response: use .scannable.")
            }
        case .directed(let target):
            guard self.data.isEmpty, scanResponse.isEmpty else {
                throw ParameterError(
                    description: "A directed packet carries no data: leave data and scan response empty.")
            }
            advertising.type = .connectableDirectedLowDutyCycle
            advertising.target = target.value
        }
        return advertising
    }
}
