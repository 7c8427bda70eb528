import BLEAdapter
import BLEHost
import BLEStore
import BLETransport
import BLEWire
import Glibc
import Synchronization
import TestConditions
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime

/// The steps of an executor and of the threads that run steps for it.
@Suite(.timeLimit(.minutes(5))) struct RealTimeExecutorTests {
    /// An executor with a stream and without a controller.
    private final class Bench: Sendable {
        let executor: RealTimeExecutor
        let adapter: Lock<HostAdapter?>
        /// The number of octets that the stream has received.
        let received = Counter()
        /// The other end of the stream.
        private let peer: Int32

        init() throws {
            let executor = try RealTimeExecutor(label: "test")
            self.executor = executor
            adapter = Lock(
                HostAdapter(
                    executor: executor, configuration: HostConfiguration(),
                    store: DeviceStore(key: StoreKey(high: 1, low: 2)), random: SeededRandom(seed: 1)))
            var numbers: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
            peer = numbers[1]
            let stream = PolledStream(TransportConnection(socket: numbers[0], name: "pair"), later: { _ in })
            stream.onReceive = { [received] in received.increment(by: $0.count) }
            executor.runBetweenSteps { executor.serve(stream) }
            // Until then, the thread waits without the stream.
            sendOctet()
            try #require(eventuallyOnThisThread { received.count > 0 })
        }

        deinit { close(peer) }

        /// Lets an octet arrive.
        func sendOctet() { _ = send(peer, [1], 1, 0) }

        /// Runs `body` as a step on this thread, as soon as the executor waits.
        func runStep(_ body: (HostDriver) -> Void) {
            #expect(eventuallyOnThisThread { executor.runAtOnce(body) })
        }
    }

    /// The lock of the turn alone would let a burst of calls run before the octets.
    @Test func callsAtOnceLeaveTheThreadItsTurn() throws {
        let bench = try Bench()
        for round in 1...100 {
            bench.runStep { _ in
                bench.sendOctet()
                #expect(eventuallyOnThisThread { bench.executor.isClaimed })
            }
            var isEarly = false
            _ = bench.executor.runAtOnce { _ in isEarly = bench.received.count < round + 1 }
            #expect(!isEarly)
        }
    }

    @Test func callsAtOnceLeaveOtherCodeItsTurn() throws {
        let bench = try Bench()
        let visits = Counter()
        for round in 1...100 {
            bench.runStep { _ in
                bench.executor.queue.async { bench.executor.runBetweenSteps { visits.increment() } }
                #expect(eventuallyOnThisThread { bench.executor.isClaimed })
            }
            var isEarly = false
            _ = bench.executor.runAtOnce { _ in isEarly = visits.count < round }
            #expect(!isEarly)
        }
    }

    /// The observer submits its next operation at each end, and each ends without traffic.
    @Test func anObserverWithoutEndLeavesTheStreamItsTurn() throws {
        let limit = 20_000
        let bench = try Bench()
        let ends = Counter()
        let endsAtReception = Counter()
        let adapter = try #require(bench.adapter.withLock { $0 })
        withExtendedLifetime(adapter) {
            let observer = OperationObserver(adapter) { session in
                let count = ends.increment()
                if count == 100 { bench.sendOctet() }
                if bench.received.count > 1 { return endsAtReception.set(count) }
                if count < limit { OperationObserver.submit(to: session) }
            }
            observer.begin()
            #expect(eventuallyOnThisThread { ends.count >= limit || endsAtReception.count > 0 })
            withExtendedLifetime(observer) {}
        }
        #expect((100..<limit).contains(endsAtReception.count))
    }

    /// A step consists of changes of the host. Only an observer's call may make another change, and only one at a time: such a change can
    /// reach a program's log handler.
    @Test func onlyAnObserverMakesACallWithinAStep() throws {
        let bench = try Bench()
        var allowed: [Bool] = []
        bench.runStep { driver in
            allowed.append(bench.executor.runAtOnce { _ in })
            driver.report {
                allowed.append(bench.executor.runAtOnce { _ in allowed.append(bench.executor.runAtOnce { _ in }) })
                allowed.append(bench.executor.runAtOnce { _ in })
            }
            allowed.append(bench.executor.runAtOnce { _ in })
        }
        #expect(allowed == [false, false, true, true, false])
    }

    @Test func aCallOfAnObserverFollowsThoseBefore() throws {
        let bench = try Bench()
        let order = Lock<[Int]>([])
        let adapter = try #require(bench.adapter.withLock { $0 })
        bench.runStep { driver in
            driver.report {
                adapter.submit { _ in order.withLock { $0.append(1) } }
                #expect(!bench.executor.runAtOnce { _ in order.withLock { $0.append(2) } })
                adapter.submit { _ in order.withLock { $0.append(2) } }
            }
        }
        try #require(eventuallyOnThisThread { order.withLock { $0.count } >= 2 })
        #expect(order.withLock { $0 } == [1, 2])
    }

    /// The thread takes both calls at once, and the observer makes its own during the first of them.
    @Test func aCallOfAnObserverFollowsThoseTakenWithItsOwn() throws {
        let bench = try Bench()
        let order = Lock<[Int]>([])
        let adapter = try #require(bench.adapter.withLock { $0 })
        bench.runStep { _ in
            adapter.submit { driver in
                driver.report {
                    order.withLock { $0.append(1) }
                    let call = { @Sendable (_: HostDriver) in order.withLock { $0.append(3) } }
                    if !bench.executor.runAtOnce(call) { adapter.submit(call) }
                }
            }
            adapter.submit { _ in order.withLock { $0.append(2) } }
        }
        try #require(eventuallyOnThisThread { order.withLock { $0.count } >= 3 })
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    /// The thread does not wait for ever if the adapter ends during a step of another thread.
    @Test func anAdapterEndsWithinACallAtOnce() async throws {
        let ending = AsyncStream<Void>.makeStream()
        // Keeps the other end of the stream open: its end would wake the thread.
        let bench = try Bench()
        do {
            let probe = EndProbe(ending.continuation)
            bench.runStep { $0.onFailure = { _ in withExtendedLifetime(probe) {} } }
            bench.runStep { _ in
                let adapter = bench.adapter.withLock { $0.take() }
                withExtendedLifetime(adapter) {}
            }
        }
        for await _ in ending.stream {}
        withExtendedLifetime(bench) {}
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .relaxed) }
        @discardableResult func increment(by count: Int = 1) -> Int { value.add(count, ordering: .relaxed).newValue }
        func set(_ count: Int) { value.store(count, ordering: .relaxed) }
    }

    private final class EndProbe: Sendable {
        private let ending: AsyncStream<Void>.Continuation
        init(_ ending: AsyncStream<Void>.Continuation) { self.ending = ending }
        deinit { ending.finish() }
    }
}
