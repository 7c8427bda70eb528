import Dispatch
import Foundation
import LocalDiscovery

// Announces a service and finds others, and prints one line of JSON for each event. `Interop/run-local` runs it beside other
// implementations of multicast DNS.
// usage: local-peer HOST INTERFACE publish NAME TYPE PORT [KEY=VALUE ...]
//        local-peer HOST INTERFACE browse TYPE
//        local-peer HOST INTERFACE probe TYPE [ADDRESS]    without multicast, by broadcast or to one address
// A line "withdraw" on the standard input withdraws the service; the end of the input says goodbye and ends the program.

func report(_ record: [String: Any]) {
    let data = try! JSONSerialization.data(withJSONObject: record, options: [.sortedKeys])
    FileHandle.standardOutput.write(data + Data("\n".utf8))
}

func fields(_ service: FoundService) -> [String: Any] {
    [
        "name": service.name, "host": service.host, "port": Int(service.port), "text": service.text,
        "addresses": service.addresses.map(\.address.description),
    ]
}

let arguments = CommandLine.arguments
guard arguments.count >= 5 else {
    FileHandle.standardError.write(Data("usage: local-peer HOST INTERFACE publish|browse ...\n".utf8))
    exit(2)
}
if arguments[3] == "probe" {
    let octets = arguments.count > 5 ? arguments[5].split(separator: ".").compactMap { UInt8($0) } : []
    let probe = try NetworkProbe(type: arguments[4], host: IPAddress(octets), interfaces: [arguments[2]]) { found in
        for service in found { report(["event": "found"].merging(fields(service)) { $1 }) }
        report(["event": "over"])
        exit(0)
    }
    withExtendedLifetime(probe) { dispatchMain() }
}
let network = try LocalNetwork(host: arguments[1], interfaces: [arguments[2]])
network.open()
var published: LocalService?
var reported = false
var timer: (any DispatchSourceTimer)?

if arguments[3] == "publish" {
    var text: [String: String] = [:]
    for pair in arguments.dropFirst(7) {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        text[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    let service = try LocalService(arguments[4], type: arguments[5], port: UInt16(arguments[6]) ?? 0, text: text)
    try network.publish(service)
    published = service
    let source = DispatchSource.makeTimerSource(queue: .main)
    source.schedule(deadline: .now(), repeating: .milliseconds(50))
    source.setEventHandler {
        guard !reported, network.isEstablished else { return }
        reported = true
        report(["event": "established", "name": network.name(of: service) ?? "", "host": network.hostName])
    }
    source.resume()
    timer = source
} else {
    _ = try network.browse(arguments[4]) { event in
        switch event {
        case .found(let service): report(["event": "found"].merging(fields(service)) { $1 })
        case .changed(let service): report(["event": "changed"].merging(fields(service)) { $1 })
        case .lost(let service): report(["event": "lost"].merging(fields(service)) { $1 })
        }
    }
}

let input = DispatchQueue(label: "input")
input.async {
    while let line = readLine() {
        DispatchQueue.main.async {
            if line == "withdraw", let published { network.withdraw(published) }
        }
    }
    DispatchQueue.main.async {
        network.close()
        exit(0)
    }
}
dispatchMain()
