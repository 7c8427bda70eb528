import BLEAdapter
import BLEController
import BLEVirtualRadio

/// An advertiser without a host in a ``World``, such as a beacon. A simulated controller sends exactly the given octets.
///
/// ```swift
/// let doors = UUID()
/// let beacon = try world.addAdvertiser(
///     "door", RawAdvertisement(structures: [.flags(), .iBeacon(doors, major: 1, minor: 7)]), at: Position(x: 3))
/// ```
public final class VirtualAdvertiser: Sendable {
    /// The name given at creation. The advertiser sends it only as a part of its advertisement.
    public let name: String

    package let slot: Int
    let radio: VirtualRadioRuntime

    init(name: String, slot: Int, radio: VirtualRadioRuntime) {
        self.name = name
        self.slot = slot
        self.radio = radio
    }

    /// Changes the advertisement.
    ///
    /// - Throws: ``RawAdvertisement/ParameterError`` if the advertisement is not possible. The previous one stays in use.
    public func advertise(_ advertisement: RawAdvertisement) throws(RawAdvertisement.ParameterError) {
        let (slot, encoded) = (slot, try advertisement.encoded())
        radio.change { $0.change(slot, to: encoded) }
    }

    /// Moves the advertiser.
    public func move(to position: Position) {
        let slot = slot
        radio.change { $0.move(slot, to: position.radioPosition) }
    }

    /// Loses a share of all packets to and from the advertiser from now on, in addition to the loss of the environment.
    ///
    /// - Parameter loss: The share, 0 to 1.
    public func setLoss(_ loss: Double) {
        let slot = slot
        radio.change { $0.setLoss(slot, to: loss) }
    }

    /// Runs the sleep clock of the advertiser with an error from now on, and announces the best accuracy that is true. It advertises more often or more seldom by
    /// that error.
    ///
    /// - Parameter error: In parts per million, -500 to 500; a value beyond becomes the nearest limit. A positive error makes the clock fast.
    public func setClock(error: Int) {
        let (slot, setting) = (slot, ClockSetting(clampedError: error, announcing: nil))
        radio.change { $0.setClock(slot, to: setting) }
    }

    /// Takes the advertiser off the air for good.
    public func remove() {
        let slot = slot
        radio.change { $0.removeDevice(slot) }
    }
}

extension World {
    /// Adds an advertiser without a host. It starts to advertise at once.
    ///
    /// An advertiser without a host sends no train of periodic advertising. A device does, with `PeriodicAdvertiser` of the product `BLEPeriodic`:
    ///
    /// ```swift
    /// import BLEPeriodic
    /// import BLESimulator
    /// import Foundation
    ///
    /// let world = World(seed: 1)
    /// let train = try world.addDevice("sensor").run { try PeriodicAdvertiser(name: "sensor") }
    /// try await train.start(Data([5, 0xFF, 0xFF, 0xFF, 21, 0]))
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name for captures, from which the default address is derived.
    ///   - advertisement: The advertisement.
    ///   - position: The position.
    ///   - address: The address. With nil the advertiser gets a static random address that is derived from the world's seed and the
    ///     name. If another advertiser uses the address, this one gets the next free one.
    ///   - transmitPower: The transmit power, -127 to 20 dBm.
    /// - Throws: ``RawAdvertisement/ParameterError`` if the advertisement or the power is not possible.
    public func addAdvertiser(
        _ name: String, _ advertisement: RawAdvertisement, at position: Position = .origin,
        address: RadioAddress? = nil, transmitPower: Int = 0
    ) throws(RawAdvertisement.ParameterError) -> VirtualAdvertiser {
        guard (-127...20).contains(transmitPower) else {
            throw RawAdvertisement.ParameterError(
                description: "A transmit power of \(transmitPower) dBm is not possible: use -127 to 20 dBm.")
        }
        let identity = AdvertiserIdentity(
            name: name, address: address?.value, transmitPower: Int8(transmitPower))
        let encoded = try advertisement.encoded()
        let slot = radio.nextSlot()
        radio.change { $0.addAdvertiser(slot, identity, encoded, at: position.radioPosition) }
        return VirtualAdvertiser(name: name, slot: slot, radio: radio)
    }
}
