import CoreBluetooth
import Foundation
import Testing

/// The name of a program that sets only its controller and its name.
@Suite struct ProcessNameTests {
    @Test(.timeLimit(.minutes(10))) func theHostIsNamedByTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            let folder = NSTemporaryDirectory() + "/ocb-name-\(ProcessInfo.processInfo.processIdentifier)"
            setenv("BLUETOOTH_CONTROLLER", "virtual", 1)
            setenv("BLUETOOTH_NAME", "My band", 1)
            setenv("XDG_STATE_HOME", folder, 1)
            // Handlers run in reverse order, so this one runs after the store has written its last changes.
            atexit {
                guard let folder = getenv("XDG_STATE_HOME") else { return }
                try? FileManager.default.removeItem(atPath: String(cString: folder))
            }
            let gadget = Gadget(name: "Gadget")
            let recorder = CentralRecorder()
            let news = AsyncStream<String>.makeStream()
            recorder.onEvent { $0 = { news.continuation.yield($0) } }
            let manager = CBCentralManager(delegate: recorder, queue: DispatchQueue(label: "phone"))
            for await event in news.stream {
                if event == "state 5" { manager.scanForPeripherals(withServices: [Gadget.service]) }
                if event.hasPrefix("discover Gadget"), let peripheral = recorder.peripherals.value.first {
                    peripheral.delegate = recorder
                    manager.stopScan()
                    manager.connect(peripheral)
                }
                if event == "name My band" { break }
            }
            withExtendedLifetime(gadget) {}
            exit(0)
        }
    }
}
