import ArgumentParser
import CoreBluetooth
import ImprovWiFi

struct ProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Give a device the credentials of a Wi-Fi network, by Improv Wi-Fi.",
        discussion: """
            Example: bluelab provision --name Lamp --list
            Example: bluelab provision --name Lamp --network home --password-file wifi.txt

            Finds the first device with the Improv service, or the one with the name. The password comes from a file, from the environment \
            variable BLUETOOTH_WIFI_PASSWORD, or from a prompt; never from the command line, which other users of the machine can read. Bluetooth \
            carries it without encryption: provision a device where no stranger is near.
            """)

    @OptionGroup var options: ClientOptions

    @Option(help: ArgumentHelp("The name that the device advertises.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("The name of the network: 1 to 32 octets.", valueName: "name"))
    var network: String?

    @Option(
        help: ArgumentHelp(
            "A file with the password that only you can read; an empty one for an open network. Otherwise BLUETOOTH_WIFI_PASSWORD, or a prompt.",
            valueName: "file"))
    var passwordFile: String?

    @Flag(help: "Tell the device to show which one it is, such as with a light.")
    var identify = false

    @Flag(help: "List the networks that the device sees.")
    var list = false

    @Option(
        shown: "The time limit of the search, and of each answer.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(45)

    @OptionGroup var pairing: PairingOptions

    func validate() throws {
        if network == nil, !identify, !list {
            throw ValidationError("give --network, --identify or --list.")
        }
    }

    func run() async throws {
        let credentials = try credentials()
        // After the prompt, which handles signals itself.
        let interruption = Interruption()
        try options.apply()
        let (events, continuation) = AsyncStream.makeStream(of: ImprovCentral.Event.self)
        var timing = ImprovTiming()
        timing.answer = timeout
        let central = ImprovCentral(
            peer: name.map { .named($0) } ?? .any, timing: timing, queue: DispatchQueue(label: "bluelab.provision")
        ) { continuation.yield($0) }
        Task {
            await interruption.wait()
            continuation.finish()
        }
        central.start()
        let watching = await pairing.watch()
        try await follow(events, central, credentials)
        withExtendedLifetime(watching) {}
    }

    private func credentials() throws -> WiFiCredentials? {
        guard let network else { return nil }
        let password = try SecretInput(
            name: "password", variable: "BLUETOOTH_WIFI_PASSWORD", option: "--password-file"
        ).read(file: passwordFile)
        guard let credentials = try? WiFiCredentials(network: network, password: password) else {
            throw ToolError(
                .usage, "the name of a network has 1 to 32 octets, and a password at most 64.",
                "Check --network and the password.")
        }
        return credentials
    }

    private func follow(
        _ events: AsyncStream<ImprovCentral.Event>, _ central: ImprovCentral, _ credentials: WiFiCredentials?
    ) async throws {
        var waiting = 0
        var failure: ToolError?
        for await event in events {
            switch event {
            case .ready(let state, let capabilities):
                if state == .authorizationRequired {
                    printError("The device wants to be authorised: press its button.")
                }
                if identify {
                    if capabilities.contains(.identify) {
                        central.identify()
                        waiting += 1
                    } else {
                        printError("The device cannot show which one it is.")
                    }
                }
                if list {
                    central.requestNetworks()
                    waiting += 1
                }
                if let credentials {
                    central.provision(credentials)
                    waiting += 1
                }
                if waiting == 0 { central.disconnect() }
            case .state(let state): if !options.json { printError(Self.text(of: state)) }
            case .identified: waiting -= 1
            case .networks(let networks):
                waiting -= 1
                for network in networks { try report(network) }
            case .provisioned(let addresses):
                waiting -= 1
                let record = ProvisionedRecord(network: network ?? "", addresses: addresses)
                if options.json {
                    try emit(jsonLine(record, type: "provisioned"))
                } else {
                    try emit(say("The device has joined \(ValueText.printable(record.network))."))
                    for address in addresses { try emit(say("Continue at \(ValueText.printable(address))")) }
                }
            case .information: break
            case .commandFailed(let error):
                waiting -= 1
                failure = failure ?? Self.failure(error)
            case .ended(let error):
                if let failure { throw failure }
                if let error { throw Self.failure(error) }
                return
            }
            if waiting == 0 { central.disconnect() }
        }
        throw ToolError(.interrupted)
    }

    private func report(_ network: VisibleNetwork) throws {
        let record = VisibleNetworkRecord(
            network: network.name, signal: network.signal, security: network.security)
        if options.json {
            try emit(jsonLine(record, type: "visible-network"))
        } else {
            try emit(
                "\(network.signal) dBm  \(ValueText.printable(network.security))  \(ValueText.printable(network.name))")
        }
    }

    private static func text(of state: ImprovState) -> String {
        switch state {
        case .authorizationRequired: "The device wants to be authorised: press its button."
        case .authorized: "The device takes credentials."
        case .provisioning: "The device joins the network."
        case .provisioned: "The device is on a network."
        default: "The device is in the state \(state.rawValue)."
        }
    }

    private static func failure(_ error: ImprovClientError) -> ToolError {
        switch error {
        case .noDevice:
            ToolError(
                .notFound, "no device with the Improv service was found.",
                "Bring the device near, and start its provisioning; or look with: bluelab scan")
        case .noService: ToolError(.failed, "the device has no complete Improv service.")
        case .linkLost: ToolError(.failed, "the Bluetooth link has ended.", "Try again nearer to the device.")
        case .noAnswer: ToolError(.timeout, "the device did not answer in time.", "Try again, or give --timeout.")
        case .refused(.unableToConnect):
            ToolError(.refused, "the device could not join the network.", "Check the name and the password.")
        case .refused(.notAuthorized):
            ToolError(.security, "the device is not authorised.", "Press its button, then try again.")
        case .refused(let error): ToolError(.refused, "the device shows the error \(error.rawValue).")
        case .invalidAnswer: ToolError(.failed, "the device sent octets that are no valid answer.")
        case .notPoweredOn: .unusableController
        }
    }
}

struct ProvisionedRecord: Encodable {
    let network: String
    let addresses: [String]
}

struct VisibleNetworkRecord: Encodable {
    let network: String
    let signal: Int
    let security: String
}
