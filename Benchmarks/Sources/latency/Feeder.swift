import BLEWire
import Figures
import Foundation
import Synchronization

/// Stands between a host and the null controller: hands everything on, and then puts notifications of its own, with the time of
/// their sending in them, into the host's stream.
final class Feeder: @unchecked Sendable {
    private let stub = Process()
    private let path: String
    private let order = Mutex<(load: Load, count: Int)?>(nil)
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// - Parameter path: the host connects to `path.host`.
    init(path: String) {
        self.path = path
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let build = own.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        stub.executableURL = build.appendingPathComponent("drivers/hcistub")
        stub.arguments = ["unix:\(path).stub", "-a", "0", "-n", "1"]
        do {
            try stub.run()
        } catch {
            print("hcistub does not start: \(error). Benchmarks/run builds it.")
            exit(1)
        }
        let listening = Self.unixSocket()
        unlink(path + ".host")
        Self.withAddress(path + ".host") { address, length in
            guard bind(listening, address, length) == 0, listen(listening, 1) == 0 else { Self.give("listen") }
        }
        let thread = Thread { [self] in run(listening) }
        thread.start()
    }

    /// Sends `count` notifications at the load's rate.
    func feed(_ load: Load, count: Int) { order.withLock { $0 = (load, count) } }

    func stop() {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        stub.terminate()
        stub.waitUntilExit()
        unlink(path + ".host")
        unlink(path + ".stub")
    }

    private func run(_ listening: Int32) {
        let host = accept(listening, nil, nil)
        close(listening)
        let controller = Self.unixSocket()
        // The stub listens within milliseconds of its start.
        let patience = wallSeconds() + 10
        while !Self.withAddress(path + ".stub", { connect(controller, $0, $1) == 0 }) {
            guard wallSeconds() < patience else { Self.give("connect to hcistub") }
            sched_yield()
        }
        while !isOver.load(ordering: .relaxed) {
            _ = pass(between: host, and: controller, wait: 1)
            let next = order.withLock { order in
                defer { order = nil }
                return order
            }
            if let next { send(next.load, next.count, to: host, controller) }
        }
        close(host)
        close(controller)
        ended.signal()
    }

    /// Passes on the available octets. Returns whether there were any.
    private func pass(between host: Int32, and controller: Int32, wait: Int32) -> Bool {
        var files = [
            pollfd(fd: host, events: Int16(POLLIN), revents: 0),
            pollfd(fd: controller, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&files, 2, wait) > 0 else { return false }
        if files[0].revents != 0 { copy(host, controller) }
        if files[1].revents != 0 { copy(controller, host) }
        return true
    }

    private func copy(_ from: Int32, _ to: Int32) {
        var octets = [UInt8](repeating: 0, count: 65_536)
        let count = read(from, &octets, octets.count)
        if count > 0 { write(octets[..<count], to: to) } else { isOver.store(true, ordering: .relaxed) }
    }

    private func write(_ octets: ArraySlice<UInt8>, to file: Int32) {
        var rest = octets
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Packets leave at the times of an even schedule; the time in a packet is the one when it should leave, so a host that holds
    /// up the sender does not look better for it.
    private func send(_ load: Load, _ count: Int, to host: Int32, _ controller: Int32) {
        let interval = 1e9 / Double(load.notifications)
        let reportsEach = Double(load.reports) / Double(load.notifications)
        let start = Self.nanoseconds() + 10_000_000
        var reports = 0.0
        var advertiser: UInt16 = 0
        for number in 0..<count {
            let due = start + UInt64(interval * Double(number))
            while Self.nanoseconds() < due {
                if due > Self.nanoseconds() + 50_000 { _ = pass(between: host, and: controller, wait: 0) }
            }
            var packets = Self.notification(at: due)
            reports += reportsEach
            while reports >= 1 {
                reports -= 1
                advertiser &+= 1
                packets += Self.report(from: advertiser % 100)
            }
            write(packets[...], to: host)
        }
    }

    /// An ACL packet with a Handle Value Notification of 244 octets.
    private static func notification(at time: UInt64) -> [UInt8] {
        var packet: [UInt8] = [2, 0x40, 0x20, 251, 0, 247, 0, 4, 0, 0x1B, 3, 0]
        for shift in 0..<8 { packet.append(UInt8(truncatingIfNeeded: time >> (8 * UInt64(shift)))) }
        return packet + [UInt8](repeating: 0x55, count: 236)
    }

    /// An LE Advertising Report of one of a hundred devices.
    private static func report(from advertiser: UInt16) -> [UInt8] {
        let data: [UInt8] = [2, 1, 6, 9, 9] + Array("abcdefgh".utf8) + [17, 0xFF] + [UInt8](repeating: 1, count: 16)
        let address: [UInt8] = [UInt8(truncatingIfNeeded: advertiser), 0, 1, 0, 0, 0xC0]
        let event: [UInt8] = [2, 1, 3, 1] + address + [UInt8(data.count)] + data + [0xC5]
        return [4, 0x3E, UInt8(event.count)] + event
    }

    static func nanoseconds() -> UInt64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    private static func unixSocket() -> Int32 {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard file >= 0 else { give("socket") }
        return file
    }

    private static func withAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }

    private static func give(_ what: String) -> Never {
        print("latency: \(what): \(String(cString: strerror(errno)))")
        exit(1)
    }
}
