import BLEWire
import Testing

@testable import ImprovWiFi

struct ProvisioningMachineTests {
    // check-tests: trap: the arguments are constants or made by the test, and valid.
    private let credentials = try! WiFiCredentials(network: "net", password: "password")
    private var join: [UInt8] { ImprovPacket.join(credentials).encoded }

    private func machine(
        requiresAuthorization: Bool = false, capabilities: ImprovCapabilities = [.identify, .networkScan]
    ) -> ProvisioningMachine {
        ProvisioningMachine(
            capabilities: capabilities,
            information: ImprovDeviceInformation(firmware: "f", version: "1", hardware: "h", name: "n"),
            requiresAuthorization: requiresAuthorization, timing: ImprovTiming())
    }

    @Test func credentialsLeadToTheNetwork() {
        var machine = machine()
        machine.receive(join, at: .zero)
        #expect(machine.takeActions() == [.setState(.provisioning), .join(credentials, attempt: 1)])
        machine.joined(attempt: 1, .success(["http://a/"]), at: .seconds(1))
        #expect(
            machine.takeActions() == [
                .setState(.provisioned), .sendResult(ImprovPacket.result(1, ["http://a/"]).encoded),
            ])
        #expect(machine.deadline == nil)
        // The device is provisioned: it takes no more credentials.
        machine.receive(join, at: .seconds(2))
        #expect(machine.takeActions() == [.setError(.unknown)])
    }

    @Test func withoutAuthorizationNothingIsJoined() {
        var machine = machine(requiresAuthorization: true)
        #expect(machine.state == .authorizationRequired)
        machine.receive(join, at: .zero)
        #expect(machine.takeActions() == [.setError(.notAuthorized)])
        machine.authorize(at: .seconds(1))
        #expect(machine.takeActions() == [.setError(.none), .setState(.authorized)])
        machine.receive(join, at: .seconds(2))
        #expect(machine.takeActions().last == .join(credentials, attempt: 1))
    }

    @Test func anAuthorizationEndsAfterAMinuteAndStartsAgainAfterAFailure() {
        var machine = machine(requiresAuthorization: true)
        machine.authorize(at: .zero)
        #expect(machine.deadline == .seconds(60))
        machine.receive(join, at: .seconds(59))
        machine.joined(attempt: 1, .failure(.unableToConnect), at: .seconds(70))
        #expect(machine.takeActions().suffix(2) == [.setState(.authorized), .setError(.unableToConnect)])
        #expect(machine.deadline == .seconds(130))
        machine.handleTimeout(at: .seconds(130))
        #expect(machine.takeActions() == [.setState(.authorizationRequired)])
        #expect(machine.deadline == nil)
    }

    @Test func anAttemptWithoutAnEndIsAbandonedAndItsLateEndIgnored() {
        var machine = machine()
        machine.receive(join, at: .zero)
        #expect(machine.deadline == .seconds(30))
        _ = machine.takeActions()
        machine.handleTimeout(at: .seconds(30))
        #expect(machine.takeActions() == [.abandon(attempt: 1), .setState(.authorized), .setError(.unableToConnect)])
        machine.joined(attempt: 1, .success([]), at: .seconds(31))
        #expect(machine.takeActions().isEmpty)
        machine.receive(join, at: .seconds(32))
        machine.joined(attempt: 1, .success([]), at: .seconds(33))
        #expect(machine.state == .provisioning, "the first attempt says nothing about the second")
        machine.joined(attempt: 2, .success([]), at: .seconds(34))
        #expect(machine.state == .provisioned)
    }

    @Test func aSecondCommandDoesNotStartASecondAttempt() {
        var machine = machine()
        machine.receive(join, at: .zero)
        _ = machine.takeActions()
        machine.receive(join, at: .zero)
        #expect(machine.takeActions() == [.setError(.unknown)])
        #expect(machine.state == .provisioning)
    }

    @Test func theRestOfACommandHasFiveSeconds() {
        var machine = machine()
        machine.receive(Array(join.prefix(5)), at: .zero)
        #expect(machine.deadline == .seconds(5))
        machine.handleTimeout(at: .seconds(5))
        #expect(machine.takeActions() == [.setError(.invalidPacket)])
        machine.receive([2, 0, 2], at: .seconds(6))
        #expect(machine.takeActions() == [.setError(.none), .identify], "the beginning is dropped")
    }

    @Test func theEndOfTheLinkDropsTheBeginningOfACommand() {
        var machine = machine()
        machine.receive(Array(join.prefix(5)), at: .zero)
        machine.linkEnded()
        #expect(machine.deadline == nil)
        machine.receive(join, at: .seconds(1))
        #expect(machine.takeActions().last == .join(credentials, attempt: 1))
    }

    @Test func commandsThatTheDeviceLacksAreUnknown() {
        var machine = ProvisioningMachine(
            capabilities: [.deviceInformation], information: nil, requiresAuthorization: false, timing: ImprovTiming())
        #expect(machine.capabilities == [])
        for command in [0, 2, 3, 4, 5, 6, 255] as [UInt8] {
            machine.receive(ImprovPacket(command).encoded, at: .zero)
            #expect(machine.takeActions() == [.setError(.unknownCommand)], "command \(command)")
        }
    }

    @Test func commandsWithoutDataRefuseData() {
        for command in [2, 3, 4] as [UInt8] {
            var machine = machine()
            machine.receive(ImprovPacket(command, [1]).encoded, at: .zero)
            #expect(machine.takeActions() == [.setError(.invalidPacket)])
        }
    }

    @Test func informationAndNetworksAreAnsweredWithoutAuthorization() {
        var machine = machine(requiresAuthorization: true)
        machine.receive([3, 0, 3], at: .zero)
        #expect(machine.takeActions() == [.sendResult(ImprovPacket.result(3, ["f", "1", "h", "n"]).encoded)])
        machine.receive([4, 0, 4], at: .zero)
        machine.receive([4, 0, 4], at: .zero)
        #expect(machine.takeActions() == [.scan], "one scan at a time")
        machine.scanned([VisibleNetwork(name: "net", signal: -60, security: "WPA2")])
        #expect(machine.takeActions() == [.sendResult(ImprovPacket.result(4, ["net", "-60", "WPA2"]).encoded)])
        machine.scanned([])
        #expect(machine.takeActions().isEmpty)
    }

    /// Random writes neither trap nor make the device join without a valid command.
    @Test func hostileWritesDoNoHarm() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            var machine = machine()
            for step in 0..<20 {
                // A command has at most 260 octets. Most writes are short, since a length beyond the write is refused at once.
                let count = Int.random(in: 0...(step == 19 ? 300 : 12), using: &random)
                let octets = (0..<count).map { _ in UInt8.random(in: 0...6, using: &random) }
                machine.receive(octets, at: .seconds(step))
                if Bool.random(using: &random) { machine.handleTimeout(at: .seconds(step)) }
                #expect(machine.takeActions().count <= 3)
            }
        }
    }
}
