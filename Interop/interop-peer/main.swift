import CoreBluetooth

// One side of an interoperability run, on the controller that BLUETOOTH_CONTROLLER names. Interop/run starts it.
let report = Report()
let peer: NSObject
let mode = CommandLine.arguments.dropFirst().first ?? ""
// The pairing runs have many cases.
if !["adapter", "holder", "follower", "walker", "figures-peripheral"].contains(mode) {
    report.setDeadline(mode.hasPrefix("pairing") ? 180 : 90)
}
switch mode {
case "central": peer = PeerCentral(report: report)
case "peripheral": peer = PeerPeripheral(report: report)
case "adapter": peer = AdapterWatcher(report: report)
case "follower": peer = FollowingCentral(report: report)
case "holder": peer = PeerHolder(report: report)
case "walker": peer = PeerWalker(report: report)
case "database-client": peer = DatabaseClient(report: report)
case "database-server": peer = DatabaseServer(report: report)
case "channel-client": peer = ChannelClient(report: report)
case "channel-server": peer = ChannelServer(report: report)
case "figures-central": peer = FiguresCentral(report: report)
case "figures-peripheral": peer = FiguresPeripheral(report: report)
case "pairing-central": peer = try PairingCentral(report: report)
case "pairing-peripheral": peer = try PairingPeripheral(report: report)
default:
    print(
        "usage: interop-peer central|peripheral|database-client|database-server|channel-client|channel-server|pairing-central|pairing-peripheral|figures-central|figures-peripheral|adapter|holder|follower|walker, with BLUETOOTH_CONTROLLER=hci0, tcp:HOST:PORT or unix:PATH"
    )
    exit(2)
}
// What measures has the main queue alone, as most programs on Linux.
if mode.hasPrefix("figures") { withExtendedLifetime(peer) { dispatchMain() } }
// Streams deliver their events on the main run loop, which also runs the main queue.
withExtendedLifetime(peer) {
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
}
