// Processor time of a host for each operation over a byte pipe: ours through the runtime's API and through CoreBluetooth,
// and Bumble, each in a process of its own, against the same stub.
// usage: host-client [--short]
//        host-client runtime|facade ADDRESS ADS WRITES READS NOTIFICATIONS    one client, against a stub that runs
import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLERuntime
import BLEStore
import BLETransport
import BLEWire
import Figures
import Foundation

func runClient(_ kind: String, _ address: String, _ script: Script) {
    guard let address = try? TransportAddress(parsing: address) else { fail("\(address) is no address") }
    let store = DeviceStore(key: StoreKey(high: 1, low: 2))
    guard
        let adapter = try? ControllerSupervisor.adapter(
            for: SocketControllerSource(address), seed: 1, configuration: HostConfiguration(), store: store)
    else { fail("no descriptor or thread is left") }
    // The stub's peer.
    let peer = store.identifier(for: DeviceAddress(kind: .random, value: 0xC000_0000_0001))
    if kind == "runtime" {
        RuntimeClient(script, peer: peer).run(adapter)
    } else {
        FacadeClient(script, peer: peer).run(adapter)
    }
}

func compare() {
    let processes = Processes()
    let script = isShort ? Script.short : Script.long
    let rounds = isShort ? 1 : 5
    let python = isShort ? nil : processes.pythonWithBumble()
    for transport in isShort ? [Processes.Transport.unix] : Processes.Transport.allCases {
        var found: [String: [Step: [Double]]] = [:]
        func note(_ stack: String, _ steps: [Step: Double]) {
            for (step, value) in steps { found[stack, default: [:]][step, default: []].append(value) }
        }
        for _ in 0..<rounds {
            for (kind, stack) in [("runtime", "runtime API"), ("facade", "CoreBluetooth")] {
                note(
                    stack,
                    processes.measure(script, over: transport) { (processes.own, [kind, $0] + script.arguments) })
            }
            guard let python else { continue }
            let client = processes.build.deletingLastPathComponent().appendingPathComponent("Drivers/client_bumble.py")
            note(
                "Bumble",
                processes.measure(script, over: transport) { address in
                    let address = address.replacingOccurrences(of: "tcp:", with: "tcp-client:")
                    let address2 = address.replacingOccurrences(of: "unix:", with: "unix-client:")
                    return (
                        python,
                        [
                            client.path, address2, "\(script.writes)", "\(script.reads)", "\(script.advertisements)",
                            "\(script.notifications)",
                        ]
                    )
                })
        }
        report(found, over: transport)
    }
}

func report(_ found: [String: [Step: [Double]]], over transport: Processes.Transport) {
    let middle = found.mapValues { $0.mapValues(median) }
    for step in Step.allCases {
        let title = "\(step.title), \(transport.title)"
        func figure(_ stack: String, _ value: Double?) {
            guard let value, value.isFinite else { return }
            Figure("host.\(step.name).\(transport.rawValue)", value, "us", title: title, stack: stack).report()
        }
        for stack in ["runtime API", "CoreBluetooth", "Bumble"] { figure(stack, middle[stack]?[step]) }
        guard let ours = middle["CoreBluetooth"]?[step], let theirs = middle["Bumble"]?[step] else { continue }
        Figure(
            "host.against-bumble.\(step.name).\(transport.rawValue)", theirs / ours, "times",
            title: "Bumble's time in CoreBluetooth's: \(title)"
        ).report()
    }
}

let arguments = CommandLine.arguments
if arguments.count == 7, ["runtime", "facade"].contains(arguments[1]), let script = Script(arguments[3...]) {
    runClient(arguments[1], arguments[2], script)
} else if arguments.dropFirst().allSatisfy({ $0 == "--short" }) {
    compare()
} else {
    fail("usage: host-client [--short]")
}
