import BoostBLEKit
import CoreBluetooth
import Foundation

let start = Date()

func say(_ text: String) {
    print(String(format: "%6.2f s  %@", Date().timeIntervalSince(start), text))
    fflush(stdout)
}

func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ name: String) throws {
    guard value == expected else { throw Failure(errorDescription: "\(name): \(value) in place of \(expected)") }
}

/// Reads the properties of the first hub, sets its light, drives its motor, and watches its meters. Prints each step.
@MainActor func run() async throws {
    let link = HubLink()
    let (name, type) = try await link.connect()
    say("found \(name): \(type)")
    try expect(type, .poweredUp, "kind of hub")

    // The library's hub has the devices that each such hub has. The hub reports them too.
    var hub: Hub = PoweredUp.SmartHub()
    let builtIn = hub.connectedIOs
    var attached: [PortId: IOType] = [:]
    for _ in 0...builtIn.count {
        guard case .connected(let port, let device) = try await link.notification() else {
            throw Failure(errorDescription: "a message in place of an attached device")
        }
        say("port \(port): \(device)")
        attached[port] = device
    }
    hub.connectedIOs.merge(attached) { $1 }
    try expect(attached, builtIn.merging([0: .trainMotor]) { $1 }, "attached devices")

    for (property, expected) in [
        (HubProperty.advertisingName, "Train Hub"), (.firmwareVersion, "1.0.00.0000"), (.batteryVoltage, "100"),
    ] { try expect(await read(property, link), expected, "\(property)") }
    try link.send(HubPropertiesCommand(property: .button, operation: .enableUpdates))
    try expect(await value(of: HubProperty.button, link), "0", "button")
    try link.send(HubPropertiesCommand(property: .button, operation: .disableUpdates))
    try link.send(HubPropertiesCommand(property: .advertisingName, operation: .reset))
    try expect(await read(.advertisingName, link), "Train Hub", "name after its reset")

    for color in (0...10).compactMap({ Color(rawValue: $0) }) {
        try link.send(hub.rgbLightColorCommand(color: color))
        try await completion(of: 0x32, link)
    }
    say("light: all colours")

    let (current, voltage): (PortId, PortId) = (0x3B, 0x3C)
    for (port, expected) in [(current, 0), (voltage, 7500)] {
        try await setUp(port, subscribe: true, link)
        try expect(await value(of: port, link), expected, "value of port \(port)")
    }
    // Two values that depend on the power: the example's batteries have 1.25 Ω.
    for power: Int8 in [50, -100, 127] {
        try link.send(hub.motorStartPowerCommand(port: .A, power: power))
        try await completion(of: 0, link)
        let percent = power == 127 ? 0 : Int(power.magnitude)
        let values = (try await value(of: voltage, link), try await value(of: current, link))
        say("motor: \(power), \(values.0) mV, \(values.1) mA")
        try expect(values.0, 7500 - 5 * percent, "voltage")
        try expect(values.1, 4 * percent, "current")
    }
    try expect(hub.motorStartPowerCommand(port: .B, power: 50) == nil, true, "no motor at port B")

    for port in [current, voltage] { try await setUp(port, subscribe: false, link) }
    for power: Int8 in [30, 0] {
        try link.send(hub.motorStartPowerCommand(port: .A, power: power))
        try await completion(of: 0, link)
    }
    // A value would precede this answer.
    try expect(await read(.batteryVoltage, link), "100", "battery")
    say("motor: no values after the subscriptions")
    try await link.disconnect()
    say("the link ended")
}

@MainActor func read(_ property: HubProperty, _ link: HubLink) async throws -> String {
    try link.send(HubPropertiesCommand(property: property, operation: .requestUpdate))
    return try await value(of: property, link)
}

/// Waits for the value of a property.
@MainActor func value(of property: HubProperty, _ link: HubLink) async throws -> String {
    guard case .hubProperty(property, let value) = try await link.notification() else {
        throw Failure(errorDescription: "a message in place of \(property)")
    }
    say("\(property): \(value)")
    return value.stringValue
}

/// Waits for the feedback "completed, and idle", which the library leaves to the program.
@MainActor func completion(of port: PortId, _ link: HubLink) async throws {
    try expect(await link.message(), [5, 0, 0x82, port, 0x0A], "feedback")
}

/// The hub repeats the set-up of a sensor.
@MainActor func setUp(_ port: PortId, subscribe: Bool, _ link: HubLink) async throws {
    let command = PortInputFormatSetupCommand(portId: port, mode: 0, subscribe: subscribe)
    try link.send(command)
    let expected = [10, 0, 0x47] + command.data.dropFirst(3)
    try expect(await link.message(), expected, "format")
    say("port \(port): mode 0, \(subscribe ? "with" : "without") values")
}

/// Waits for a value of 16 bits.
@MainActor func value(of port: PortId, _ link: HubLink) async throws -> Int {
    guard case .sensorValue(port, let data) = try await link.notification(), data.count == 2 else {
        throw Failure(errorDescription: "a message in place of a value of port \(port)")
    }
    let octets = Array(data)
    return Int(octets[0]) | Int(octets[1]) << 8
}

DispatchQueue.main.asyncAfter(deadline: .now() + 60) {
    say("error: not at its end after 60 s")
    exit(1)
}
do {
    try await run()
    exit(0)
} catch {
    say("error: \(error.localizedDescription)")
    exit(1)
}
