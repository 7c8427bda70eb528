import Dispatch
import DispatchNames
import Testing

@Suite struct DispatchNamesTests {
    actor Counter {
        let queue = DispatchSerialQueue(label: "counter")
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
        private(set) var value = 0
        func add() {
            dispatchPrecondition(condition: .onQueue(queue))
            value += 1
        }
        nonisolated func addFromQueue() { queue.async { self.assumeIsolated { $0.add() } } }
    }

    @Test func aSerialQueueCanBeAnActorsExecutor() async {
        let counter = Counter()
        await counter.add()
        counter.addFromQueue()
        counter.queue.sync {}
        #expect(await counter.value == 2)
    }

    @Test func timeUnitsHaveApplesValues() {
        #expect(NSEC_PER_SEC == USEC_PER_SEC * NSEC_PER_USEC)
        #expect(NSEC_PER_SEC == MSEC_PER_SEC * NSEC_PER_MSEC)
    }
}
