/// What a device is, for its symbol.
package enum WorldDeviceKind: String, Codable, Hashable, Sendable {
    case phone, wearable, sensor, beacon, lamp, other
}
