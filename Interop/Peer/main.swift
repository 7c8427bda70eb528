import CoreBluetooth

// One side of an interoperability run, on the controller that BLUETOOTH_CONTROLLER names. Interop/run starts it.
let report = Report()
report.setDeadline(40)
let peer: NSObject
switch CommandLine.arguments.dropFirst().first {
case "central": peer = PeerCentral(report: report)
case "peripheral": peer = PeerPeripheral(report: report)
default:
    print("usage: interop-peer central|peripheral, with BLUETOOTH_CONTROLLER=tcp:HOST:PORT or unix:PATH")
    exit(2)
}
withExtendedLifetime(peer) { dispatchMain() }
