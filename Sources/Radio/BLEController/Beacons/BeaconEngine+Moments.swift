import BLEWire

/// Devices that await an answer listen for a moment only, and scanners among extended beacons, between two AUX_ADV_INDs, not much longer. Their
/// receptions are computed for the transmissions that begin within a moment, and again after it if they still listen, for twice the time.
extension BeaconEngine {
    /// Covers the wait for an answer in most cases. It changes no result.
    private static let answer = TimeSpan.microseconds(200)
    /// Covers half of the time between two AUX_ADV_INDs in a crowd. It changes no result.
    private static let pause = TimeSpan.microseconds(600)
    /// A device that has listened for this time probably listens until the end of the slice. It changes no result.
    private static let patience = TimeSpan.microseconds(2_500)

    /// Whether the receptions of a device are computed moment by moment.
    func isBrief(_ listener: BeaconListener, at time: Instant) -> Bool {
        listener.awaitsAnswer || auxiliaryCount > 0 && time - listener.since < Self.patience
    }

    /// Computes the receptions of transmissions that begin in a moment from `time` on and end in `ends`.
    mutating func computeMoment(
        of listener: BeaconListener, from time: Instant, ends: Range<Instant>, _ scene: BeaconScene
    ) {
        let begin = max(time, ends.lowerBound)
        let limit = begin + max(listener.awaitsAnswer ? Self.answer : Self.pause, begin - listener.since)
        let (near, longest) = (scene.cells[listener.cell].neighbours, scene.longest[listener.channel])
        let end = min(ends.upperBound, limit + longest)
        for cell in near {
            let list = Self.list(cell, listener.channel)
            guard list < lists.count else { continue }
            var place = lists[list].firstIndex(endingAfter: ends.lowerBound - .nanoseconds(1))
            while place < lists[list].count, lists[list][place].end < end {
                let transmission = lists[list][place]
                if transmission.start >= time, transmission.start < limit, transmission.channel == listener.channel,
                    listener.phy.hears(transmission.phy)
                {
                    let power = scene.model.pathLoss.receivedMilliwatts(
                        power: transmission.milliwatts,
                        squaredDistance: transmission.position.squaredDistance(to: listener.position))
                    let result = scene.model.reception(
                        of: transmission.packet, power: power, by: listener.device, at: listener.position,
                        needsLost: listener.needsLost
                    ) {
                        interference(
                            in: near, on: listener.channel, from: transmission.start,
                            to: transmission.end, longest, except: transmission.sender, at: listener.position, with: 0,
                            upTo: $0, scene.model.signals)
                    }
                    if let result,
                        listener.needsLost
                            || scene.model.draw(of: transmission.packet, at: listener.device) < result.success
                    {
                        push(
                            BeaconReception(
                                receiver: listener.device, epoch: listener.epoch, list: Int32(list),
                                place: Int32(place),
                                result: result))
                    }
                }
                place += 1
            }
        }
        guard limit < ends.upperBound else { return }
        heap.insert(ScheduledEvent(time: limit.nanoseconds, sequence: .max, index: Int32(receptions.count)))
        receptions.append(
            BeaconReception(
                receiver: listener.device, epoch: listener.epoch, list: -1, place: -1,
                result: .init(received: 0, interference: 0, limit: 0, success: 0)))
    }
}
