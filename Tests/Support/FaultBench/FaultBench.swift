import BLEController
import BLECrypto
import BLEHost
import BLEWire

/// Hosts in virtual time, each on a virtual controller behind a line with optional faults. Every step calls the hosts
/// that are due, moves their octets, and advances the clock to the next deadline.
package final class FaultBench {
    package let radio: VirtualRadio
    package let hosts: [FaultyHost]
    /// The links that the owner requests, as indices of `hosts`: the central first.
    package let pairs: [(central: Int, peripheral: Int)]

    /// - Parameters:
    ///   - hosts: 2 (one link), or 4: three links, of which one host has two as central and another two as peripheral.
    ///   - adjust: changes the configuration of a host before it is made.
    package init(
        seed: UInt64, hosts count: Int = 2, _ adjust: (_ index: Int, inout HostConfiguration) -> Void = { _, _ in }
    ) {
        radio = VirtualRadio(seed: seed, crypto: { SwiftCryptoProvider(generator: $0) })
        let radio = self.radio
        hosts = (0..<count).map { number in
            var configuration = HostConfiguration()
            configuration.creditBased.mtu = 400
            configuration.creditBased.mps = 200
            // The shortest window that is a multiple of both, so that every exchange on a channel needs new credits.
            configuration.creditBased.receiveWindow = 4_000
            // Values beyond 20 octets need several PDUs at this host.
            if number == 2 { configuration.localMTU = 45 }
            adjust(number, &configuration)
            return FaultyHost(
                HostStack(
                    configuration: configuration, random: SeededRandom(seed: seed &* 1_000 &+ UInt64(number))),
                controller: radio.addController(ControllerConfiguration(), at: Self.position(of: number, step: 0)),
                seed: seed &* 7_919 &+ UInt64(number))
        }
        pairs = count < 4 ? [(0, 1)] : [(0, 1), (0, 2), (3, 1)]
    }

    package var central: FaultyHost { hosts[0] }
    package var peripheral: FaultyHost { hosts[1] }
    /// The time of the radio, which only this bench advances.
    package private(set) var now = Instant.zero
    /// The advertising interval of the peripherals, in units of 0.625 ms.
    package var advertisingInterval: UInt16 = 160
    package var problems: [String] { hosts.flatMap { $0.ledger.problems } + own }
    package var faults: Int { hosts.reduce(0) { $0 + $1.faults } }
    private var own: [String] = []
    /// The number of exchanges, so that each has different values.
    var exchanges = 0
    private var moves = 0
    /// The reason why the last attempt to create new links failed.
    package internal(set) var complaint = ""

    package func problem(_ text: String) { own.append(text) }

    package var rates: FaultyLine.Rates {
        get { central.rates }
        set { for host in hosts { host.rates = newValue } }
    }

    private static func position(of number: Int, step: Int) -> RadioPosition {
        let distance = 1.2 + Double(number * number) + Double(step % 5)
        return number & 1 == 0 ? RadioPosition(x: Double(number) * 2 + Double(step % 3)) : RadioPosition(y: distance)
    }

    /// Moves every host, which changes the signals between them.
    package func moveHosts() {
        moves += 1
        for (number, host) in hosts.enumerated() {
            radio.move(host.controller, to: Self.position(of: number, step: moves))
        }
    }

    /// Moves octets until no more can be moved now.
    package func settle() {
        var rounds = 0
        while true {
            var hasMoved = false
            for host in hosts where host.move(radio, at: now) { hasMoved = true }
            guard hasMoved else { return }
            rounds += 1
            if rounds > 20_000 {
                own.append("host and controller exchange octets without end")
                return
            }
        }
    }

    /// Advances the time until the condition holds. Returns false if it does not hold within `span`.
    @discardableResult
    package func run(_ span: TimeSpan, until condition: () -> Bool = { false }) -> Bool {
        let end = now + span
        var rounds = 0
        var last = now
        settle()
        while !condition() {
            rounds = now == last ? rounds + 1 : 0
            last = now
            if rounds > 10_000 {
                own.append("the time stands still: a deadline comes again and again")
                return false
            }
            var next = end
            if let due = radio.nextDeadline, due < next { next = due }
            for host in hosts { if let due = host.nextDeadline, due < next { next = due } }
            radio.advance(to: next)
            now = next
            guard next < end else { return condition() }
            for host in hosts { host.fire(at: now) }
            settle()
        }
        return true
    }
}
