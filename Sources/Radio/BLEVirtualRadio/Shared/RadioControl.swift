import BLEController
import BLETransport
import BLEWire

/// The commands of the control socket of a radio: takes a line of words and returns a line of JSON. Used only on the
/// engine's queue. Documentation/Radio.md lists the commands.
struct RadioControl {
    static let wallLimit = 256
    /// The numbers of walls are never reused.
    private var walls: [(number: Int, wall: RadioWall)] = []
    private var wallCount = 0

    struct CommandError: Error {
        let sentence: String
        init(_ sentence: String) { self.sentence = sentence }
    }

    mutating func answer(_ line: String, _ network: VirtualRadioNetwork) -> String {
        followWalls(of: network)
        var answer = JSONBuilder()
        do throws(CommandError) {
            answer.add("ok", true)
            try run(line.split(whereSeparator: \.isWhitespace), network, &answer)
        } catch {
            answer = JSONBuilder()
            answer.add("ok", false)
            answer.add("error", error.sentence)
        }
        return "{\(String(decoding: answer.octets, as: UTF8.self))}"
    }

    private mutating func run(
        _ words: [Substring], _ network: VirtualRadioNetwork, _ answer: inout JSONBuilder
    ) throws(CommandError) {
        switch (words.first, words.count) {
        case ("list", 1):
            answer.add(
                "devices",
                list: { list in
                    for device in network.devices { list.addElement(object: { describe(device, &$0) }) }
                })
        case ("move", 4), ("move", 5):
            let device = try device(words[1], network)
            let z = words.count == 5 ? try coordinate(words[4]) : 0
            network.radio.move(
                device.controller, to: RadioPosition(x: try coordinate(words[2]), y: try coordinate(words[3]), z: z))
        case ("loss", 3):
            guard let percent = Double(String(words[2])), (0...100).contains(percent) else {
                throw CommandError("\(shown(words[2])) is not a loss: write a percentage from 0 to 100.")
            }
            if words[1] == "all" {
                network.radio.configuration.loss = percent / 100
            } else {
                network.radio.setLoss(percent / 100, of: try device(words[1], network).controller)
            }
        case ("drop", 2): network.removeDevice(try device(words[1], network).slot)
        case ("beacon", 3...) where words[1] == "add":
            let (device, address) = try addBeacon(words.dropFirst(2), network)
            answer.add("number", device.number)
            answer.add("address", address)
        case ("beacon", 3) where words[1] == "remove": try removeBeacon(words[2], network)
        case ("wall", 2) where words[1] == "list":
            answer.add(
                "walls",
                list: { list in
                    for entry in walls { list.addElement(object: { describe(entry, &$0) }) }
                })
        case ("wall", 7) where words[1] == "add": answer.add("wall", try addWall(words, network))
        case ("wall", 3) where words[1] == "remove": try removeWall(words[2], network)
        default:
            throw CommandError(
                "\(shown(words.joined(separator: " "))) is not a command of a radio: write list, move DEVICE X Y [Z], loss DEVICE|all PERCENT, wall add X1 Y1 X2 Y2 DECIBELS, wall remove NUMBER, wall list, beacon add NAME KEY=VALUE..., beacon remove NAME or drop DEVICE."
            )
        }
    }

    // MARK: Devices

    func device(_ word: Substring, _ network: VirtualRadioNetwork) throws(CommandError) -> NetworkDevice {
        let devices = network.devices
        let number = Int(word)
        guard let device = devices.first(where: { $0.number == number || $0.name == word }) else {
            throw CommandError("There is no device \(shown(word)) on this radio: list shows the devices.")
        }
        return device
    }

    private func coordinate(_ word: Substring) throws(CommandError) -> Double {
        guard let value = RadioPosition.coordinate(word) else {
            throw CommandError("\(shown(word)) is not a coordinate: write a number of metres, at most 100000.")
        }
        return value
    }

    private func describe(_ device: NetworkDevice, _ text: inout JSONBuilder) {
        text.add("number", device.number)
        text.add("name", device.name)
        if let address = device.status.address { text.add("address", address) }
        if let platform = device.platform { text.add("platform", platform) }
        text.add("x", device.status.position.x)
        text.add("y", device.status.position.y)
        text.add("z", device.status.position.z)
        text.add("loss", (device.status.loss * 1e8).rounded() / 1e6)
        text.add("advertising", device.status.isAdvertising)
        text.add("scanning", device.status.isScanning)
        text.add("connecting", device.status.isConnecting)
        text.add("links", device.status.linkCount)
    }

    // MARK: Walls

    /// Takes over the walls that a world file added or removed.
    private mutating func followWalls(of network: VirtualRadioNetwork) {
        let present = network.radio.configuration.walls
        guard present != walls.map(\.wall) else { return }
        var rest = present
        walls.removeAll { entry in
            guard let index = rest.firstIndex(of: entry.wall) else { return true }
            rest.remove(at: index)
            return false
        }
        for wall in rest {
            wallCount += 1
            walls.append((wallCount, wall))
        }
        network.radio.configuration.walls = walls.map(\.wall)
    }

    private mutating func addWall(_ words: [Substring], _ network: VirtualRadioNetwork) throws(CommandError) -> Int {
        guard let attenuation = Double(String(words[6])), (0...200).contains(attenuation) else {
            throw CommandError("\(shown(words[6])) is not an attenuation: write a number of decibels from 0 to 200.")
        }
        guard walls.count < Self.wallLimit else {
            throw CommandError("There are \(Self.wallLimit) walls already: remove one first.")
        }
        let start = RadioPosition(x: try coordinate(words[2]), y: try coordinate(words[3]))
        let end = RadioPosition(x: try coordinate(words[4]), y: try coordinate(words[5]))
        wallCount += 1
        walls.append((wallCount, RadioWall(from: start, to: end, attenuation: attenuation)))
        network.radio.configuration.walls = walls.map(\.wall)
        return wallCount
    }

    private mutating func removeWall(_ word: Substring, _ network: VirtualRadioNetwork) throws(CommandError) {
        guard let number = Int(word), let index = walls.firstIndex(where: { $0.number == number }) else {
            throw CommandError("There is no wall \(shown(word)): wall list shows the walls.")
        }
        walls.remove(at: index)
        network.radio.configuration.walls = walls.map(\.wall)
    }

    private func describe(_ entry: (number: Int, wall: RadioWall), _ text: inout JSONBuilder) {
        text.add("wall", entry.number)
        text.add("x1", entry.wall.start.x)
        text.add("y1", entry.wall.start.y)
        text.add("x2", entry.wall.end.x)
        text.add("y2", entry.wall.end.y)
        text.add("decibels", entry.wall.attenuation)
    }

    func shown(_ word: some StringProtocol) -> String { "\"" + word.prefix(60) + "\"" }
}
