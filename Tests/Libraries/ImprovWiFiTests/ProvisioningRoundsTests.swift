import Testing

@testable import ImprovWiFi

/// The second command, attempt, scan and authorisation of a device.
struct ProvisioningRoundsTests {
    private func machine(requiresAuthorization: Bool = false) throws -> ProvisioningMachine {
        ProvisioningMachine(
            capabilities: [.identify, .networkScan],
            information: ImprovDeviceInformation(firmware: "f", version: "1", hardware: "h", name: "n"),
            requiresAuthorization: requiresAuthorization, timing: ImprovTiming())
    }

    private func join() throws -> [UInt8] {
        ImprovPacket.join(try WiFiCredentials(network: "net", password: "password")).encoded
    }

    /// The time limit of an attempt that failed is none of the next, and each attempt has its own.
    @Test func eachAttemptHasItsOwnTimeLimit() throws {
        var machine = try machine()
        let join = try join()
        for attempt in 1...3 {
            let start = Duration.seconds(100 * attempt)
            machine.receive(join, at: start)
            #expect(machine.deadline == start + .seconds(30), "attempt \(attempt)")
            machine.joined(attempt: attempt, .failure(.unableToConnect), at: start + .seconds(20))
            #expect(machine.deadline == nil && machine.state == .authorized)
            machine.handleTimeout(at: start + .seconds(30))
            #expect(!machine.takeActions().contains(.abandon(attempt: attempt)))
        }
        // Results of attempts before, or after, say nothing.
        machine.receive(join, at: .seconds(500))
        for attempt in [0, 1, 3, 5] { machine.joined(attempt: attempt, .success([]), at: .seconds(501)) }
        #expect(machine.state == .provisioning && machine.deadline == .seconds(530))
        machine.joined(attempt: 4, .success([]), at: .seconds(502))
        #expect(machine.state == .provisioned && machine.deadline == nil)
    }

    /// The time of an authorisation stops while the device joins, and begins anew after each failure.
    @Test func anAuthorizationBeginsAnewAfterEachFailure() throws {
        var machine = try machine(requiresAuthorization: true)
        let join = try join()
        for round in 1...3 {
            let start = Duration.seconds(1000 * round)
            machine.authorize(at: start)
            #expect(machine.deadline == start + .seconds(60), "round \(round)")
            machine.receive(join, at: start + .seconds(50))
            #expect(machine.deadline == start + .seconds(80), "the time of the attempt alone")
            machine.handleTimeout(at: start + .seconds(60))
            #expect(machine.state == .provisioning)
            machine.handleTimeout(at: start + .seconds(80))
            #expect(machine.state == .authorized && machine.deadline == start + .seconds(140))
            machine.handleTimeout(at: start + .seconds(140))
            #expect(machine.state == .authorizationRequired && machine.deadline == nil)
        }
    }

    @Test func eachScanIsAnsweredOnce() throws {
        var machine = try machine()
        let scan = ImprovPacket(ImprovPacket.Command.networkScan).encoded
        for round in 0..<3 {
            machine.receive(scan, at: .zero)
            machine.receive(scan, at: .zero)
            #expect(machine.takeActions() == [.scan], "round \(round)")
            machine.scanned([])
            machine.scanned([])
            #expect(machine.takeActions().count == 1, "round \(round)")
        }
    }

    /// A command that came whole has no time limit left, and one that ran out leaves no octets to the next.
    @Test func theTimeOfACommandEndsWithIt() throws {
        var machine = try machine()
        let identify = ImprovPacket(ImprovPacket.Command.identify).encoded
        for round in 0..<3 {
            let start = Duration.seconds(100 * round)
            machine.receive(Array(identify.prefix(2)), at: start)
            #expect(machine.deadline == start + .seconds(5))
            machine.receive(Array(identify.dropFirst(2)), at: start + .seconds(1))
            #expect(machine.deadline == nil && machine.takeActions().last == .identify, "round \(round)")
            machine.handleTimeout(at: start + .seconds(5))
            #expect(machine.takeActions().isEmpty)
            // The rest does not come.
            machine.receive(Array(identify.prefix(2)), at: start + .seconds(10))
            machine.handleTimeout(at: start + .seconds(15))
            #expect(machine.takeActions() == [.setError(.invalidPacket)])
            machine.receive(identify, at: start + .seconds(16))
            #expect(machine.takeActions() == [.setError(.none), .identify], "round \(round)")
            // Nor does it over a link that ended.
            machine.receive(Array(identify.prefix(2)), at: start + .seconds(20))
            machine.linkEnded()
            machine.receive(identify, at: start + .seconds(21))
            #expect(machine.takeActions() == [.identify])
        }
    }

    /// The longest packet, and one octet more.
    @Test func theLongestPacketIsTaken() {
        let longest = ImprovPacket(9, [UInt8](repeating: 5, count: ImprovPacket.longestData)).encoded
        #expect(longest.count == 258)
        for size in [1, 20, 257, 258] {
            var assembler = PacketAssembler()
            for _ in 0..<2 {
                var last = PacketAssembler.Outcome.incomplete
                for start in stride(from: 0, to: longest.count, by: size) {
                    last = assembler.add(Array(longest[start..<min(start + size, longest.count)]))
                }
                guard case .packet(let packet) = last else {
                    Issue.record("\(last)")
                    continue
                }
                #expect(packet.data.count == 255 && assembler.isEmpty)
            }
            let isTooLong = assembler.add(longest + [0]) == .invalid
            #expect(isTooLong && assembler.isEmpty)
        }
    }
}
