import ArgumentParser
import Foundation

/// What all commands that use an adapter have in common.
struct ClientOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller, in the words of BLUETOOTH_CONTROLLER: hci0, radio, tcp:HOST:PORT and so on.",
            valueName: "controller"))
    var controller: String?

    @Flag(help: "One JSON object a line on the standard output.")
    var json = false

    /// Chooses the controller. Must run before the first manager is made.
    func apply() {
        if let controller { setenv("BLUETOOTH_CONTROLLER", controller, 1) }
    }
}

/// Which device, and how long to try.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "The device: its name, its identifier, or a part of one.")
    var device: String

    @Option(
        help: ArgumentHelp("How long to search, and then to connect.", valueName: "seconds"), transform: positiveSeconds
    )
    var timeout: Duration = .seconds(10)

    func validate() throws {
        if device.isEmpty { throw ValidationError("the device is a name, an identifier, or a part of one.") }
    }

    /// Finds the device and connects to it.
    @MainActor
    func connect(_ client: CentralClient) async throws -> ConnectedDevice {
        try await client.powerOn(timeout)
        let peripheral = try await DeviceSearch(wanted: device).find(with: client, timeout)
        try await client.connect(peripheral, within: timeout)
        return ConnectedDevice(client: client, peripheral: peripheral)
    }
}

/// The value of an option in seconds, above 0.
func positiveSeconds(_ text: String) throws -> Duration {
    guard let seconds = Double(text), seconds.isFinite, seconds > 0, seconds <= 1_000_000 else {
        throw ValidationError("a time is in seconds, above 0.")
    }
    return .seconds(seconds)
}

/// The value of an option that counts, above 0.
func positiveCount(_ text: String) throws -> Int {
    guard let count = Int(text), count > 0 else { throw ValidationError("a count is a whole number above 0.") }
    return count
}
