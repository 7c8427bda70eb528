import ArgumentParser
import BLERuntime
import BLETransfer
import Foundation

struct TransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Send or receive a file, with flow control, a digest and resumption.",
        discussion: """
            One end publishes the transfer service; the other end names it and connects. Either end sends. Documentation/Transfer.md \
            describes the protocol, and the library BLETransfer implements it for programs.

            Example: bluelab transfer receive --output downloads
            Example: bluelab transfer send firmware.bin wristband
            """,
        subcommands: [TransferSendCommand.self, TransferReceiveCommand.self])
}

/// The options of both directions.
struct TransferOptions: ParsableArguments {
    @Flag(help: "Use an L2CAP channel instead of characteristics. Only with a device: the central chooses.")
    var channel = false

    @Option(
        help: ArgumentHelp("The advertised name of this end. Only without a device.", valueName: "name"))
    var advertise: String?

    @Option(shown: "The time limit of the search for the device.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(10)

    @Option(shown: "The time for which a lost device may be away.", valueName: "seconds", transform: positiveSeconds)
    var reconnect: Duration = .seconds(60)

    @OptionGroup var pairing: PairingOptions

    func validate(device: String?) throws {
        if device?.isEmpty == true {
            throw ValidationError("the device must be a name, an identifier, or a part of either.")
        }
        if device == nil, channel {
            throw ValidationError("--channel needs a device: the central chooses the carrier.")
        }
        if device != nil, advertise != nil { throw ValidationError("--advertise has no effect with a device.") }
    }

    var timing: TransferTiming { TransferTiming(linkLimit: reconnect) }

    /// The advertised name: by default that of the machine.
    var localName: String {
        if let advertise { return advertise }
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "bluelab" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Finds the device.
    @MainActor
    func find(_ wanted: String, with client: CentralClient) async throws -> UUID {
        try await client.powerOn(timeout)
        return try await DeviceQuery(wanted: wanted).find(with: client, timeout).identifier
    }
}

struct TransferSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a file.",
        discussion: """
            Sends to a device that runs `bluelab transfer receive` or the library's receiver. Without a device the command publishes the \
            service and sends to the first central that subscribes.

            Example: bluelab transfer send firmware.bin wristband
            Example: bluelab transfer send firmware.bin wristband --channel
            Example: bluelab transfer send firmware.bin --advertise Server
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var transfer: TransferOptions

    @Argument(help: "The file.", completion: .file())
    var file: String

    @Argument(help: "The device: its name, its identifier, or a part of either. Without it, this end advertises.")
    var device: String?

    @Option(help: ArgumentHelp("The name that the receiver gets; by default that of the file.", valueName: "name"))
    var name: String?

    func validate() throws { try transfer.validate(device: device) }

    func run() async throws {
        try options.apply()
        let source: TransferFile
        do {
            source = try TransferFile(path: file, name: name)
        } catch {
            throw ToolError(.usage, "\(error).", "Try: ls -l \(ShellWord.quoted(file))")
        }
        let run = await TransferRun(isSending: true, isJSON: options.json, fileName: source.name)
        try await run.run(.send(source), device: device, transfer)
    }
}

struct TransferReceiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive",
        abstract: "Receive a file.",
        discussion: """
            Publishes the transfer service and waits for a sender, or connects to a device that sends. The octets go to a partial file \
            beside the target, so another run continues after an interruption; the file gets its name when its digest matches.

            Example: bluelab transfer receive --output downloads
            Example: bluelab transfer receive server --output firmware.bin
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var transfer: TransferOptions

    @Argument(help: "The device: its name, its identifier, or a part of either. Without it, this end advertises.")
    var device: String?

    @Option(
        help: ArgumentHelp("The folder of the received file, or the path of the file.", valueName: "path"),
        completion: .file())
    var output = "."

    @Flag(help: "Replace a file of the same name.")
    var replace = false

    @Flag(help: "Wait for further files after the first. Only without a device.")
    var keep = false

    @Option(
        help: ArgumentHelp("Refuse files with more octets.", valueName: "octets"), transform: positiveCount)
    var limit: Int?

    func validate() throws {
        try transfer.validate(device: device)
        if keep, device != nil { throw ValidationError("--keep has no effect with a device.") }
        if output.isEmpty { throw ValidationError("--output must be a folder or the path of a file.") }
    }

    func run() async throws {
        try options.apply()
        let store = TransferFolder(path: output, largestSize: limit ?? Int(UInt32.max), replacesFiles: replace)
        try requireWritable()
        let run = await TransferRun(isSending: false, isJSON: options.json, store: store, keepsWaiting: keep)
        try await run.run(.receive(into: store), device: device, transfer)
    }

    /// Reports a folder that cannot take the file before a sender comes.
    private func requireWritable() throws {
        var information = stat()
        if stat(output, &information) == 0 {
            if access(output, W_OK) != 0 { throw ToolError.output(output, errno) }
        } else {
            let folder = (output as NSString).deletingLastPathComponent
            if access(folder.isEmpty ? "." : folder, W_OK) != 0 { throw ToolError.output(output, errno) }
        }
    }
}
