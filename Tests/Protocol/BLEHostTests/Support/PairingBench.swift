import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// A central and a peripheral whose controllers encrypt, and the users of both devices.
final class PairingBench {
    let bench = Bench()
    let central: BenchHost
    let peripheral: BenchHost
    private(set) var link = LinkIdentifier(rawValue: 0)
    private(set) var peripheralLink = LinkIdentifier(rawValue: 0)
    /// The answers of the users; nil: those that make a pairing succeed.
    var answers: (BenchHost, AgentRequest) -> AgentAnswer? = { _, _ in nil }
    /// Whether the users answer.
    var hasUsers = true
    private var handled: [ObjectIdentifier: Int] = [:]
    /// Security Manager PDUs that the controllers passed on, by their code, and the limit.
    private(set) var codes: [UInt8] = []
    var limit = Int.max

    init(
        _ change: (inout PairingSettings) -> Void = { _ in },
        central first: (inout HostConfiguration) -> Void = { _ in },
        peripheral second: (inout HostConfiguration) -> Void = { _ in }
    ) {
        var configurations = (Self.configuration, Self.configuration)
        first(&configurations.0)
        second(&configurations.1)
        central = bench.ready(configurations.0) { $0.features = [.encryption] }
        peripheral = bench.ready(configurations.1) { $0.features = [.encryption] }
        for host in [central, peripheral] {
            host.host.pairingSettings.identityKey = IdentityResolvingKey(value: 0xABCD_EF01)
            change(&host.host.pairingSettings)
            host.controller.passesData = { [weak self] packet in self?.passes(packet) ?? true }
        }
        connect()
    }

    private static var configuration: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.suspendsForSecurity = true
        return configuration
    }

    var hosts: [BenchHost] { [central, peripheral] }

    func link(of host: BenchHost) -> LinkIdentifier { host === central ? link : peripheralLink }

    private func passes(_ packet: [UInt8]) -> Bool {
        guard packet.count > 9, packet[7] == 6, packet[8] == 0 else { return true }
        guard codes.count < limit else { return false }
        codes.append(packet[9])
        return true
    }

    func connect() {
        guard let links = bench.link(central, peripheral) else {
            Issue.record("no link")
            return
        }
        (link, peripheralLink) = links
    }

    /// Ends the link as at a loss, and connects again.
    func reconnect() {
        lose()
        connect()
        codes = []
    }

    func lose() {
        guard let link = central.controller.links.first else { return }
        central.controller.lose(link, reason: .connectionTimeout, atPeer: .connectionTimeout)
        settle()
    }

    func pair(_ minimum: LinkSecurity.Level = .unauthenticated, from host: BenchHost? = nil) {
        let host = host ?? central
        host.host.secure(link(of: host), minimum: minimum, at: bench.now)
        settle()
    }

    func settle() {
        repeat { bench.settle() } while answerOne()
    }

    /// Gives the first open question its answer.
    private func answerOne() -> Bool {
        guard hasUsers else { return false }
        for host in hosts {
            let first = handled[ObjectIdentifier(host)] ?? 0
            for index in host.events.indices.dropFirst(first) {
                guard case .pairing(let link, .asked(let request)) = host.events[index].event,
                    let answer = answers(host, request) ?? usualAnswer(host, request)
                else { continue }
                handled[ObjectIdentifier(host)] = index + 1
                host.host.answerPairing(link, answer, at: bench.now)
                return true
            }
        }
        return false
    }

    private func usualAnswer(_ host: BenchHost, _ request: AgentRequest) -> AgentAnswer? {
        switch request {
        case .accept, .compare: return .accept(true)
        case .display: return nil
        case .enterPasskey:
            let other = host === central ? peripheral : central
            for case .asked(.display(let passkey)) in other.pairingEvents.reversed() { return .passkey(passkey) }
            return other.asked.contains(.enterPasskey) ? .passkey(Passkey(value: 123_456)) : nil
        }
    }

    /// The link of each host has this security and nothing runs.
    func check(_ security: LinkSecurity?) {
        for host in hosts {
            let link = link(of: host)
            if let security { #expect(host.host.security(of: link) == security) }
            guard let connection = host.host.connections[link] else {
                Issue.record("the link has ended: \(host.disconnected)")
                continue
            }
            #expect(connection.securityManager?.isIdle == true && connection.securityManager?.wanted == nil)
            #expect(connection.deadlines[.security] == nil)
            #expect(host.violations.isEmpty)
        }
    }

    /// Delivers a Security Manager PDU that the other host did not send.
    func inject(_ octets: [UInt8], to host: BenchHost) {
        guard let handle = host.controller.links.first?.handle else {
            Issue.record("no link")
            return
        }
        let field = handle | 0x2000
        let head: [UInt8] = [2, UInt8(truncatingIfNeeded: field), UInt8(truncatingIfNeeded: field >> 8)]
        let length = UInt8(octets.count)
        host.controller.emit(head + [length + 4, 0, length, 0, 6, 0] + octets)
        settle()
    }
}

extension BenchHost {
    var pairingEvents: [PairingEvent] {
        events.compactMap { if case .pairing(_, let event) = $0.event { event } else { nil } }
    }

    var asked: [AgentRequest] {
        pairingEvents.compactMap { if case .asked(let request) = $0 { request } else { nil } }
    }

    var results: [PairingResult] {
        pairingEvents.compactMap { if case .completed(let result) = $0 { result } else { nil } }
    }

    var secured: [LinkSecurity] {
        pairingEvents.compactMap { if case .secured(let security) = $0 { security } else { nil } }
    }

    var failures: [PairingProcedureError] {
        pairingEvents.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    }
}
