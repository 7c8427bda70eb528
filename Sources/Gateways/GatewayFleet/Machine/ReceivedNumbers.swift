/// Which messages of each gateway's queue arrived at a subscriber: the numbers begin at 0 and have no gap, and a message can arrive twice.
struct ReceivedNumbers: Sendable {
    private struct Gateway: Sendable {
        /// All smaller numbers arrived or are in `missing`.
        var next: UInt64 = 0
        var missing: Set<UInt64> = []
    }

    /// The most numbers in the gaps of all gateways. A gap beyond it counts as the lie of a broker or of another client.
    private let gapLimit: UInt64

    private var gateways: [Gateway]
    /// Messages, each once.
    private(set) var received = 0
    private(set) var duplicates = 0
    /// Messages with a number that the gateway cannot have given.
    private(set) var strange = 0
    /// The gaps before messages that arrived.
    private(set) var gaps = 0

    init(gateways: Int, gapLimit: UInt64 = 1 << 20) {
        self.gateways = [Gateway](repeating: Gateway(), count: gateways)
        self.gapLimit = gapLimit
    }

    mutating func add(_ number: UInt64, of index: Int) {
        let next = gateways[index].next
        if number >= next {
            guard number - next < gapLimit - UInt64(gaps) else {
                strange += 1
                return
            }
            gaps += Int(number - next)
            for missing in next..<number { gateways[index].missing.insert(missing) }
            gateways[index].next = number + 1
            received += 1
        } else if gateways[index].missing.remove(number) != nil {
            gaps -= 1
            received += 1
        } else {
            duplicates += 1
        }
    }

    /// The messages that have not arrived, of those that the broker acknowledged.
    ///
    /// - Parameter acknowledged: The messages of all gateways that the broker acknowledged.
    func missing(of acknowledged: Int) -> Int { max(0, acknowledged - received) }
}
