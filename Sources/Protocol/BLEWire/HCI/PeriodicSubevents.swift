extension HCI {
    /// The subevents and response slots of a train of periodic advertising with responses (Vol 4, Part E, 7.8.61).
    package struct PeriodicSubevents: Hashable, Sendable {
        /// 1 to 128.
        package var count: UInt8
        /// In units of 1.25 ms, 6 to 255.
        package var interval: UInt8
        /// From the start of a subevent to its first response slot, in units of 1.25 ms, less than `interval`; 0 without slots.
        package var slotDelay: UInt8
        /// In units of 0.125 ms, 2 to 255; 0 without slots.
        package var slotSpacing: UInt8
        /// The slots of a subevent. A receiver knows only how many have room.
        package var slotCount: UInt8

        package init(count: UInt8, interval: UInt8, slotDelay: UInt8, slotSpacing: UInt8, slotCount: UInt8) {
            self.count = count
            self.interval = interval
            self.slotDelay = slotDelay
            self.slotSpacing = slotSpacing
            self.slotCount = slotCount
        }

        /// Those of a received train; nil for a train without responses.
        package init?(received count: UInt8, interval: UInt8, slotDelay: UInt8, slotSpacing: UInt8) {
            guard count > 0 else { return nil }
            self.init(
                count: count, interval: interval, slotDelay: slotDelay, slotSpacing: slotSpacing, slotCount: 0)
            slotCount = UInt8(clamping: room)
        }

        /// The slots that end within a subevent.
        package var room: Int {
            guard slotDelay > 0, slotDelay < interval, slotSpacing >= 2 else { return 0 }
            return 10 * Int(interval - slotDelay) / Int(slotSpacing)
        }

        /// Whether a train with this interval, in units of 1.25 ms, can have the subevents.
        package func isValid(with interval: UInt16) -> Bool {
            (1...128).contains(count) && self.interval >= 6 && Int(count) * Int(self.interval) <= Int(interval)
                && slotDelay < self.interval && (slotCount == 0 || Int(slotCount) <= room)
        }
    }
}
