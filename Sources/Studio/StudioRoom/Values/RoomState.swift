import BLESimulator
import Phrases

/// The topic `room`: what the plan shows.
package struct RoomState: Hashable, Codable, Sendable {
    package var scene: String
    package var seed: UInt64
    package var environment: RoomEnvironment
    package var walls: [RoomWall]
    package var devices: [RoomDevice]
    package var links: [RoomLink]
    package var programs: [RoomProgramName]
    /// The names of all platforms.
    package var platforms: [String]
    /// The names of all scenes.
    package var scenes: [String]
    /// The scene of the room before this one, which `room.back` brings back; nil if there is none.
    package var former: String?
    /// The name of the world, if the room was opened from a file. Its scene is then `RoomRecord.fileScene`.
    package var title: String?
    /// That of the room before this one.
    package var formerTitle: String?
    /// The command that `room.undo` takes back, such as `move`; nil if there is none.
    package var undo: String?
    /// The command that `room.redo` performs again.
    package var redo: String?
}

/// How signals propagate in the room.
package struct RoomEnvironment: Hashable, Codable, Sendable {
    /// 2 in free space, 2.7 to 4 inside buildings; 1 to 6.
    package var pathLossExponent: Double
    /// The standard deviation of the fading of each reception in dB, 0 to 20.
    package var fading: Double
    /// The share of packets lost at any distance, 0 to 1.
    package var packetLoss: Double
    /// dBm, -120 to -40.
    package var sensitivity: Double

    package init(
        pathLossExponent: Double = 2.5, fading: Double = 0, packetLoss: Double = 0, sensitivity: Double = -95
    ) {
        self.pathLossExponent = pathLossExponent
        self.fading = fading
        self.packetLoss = packetLoss
        self.sensitivity = sensitivity
    }

    init(_ environment: RadioEnvironment) {
        self.init(
            pathLossExponent: environment.pathLossExponent, fading: environment.fading,
            packetLoss: environment.packetLoss, sensitivity: environment.sensitivity)
    }

    /// Replaces the values that a page can change.
    func applied(to environment: RadioEnvironment) -> RadioEnvironment {
        var environment = environment
        environment.pathLossExponent = pathLossExponent
        environment.fading = fading
        environment.packetLoss = packetLoss
        environment.sensitivity = sensitivity
        return environment
    }
}

/// A wall of the room.
package struct RoomWall: Hashable, Codable, Sendable {
    /// `w1`, `w2` and so on, or the identifier in the world's file.
    package var id: String
    /// The ends in metres.
    package var x1: Double
    package var y1: Double
    package var x2: Double
    package var y2: Double
    /// dB.
    package var attenuation: Double

    init(_ wall: WorldFile.Wall) {
        id = wall.id
        (x1, y1) = (wall.wall.start.x, wall.wall.start.y)
        (x2, y2) = (wall.wall.end.x, wall.wall.end.y)
        attenuation = wall.wall.attenuation
    }
}

/// A device of the room.
package struct RoomDevice: Hashable, Codable, Sendable {
    /// `d1`, `d2` and so on.
    package var id: String
    package var name: String
    /// The name in both languages if it is a label of the room; nil for a name that the device advertises or the user chose.
    package var label: Phrase?
    package var kind: WorldDeviceKind
    /// The identifier of its program.
    package var program: String
    /// Metres.
    package var x: Double
    package var y: Double
    package var isOn: Bool
    /// The share of packets to and from the device that are lost, 0 to 1.
    package var loss: Double
    package var state: WorldDeviceState
    /// The address on the air; nil while the device has none.
    package var address: String?
    package var isExplorer: Bool
    /// Whether it has a host; an advertiser without one has no HCI packets.
    package var hasHost: Bool
    /// One of the platforms of the room; nil for a device without one.
    package var platform: String?
    /// Whether the user can give it another platform.
    package var takesPlatform: Bool
}

/// A link between two devices of the room.
package struct RoomLink: Hashable, Codable, Sendable {
    /// A value of each side.
    package struct Sides<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
        package var central: Value
        package var peripheral: Value
    }

    /// The access address in hexadecimal digits, as in packets.
    package var id: String
    /// Identifiers of devices.
    package var central: String
    package var peripheral: String
    /// The power of the last packet that each side received, in dBm; nil before the first one.
    package var rssi: Sides<Int?>
    /// Milliseconds.
    package var interval: Double
    /// The number of events that the peripheral may skip.
    package var latency: Int
    /// Milliseconds.
    package var timeout: Double
    /// `1M`, `2M` or `Coded`: what each side sends with.
    package var phy: Sides<String>
    package var isEncrypted: Bool
    /// Octets.
    package var mtu: Int
    /// The walls between both devices.
    package var walls: [String]
    /// The power with which the weaker side receives at this moment, above the sensitivity of its receiver on the PHY of the link, in dB. Packets
    /// are lost below 0 dB, and all of them from about -6 dB on.
    package var margin: Double
    /// The packets of both sides since the link began, and those among them that the other side did not receive.
    package var packets: Int
    package var lost: Int
}

/// A program that a device can run.
package struct RoomProgramName: Hashable, Codable, Sendable {
    package var id: String
    package var kind: WorldDeviceKind
    package var actions: [WorldProgramAction]
}
