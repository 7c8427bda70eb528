import Combine
import CoreBluetooth
import Foundation
import MicrobitSwiftController

struct Failure: LocalizedError {
    let errorDescription: String?
}

let start = Date()

func say(_ text: String) {
    print(String(format: "%6.2f s  %@", Date().timeIntervalSince(start), text))
    fflush(stdout)
}

func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ name: String) throws {
    guard value == expected else { throw Failure(errorDescription: "\(name): \(value) in place of \(expected)") }
    say("\(name): \(value)")
}

/// Waits until a published property has a value.
@MainActor func wait<Value: Equatable>(for wanted: Value, _ values: Published<Value>.Publisher, _ name: String) async {
    for await value in values.values where value == wanted { break }
    say("\(name): \(wanted)")
}

/// Uses the first board with both interfaces of the library: first with commands that the library queues and properties
/// that it publishes, then with requests that return or throw. Prints each step.
@MainActor func run() async throws {
    let controller = MicrobitSwiftController()
    controller.start()
    await wait(for: true, controller.$bluetoothEnabled, "Bluetooth")
    controller.connect()
    controller.setAccelerometer(period: .eighty)
    controller.display(matrix: [0b01010, 0b11111, 0b11111, 0b01110, 0b00100])
    controller.setScroll(delay: 60)
    controller.display(text: "hello, world")
    await wait(for: true, controller.$connected, "connected")
    await wait(for: SIMD3(0, 0, -1), controller.$accelerometer, "accelerometer")
    for state in [MicrobitSwiftController.ButtonState.on, .off, .on] {
        await wait(for: state, controller.$buttonA, "button A")
    }
    try expect(
        Set(controller.services.map(\.rawValue)), ["accelerometer", "button", "led", "temperature"], "services")
    // A command that fails ends the library's queue, and this one would not run.
    controller.disconnect()
    // `connected` is false before the link has ended. Then the library removes the services.
    await wait(for: [], controller.$services, "services")

    let board = MicrobitBLEHandler.shared
    try await board.connect()
    say("connected again")
    try expect(await board.temperatureData(), 21, "temperature")
    try expect(await board.accelerometerData(), [0, 0, -1000], "accelerometer")
    try expect(await board.accelerometerPeriod(), 80, "period of the accelerometer")
    try expect(await board.buttonBState(), 0, "button B")
    try await board.setLedMatrix(bytes: [1, 2, 4, 8, 16])
    say("lights")
    try await board.setLedText(text: "bye")
    say("text")
    do {
        _ = try await board.getIOPinData()
        throw Failure(errorDescription: "the board has no service for pins")
    } catch MicrobitBLEHandler.BLEError.errNotSupported { say("no pins") }
    try await board.disconnect()
    say("disconnected")
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
