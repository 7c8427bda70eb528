import BLEController
import BLESimulator
import BLEWire
import Testing

@testable import BLEVirtualRadio

/// The cost of idle devices.
struct IdleDevicesTests {
    /// A host that sends a packet at each deadline, and counts how often it is called.
    private final class CountingHost: HCIHost {
        let network: VirtualRadioNetwork
        let slot: Int
        var interval: TimeSpan?
        var visits = 0
        private var next = Instant.zero

        init(_ network: VirtualRadioNetwork, _ slot: Int, interval: TimeSpan? = nil) {
            self.network = network
            self.slot = slot
            self.interval = interval
        }

        func start() {
            guard let interval else { return }
            next += interval
            network.setDeadline(slot, to: next)
        }

        func handleTimeout() {
            visits += 1
            start()
            var packet: [UInt8] = []
            #expect(throws: Never.self) { try packet.append(command: HCI.ReadBDADDR()) }
            network.receive(packet.span, from: slot)
        }

        func receive(_ packet: Span<UInt8>) { visits += 1 }
        func flush() { visits += 1 }
    }

    @Test(arguments: [10, 1000]) func aStepVisitsOnlyHostsWithPacketsOrDeadlines(idle: Int) {
        let network = VirtualRadioNetwork(seed: 1, configuration: RadioConfiguration())
        var hosts: [CountingHost] = []
        for slot in 0...idle {
            let host = CountingHost(network, slot, interval: slot == idle / 2 ? .milliseconds(10) : nil)
            network.add(slot, ControllerConfiguration(), at: .origin) { host }
            host.start()
            hosts.append(host)
        }
        var steps = 0
        while let deadline = network.nextDeadline, deadline <= Instant.zero + .seconds(1) {
            network.advance(to: deadline)
            network.exchangePackets()
            steps += 1
        }
        #expect(steps == 100)
        // The timeout and its flush, the answer and its flush.
        #expect(hosts[idle / 2].visits == 400)
        for host in hosts where host.interval == nil { #expect(host.visits == 0) }
    }

    @Test func aRemovedHostHasNoDeadline() {
        let network = VirtualRadioNetwork(seed: 1, configuration: RadioConfiguration())
        let host = CountingHost(network, 0, interval: .milliseconds(10))
        network.add(0, ControllerConfiguration(), at: .origin) { host }
        host.start()
        network.remove(0)
        #expect(network.nextDeadline == nil)
        network.setDeadline(0, to: .zero)
        #expect(network.nextDeadline == nil)
    }

    @Test func aDeadlineTableIsSortedAndHasOneEntryForEachSlot() {
        var random = SeededRandom(seed: 7)
        var table = SlotDeadlineHeap()
        var expected: [Int: Instant] = [:]
        for _ in 0..<2000 {
            let slot = Int(random.next() % 50)
            let time: Instant? = random.next() % 4 == 0 ? nil : Instant(nanoseconds: Int64(random.next() % 100))
            table.set(slot, to: time)
            expected[slot] = time
            #expect(table.first == expected.values.min())
            if random.next() % 16 == 0 {
                let limit = Instant(nanoseconds: Int64(random.next() % 100))
                var due: [Int] = []
                table.takeDue(through: limit, into: &due)
                let wanted = expected.filter { $0.value <= limit }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                #expect(due == wanted.map(\.key))
                for slot in due { expected[slot] = nil }
            }
        }
    }
}
