import BLEHost
import BLETransport
import BLEWire
import Foundation

// A host with extended advertising on the controller that BLUETOOTH_CONTROLLER names. Interop/run-extended starts it. It prints one line for each event,
// and runs until a signal ends it.
// usage: advertising-peer scan ADDRESS             prints each different report as JSON
//        advertising-peer connect ADDRESS          connects to the first connectable advertiser, again after each end
//        advertising-peer advertise ADDRESS SET ... (SetArgument.swift)
// ADDRESS is the static random address of this host.

@Sendable func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

@Sendable func fail(_ why: String) -> Never {
    show("FAIL \(why)")
    exit(1)
}

/// The fields of a report except those that change from one packet to the next.
func record(_ report: AdvertisingReport, _ octets: [UInt8]) -> String {
    let form = report.form
    return """
        {"address": "\(report.address)", "type": \(report.address.kind.rawValue), "kind": "\(report.kind)", "legacy": \(form.isLegacy), \
        "truncated": \(report.isTruncated), "primary": \(form.primaryPHY), "secondary": \(form.secondaryPHY), "sid": \(form.sid), \
        "power": \(form.transmitPower), "data": "\(Hexadecimal.digits(octets[report.data]))"}
        """
}

let arguments = CommandLine.arguments
guard arguments.count >= 3, ["scan", "connect", "advertise"].contains(arguments[1]),
    let octets = Hexadecimal.octets(arguments[2]), octets.count == 6,
    let controller = ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"]
else {
    print(
        "usage: advertising-peer scan|connect|advertise ADDRESS [SET ...], with BLUETOOTH_CONTROLLER=tcp:HOST:PORT or unix:PATH"
    )
    exit(2)
}
let mode = arguments[1]
let address = DeviceAddress(kind: .random, value: octets.reduce(0) { $0 << 8 | UInt64($1) })
let sets = arguments.dropFirst(3).map { SetArgument($0) }
var shown: Set<String> = []
var peer: Peer?

/// Begins what the mode names.
@MainActor func begin(_ host: inout HostStack, at now: Instant) {
    for entry in sets { host.setAdvertising(entry.parameters, of: entry.set, at: now) }
    if mode != "advertise" { host.setScanning(ScanParameters(phys: [.le1M, .leCoded]), at: now) }
    show("READY extended \(host.usesExtendedAdvertising)")
}

@MainActor func handle(_ host: inout HostStack, _ event: HostEvent, _ octets: [UInt8], at now: Instant) {
    switch event {
    case .stateChanged(.ready): begin(&host, at: now)
    case .stateChanged(.failed(let error)): fail("\(error)")
    case .advertisingChanged(let set, let error):
        show("SET \(set.handle) \(error.map { "refused: \($0)" } ?? "advertises")")
    case .advertisingReport(let report) where mode == "connect":
        guard report.isConnectable else { return }
        host.setScanning(nil, at: now)
        host.connect(to: report.address, heardOn: HCI.PHY(rawValue: report.form.primaryPHY), at: now)
    case .advertisingReport(let report):
        let text = record(report, octets)
        if shown.insert(text).inserted { show("REPORT \(text)") }
    case .scanningFailed(let error): show("SCAN refused: \(error)")
    case .connected(let link, let role, let address, _):
        show("CONNECTED \(role) \(address) PHY \(host.information(of: link)?.transmitPHY ?? 0)")
    case .connectionFailed(let address, let error): show("FAILED \(address) \(error)")
    case .disconnected(_, let cause):
        show("DISCONNECTED \(cause)")
        if mode == "connect" { host.setScanning(ScanParameters(phys: [.le1M, .leCoded]), at: now) }
    case .protocolViolation(_, let violation): show("VIOLATION \(violation)")
    case .controllerError(let opcode, let error): show("ERROR \(opcode) \(error)")
    default: break
    }
}

StreamConnector.connect(to: try TransportAddress(parsing: controller), queue: .main) { result in
    switch result {
    case .failure(let error): fail("\(error)")
    case .success(let connection):
        MainActor.assumeIsolated {
            peer = Peer(connection, address: address, name: "advertising-peer") { handle(&$0, $1, $2, at: $3) }
        }
    }
}
dispatchMain()
