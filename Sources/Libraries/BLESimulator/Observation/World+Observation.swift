import BLEVirtualRadio
import BLEWire

extension World {
    /// Calls `observer` with each packet on the air from now on, until the observation is cancelled or the world ends.
    ///
    /// ```swift
    /// let (packets, packetsIn) = AsyncStream.makeStream(of: RadioPacket.self)
    /// let observation = world.observePackets { packetsIn.yield($0) }
    /// await world.run(for: .seconds(1))
    /// observation.cancel()
    /// packetsIn.finish()
    /// for await packet in packets { print(packet) }
    /// ```
    ///
    /// - Parameter observer: Called at the end of each transmission, on a thread of the world, while time stands still. It must not block and must
    ///   not call the world.
    /// - Returns: The observation, which need not be kept.
    @discardableResult
    public func observePackets(_ observer: @escaping @Sendable (RadioPacket) -> Void) -> PacketObservation {
        observeAir { packet, slot in observer(RadioPacket(packet, slot)) }
    }

    /// The transmissions that have begun and not ended, in the order of their ends. Their `receptions` are empty, because the outcome at each
    /// receiver is not known before the end.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world.
    public var packetsInFlight: [RadioPacket] {
        radio.inspect { network in
            var packets: [RadioPacket] = []
            network.radio.forEachTransmissionInFlight { packets.append(RadioPacket($0, network.slot(of:))) }
            return packets
        }
    }
}

extension VirtualDevice {
    /// The number of the device in its world, which packets name: 0 for the first device or advertiser, and so on in the order of creation.
    public var number: Int { host.slot }

    /// What the controller does at the moment; nil after ``remove()``.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world.
    public var activity: RadioActivity? {
        let slot = host.slot
        return radio.inspect { $0.status(slot).map { RadioActivity($0) } }
    }

    /// The open links of the device, oldest first.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world.
    public var links: [VirtualLink] {
        let (slot, adapter) = (host.slot, adapter)
        return radio.inspect { network in
            network.links(slot).map { status in
                VirtualLink(
                    status,
                    maximumTransmissionUnit: adapter.mtu(ofHandle: status.handle) ?? Int(ATT.defaultMTU))
            }
        }
    }

    /// Calls `observer` with each packet between the host of this device and its controller from now on, until the observation is cancelled or
    /// the world ends. The packets of the start-up after its first command are among them if this call precedes the first run of the world.
    ///
    /// The packets contain the keys of encrypted links.
    ///
    /// - Parameter observer: Called on a thread of the world, while time stands still. It must not block and must not call the world.
    /// - Returns: The observation, which need not be kept.
    @discardableResult
    public func observeHCIPackets(_ observer: @escaping @Sendable (HCIPacket) -> Void) -> PacketObservation {
        observeHCI { direction, time, packet in
            observer(
                HCIPacket(
                    direction: direction == .toController ? .toController : .toHost,
                    time: .nanoseconds(time.nanoseconds), octets: [UInt8](packet)))
        }
    }
}

extension VirtualAdvertiser {
    /// The number of the advertiser in its world, which packets name: see ``VirtualDevice/number``.
    public var number: Int { slot }

    /// What the controller does at the moment; nil after ``remove()``.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world.
    public var activity: RadioActivity? {
        let slot = slot
        return radio.inspect { $0.status(slot).map { RadioActivity($0) } }
    }

    /// The links of centrals that have connected to the advertiser, oldest first. Each lasts some milliseconds: see
    /// ``RawAdvertisement/Packet/connectable``.
    ///
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world.
    public var links: [VirtualLink] {
        let slot = slot
        return radio.inspect { network in
            network.links(slot).map { VirtualLink($0, maximumTransmissionUnit: Int(ATT.defaultMTU)) }
        }
    }
}
