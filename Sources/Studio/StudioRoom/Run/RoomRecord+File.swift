import Foundation
import Phrases

extension RoomRecord {
    /// The room as a world file: its events are those of the world, and the commands of the user at their times. Opened and run, it has the same
    /// packets. Changes without an effect, such as a move of a device that has left, are not in it.
    package var file: WorldFile { written.file }

    /// The file, and the indices of its events that are not commands of the user.
    package var written: (file: WorldFile, plan: [Int]) {
        var file = world
        var plan: [Int] = []
        var content = WorldContent(world)
        for entry in entries where !entry.hasFailed && content.admits(entry.change) {
            if entry.isPlanned { plan.append(file.events.count) }
            file.events.append(WorldFile.Event(at: .nanoseconds(entry.time), entry.change))
        }
        return (file, plan)
    }

    /// The name of the file that a browser suggests: the letters and digits of the world's name.
    package var fileName: String {
        let letters = (world.name ?? scene).map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let name = String(letters.prefix(40)).split(separator: "-").joined(separator: "-").lowercased()
        return "\(name.isEmpty ? "room" : name).world.yaml"
    }

    /// Reads a room from the text of a world file, which names no files of this machine.
    ///
    /// - Throws: `PhrasedError` with the first error.
    package init(text: String, programs: [WorldProgramKind]) throws(PhrasedError) {
        let file = "world"
        do throws(WorldFileError) {
            self.init(opening: try WorldFile(text: text, file: file, programs: programs))
        } catch {
            throw PhrasedError(world: error, file: file)
        }
    }

    /// Reads a room from a world file, and the profiles that it names.
    ///
    /// - Throws: `WorldFileError` with all errors.
    package init(path: String, programs: [WorldProgramKind]) throws(WorldFileError) {
        var world = try WorldFile(path: path, programs: programs)
        // A room is kept without the folder of its file.
        world.devices = world.devices.map { $0.inlined }
        world.events = world.events.map { event in
            guard case .add(let device) = event.change else { return event }
            return WorldFile.Event(at: event.time, .add(device.inlined), place: event.place)
        }
        self.init(opening: world)
    }

    /// What the file has and a room cannot run: a sentence for each.
    package var notes: [Phrase] {
        let added = entries.compactMap { entry in
            if case .add(let device) = entry.change { device } else { nil }
        }
        var notes = (world.devices + added).compactMap { device -> Phrase? in
            guard case .scripts = device.body else { return nil }
            return Phrase(
                "The room does not run the script of \(device.id): bluelab test and bluelab radio --world do (key “script”).",
                "房间不运行 \(device.id) 的脚本；bluelab test 和 bluelab radio --world 会运行（键“script”）。")
        }
        if !world.expectations.isEmpty {
            notes.append(
                Phrase(
                    "The room does not check what the world expects: bluelab test does (key “expect”).",
                    "房间不检查这个世界的期望；bluelab test 会检查（键“expect”）。"))
        }
        return notes
    }
}

extension WorldFile.Device {
    /// The device with the content of the files that it names.
    fileprivate var inlined: WorldFile.Device {
        var device = self
        switch body {
        case .profile(.file(_, let profile)): device.body = .profile(.inline(profile))
        case .scripts(let scripts): device.body = .scripts(scripts.map { .inline($0.script) })
        default: break
        }
        return device
    }
}

extension PhrasedError {
    /// The first error of a world file as a sentence. `file` is the name with which it was read.
    package init(world error: WorldFileError, file: String) {
        let line = error.lines.first ?? ""
        // `world:5:51: expected ...`
        let parts = line.split(separator: ":", maxSplits: 3)
        let number = parts.count == 4 && parts[0] == file ? Int(parts[1]) : nil
        let problem =
            number == nil
            ? Phrase(data: line) : WorldProblems.phrase(parts[3].trimmingCharacters(in: .whitespaces))
        let text =
            number.map {
                Phrase("The world cannot be opened: line \($0): \(problem)", "无法打开这个世界：第 \($0) 行：\(problem)")
            } ?? Phrase("The world cannot be opened: \(problem)", "无法打开这个世界：\(problem)")
        let rest = error.lines.count - 1
        self.init(
            "world-invalid", text,
            next: rest > 0 ? Phrase("\(rest) more errors follow it.", "后面还有 \(rest) 个错误。") : nil)
    }
}

/// What a world has at one time, as the reader of world files sees it.
private struct WorldContent {
    private var devices: [String: (body: WorldFile.Device.Body, isOn: Bool)] = [:]
    private var walls: Set<String>
    private var names: Set<String>

    init(_ world: WorldFile) {
        walls = Set(world.walls.map(\.id))
        names = Set(world.devices.map(\.id))
        for device in world.devices { devices[device.id] = (device.body, device.isOn) }
    }

    /// Whether a file can have the change at this time. Notes what it changes.
    mutating func admits(_ change: WorldFile.Event.Change) -> Bool {
        switch change {
        case .add(let device):
            guard names.count < WorldFile.Limit.devices, names.insert(device.id).inserted else { return false }
            devices[device.id] = (device.body, device.isOn)
            return true
        case .remove(let id): return devices.removeValue(forKey: id) != nil
        case .power(let id, let isOn):
            devices[id]?.isOn = isOn
            return devices[id] != nil
        case .press(let id, _, _), .restart(let id), .fault(let id, _), .removeFaults(let id):
            return devices[id]?.isOn == true
        case .move(let id, _, _), .loss(let id, _), .rename(let id, _), .platform(let id, _): return devices[id] != nil
        case .wall(let wall):
            guard walls.contains(wall.id) || walls.count < WorldFile.Limit.walls else { return false }
            walls.insert(wall.id)
            return true
        case .removeWall(let id): return walls.remove(id) != nil
        case .environment: return true
        }
    }
}
