public import Foundation

/// The data of one event of a train.
public struct PeriodicReport: Hashable, Sendable {
    /// AD structures (Vol 3, Part C, 11).
    public let data: Data
    /// The signal strength in dBm; nil if it is not known.
    public let rssi: Int?
    /// The transmit power in dBm; nil if the packets do not contain it.
    public let transmitPower: Int?
    /// Whether a part of the data was not received.
    public let isTruncated: Bool
    /// The number of the report since the train was found, from 0. A gap means that the program was too slow: at most ``PeriodicSync/bufferLimit``
    /// reports wait for it, and the newest ones stay.
    public let number: Int
    /// The subevent of the packet, from 0; nil for a train without responses.
    public let subevent: Int?
}
