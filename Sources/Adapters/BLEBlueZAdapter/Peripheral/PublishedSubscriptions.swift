import BLEAdapter
import BLEWire

/// Which device is subscribed to which characteristic, as far as bluetoothd tells.
///
/// bluetoothd keeps the client configuration of a device with a bond while the device is away, and tells nothing when the device is back: a
/// write of the value that it has already reaches no program. So the subscriptions of such a device come back with it here too. They have
/// no socket then; only a signal reaches them.
struct PublishedSubscriptions {
    struct Key: Hashable {
        var session: Int
        var characteristic: CharacteristicReference

        var service: PublishedKey { PublishedKey(session: session, token: characteristic.service) }
    }

    struct Subscription: Hashable {
        var key: Key
        var device: String
    }

    /// The end of a link closes sockets within this time, before or after it is known.
    static let delay = TimeSpan.seconds(1)
    /// The devices that are remembered, and the ends of subscriptions.
    static let limit = 64

    private var devices: [Key: Set<String>] = [:]
    private var ends: [(subscription: Subscription, time: Instant)] = []
    /// The characteristics that devices without a bond left.
    private var departures: [(key: Key, time: Instant)] = []
    private var remembered: [String: Set<Key>] = [:]

    func devices(of key: Key) -> Set<String> { devices[key] ?? [] }

    /// Returns false if the device is subscribed already.
    mutating func add(_ subscription: Subscription) -> Bool {
        remembered[subscription.device]?.remove(subscription.key)
        return devices[subscription.key, default: []].insert(subscription.device).inserted
    }

    /// Returns false if the device is not subscribed.
    mutating func remove(_ subscription: Subscription, at now: Instant) -> Bool {
        guard take(subscription) else { return false }
        ends.removeAll { now - $0.time > Self.delay }
        if ends.count >= Self.limit { ends.removeFirst() }
        ends.append((subscription, now))
        return true
    }

    private mutating func take(_ subscription: Subscription) -> Bool {
        guard devices[subscription.key]?.remove(subscription.device) != nil else { return false }
        if devices[subscription.key]?.isEmpty == true { devices[subscription.key] = nil }
        return true
    }

    /// Whether bluetoothd closed a socket for another device that has left, so that the subscription goes on.
    func isMistaken(_ key: Key, at now: Instant) -> Bool {
        departures.contains { $0.key == key && now - $0.time <= Self.delay }
    }

    /// Ends the subscriptions of a device whose link ended, and returns them. Those that `isMistaken` would have kept before come second.
    mutating func disconnected(
        _ device: String, isBonded: Bool, at now: Instant
    ) -> (ended: [Key], mistaken: [Subscription]) {
        let keys = sorted(devices.keys.filter { devices[$0]?.contains(device) == true })
        for key in keys { _ = take(Subscription(key: key, device: device)) }
        ends.removeAll { now - $0.time > Self.delay }
        let all = Set(keys).union(ends.filter { $0.subscription.device == device }.map(\.subscription.key))
        ends.removeAll { $0.subscription.device == device }
        guard !isBonded else {
            if !all.isEmpty, remembered.count < Self.limit || remembered[device] != nil {
                remembered[device, default: []].formUnion(all)
            }
            return (keys, [])
        }
        let mistaken = ends.map(\.subscription).filter { all.contains($0.key) }
        ends.removeAll { all.contains($0.subscription.key) }
        departures.removeAll { now - $0.time > Self.delay }
        departures += all.map { ($0, now) }
        departures.removeFirst(max(0, departures.count - Self.limit))
        return (keys, mistaken)
    }

    /// Returns the subscriptions that a device has again.
    mutating func connected(_ device: String, isBonded: Bool) -> [Key] {
        guard let keys = remembered.removeValue(forKey: device), isBonded else { return [] }
        return sorted(keys.filter { add(Subscription(key: $0, device: device)) })
    }

    /// bluetoothd has removed a device, with its bond.
    mutating func forget(_ device: String) { remembered[device] = nil }

    /// bluetoothd has removed a service, with all subscriptions.
    mutating func remove(_ services: Set<PublishedKey>) -> [Subscription] {
        let keys = sorted(devices.keys.filter { services.contains($0.service) })
        let ended = keys.flatMap { key in
            devices(of: key).sorted().map { Subscription(key: key, device: $0) }
        }
        for key in keys { devices[key] = nil }
        ends.removeAll { services.contains($0.subscription.key.service) }
        departures.removeAll { services.contains($0.key.service) }
        for (device, keys) in remembered {
            let rest = keys.filter { !services.contains($0.service) }
            remembered[device] = rest.isEmpty ? nil : rest
        }
        return ended
    }

    mutating func removeAll() -> [Subscription] {
        let ended = remove(Set(devices.keys.map(\.service)))
        self = PublishedSubscriptions()
        return ended
    }

    private func sorted(_ keys: [Key]) -> [Key] {
        keys.sorted {
            ($0.session, $0.characteristic.service, $0.characteristic.index)
                < ($1.session, $1.characteristic.service, $1.characteristic.index)
        }
    }
    private func sorted(_ keys: Set<Key>) -> [Key] { sorted(Array(keys)) }
}
