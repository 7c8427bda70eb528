import BLEAdapter
import BLERuntime

/// An advertiser in a ``World`` that is no more than that: a beacon, or the advertising half of a device. It has a simulated controller
/// and no host, so its packets are exactly the octets that it was given.
///
/// ```swift
/// let doors = UUID()
/// let beacon = try world.addAdvertiser(
///     "door", RawAdvertisement(structures: [.flags(), .iBeacon(doors, major: 1, minor: 7)]), at: Position(x: 3))
/// ```
public final class VirtualAdvertiser: Sendable {
    /// The name it was added with. It is not on the air unless the advertisement says it.
    public let name: String

    private let number: Int
    private let stage: VirtualStage

    init(name: String, number: Int, stage: VirtualStage) {
        self.name = name
        self.number = number
        self.stage = stage
    }

    /// Sends something else from now on.
    ///
    /// - Throws: ``RawAdvertisement/Failure`` if that cannot be advertised; the advertiser goes on as before.
    public func advertise(_ advertisement: RawAdvertisement) throws(RawAdvertisement.Failure) {
        stage.changeAdvertiser(number, to: try advertisement.encoded())
    }

    /// Puts the advertiser somewhere else, from now on.
    public func move(to position: Position) { stage.move(number, to: position.radioPosition) }

    /// Takes the advertiser off the air for good.
    public func remove() { stage.removeAdvertiser(number) }
}

extension World {
    /// Puts an advertiser without a host into the world, on the air at once.
    ///
    /// - Parameters:
    ///   - name: for captures; its address follows from it.
    ///   - advertisement: what it sends.
    ///   - position: where it is.
    ///   - address: its address; nil: a static random one that follows from the world's seed and the name. If another advertiser has the
    ///     address already, the next higher one that is free.
    ///   - transmitPower: its power in dBm, -127 to 20; a value outside is taken for the nearest one within.
    /// - Throws: ``RawAdvertisement/Failure`` if the advertisement is not possible.
    public func addAdvertiser(
        _ name: String, _ advertisement: RawAdvertisement, at position: Position = .origin,
        address: RadioAddress? = nil, transmitPower: Int = 0
    ) throws(RawAdvertisement.Failure) -> VirtualAdvertiser {
        let identity = AdvertiserIdentity(
            name: name, address: address?.value, transmitPower: Int8(min(max(transmitPower, -127), 20)))
        let number = stage.addAdvertiser(identity, try advertisement.encoded(), at: position.radioPosition)
        return VirtualAdvertiser(name: name, number: number, stage: stage)
    }
}
