import ArgumentParser
import Foundation

/// The options of all commands that use an adapter.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller, as in BLUETOOTH_CONTROLLER: hci0, radio, tcp:HOST:PORT and others.",
            valueName: "controller"))
    var controller: String?

    @Flag(help: "Print one JSON object per line.")
    var json = false

    /// Selects the controller. Call it before the first manager is created.
    func apply() {
        if let controller { setenv("BLUETOOTH_CONTROLLER", controller, 1) }
    }
}

/// The device and the time limit.
struct DeviceOptions: ParsableArguments {
    @Argument(
        help: "The device: its identifier, its address, its name, or a part of one.",
        completion: .custom { _, _, _ in KnownDevices.words })
    var device: String

    @Option(
        help: ArgumentHelp("The time limit of the search, and of the connection.", valueName: "seconds"),
        transform: positiveSeconds
    )
    var timeout: Duration = .seconds(10)

    func validate() throws {
        if device.isEmpty {
            throw ValidationError("the device must be an identifier, an address, a name, or a part of one.")
        }
    }

    /// Finds the device and connects to it.
    @MainActor
    func connect(_ client: CentralClient) async throws -> ConnectedDevice {
        if let connected = ToolSession.current?.device(fitting: device) { return connected }
        try await client.powerOn(timeout)
        let (peripheral, seen) = try await DeviceSearch(wanted: device).locate(with: client, timeout)
        try await client.connect(peripheral, within: timeout)
        let connected = ConnectedDevice(client: client, peripheral: peripheral, seen: seen)
        ToolSession.current?.keep(connected)
        return connected
    }
}

/// A time option in seconds, above 0.
func positiveSeconds(_ text: String) throws -> Duration {
    guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= 1_000_000 else {
        throw ValidationError("a time must be a number of seconds above 0.")
    }
    return .seconds(seconds)
}

/// A count option, above 0.
func positiveCount(_ text: String) throws -> Int {
    guard let count = Int(text), count > 0 else { throw ValidationError("a count must be a whole number above 0.") }
    return count
}
