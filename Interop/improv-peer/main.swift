import CoreBluetooth
import Foundation
import ImprovWiFi

// A device that takes the network "home" with the password "correct horse", and prints one line of JSON for each event.
// `Interop/run-local` runs it with other implementations of Improv.
// usage: improv-peer NAME [authorization] [networkmanager]    with NetworkManager the networks are those of the machine
// A line "authorize" on the standard input is the button of the device; the end of the input ends the program.

func report(_ record: [String: Any]) {
    let data = try! JSONSerialization.data(withJSONObject: record, options: [.sortedKeys])
    FileHandle.standardOutput.write(data + Data("\n".utf8))
}

let arguments = CommandLine.arguments
let name = arguments.count > 1 ? arguments[1] : "Lamp"
let networks = [
    SimulatedWiFi.Network(name: "home", password: "correct horse", signal: -40),
    SimulatedWiFi.Network(name: "café", password: "", signal: -70),
]
let joiner: any WiFiJoining =
    arguments.contains("networkmanager")
    ? NetworkManagerWiFi { report(["event": "network failure", "text": $0]) }
    : SimulatedWiFi(networks, delay: .milliseconds(300))
let peripheral = ImprovPeripheral(
    name: name, capabilities: [.identify, .networkScan],
    information: ImprovDeviceInformation(firmware: "lamp", version: "1.2", hardware: "virtual", name: "Näh. Lamp"),
    requiresAuthorization: arguments.contains("authorization"), joiner: joiner
) { event in
    switch event {
    case .state(let state): report(["event": "state", "value": Int(state.rawValue)])
    case .error(let error): report(["event": "error", "value": Int(error.rawValue)])
    case .identify: report(["event": "identify"])
    case .advertising: report(["event": "advertising"])
    case .failed(let text): report(["event": "failed", "text": text])
    }
}
peripheral.start()
DispatchQueue(label: "input").async {
    while let line = readLine() { if line == "authorize" { peripheral.authorize() } }
    exit(0)
}
dispatchMain()
