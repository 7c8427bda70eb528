import BLEWire

extension BeaconEngine {
    /// Calls `body` with each transmission of the given cells that ends in a range of time, until it returns false.
    func forEachTransmission(
        in near: [Int32], on channel: UInt8, endingIn ends: Range<Instant>, _ body: (BeaconTransmission) -> Bool
    ) {
        for cell in near {
            let list = Self.list(cell, channel)
            guard list < lists.count else { continue }
            var place = lists[list].firstIndex(endingAfter: ends.lowerBound - .nanoseconds(1))
            while place < lists[list].count, lists[list][place].end < ends.upperBound {
                if lists[list][place].channel == channel, !body(lists[list][place]) { return }
                place += 1
            }
        }
    }

    /// The power of all transmissions that overlap one, and of `others`, in mW.
    ///
    /// - Parameters:
    ///   - longest: The duration of the longest transmission.
    ///   - sender: The sender of the transmission itself.
    ///   - limit: The sum that ends the search.
    func interference(
        in near: [Int32], on channel: UInt8, from start: Instant, to end: Instant, _ longest: TimeSpan,
        except sender: Int32, at position: RadioPosition, with others: Double, upTo limit: Double,
        _ signals: SignalModel
    ) -> Double {
        var sum = others
        // One that ends much later also starts later.
        forEachTransmission(in: near, on: channel, endingIn: start + .nanoseconds(1)..<end + longest) { other in
            guard other.start < end, other.sender != sender else { return true }
            sum += signals.interference(of: other.milliwatts, from: other.position, at: position)
            return sum <= limit
        }
        return sum
    }

    func transmissionsInFlight(at now: Instant) -> [BeaconTransmission] {
        lists.flatMap { $0.filter { $0.start <= now && $0.end > now } }
    }
}
