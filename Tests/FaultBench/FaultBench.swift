import BLEController
import BLEHost
import BLEWire

/// Two hosts, each on a virtual controller behind a wire that can be bad, in virtual time: everybody who is due is called,
/// then the clock jumps.
package final class FaultBench {
    package let radio: VirtualRadio
    package let central: FaultyHost
    package let peripheral: FaultyHost

    package init(seed: UInt64, _ adjust: (inout HostConfiguration) -> Void = { _ in }) {
        radio = VirtualRadio(seed: seed)
        let radio = self.radio
        var configuration = HostConfiguration()
        adjust(&configuration)
        let hosts = (0..<2).map { number in
            FaultyHost(
                HostStack(
                    configuration: configuration, random: SeededRandom(seed: seed &* 1_000 &+ UInt64(number))),
                controller: radio.addController(), seed: seed &* 7_919 &+ UInt64(number))
        }
        central = hosts[0]
        peripheral = hosts[1]
    }

    package var hosts: [FaultyHost] { [central, peripheral] }
    package var now: Instant { radio.now }
    package var problems: [String] { central.ledger.problems + peripheral.ledger.problems + own }
    package var faults: Int { central.faults + peripheral.faults }
    private var own: [String] = []
    /// So that each has values of its own.
    var exchanges = 0

    package func problem(_ text: String) { own.append(text) }

    package var rates: FaultyLine.Rates {
        get { central.rates }
        set {
            central.rates = newValue
            peripheral.rates = newValue
        }
    }

    /// Moves octets until none is left that may move now.
    package func settle() {
        var rounds = 0
        while true {
            let first = central.move(radio)
            let second = peripheral.move(radio)
            guard first || second else { return }
            rounds += 1
            if rounds > 20_000 {
                own.append("host and controller talk without end")
                return
            }
        }
    }

    /// Lets the time pass until the condition holds; false if it does not within `span`.
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
                own.append("the time stands still: somebody is due again and again")
                return false
            }
            var next = end
            for due in [radio.nextDeadline, central.nextDeadline, peripheral.nextDeadline] {
                if let due, due < next { next = due }
            }
            radio.advance(to: next)
            guard next < end else { return condition() }
            central.fire(at: now)
            peripheral.fire(at: now)
            settle()
        }
        return true
    }
}
