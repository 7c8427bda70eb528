import BLEAdapter
public import BLESimulator
import BLEWire

/// Decodes packets on the air one after another, from the advertisement to the value of an attribute.
///
/// ```swift
/// import BLEPacketDecoding
/// import BLESimulator
///
/// let world = World(seed: 1)
/// let (packets, packetsIn) = AsyncStream.makeStream(of: RadioPacket.self)
/// world.observePackets { packetsIn.yield($0) }
/// await world.run(for: .seconds(10))
/// packetsIn.finish()
///
/// var decoder = PacketDecoder()
/// for await packet in packets {
///     let decoded = decoder.decode(packet)
///     print(decoded.name, decoded.text)
/// }
/// ```
///
/// The decoder is a value: equal packets in equal order give equal results. It follows links from their CONNECT_IND, joins the parts of L2CAP
/// frames, and remembers which attributes a discovery named and which request an answer belongs to. It therefore needs all packets of a link in their
/// order. Packets of links whose start it has not seen are decoded as far as possible.
///
/// Octets may be malformed: a packet that contradicts the specification is decoded up to the fault. The memory of a decoder is bounded: it remembers at most 1024 links and
/// 4096 advertisers, and beyond that it forgets all of them and begins again.
public struct PacketDecoder: Sendable {
    private var dissector = AirDissector()

    /// Creates a decoder that knows no link.
    public init() {}

    /// Decodes the next packet.
    public mutating func decode(_ packet: RadioPacket) -> DecodedPacket {
        DecodedPacket(dissector.add(AirFrame(packet)))
    }

    /// The fields of a packet that this decoder decoded. The first section has the PDU of the packet. A packet that completes an L2CAP frame of several
    /// packets has a second section with the whole frame.
    ///
    /// The names of attributes are those that the decoder knows by now, so a field may say more after a later discovery.
    public func sections(of packet: DecodedPacket) -> [DecodedPacket.Section] {
        dissector.detail(of: packet.summary).sections.map { DecodedPacket.Section($0) }
    }
}

extension AirFrame {
    /// A packet with the number 0.
    init(_ packet: RadioPacket) {
        let phy: LL.PHY =
            switch packet.phy {
            case .oneM: .oneM
            case .twoM: .twoM
            case .coded: .codedS8
            }
        self.init(
            number: 0, start: TimeSpan(packet.start).nanoseconds, airTime: TimeSpan(packet.airTime).nanoseconds,
            channel: UInt8(clamping: packet.channel), phy: phy, accessAddress: packet.accessAddress,
            octets: packet.octets, plaintext: packet.plaintext, sender: packet.sender ?? -1,
            receptions: packet.receptions.map { reception in
                let outcome: Outcome =
                    switch reception.outcome {
                    case .received: .received
                    case .corrupted: .corrupted
                    case .missed: .missed
                    }
                return Reception(
                    receiver: reception.receiver, rssi: Int8(clamping: reception.rssi), outcome: outcome)
            })
    }
}
