import ArgumentParser
import BLEAdapter
import CoreBluetooth
import DeviceLink

struct LinkAskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Send a device one request or many, and print the results.",
        discussion: """
            Example: bluelab link ask lamp-1 get --key-file lamp.key
            Example: bluelab link ask lamp-1 set '{"on":true}' --key-file lamp.key
            Example: bluelab link ask lamp-1 get --way network --at 192.0.2.7:7000

            Example: seq -f 'set {"level":%g}' 100 | bluelab link ask lamp-1 - --json

            The message of a failure says whether the device can have carried out the request. With the operation - each line of the standard input \
            is a request: an operation, and its arguments after a space. The device carries them out in order.
            """)

    @OptionGroup var options: LinkOptions

    @Argument(help: "The operation: 1 to 64 octets; - for requests from the standard input.")
    var operation: String

    @Argument(help: "The arguments, as JSON.")
    var arguments: String?

    @OptionGroup var places: LinkAddressOptions

    func validate() throws { try places.validate(for: options.chosenWays) }

    @Option(shown: "The time limit of the request.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(30)

    func run() async throws {
        let key = try options.key()
        let value = try LinkAskCommand.value(of: arguments)
        guard operation != "-" || arguments == nil else {
            throw ToolError(.usage, "the arguments of the operation - come from the standard input.")
        }
        if options.chosenWays.contains(.bluetooth) { try options.client.apply(isService: true) }
        let queue = DispatchQueue(label: "bluelab.link")
        let ways = try options.deviceWays(key, at: places, queue: queue)
        let used = LastTransport()
        let link = DeviceConnection(to: options.device, over: ways, queue: queue) { event in
            switch event {
            case .way(let way): used.name = way ?? used.name
            case .wayFailed(let way, let reason): printError("\(way): \(ValueText.printable(reason))")
            default: break
            }
        }
        link.start()
        defer {
            link.close()
            queue.sync {}
        }
        if operation == "-" { return try await askAll(link, used) }
        do {
            let result = try await link.request(operation, value, limit: timeout)
            let record = LinkReplyRecord(number: nil, way: queue.sync { used.name } ?? "", result: result)
            try emit(options.client.json ? jsonLine(record, type: "link-reply") : result.json)
        } catch {
            throw failure(error)
        }
    }

    /// The failure of the command because of an error of the link.
    func failure(_ error: any Error) -> any Error {
        switch error {
        case DeviceRequestError.unanswered(let failure):
            ToolError(
                failure.reason == .timeLimit ? .timeout : .failed, "\(failure)",
                "Tried \(options.chosenWays.map(\.rawValue).joined(separator: ", ")).")
        case DeviceRequestError.refused(let error):
            ToolError(
                .refused,
                "the device refused: \(ValueText.printable(error.message)) (\(ValueText.printable(error.code)))")
        case DeviceRequestError.notSubmitted(let error): ToolError(.usage, "\(error)")
        default: error
        }
    }

    static func value(of text: String?) throws -> LinkValue {
        guard let text else { return .null }
        do throws(LinkFormatError) {
            return try LinkValue(json: Array(text.utf8))
        } catch {
            throw ToolError(.usage, "the arguments are no JSON: \(error)", #"Try: '{"on":true}'"#)
        }
    }
}

/// The way of the latest answer.
final class LastTransport: Sendable {
    private let state = Lock<String?>(nil)
    var name: String? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Addresses by hand.
struct LinkAddressOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the device for the way network. Without it the device is looked for.",
            valueName: "host:port"))
    var at: LinkServerAddress?

    @Option(
        help: ArgumentHelp(
            "The IPv4 address of the device for the way direct. Without it the gateway of the default route.",
            valueName: "host:port"))
    var direct: LinkServerAddress?

    @Option(
        help: ArgumentHelp(
            "The IPv4 address of the device for the way http. Without it the gateway of the default route.",
            valueName: "host:port"))
    var http: LinkServerAddress?

    /// Refuses an address for a way that is not chosen.
    func validate(for ways: [LinkTransportName]) throws {
        let given: [(String, LinkTransportName, LinkServerAddress?)] = [
            ("--at", .network, at), ("--direct", .direct, direct), ("--http", .http, http),
        ]
        for (option, way, place) in given where place != nil && !ways.contains(way) {
            let others = given.filter { ways.contains($0.1) }.map { "\($0.0) for the way \($0.1.rawValue)" }
            throw ValidationError(
                "\(option) is the address for the way \(way.rawValue), which is not chosen"
                    + (others.isEmpty ? "." : ": give \(others.joined(separator: ", or ")))."))
        }
    }
}

struct LinkReplyRecord: Encodable {
    /// The number of the request, from 1; nil for the only one.
    let number: Int?
    let way: String
    let result: LinkValue
}
