import ArgumentParser
import Foundation

/// The options of all commands that use an adapter.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller, as in BLUETOOTH_CONTROLLER: bluez, hci0, radio and others; bluelab help adapters lists them.",
            valueName: "controller"), completion: .custom { _, _, _ in ControllerSelection.words })
    var controller: String?

    @Flag(help: "Print one JSON object per line.")
    var json = false

    /// Selects the controller. Call it before the first manager is created.
    ///
    /// - Parameter isService: Whether the command goes on without a controller.
    func apply(isService: Bool = false) throws {
        try ControllerSelection.apply(controller, isService: isService)
    }
}

/// The device and the time limit.
struct DeviceChoice: ParsableArguments {
    @Argument(
        help:
            "The device: its identifier, its address, its name, or a part of one; or a service that its row in scan shows.",
        completion: .custom { _, _, _ in KnownDevices.words })
    var device: String

    @Option(
        shown: "The time limit of the search, and of the connection.", valueName: "seconds", transform: positiveSeconds)
    var timeout: Duration = .seconds(10)

    func validate() throws {
        if device.isEmpty {
            throw ValidationError("the device must be an identifier, an address, a name, or a part of one.")
        }
    }
}

/// The device that a command connects to.
struct DeviceOptions: ParsableArguments {
    @OptionGroup var choice: DeviceChoice
    @OptionGroup var pairing: PairingOptions

    var device: String { choice.device }
    var timeout: Duration { choice.timeout }

    /// Finds the device and connects to it.
    @MainActor
    func connect(_ client: CentralClient) async throws -> ConnectedDevice {
        if let connected = ToolSession.current?.device(fitting: device) { return connected }
        try await client.powerOn(timeout)
        client.pairing = pairing.watch()
        let (peripheral, seen) = try await DeviceQuery(wanted: device).locate(with: client, timeout)
        try await client.connect(peripheral, within: timeout)
        let connected = ConnectedDevice(client: client, peripheral: peripheral, seen: seen)
        ToolSession.current?.keep(connected)
        return connected
    }
}

/// A time option in seconds, above 0.
func positiveSeconds(_ text: String) throws -> Duration {
    guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= 1_000_000 else {
        throw ValidationError("a time must be a number of seconds above 0 and at most 1000000, such as 10 or 0.5.")
    }
    return .seconds(seconds)
}

/// A count option, above 0.
func positiveCount(_ text: String) throws -> Int {
    guard let count = Int(text), count > 0 else {
        throw ValidationError("a count must be a whole number above 0, such as 10.")
    }
    return count
}
