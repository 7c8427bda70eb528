/// The threads that compute the receptions of beacons. Their number changes no result.
package struct BeaconThreads {
    /// The number of threads, including the one that uses the radio.
    package var count: Int
    /// The fewest receptions for a thread: some 60 us of work. To wake a thread costs about as much.
    package var minimumWork = 1000
    /// Calls its second argument with each number below the first one, on any threads, and returns after all calls have returned.
    package var run: (Int, @Sendable (Int) -> Void) -> Void

    package init(count: Int, run: @escaping (Int, @Sendable (Int) -> Void) -> Void) {
        self.count = count
        self.run = run
    }

    /// The thread that uses the radio.
    static var one: BeaconThreads {
        BeaconThreads(count: 1) { count, body in
            for part in 0..<count { body(part) }
        }
    }
}
