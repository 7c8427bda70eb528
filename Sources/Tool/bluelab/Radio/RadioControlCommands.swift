import ArgumentParser

/// A device's name or number as one word of a request.
private func word(_ device: String) throws -> String {
    guard !device.isEmpty, !device.contains(where: { $0.isWhitespace || $0.isNewline }) else {
        throw ValidationError("A device must be a name or a number of bluelab radio list, not \"\(device)\".")
    }
    return device
}

private let deviceHelp: ArgumentHelp = "The name or number in the output of bluelab radio list."

struct RadioListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices of a running radio with their positions and activities.",
        discussion: "  bluelab radio list --json")

    @Flag(help: "Print one JSON object per line.")
    var json = false
    @OptionGroup var radio: RadioNameOption

    func run() async throws {
        let devices = try await RadioAnswer.to("list", at: radio).devices ?? []
        let lines = json ? devices.map { jsonLine($0, type: "radio-device") } : Self.table(devices)
        for line in lines { try emit(line) }
    }

    static func table(_ devices: [RadioAnswer.Device]) -> [String] {
        guard !devices.isEmpty else { return [say("The radio has no devices.")] }
        var rows: [[String]] = [["", say("device"), say("address"), say("position"), say("loss"), say("doing")]]
        for device in devices {
            rows.append([
                String(device.number), device.name, device.address ?? say("none"),
                [device.x, device.y, device.z].map(number).joined(separator: " "), number(device.loss) + " %",
                activity(device),
            ])
        }
        // Most radios have no platform.
        if devices.contains(where: { $0.platform != nil }) {
            let column = [say("platform")] + devices.map { $0.platform ?? say("none") }
            for (index, text) in column.enumerated() { rows[index].insert(text, at: 3) }
        }
        let widths = rows[0].indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        return rows.map { row in
            var text = padded(row[0], widths[0])
            for column in 1..<row.count {
                text += "  " + (column == row.count - 1 ? row[column] : filled(row[column], widths[column]))
            }
            return text
        }
    }

    private static func activity(_ device: RadioAnswer.Device) -> String {
        var parts: [String] = []
        if device.advertising { parts.append(say("advertising")) }
        if device.scanning { parts.append(say("scanning")) }
        if device.connecting { parts.append(say("connecting")) }
        if device.links > 0 { parts.append(say(device.links == 1 ? "1 link" : "\(device.links) links")) }
        return parts.isEmpty ? say("nothing") : parts.joined(separator: ", ")
    }
}

struct RadioMoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move a device. All coordinates are in metres.",
        discussion: "  bluelab radio move wristband 3 -1.5")

    @Argument(help: deviceHelp) var device: String
    @Argument(help: "The x coordinate.") var x: Double
    @Argument(help: "The y coordinate.") var y: Double
    @Argument(help: "The height.") var z: Double = 0
    @OptionGroup var radio: RadioNameOption

    func validate() throws { _ = try word(device) }

    func run() async throws { _ = try await RadioAnswer.to("move \(word(device)) \(x) \(y) \(z)", at: radio) }
}

struct RadioLossCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loss", abstract: "Set the packet loss of one device or of all devices.",
        discussion: "  bluelab radio loss all 20")

    @Argument(help: "The name or number in the output of bluelab radio list, or all.") var device: String
    @Argument(help: "The packet loss in percent, 0 to 100.") var percent: Double
    @OptionGroup var radio: RadioNameOption

    func validate() throws {
        _ = try word(device)
        guard (0...100).contains(percent) else {
            throw ValidationError("Loss must be a percentage from 0 to 100, not \(percent).")
        }
    }

    func run() async throws { _ = try await RadioAnswer.to("loss \(word(device)) \(percent)", at: radio) }
}

struct RadioDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Disconnect a program from its controller, like the removal of a USB adapter.",
        discussion: "  bluelab radio drop wristband")

    @Argument(help: deviceHelp) var device: String
    @OptionGroup var radio: RadioNameOption

    func validate() throws { _ = try word(device) }

    func run() async throws { _ = try await RadioAnswer.to("drop \(word(device))", at: radio) }
}

struct RadioWallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wall", abstract: "Add, remove and list walls that attenuate signals.",
        discussion: """
              bluelab radio wall add 1 -5 1 5 20
              bluelab radio wall
              bluelab radio wall remove 1
            """,
        subcommands: [Add.self, Remove.self, List.self], defaultSubcommand: List.self)

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a wall of unlimited height between two points and print its number.",
            discussion: "  bluelab radio wall add 1 -5 1 5 20")

        @Argument(help: "The x coordinate of the start in metres.") var x1: Double
        @Argument(help: "The y coordinate of the start in metres.") var y1: Double
        @Argument(help: "The x coordinate of the end in metres.") var x2: Double
        @Argument(help: "The y coordinate of the end in metres.") var y2: Double
        @Argument(help: "The attenuation in dB: about 3 for plasterboard, 10 for brick, 20 for concrete.")
        var decibels: Double
        @OptionGroup var radio: RadioNameOption

        func run() async throws {
            let answer = try await RadioAnswer.to("wall add \(x1) \(y1) \(x2) \(y2) \(decibels)", at: radio)
            print(say("wall \(answer.wall ?? 0)"))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a wall.", discussion: "  bluelab radio wall remove 1")

        @Argument(help: "The number in the output of bluelab radio wall list.") var number: Int
        @OptionGroup var radio: RadioNameOption

        func run() async throws { _ = try await RadioAnswer.to("wall remove \(number)", at: radio) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the walls.", discussion: "  bluelab radio wall list --json")

        @Flag(help: "Print one JSON object per line.")
        var json = false
        @OptionGroup var radio: RadioNameOption

        func run() async throws {
            let walls = try await RadioAnswer.to("wall list", at: radio).walls ?? []
            guard !json else {
                for wall in walls { try emit(jsonLine(wall, type: "radio-wall")) }
                return
            }
            if walls.isEmpty { print(say("The radio has no walls.")) }
            for wall in walls {
                let ends = say(
                    "from (\(number(wall.x1)), \(number(wall.y1))) to (\(number(wall.x2)), \(number(wall.y2)))")
                print("\(say("wall \(wall.wall)"))  \(ends)  \(number(wall.decibels)) dB")
            }
        }
    }
}
