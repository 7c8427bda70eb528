internal import BLEWire
public import Foundation

/// The subevents of a train with responses, and the slots in which receivers respond (Periodic Advertising with Responses: Vol 6, Part B, 4.4.2.12).
///
/// Each event of the train has all subevents, one after the other. A subevent begins with a packet of the advertiser; the response slots follow.
public struct PeriodicSubevents: Hashable, Sendable {
    let subevents: HCI.PeriodicSubevents

    init(_ subevents: HCI.PeriodicSubevents) { self.subevents = subevents }

    /// - Parameters:
    ///   - count: The subevents of an event, 1 to 128.
    ///   - interval: From the start of a subevent to the next one, 7.5 ms to 318.75 ms in steps of 1.25 ms.
    ///   - responseSlots: The response slots of a subevent, 0 to 255.
    ///   - responseDelay: From the start of a subevent to its first slot, at least 1.25 ms in steps of 1.25 ms. The packet must end before.
    ///   - responseSpacing: From the start of a slot to the next one, 0.25 ms to 31.875 ms in steps of 0.125 ms. A response with n octets of data
    ///     lasts 8 (n + 11) µs on ``PeriodicPHY/le1M``, and 150 µs of the slot stay free.
    /// - Throws: ``PeriodicError/subevents`` if a value is not in its range, or if the slots do not fit into a subevent.
    public init(
        count: Int, interval: Duration, responseSlots: Int = 0, responseDelay: Duration = .zero,
        responseSpacing: Duration = .zero
    ) throws(PeriodicError) {
        func units(_ time: Duration, of unit: Duration) -> UInt8? { UInt8(exactly: (time / unit).rounded()) }
        let (long, short) = (Duration.microseconds(1_250), Duration.microseconds(125))
        guard let count = UInt8(exactly: count), let slots = UInt8(exactly: responseSlots),
            let interval = units(interval, of: long), let delay = units(responseDelay, of: long),
            let spacing = units(responseSpacing, of: short)
        else { throw .subevents }
        subevents = HCI.PeriodicSubevents(
            count: count, interval: interval, slotDelay: slots == 0 ? 0 : delay,
            slotSpacing: slots == 0 ? 0 : spacing, slotCount: slots)
        guard subevents.isValid(with: 0xFFFF) else { throw .subevents }
    }

    /// The subevents of an event.
    public var count: Int { Int(subevents.count) }
    /// From the start of a subevent to the next one.
    public var interval: Duration { .microseconds(1_250) * Int(subevents.interval) }
    /// The response slots of a subevent. A receiver knows only how many have room.
    public var responseSlots: Int { Int(subevents.slotCount) }
    /// From the start of a subevent to its first slot.
    public var responseDelay: Duration { .microseconds(1_250) * Int(subevents.slotDelay) }
    /// From the start of a slot to the next one.
    public var responseSpacing: Duration { .microseconds(125) * Int(subevents.slotSpacing) }
}

/// What an advertiser sends in one subevent.
public struct PeriodicRequest: Hashable, Sendable {
    /// AD structures (Vol 3, Part C, 11).
    public var data: Data
    /// The response slots that receivers may use. The advertiser listens only in these.
    public var slots: Range<Int>

    /// - Parameters:
    ///   - data: At most 249 octets, and fewer if the first slot begins soon.
    ///   - slots: The response slots that receivers may use.
    public init(_ data: Data, slots: Range<Int> = 0..<0) {
        self.data = data
        self.slots = slots
    }

    /// Nil if a slot is not 0 to 255.
    func entry(_ subevent: UInt8) -> HCI.LESetPeriodicAdvertisingSubeventData.Entry? {
        guard slots.isEmpty || slots.lowerBound >= 0 && slots.upperBound <= 256,
            let count = UInt8(exactly: slots.count)
        else { return nil }
        return HCI.LESetPeriodicAdvertisingSubeventData.Entry(
            subevent: subevent, responseSlotStart: slots.isEmpty ? 0 : UInt8(slots.lowerBound),
            responseSlotCount: count, data: Array(data))
    }
}

/// What a receiver of a train sent in a response slot.
public struct PeriodicResponse: Hashable, Sendable {
    /// The subevent, from 0.
    public let subevent: Int
    /// The response slot, from 0.
    public let slot: Int
    /// AD structures.
    public let data: Data
    /// The signal strength in dBm; nil if it is not known.
    public let rssi: Int?
    /// The transmit power in dBm; nil if the packet does not contain it.
    public let transmitPower: Int?
}

/// How a receiver answers the packet of a subevent.
public struct PeriodicAnswer: Hashable, Sendable {
    /// The response slot, from 0.
    public var slot: Int
    /// The subevent of the slot; nil for that of the packet. One before it belongs to the next event.
    public var subevent: Int?
    /// AD structures, at most 247 octets, and fewer if the slots are short.
    public var data: Data

    /// - Parameters:
    ///   - data: At most 247 octets, and fewer if the slots are short.
    ///   - slot: The response slot.
    ///   - subevent: That of the slot; nil for that of the packet.
    public init(_ data: Data, slot: Int, subevent: Int? = nil) {
        self.data = data
        self.slot = slot
        self.subevent = subevent
    }
}
