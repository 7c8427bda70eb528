import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLESimulator
import BLETransport
import BLEVirtualRadio
import BLEWire
import Foundation
import Testing

/// Programs on a shared radio, over its real sockets; one after the other: those in real time fill the machine.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SharedRadioRealTimeTests {
    /// A wristband and a phone, both programs of their own, connected.
    private struct Pair {
        let band: TestPeripheral
        let phone: TestCentral
        let peer: PeerIdentifier

        init(on bench: RadioBench) async throws {
            band = TestPeripheral(try bench.join(seed: 1), in: bench.world)
            try await band.publish("band")
            phone = TestCentral(try bench.join(seed: 2), in: bench.world)
            try await phone.poweredOn()
            peer = try await phone.find("band")
            try await phone.connect(peer)
        }

        func talks() async throws -> Bool {
            let handle = try await phone.characteristics(of: TestPeripheral.service, on: peer)[1].valueHandle
            var random = SeededRandom(seed: UInt64(handle))
            let value = (0..<100).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            try await phone.perform(.write(handle: handle, value: value), on: peer)
            return band.value == value
        }
    }

    @Test func programsWaitForTheRadioAndReconnectToTheNext() async throws {
        let bench = try RadioBench("wait", serves: false)
        let central = TestCentral(try bench.join(), in: bench.world)
        let news = AsyncStream<TestCentral.Event>.makeStream()
        central.react { news.continuation.yield($0) }
        if central.events.isEmpty {
            for await event in news.stream {
                #expect(event == .state(.poweredOff))
                break
            }
        }
        #expect(central.events == [.state(.poweredOff)])
        try bench.serve()
        try await central.poweredOn()
        bench.end()
        try await central.wait("resetting") { $0 == .state(.resetting) ? true : nil }
        #expect(await bench.run { central.events.last == .state(.poweredOff) })
        try bench.serve()
        #expect(await bench.run { central.events.last == .state(.poweredOn) })
        #expect(central.events.suffix(3) == [.state(.resetting), .state(.poweredOff), .state(.poweredOn)])
    }

    @Test func aTemporarilySilentRadioIsReopened() async throws {
        let bench = try RadioBench("silent")
        let news = AsyncStream<TestCentral.Event>.makeStream()
        // The world stands still: the radio accepts connections and answers none.
        let central = TestCentral(try bench.join(patience: .milliseconds(300)), in: bench.world)
        central.react { news.continuation.yield($0) }
        if central.events.isEmpty {
            for await _ in news.stream { break }
        }
        #expect(central.events == [.state(.poweredOff)])
        #expect(await bench.run { central.events.contains(.state(.poweredOn)) })
        #expect(!central.events.contains(.state(.unsupported)))
    }

    @Test func aFullRadioRefusesFurtherProgramsWithAReason() async throws {
        // A test runner may have few descriptors unless the process raises its limit.
        try #require(DescriptorLimit.raise() > 2 * VirtualRadioRuntime.externalHostLimit + 256)
        let bench = try RadioBench("full")
        let guests = Guests(VirtualRadioRuntime.externalHostLimit, at: bench.endpoint.address)
        // HCI Reset, and its Command Complete without an error.
        let reset: [UInt8] = [1, 0x03, 0x0C, 0]
        bench.world.start()
        #expect(guests.ask(reset) == [[4, 0x0E, 4, 1, 0x03, 0x0C, 0]: guests.count])
        // Connection Rejected due to Limited Resources (Vol 1, Part F, 2.13).
        let further = Guests(8, at: bench.endpoint.address)
        for _ in 0..<3 { #expect(further.ask(reset) == [[4, 0x0E, 4, 1, 0x03, 0x0C, 0x0D]: further.count]) }
        bench.world.stop()
        let limited = HostError.commandFailed(.reset, .connectionRejectedDueToLimitedResources)
        #expect(limited.sentence.contains("The radio is full: it serves 1000 hosts."))
        let central = TestCentral(try bench.join(), in: bench.world)
        guests.closeFirst()
        // The program tries again each second.
        try await central.poweredOn()
    }

    @Test func anEndpointHasOneRadioAndAStaleSocketIsReplaced() async throws {
        let bench = try RadioBench("one")
        let second = World(seed: 9)
        let failure = #expect(throws: SharedRadioEndpoint.EndpointError.self) {
            try SharedRadioServer(second.radio, at: bench.endpoint, platforms: [:])
        }
        #expect(failure?.isTaken == true)
        // The connection by which the second radio found the first one ends.
        try await bench.awaitDevices(0)
        bench.end()
        // It ends on its own queue, so the last answer may still be one.
        var refusal = ""
        while !refusal.contains("bluelab radio --name one") {
            do throws(SharedRadioEndpoint.EndpointError) {
                _ = try await RadioControlClient.ask("list", at: bench.endpoint)
            } catch {
                refusal = error.description
            }
        }

        for address in [bench.endpoint.address, bench.endpoint.controlAddress] {
            try leaveSocket(at: String(address.description.dropFirst("unix:".count)))
        }
        try bench.serve()
        #expect(try await bench.devices().isEmpty)
    }

    /// The file of a socket without a listener, as after a crash.
    private func leaveSocket(at path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if bound != 0 { throw MissingResultError(description: "a socket at \(path)") }
    }

    @Test func distanceWallsAndLossAffectConnectedPrograms() async throws {
        let bench = try RadioBench("control")
        let pair = try await Pair(on: bench)
        let (phone, peer) = (pair.phone, pair.peer)
        /// The signal is an average over some packets.
        func signal(settlesAt goal: ClosedRange<Int>) async throws -> Int {
            var value = 0
            for _ in 0..<50 {
                value = try await phone.signal(of: peer)
                if goal.contains(value) { break }
                await bench.world.run(for: .milliseconds(200))
            }
            return value
        }
        let devices = try await bench.devices()
        #expect(devices.map { $0["number"] as? Int } == [0, 1])
        #expect(devices.map { $0["links"] as? Int } == [1, 1])
        #expect(Set(devices.compactMap { $0["name"] as? String }).count == 2)
        #expect(devices[1]["address"] as? String != devices[0]["address"] as? String)

        #expect(try await bench.ask("move 1 10 0")["ok"] as? Bool == true)
        #expect(try await signal(settlesAt: -66 ... -64) == -65)
        #expect(try await bench.ask("wall add 5 -1 5 1 12.5")["wall"] as? Int == 1)
        #expect(try await signal(settlesAt: -79 ... -76) <= -76)
        #expect(try await bench.ask("wall remove 1")["ok"] as? Bool == true)
        #expect(try await signal(settlesAt: -66 ... -64) == -65)

        // All packets are lost: the link times out, and no device is discovered.
        #expect(try await bench.ask("loss \(devices[0]["name"] ?? "") 100")["ok"] as? Bool == true)
        try await phone.wait("end") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) ? true : nil
        }
        #expect(try await bench.ask("loss 0 0")["ok"] as? Bool == true)
        try await phone.connect(peer)
        #expect(try await pair.talks())
        #expect(try await bench.ask("loss all 30")["ok"] as? Bool == true)
        #expect(try await pair.talks())

        // Pulled out; it comes back as the same device and has its services still to publish.
        #expect(try await bench.ask("drop 1")["ok"] as? Bool == true)
        try await phone.wait("resetting") { $0 == .state(.resetting) ? true : nil }
    }

    @Test func invalidControlCommandsAreRefusedWithAReason() async throws {
        let bench = try RadioBench("refuse")
        for line in [
            "", " ", "dance", "list all", "move", "move 0 1 1", "move nobody 1 1", "loss all", "loss all 101",
            "loss all nan", "loss all -1", "wall", "wall add 1 2 3 4", "wall add 1 2 3 4 201", "wall add 1 2 3 x 2",
            "wall add 0 0 inf 1 3", "wall remove 1", "wall remove x", "drop 0", "drop 18446744073709551616",
            "\u{0}\u{7}\"\\", String(repeating: "a", count: 1000),
        ] {
            let answer = try await bench.ask(line)
            #expect(answer["ok"] as? Bool == false, "\(line)")
            let sentence = answer["error"] as? String ?? ""
            #expect(sentence.hasSuffix("."), "\(line)")
            #expect(!sentence.contains("\n"))
        }
        for _ in 0..<256 { _ = try await bench.ask("wall add 0 0 1 1 3") }
        #expect(try await bench.ask("wall add 0 0 1 1 3")["ok"] as? Bool == false)
        #expect((try await bench.ask("wall list")["walls"] as? [Any])?.count == 256)
    }

    @Test func invalidOctetsOnTheControlSocketEndOnlyTheirConnection() async throws {
        let bench = try RadioBench("rubbish")
        let control = bench.endpoint.controlAddress
        let endless = RawClient(control, sends: [UInt8](repeating: 0x61, count: 5000))
        #expect(await bench.run { endless.isClosed })
        // More than may be there at once: some are sent away, and when they have gone there is room.
        let crowd = (0..<80).map { _ in RawClient(control) }
        await bench.run { crowd.count { $0.isClosed } >= 16 }
        #expect(crowd.count { $0.isClosed } == 16)
        for client in crowd { client.die() }
        var answer: [String: Any]?
        while answer == nil { answer = try? await bench.ask("list") }
        #expect(answer?["ok"] as? Bool == true)
    }

    @Test func manyControlRequestsAreAllAnswered() async throws {
        let bench = try RadioBench("much")
        for _ in 0..<256 { _ = try await bench.ask("wall add 0 0 1 1 3") }
        let control = bench.endpoint.controlAddress
        // Some 18 KB each: far more than a connection may queue.
        let lines = Array(repeating: Array("wall list\n".utf8), count: 300).flatMap { $0 }
        let mute = RawClient(control, reads: false, sends: lines, floods: true)
        let reader = RawClient(control, sends: lines)
        #expect(await bench.run { reader.isClosed || reader.lineCount == 300 })
        #expect(!reader.isClosed)
        #expect(!mute.isClosed)
        #expect(mute.sentCount < 4 << 20)
        mute.die()
        #expect(try await bench.ask("list")["ok"] as? Bool == true)
    }

    @Test func aFileAtTheEndpointOfARadioIsReported() throws {
        let bench = try RadioBench("blocked", serves: false)
        try bench.endpoint.prepare()
        let path = String(bench.endpoint.address.description.dropFirst("unix:".count))
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let failure = #expect(throws: SharedRadioEndpoint.EndpointError.self) { try bench.serve() }
        #expect(failure?.isTaken == false)
        #expect(failure?.description.contains("A file that is no socket is at \(bench.endpoint.address)") == true)
    }

    @Test func aKilledProgramsDeviceIsRemoved() async throws {
        let bench = try RadioBench("ghost")
        let pair = try await Pair(on: bench)
        let (phone, peer) = (pair.phone, pair.peer)
        let speakers = Lock<Set<Int>>([])
        bench.world.observeAir { packet, _ in
            let sender = packet.sender.rawValue
            speakers.withLock { _ = $0.insert(sender) }
        }
        // Reset, a random address, advertising, and a scan; then it dies in the middle of a packet.
        let commands: [UInt8] =
            [1, 0x03, 0x0C, 0, 1, 0x05, 0x20, 6, 1, 2, 3, 4, 5, 0xC6]
            + [1, 0x06, 0x20, 15, 0x30, 0, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0] + [1, 0x0A, 0x20, 1, 1]
            + [1, 0x0C, 0x20, 2, 1, 0] + [1, 0x0B]
        let clients = (0..<5).map { _ in RawClient(bench.endpoint.address, sends: commands) }
        let areHeard = await bench.world.run(timeout: .seconds(600)) {
            speakers.withLock { $0.isSuperset(of: [2, 3, 4, 5, 6]) }
        }
        #expect(areHeard)
        for client in clients { client.die() }
        try await bench.awaitDevices(2)
        speakers.withLock { $0.removeAll() }
        await bench.world.run(for: .seconds(5))
        #expect(speakers.withLock { $0 } == [0, 1])

        // One with a link: the other end notices after its supervision timeout.
        let number = try #require(try await bench.devices().first { $0["advertising"] as? Bool == true }?["number"])
        #expect(try await bench.ask("drop \(number)")["ok"] as? Bool == true)
        try await phone.wait("end") {
            $0 == .disconnected(peer, .failed(.supervisionTimeout), isReconnecting: false) ? true : nil
        }
        #expect(phone.session.maximumTransmissionUnit(of: peer) == nil)
    }

    @Test func floodsAndInvalidOctetsDoNotAffectOtherPrograms() async throws {
        let bench = try RadioBench("flood", pace: .realTime)
        let pair = try await Pair(on: bench)
        // Commands as fast as the socket takes them, answers read.
        let resets = Array(repeating: [1, 0x03, 0x0C, 0] as [UInt8], count: 4000).flatMap { $0 }
        let flooders = (0..<4).map { _ in RawClient(bench.endpoint.address, sends: resets, floods: true) }
        // Long answers that are not read.
        let questions = Array(repeating: [1, 0x02, 0x10, 0] as [UInt8], count: 4000).flatMap { $0 }
        let mute = RawClient(bench.endpoint.address, reads: false, sends: questions, floods: true)
        var random = SeededRandom(seed: 5)
        let garbage = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let noise = RawClient(bench.endpoint.address, sends: garbage, floods: true)
        for _ in 0..<10 { #expect(try await pair.talks()) }
        await bench.run { mute.isClosed && noise.isClosed }
        #expect(mute.isClosed)
        #expect(noise.isClosed)
        // A client that reads more slowly than it sends requests may have lost its connection, too.
        #expect(flooders.allSatisfy { $0.receivedCount > 0 })
        #expect(try await pair.talks())
        for flooder in flooders { flooder.die() }
        try await bench.awaitDevices(2)
        #expect(pair.phone.session.maximumTransmissionUnit(of: pair.peer) != nil)
    }

    @Test func aFloodIsPausedWhileTheRadioIsPaused() async throws {
        let bench = try RadioBench("still")
        let resets = Array(repeating: [1, 0x03, 0x0C, 0] as [UInt8], count: 4000).flatMap { $0 }
        let flooder = RawClient(bench.endpoint.address, sends: resets, floods: true)
        // The radio could have looked thousands of times and took no more: 1 MiB waits at the flooder, the rest in the system.
        var (count, times) = (0, 0)
        let end = ContinuousClock.now + .seconds(180)
        while times < 5000, count < 16 << 20, ContinuousClock.now < end {
            bench.world.radio.engine.queue.sync {}
            // check-tests: wait: the radio and the flooder get the processor; the loop has a deadline.
            await Task.yield()
            let sent = flooder.sentCount
            times = sent > 0 && sent == count ? times + 1 : 0
            count = sent
        }
        #expect(times == 5000 && count < 4 << 20, "\(times) \(count)")
        #expect(flooder.receivedCount == 0)
        let before = count
        #expect(await bench.run { flooder.sentCount > before })
        flooder.die()
    }

    @Test func twoHundredProgramsConnectAtOnce() async throws {
        let bench = try RadioBench("crowd", pace: .realTime)
        let world = bench.world
        // Ten rooms, out of range of each other, with ten bands and their phones each.
        let pairs = 100
        let rooms = try (0..<10).map { number in
            try world.serve(
                at: "unix:\(bench.endpoint.directory)/room-\(number)", position: Position(x: Double(number) * 1000))
        }
        func room(_ pair: Int) -> TransportAddress {
            .unix(path: String(rooms[pair % 10].address.dropFirst("unix:".count)))
        }
        let bands = try (0..<pairs).map {
            TestPeripheral(try bench.join(at: room($0), seed: UInt64($0) + 1), in: world)
        }
        let phones = try (0..<pairs).map {
            TestCentral(try bench.join(at: room($0), seed: UInt64($0) + 1000), in: world)
        }
        let arePowered = await world.run(timeout: .seconds(600)) {
            bands.allSatisfy { $0.events.contains(.state(.poweredOn)) }
                && phones.allSatisfy { $0.events.contains(.state(.poweredOn)) }
        }
        #expect(arePowered)
        #expect(try await bench.devices().count == 2 * pairs)
        for (number, band) in bands.enumerated() {
            band.session.add(TestPeripheral.definition, token: 1)
            band.session.startAdvertising(Advertisement(localName: "b\(number)", services: [TestPeripheral.service]))
        }
        func describe(_ pairs: [Int]) -> String {
            pairs.map {
                "pair \($0): the phone saw \(phones[$0].events.suffix(8)), the band saw \(bands[$0].events.suffix(8))"
            }.joined(separator: "; ")
        }
        // Each phone looks for its own band, connects and writes its number, all at the same time. In so dense a crowd
        // a link can fail; the phone then connects again, as a program would.
        for (number, phone) in phones.enumerated() {
            phone.react { event in
                switch event {
                case .connectionFailed(let peer, _), .disconnected(let peer, _, _):
                    phone.session.connect(peer, options: ConnectionOptions())
                case .discovered(let peer, "b\(number)", _, _):
                    phone.session.stopScan()
                    phone.session.connect(peer, options: ConnectionOptions())
                case .connected(let peer): phone.session.submit(.discoverServices([TestPeripheral.service]), to: peer)
                case .completed(let peer, .discoverServices, .success(.services(let services))):
                    guard let service = services.first else { return }
                    phone.session.submit(.discoverCharacteristics(service: service.range, nil), to: peer)
                case .completed(let peer, .discoverCharacteristics, .success(.characteristics(let found))):
                    guard found.count > 1 else { return }
                    let value = [UInt8(number), 0xC0]
                    phone.session.submit(.write(handle: found[1].valueHandle, value: value), to: peer)
                default: break
                }
            }
            phone.session.startScan(ScanRequest())
        }
        let haveWritten = await world.run(timeout: .seconds(300)) { bands.allSatisfy { !$0.value.isEmpty } }
        let mute = (0..<pairs).filter { bands[$0].value.isEmpty }
        #expect(haveWritten, "\(describe(mute))")
        // A failed link is rare: a room has ten.
        let unlucky = (0..<pairs).filter { phones[$0].events.contains(where: \.isLoss) }
        #expect(unlucky.count <= 3, "\(describe(unlucky))")
        #expect(bands.map(\.value) == (0..<pairs).map { [UInt8($0), 0xC0] })
        let devices = try await bench.devices()
        #expect(devices.count { $0["links"] as? Int == 1 } == 2 * pairs)
        #expect(Set(devices.compactMap { $0["name"] as? String }).count == 2 * pairs)
        #expect(!phones.contains { $0.events.contains(.state(.resetting)) })
        #expect(!bands.contains { $0.events.contains(.state(.resetting)) })
    }
}
