import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLETransport
import BLEVirtualRadio
import BLEWire
import Foundation
import Synchronization
import Testing

/// Programs that end, restart and crowd on a shared radio.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct GhostRealTimeTests {
    /// Connects, sends `octets` and ends the connection, a hundred times at most, while the radio reads nothing; with `radioReads`, any
    /// number of times, each after the radio has closed the one before. With `isReset`, a TCP connection ends with a reset.
    private func come(
        _ count: Int, to address: TransportAddress, on bench: RadioBench, sending octets: [UInt8],
        isReset: Bool = false,
        radioReads: Bool = false
    ) {
        let queue = bench.world.radio.engine.queue
        if !radioReads { queue.suspend() }
        defer { if !radioReads { queue.resume() } }
        for _ in 0..<count {
            let number: Int32
            let result: Int32
            switch address {
            case .unix(let path):
                number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
                result = connect(number, &address)
            case .tcp(_, let port):
                number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                result = connect(number, &address)
            default: return
            }
            #expect(result == 0)
            let sent = send(number, octets, octets.count, Int32(MSG_NOSIGNAL))
            // A full radio may have closed it by now.
            #expect(sent == octets.count || radioReads)
            if isReset {
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
            }
            if radioReads {
                shutdown(number, Int32(SHUT_WR))
                var octet: UInt8 = 0
                while recv(number, &octet, 1, 0) > 0 {}
            }
            close(number)
        }
    }

    private func connect<Address>(_ number: Int32, _ address: inout Address) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    private func slots(_ bench: RadioBench) async -> (hosts: Int, controllers: Int) {
        bench.world.start()
        defer { bench.world.stop() }
        return await withCheckedContinuation { continuation in
            bench.world.radio.change { continuation.resume(returning: $0.slotCounts) }
        }
    }

    @Test func sixHundredShortConnectionsLeaveAnEmptyRadio() async throws {
        let bench = try RadioBench("six-hundred")
        for _ in 0..<6 {
            come(100, to: bench.endpoint.address, on: bench, sending: [1, 3])
            try await bench.awaitDevices(0)
        }
        // The slots of removed hosts are used again.
        let slots = await slots(bench)
        #expect(slots.hosts <= 100 && slots.controllers <= 100)
        let central = TestCentral(try bench.join(), in: bench.world)
        try await central.poweredOn()
    }

    @Test func connectionsDuringAPauseStayWithinTheLimit() async throws {
        let bench = try RadioBench("standing")
        come(
            VirtualRadioRuntime.externalHostLimit * 2, to: bench.endpoint.address, on: bench, sending: [1, 3],
            radioReads: true)
        #expect(await slots(bench).hosts <= VirtualRadioRuntime.externalHostLimit)
        try await bench.awaitDevices(0)
    }

    @Test func theAddressOfAClosedConnectionIsReleased() async throws {
        let bench = try RadioBench("requested")
        let requested = try RadioAddress("02:00:5E:00:00:01")
        let path = String(bench.endpoint.address.description.dropFirst("unix:".count)) + "-requested"
        // Over TCP there is no process with a name: the two have different names.
        let unix = try bench.world.serve(at: "unix:" + path, publicAddress: requested)
        let tcp = try bench.world.serve(at: "tcp:127.0.0.1:0", publicAddress: requested)
        // More than is read ahead of a radio that stands still, which does not come to the end.
        let resets = Array(repeating: [1, 0x03, 0x0C, 0] as [UInt8], count: 10_000).flatMap { $0 }
        come(1, to: .unix(path: path), on: bench, sending: resets)
        for _ in 0..<100 { bench.world.radio.engine.queue.sync {} }
        let second = RawClient(try TransportAddress(parsing: tcp.address))
        second.awaitConnection()
        try await bench.awaitDevices(1)
        #expect(try await bench.devices()[0]["name"] as? String == "device")
        #expect(try await bench.devices()[0]["address"] as? String == requested.description)
        second.die()
        _ = (unix, tcp)
    }

    @Test func aLongInputBeforeTheEndLeavesNoDevice() async throws {
        let bench = try RadioBench("long-end")
        let resets = Array(repeating: [1, 0x03, 0x0C, 0] as [UInt8], count: 10_000).flatMap { $0 }
        come(20, to: bench.endpoint.address, on: bench, sending: resets)
        try await bench.awaitDevices(0)
    }

    @Test(arguments: [false, true]) func endsAndResetsOfTCPConnectionsLeaveAnEmptyRadio(isReset: Bool) async throws {
        let bench = try RadioBench(isReset ? "resets" : "ends")
        let server = try bench.world.serve(at: "tcp:127.0.0.1:0")
        for _ in 0..<3 {
            come(
                100, to: try TransportAddress(parsing: server.address), on: bench, sending: [1, 3], isReset: isReset)
            try await bench.awaitDevices(0)
        }
    }

    @Test func partialLinesDoNotCloseTheControlSocket() async throws {
        let bench = try RadioBench("half-lines")
        for _ in 0..<4 { come(50, to: bench.endpoint.controlAddress, on: bench, sending: Array("li".utf8)) }
        var answer: [String: Any]?
        while answer == nil { answer = try? await bench.ask("list") }
        #expect(answer?["ok"] as? Bool == true)
    }

    @Test func idleControlConnectionsAreReplaced() async throws {
        let bench = try RadioBench("idle", idleLimit: .milliseconds(300))
        let crowd = (0..<64).map { _ in RawClient(bench.endpoint.controlAddress) }
        #expect(await bench.run { crowd.allSatisfy(\.isClosed) })
        #expect(try await bench.ask("list")["ok"] as? Bool == true)
    }

    @Test func aRestartedProgramIsTheSameDevice() async throws {
        let bench = try RadioBench("restart")
        let band = TestPeripheral(try bench.join(seed: 1), in: bench.world)
        try await band.publish("band")
        let phone = TestCentral(try bench.join(seed: 2), in: bench.world)
        try await phone.poweredOn()
        let peer = try await phone.find("band")
        try await phone.connect(peer)
        let before = try await bench.devices()
        let address = try #require(before[0]["address"] as? String)
        #expect(address != before[1]["address"] as? String)

        // The band's program ends. The phone gets the disconnection and requests a new connection.
        #expect(try await bench.ask("drop 0")["ok"] as? Bool == true)
        try await phone.wait("end") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) ? true : nil
        }
        let start = phone.events.count
        phone.session.connect(peer, options: ConnectionOptions())
        // A new run of the program without the former state: its host draws other random numbers.
        band.close()
        let again = TestPeripheral(try bench.join(seed: 77), in: bench.world)
        try await again.publish("band")
        try await phone.wait(from: start, "the pending connection") { $0 == .connected(peer) ? true : nil }
        #expect(try await bench.devices().contains { $0["address"] as? String == address })
    }

    @Test func aQuickRestartKeepsTheAddress() async throws {
        let bench = try RadioBench("hasty")
        let first = RawClient(bench.endpoint.address)
        try await bench.awaitDevices(1)
        let address = try #require(try await bench.devices()[0]["address"] as? String)
        let queue = bench.world.radio.engine.queue
        // The end of one and the beginning of the other wait together.
        queue.suspend()
        first.die()
        let second = RawClient(bench.endpoint.address)
        second.awaitConnection()
        queue.resume()
        try await bench.awaitDevices(1)
        #expect(try await bench.devices()[0]["address"] as? String == address)
        #expect(!second.isClosed)
    }

    @Test func servedControllersHaveDifferentAddresses() async throws {
        let bench = try RadioBench("served")
        let address = try RadioAddress("02:00:5E:00:00:10")
        let plain = try bench.world.serve(at: "tcp:127.0.0.1:0")
        let chosen = try bench.world.serve(at: "tcp:127.0.0.1:0", publicAddress: address)
        // Read BD_ADDR.
        let clients = try [plain, plain, chosen, chosen].map { server in
            RawClient(try TransportAddress(parsing: server.address), sends: [1, 0x09, 0x10, 0])
        }
        #expect(await bench.run { clients.allSatisfy { $0.received.count >= 13 } })
        let addresses = clients.map { Array($0.received[7..<13].reversed()) }
        #expect(Set(addresses).count == 4)
        #expect(addresses[0] != [0, 0, 0, 0, 0, 0] && addresses[1] != [0, 0, 0, 0, 0, 0])
        #expect(Set(addresses[2...]) == [[2, 0, 0x5E, 0, 0, 0x10], [2, 0, 0x5E, 0, 0, 0x11]])
    }
}
