import BLEAdapter
import BLEVirtualRadio

/// An advertiser in a ``World`` without a host: a beacon, or the advertising half of a device. It has a simulated controller, which sends
/// exactly the octets of its advertisement.
///
/// ```swift
/// let doors = UUID()
/// let beacon = try world.addAdvertiser(
///     "door", RawAdvertisement(structures: [.flags(), .iBeacon(doors, major: 1, minor: 7)]), at: Position(x: 3))
/// ```
public final class VirtualAdvertiser: Sendable {
    /// The name it was added with. It is not on the air unless the advertisement says it.
    public let name: String

    private let slot: Int
    private let radio: VirtualRadioRuntime

    init(name: String, slot: Int, radio: VirtualRadioRuntime) {
        self.name = name
        self.slot = slot
        self.radio = radio
    }

    /// Replaces the advertisement.
    ///
    /// - Throws: ``RawAdvertisement/Failure`` if the advertisement is not possible; the present one stays.
    public func advertise(_ advertisement: RawAdvertisement) throws(RawAdvertisement.Failure) {
        let (slot, encoded) = (slot, try advertisement.encoded())
        radio.change { $0.change(slot, to: encoded) }
    }

    /// Moves the advertiser.
    public func move(to position: Position) {
        let slot = slot
        radio.change { $0.move(slot, to: position.radioPosition) }
    }

    /// Takes the advertiser off the air for good.
    public func remove() {
        let slot = slot
        radio.change { $0.removeDevice(slot) }
    }
}

extension World {
    /// Puts an advertiser without a host into the world, on the air at once.
    ///
    /// - Parameters:
    ///   - name: the name in captures. The address follows from it.
    ///   - advertisement: its advertisement.
    ///   - position: its position.
    ///   - address: its address; nil: a static random one that follows from the world's seed and the name. If another advertiser has the
    ///     address already, the next higher one that is free.
    ///   - transmitPower: its transmit power in dBm, clamped to -127 to 20.
    /// - Throws: ``RawAdvertisement/Failure`` if the advertisement is not possible.
    public func addAdvertiser(
        _ name: String, _ advertisement: RawAdvertisement, at position: Position = .origin,
        address: RadioAddress? = nil, transmitPower: Int = 0
    ) throws(RawAdvertisement.Failure) -> VirtualAdvertiser {
        let identity = AdvertiserIdentity(
            name: name, address: address?.value, transmitPower: Int8(min(max(transmitPower, -127), 20)))
        let encoded = try advertisement.encoded()
        let slot = radio.nextSlot()
        radio.change { $0.addAdvertiser(slot, identity, encoded, at: position.radioPosition) }
        return VirtualAdvertiser(name: name, slot: slot, radio: radio)
    }
}
