import BLEAdapter
import DeviceFiles
import Glibc
import WorldFiles

@testable import DurableQueue
@testable import ImprovWiFi

/// Formats that other programs write: packets of Improv, files of a durable queue, worlds and profiles.
enum FormatTarget {
    static func run(_ input: inout Input) {
        switch input.octet() % 5 {
        case 0: checkPacket(input.rest())
        case 1: checkProvisioning(&input)
        case 2: checkQueue(&input)
        case 3: checkWorld(String(decoding: input.rest(), as: UTF8.self))
        default: checkProfile(String(decoding: input.rest(), as: UTF8.self))
        }
    }

    // MARK: Worlds

    /// A world that is read equals the one that is read after it was written.
    private static func checkWorld(_ text: String) {
        guard let world = try? WorldFile(text: text, file: "world.yaml") else { return }
        let written = world.yaml
        do throws(WorldFileError) {
            require(try WorldFile(text: written, file: "world.yaml") == world, "a world has two forms: \(written)")
        } catch {
            fatalError("a world that was written is not read: \(error), \(written)")
        }
    }

    private static func checkProfile(_ text: String) {
        guard let profile = try? DeviceProfile(text: text, file: "profile.yaml") else { return }
        let written = profile.yaml()
        do throws(YAMLError) {
            let again = try DeviceProfile(text: written, file: "profile.yaml")
            require(again == profile, "a profile has two forms: \(written)")
        } catch {
            fatalError("a profile that was written is not read: \(error), \(written)")
        }
    }

    // MARK: Improv

    private static func checkPacket(_ octets: [UInt8]) {
        guard let packet = ImprovPacket(decoding: octets) else { return }
        require(packet.encoded == octets, "a packet has two forms")
        _ = packet.strings
        if let credentials = packet.credentials {
            require(ImprovPacket.join(credentials) == packet, "credentials have two forms")
        }
    }

    /// A device whose commands come in parts, with time between them.
    private static func checkProvisioning(_ input: inout Input) {
        var machine = ProvisioningMachine(
            capabilities: [], information: nil, requiresAuthorization: input.octet() & 1 == 0, timing: ImprovTiming())
        var now = Duration.zero
        var attempts = 0
        while !input.isAtEnd {
            let what = input.octet()
            switch what % 6 {
            case 0: machine.authorize(at: now)
            case 1: machine.linkEnded()
            case 2: machine.joined(attempt: Int(input.octet()), .failure(.unableToConnect), at: now)
            case 3: machine.scanned([])
            case 4:
                now += .seconds(Int(what))
                for _ in 0..<8 where machine.deadline.map({ $0 <= now }) == true { machine.handleTimeout(at: now) }
                require(machine.deadline.map { $0 > now } ?? true, "a deadline repeats at one instant")
            default: machine.receive(input.block(), at: now)
            }
            for action in machine.takeActions() { if case .join = action { attempts += 1 } }
        }
        require(attempts <= 512, "\(attempts) attempts")
    }

    // MARK: The queue

    /// A queue whose files hold any octets: what it returns is in order, and it works on.
    private static func checkQueue(_ input: inout Input) {
        let folder = "/dev/shm/fuzz-queue-\(getpid())"
        mkdir(folder, 0o700)
        empty(folder)
        defer {
            empty(folder)
            rmdir(folder)
        }
        let first = UInt64(input.octet())
        let segment = Segment(first: first, octets: 0)
        // With a header of its own, most inputs reach the messages.
        let content = input.octet() & 1 == 0 ? input.rest() : segment.header + input.rest()
        write(content, to: "\(folder)/\(segment.name)")
        guard let queue = try? DurableQueue(folder: folder) else { return }
        var last: UInt64?
        var count = 0
        while let message = try? queue.next() {
            require(last.map { message.sequence > $0 } ?? true, "messages are out of order")
            last = message.sequence
            count += 1
            require(count <= 512, "more messages than octets")
        }
        guard let added = try? queue.append([1, 2, 3]) else { return }
        require(last.map { added > $0 } ?? true, "a number is used twice")
        require((try? queue.next())?.content == [1, 2, 3], "a new message does not come back")
    }

    /// Removes the files of a folder.
    private static func empty(_ folder: String) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            unlink("\(folder)/\(name)")
        }
    }

    private static func write(_ octets: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        defer { fclose(file) }
        _ = fwrite(octets, 1, octets.count, file)
    }
}
