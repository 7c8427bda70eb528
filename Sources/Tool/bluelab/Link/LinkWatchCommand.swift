import ArgumentParser
import CoreBluetooth
import DeviceLink

struct LinkWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print the events of a device, and the ways that reach it, until Ctrl-C.",
        discussion: "Example: bluelab link watch lamp-1 --key-file lamp.key --json")

    @OptionGroup var options: LinkOptions
    @OptionGroup var places: LinkAddressOptions

    func validate() throws { try places.validate(for: options.chosenWays) }

    func run() async throws {
        let interruption = Interruption()
        let key = try options.key()
        if options.chosenWays.contains(.bluetooth) { try options.client.apply(isService: true) }
        let queue = DispatchQueue(label: "bluelab.link")
        let (events, continuation) = AsyncStream.makeStream(of: DeviceConnection.Event.self)
        let ways = try options.deviceWays(key, at: places, queue: queue)
        let link = DeviceConnection(to: options.device, over: ways, queue: queue) { continuation.yield($0) }
        link.start()
        defer {
            link.close()
            queue.sync {}
        }
        Task {
            await interruption.wait()
            continuation.finish()
        }
        for await event in events { try report(event) }
    }

    private func report(_ event: DeviceConnection.Event) throws {
        let json = options.client.json
        switch event {
        case .way(let way):
            let record = LinkTransportRecord(way: way)
            try emit(json ? jsonLine(record, type: "link-way") : say(way.map { "Over \($0)." } ?? "No way works."))
        case .wayFailed(let way, let reason): printError("\(way): \(ValueText.printable(reason))")
        case .event(let op, let args):
            let record = LinkEventRecord(op: op, args: args)
            try emit(json ? jsonLine(record, type: "link-event") : "\(ValueText.printable(op)) \(args.json)")
        case .missedEvents(let count):
            let record = LinkMissedRecord(count: count)
            try emit(json ? jsonLine(record, type: "link-missed") : say("\(count) events were lost."))
        }
    }
}

struct LinkTransportRecord: Encodable {
    let way: String?
}

struct LinkEventRecord: Encodable {
    let op: String
    let args: LinkValue
}

struct LinkMissedRecord: Encodable {
    let count: Int
}
