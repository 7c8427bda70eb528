import BLESimulator
import BLEWire
import Figures
import Foundation

/// Two hosts in another process, on controllers of a world that runs as fast as it can, over a Unix socket: the driver
/// that measures other stacks' controllers in the same way.
struct OverSockets {
    let driver: String

    func measure(packets: Int) -> Double {
        // A listener's name is in use a little longer than the listener.
        let path = "/tmp/benchmark-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).socket"
        let world = World(seed: 1)
        guard let server = try? world.serve(at: "unix:\(path)") else { return .nan }
        world.start()
        defer {
            server.stop()
            world.stop()
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: driver)
        process.arguments = ["unix:\(path)", "unix:\(path)", "\(packets)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return .nan }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // acl 251x16  connect 1.0 ms  100000 packets in 1.000 s = 100000 pkt/s = ...
        guard let end = output.range(of: " pkt/s"),
            let start = output[..<end.lowerBound].range(of: "= ", options: .backwards)
        else { return .nan }
        return Double(output[start.upperBound..<end.lowerBound]) ?? .nan
    }
}
