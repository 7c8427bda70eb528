import BLEAdapter
import BLEController
import BLEWire

/// Carries out what the control socket of a radio is asked for: a line of words in, a line of JSON out. On the engine's queue
/// alone. Documentation/Radio.md has the lines.
struct RadioControl {
    static let wallLimit = 256
    /// Walls have numbers, which are never given out again.
    private var walls: [(number: Int, wall: RadioWall)] = []
    private var wallCount = 0

    struct Refusal: Error {
        let sentence: String
        init(_ sentence: String) { self.sentence = sentence }
    }

    mutating func answer(_ line: String, _ scene: RadioScene) -> String {
        var answer = JSONText()
        do throws(Refusal) {
            answer.add("ok", true)
            try carryOut(line.split(whereSeparator: \.isWhitespace), scene, &answer)
        } catch {
            answer = JSONText()
            answer.add("ok", false)
            answer.add("error", error.sentence)
        }
        return answer.closed
    }

    private mutating func carryOut(
        _ words: [Substring], _ scene: RadioScene, _ answer: inout JSONText
    ) throws(Refusal) {
        switch (words.first, words.count) {
        case ("list", 1): answer.add("devices", scene.guests.map(describe))
        case ("move", 4), ("move", 5):
            let guest = try guest(words[1], scene)
            let z = words.count == 5 ? try coordinate(words[4]) : 0
            scene.radio.move(
                guest.controller, to: RadioPosition(x: try coordinate(words[2]), y: try coordinate(words[3]), z: z))
        case ("loss", 3):
            guard let percent = Double(String(words[2])), (0...100).contains(percent) else {
                throw Refusal("\(shown(words[2])) is no loss: it goes from 0 to 100 percent.")
            }
            if words[1] == "all" {
                scene.radio.configuration.loss = percent / 100
            } else {
                scene.radio.setLoss(percent / 100, of: try guest(words[1], scene).controller)
            }
        case ("drop", 2): scene.endGuest(try guest(words[1], scene).member)
        case ("beacon", 3...) where words[1] == "add":
            let (guest, address) = try addBeacon(words.dropFirst(2), scene)
            answer.add("number", guest.serial)
            answer.add("address", address.description)
        case ("beacon", 3) where words[1] == "remove": try removeBeacon(words[2], scene)
        case ("wall", 2) where words[1] == "list": answer.add("walls", walls.map(describe))
        case ("wall", 7) where words[1] == "add": answer.add("wall", try addWall(words, scene))
        case ("wall", 3) where words[1] == "remove": try removeWall(words[2], scene)
        default:
            throw Refusal(
                "\(shown(words.joined(separator: " "))) is nothing a radio can do: write list, move DEVICE X Y [Z], loss DEVICE|all PERCENT, wall add X1 Y1 X2 Y2 DECIBELS, wall remove NUMBER, wall list, beacon add NAME KEY=VALUE..., beacon remove NAME or drop DEVICE."
            )
        }
    }

    // MARK: Devices

    func guest(_ word: Substring, _ scene: RadioScene) throws(Refusal) -> RadioGuest {
        let guests = scene.guests
        let number = Int(word)
        guard let guest = guests.first(where: { $0.serial == number || $0.name == word }) else {
            throw Refusal("There is no device \(shown(word)) on this radio: list shows those that are.")
        }
        return guest
    }

    private func coordinate(_ word: Substring) throws(Refusal) -> Double {
        guard let value = RadioPosition.coordinate(word) else {
            throw Refusal("\(shown(word)) is no coordinate: it is a number of metres, at most 100000.")
        }
        return value
    }

    private func describe(_ guest: RadioGuest) -> JSONText {
        var text = JSONText()
        text.add("number", guest.serial)
        text.add("name", guest.name)
        if let address = guest.status.address { text.add("address", address.description) }
        text.add("x", guest.status.position.x)
        text.add("y", guest.status.position.y)
        text.add("z", guest.status.position.z)
        text.add("loss", (guest.status.loss * 1e8).rounded() / 1e6)
        text.add("advertising", guest.status.isAdvertising)
        text.add("scanning", guest.status.isScanning)
        text.add("connecting", guest.status.isConnecting)
        text.add("links", guest.status.linkCount)
        return text
    }

    // MARK: Walls

    private mutating func addWall(_ words: [Substring], _ scene: RadioScene) throws(Refusal) -> Int {
        guard let attenuation = Double(String(words[6])), (0...200).contains(attenuation) else {
            throw Refusal("\(shown(words[6])) is not what a wall costs: it is a number of decibels from 0 to 200.")
        }
        guard walls.count < Self.wallLimit else {
            throw Refusal("There are \(Self.wallLimit) walls already: remove one first.")
        }
        let start = RadioPosition(x: try coordinate(words[2]), y: try coordinate(words[3]))
        let end = RadioPosition(x: try coordinate(words[4]), y: try coordinate(words[5]))
        wallCount += 1
        walls.append((wallCount, RadioWall(from: start, to: end, attenuation: attenuation)))
        scene.radio.configuration.walls = walls.map(\.wall)
        return wallCount
    }

    private mutating func removeWall(_ word: Substring, _ scene: RadioScene) throws(Refusal) {
        guard let number = Int(word), let index = walls.firstIndex(where: { $0.number == number }) else {
            throw Refusal("There is no wall \(shown(word)): wall list shows those that are.")
        }
        walls.remove(at: index)
        scene.radio.configuration.walls = walls.map(\.wall)
    }

    private func describe(_ entry: (number: Int, wall: RadioWall)) -> JSONText {
        var text = JSONText()
        text.add("wall", entry.number)
        text.add("x1", entry.wall.start.x)
        text.add("y1", entry.wall.start.y)
        text.add("x2", entry.wall.end.x)
        text.add("y2", entry.wall.end.y)
        text.add("decibels", entry.wall.attenuation)
        return text
    }

    func shown(_ word: some StringProtocol) -> String { "\"" + word.prefix(60) + "\"" }
}
