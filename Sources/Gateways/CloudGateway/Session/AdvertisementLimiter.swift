import BLEAdapter
import BLEWire

/// Selects the advertisements that are published: at most one of a device in an interval, and at most a number of all devices in a
/// second. Beyond that, advertisements are counted and dropped.
struct AdvertisementLimiter: Sendable {
    struct Device: Sendable {
        var kind: DeviceAddress.Kind
        var last: Instant
        /// The last advertisement that was decoded, and its meaning.
        var advertisement: DiscoveryContent?
        var decoded: [UInt8] = []
    }

    /// The devices that are remembered. Memory is bounded by this, because an advertisement has at most 31 octets, or 1,650 with
    /// extended advertising.
    static let deviceLimit = 4096

    private let interval: TimeSpan
    private let spacing: TimeSpan
    private let burst: TimeSpan
    private(set) var devices: [UInt64: Device] = [:]
    /// The moment at which the bucket of all devices is full again.
    private var full = Instant.zero

    /// - Parameter rate: Advertisements in a second. One second's worth may come at once.
    init(interval: TimeSpan, rate: Int) {
        self.interval = interval
        spacing = TimeSpan(nanoseconds: 1_000_000_000 / Int64(max(1, rate)))
        burst = .seconds(1)
    }

    /// Whether an advertisement may be published. The device is then remembered.
    mutating func accepts(_ address: DeviceAddress, at now: Instant) -> Bool {
        let known = devices[address.value]
        if let known, now - known.last < interval { return false }
        if full - now > burst - spacing { return false }
        if known == nil, devices.count >= Self.deviceLimit { removeSome(at: now) }
        full = max(full, now) + spacing
        if known != nil {
            devices[address.value]!.last = now
            devices[address.value]!.kind = address.kind
        } else {
            devices[address.value] = Device(kind: address.kind, last: now)
        }
        return true
    }

    /// The meaning of octets. Most devices repeat theirs, so the last meaning of each device is kept.
    mutating func decoded(_ advertisement: DiscoveryContent, _ address: DeviceAddress) -> [UInt8] {
        if let device = devices[address.value], device.advertisement?.hasSameAdvertisement(as: advertisement) == true {
            return device.decoded
        }
        let decoded = AdvertisementMessage.decoded(advertisement, address)
        if devices[address.value] != nil {
            devices[address.value]!.advertisement = advertisement
            devices[address.value]!.decoded = decoded
        }
        return decoded
    }

    /// Forgets the devices that have been silent the longest: at least one half.
    private mutating func removeSome(at now: Instant) {
        let times = devices.values.map(\.last).sorted()
        let limit = times[times.count / 2]
        devices = devices.filter { $0.value.last > limit }
    }
}
