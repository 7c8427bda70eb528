import BLEAdapter
import BLEHost
import BLEStore
import BLETransport
import BLEWire
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime

struct ControllerChoiceRealTimeTests {
    /// Nothing of these tests is remembered.
    private static let store = DeviceStore(key: StoreKey(high: 1, low: 2))

    private func path(_ name: String) -> String {
        NSTemporaryDirectory() + "ocb-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
    }

    @Test(arguments: [
        ("VIRTUAL", "virtual"), ("Radio:Lab", "radio:Lab"), ("HCI0", "hci0"), ("BLUEZ", "bluez"),
        ("BlueZ:hci1", "bluez:hci1"), ("TCP:[::1]:1", "tcp:[::1]:1"),
    ])
    func aChoiceInTheWrongCaseIsLoggedWithASuggestion(text: String, spelling: String) {
        guard case .none(let failure) = ControllerChoice(text, system: SystemBluetooth(root: "/no machine")) else {
            Issue.record("\(text) was taken for a controller")
            return
        }
        #expect(failure.sentence.hasPrefix("\"\(text)\" is no transport"))
        #expect(failure.sentence.hasSuffix(" Did you mean \(spelling)? Case matters."))
        #expect(failure.command == "bluelab doctor --controller \(ShellWord.quoted(spelling))")
        #expect(failure.isOfSpelling)
        #expect(failure.description.hasPrefix("BLUETOOTH_CONTROLLER: \"\(text)\""))
    }

    @Test(arguments: [nil, "", "bluetooth", "tcp:nowhere", "unix:", "hci65535", "serial:@115200", "radio:"])
    func anInvalidChoiceIsLoggedAndUnsupported(text: String?) async {
        let choice = ControllerChoice(text, system: SystemBluetooth(root: "/no machine"))
        guard case .none(let failure) = choice else {
            Issue.record("\(text ?? "nil") was taken for a controller")
            return
        }
        #expect(failure.sentence.hasSuffix("."))
        #expect(!failure.sentence.contains("\n"))
        #expect(failure.isOfSpelling == (text?.isEmpty == false))
        if let text, !text.isEmpty { #expect(failure.sentence.contains(text)) }
        let report = ControllerReport()
        let observer = StateObserver(ProcessAdapter.make(choice, store: Self.store, report: report))
        #expect(await observer.next() == .unsupported)
        #expect(report.latest == failure)
    }

    @Test func socketsAndTheVirtualRadioAreChosen() {
        guard case .socket(.tcp("127.0.0.1", 6402)) = ControllerChoice("tcp:127.0.0.1:6402"),
            case .socket(.unix("/tmp/hci")) = ControllerChoice("unix:/tmp/hci"),
            case .adapter(7) = ControllerChoice("hci7"),
            case .virtual = ControllerChoice("virtual")
        else {
            Issue.record("not chosen as written")
            return
        }
    }

    @Test(arguments: [nil, ""]) func theDefaultIsTheFirstAdapterOfTheMachine(text: String?) throws {
        let root = path("machine-\(text == nil)")
        defer { try? FileManager.default.removeItem(atPath: root) }
        for name in ["hci10", "hci2", "hci2:42"] {
            try FileManager.default.createDirectory(
                atPath: root + "/sys/class/bluetooth/" + name, withIntermediateDirectories: true)
        }
        guard case .adapter(2) = ControllerChoice(text, system: SystemBluetooth(root: root)) else {
            Issue.record("not the first adapter")
            return
        }
        guard case .virtual = ControllerChoice("virtual", system: SystemBluetooth(root: root)) else {
            Issue.record("not what was chosen")
            return
        }
    }

    @Test func refusedSocketIsUnsupported() async {
        let report = ControllerReport()
        let place = path("nobody")
        let observer = StateObserver(
            ProcessAdapter.make(.socket(.unix(path: place)), store: Self.store, report: report))
        #expect(await observer.next() == .unsupported)
        // The reason precedes the state.
        let failure = report.latest
        #expect(failure?.sentence.hasPrefix("There is no socket at unix:\(place)") == true)
        #expect(failure?.command == "bluelab radio --listen unix:\(place)")
    }

    @Test(arguments: [true, false]) func theFirstStateComesNoSoonerThanSomeMilliseconds(_ hasHost: Bool) async {
        let choice = hasHost ? ControllerChoice.socket(.unix(path: path("nobody"))) : ControllerChoice("none")
        let adapter = ProcessAdapter.make(choice, store: Self.store)
        let first = StateObserver(adapter)
        #expect(await first.next() == .unsupported)
        // The state is known by now.
        let start = DispatchTime.now().uptimeNanoseconds
        let second = StateObserver(adapter)
        #expect(await second.next() == .unsupported)
        // The executor counts from the beginning of its step, which may be a little earlier than the call.
        #expect(DispatchTime.now().uptimeNanoseconds - start >= 4_000_000)
    }

    @Test func aSilentControllerIsUnsupported() async throws {
        let queue = DispatchQueue(label: "silent")
        let address = TransportAddress.unix(path: path("silent"))
        let listener = ExecutorIsolated(try StreamListener(at: address, queue: queue))
        let streams = Lock<[ExecutorIsolated<DispatchStream>]>([])
        listener.object.onAccept = { stream in
            stream.start()
            streams.withLock { $0.append(ExecutorIsolated(stream)) }
        }
        queue.sync { listener.object.start() }
        var configuration = HostConfiguration()
        configuration.commandTimeout = .milliseconds(30)
        let adapter = try ControllerSupervisor.adapter(
            for: SocketControllerSource(address), seed: 1, configuration: configuration, store: Self.store)
        let observer = StateObserver(adapter)
        #expect(await observer.next() == .unsupported)
        queue.sync { listener.object.close() }
    }

    @Test func virtualRadioOfTheProcessPowersOn() async {
        let observer = StateObserver(ProcessAdapter.make(.virtual, store: Self.store))
        #expect(await observer.next() == .poweredOn)
    }

    @Test func withoutDescriptorsTheAdapterIsUnsupported() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // A timer makes libdispatch open its own descriptors now. It ends a process in which it gets none.
            await withCheckedContinuation { done in
                // check-tests: wait: the timer is what the test needs; its time does not matter.
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { done.resume() }
            }
            var limit = rlimit()
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(2) }
            let usual = limit.rlim_cur
            limit.rlim_cur = 1
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let address = TransportAddress.unix(path: "/tmp/nobody")
            let store = DeviceStore(key: StoreKey(high: 1, low: 2))
            let adapter = ProcessAdapter.make(.socket(address), store: store)
            limit.rlim_cur = usual
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let observer = StateObserver(adapter)
            exit(await observer.next() == .unsupported ? 0 : 3)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("No file descriptor is left for Bluetooth (Too many open files): raise the limit"))
    }
}
