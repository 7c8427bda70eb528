import BLEWire

/// Devices that await an answer listen for a moment only. Their receptions are computed for the transmissions that begin within such a moment,
/// and again after it if they still listen.
extension BeaconEngine {
    /// Covers the wait for an answer in most cases. It changes no result.
    private static let moment = TimeSpan.microseconds(200)

    /// Computes the receptions of transmissions that begin in a moment from `time` on and end in `ends`.
    mutating func computeMoment(
        of listener: BeaconListener, from time: Instant, ends: Range<Instant>, _ scene: BeaconScene
    ) {
        let limit = max(time, ends.lowerBound) + Self.moment
        let near = scene.cells[listener.cell].neighbours
        for cell in near {
            let list = Self.list(cell, listener.channel)
            guard list < lists.count else { continue }
            var place = lists[list].firstIndex(endingAfter: ends.lowerBound - .nanoseconds(1))
            while place < lists[list].count,
                lists[list][place].end < min(ends.upperBound, limit + BeaconTransmission.longest)
            {
                let transmission = lists[list][place]
                if transmission.start >= time, transmission.start < limit {
                    let power = scene.model.pathLoss.receivedMilliwatts(
                        power: transmission.milliwatts,
                        squaredDistance: transmission.position.squaredDistance(to: listener.position))
                    let result = scene.model.reception(
                        of: transmission.packet, power: power, by: listener.device, at: listener.position,
                        needsLost: true
                    ) {
                        interference(
                            in: near, on: listener.channel, from: transmission.start,
                            to: transmission.end, except: transmission.sender, at: listener.position, with: 0,
                            upTo: $0, scene.model.signals)
                    }
                    if let result {
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
