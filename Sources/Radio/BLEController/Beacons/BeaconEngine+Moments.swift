import BLEWire

/// Devices that await an answer listen for a moment only. Their receptions are computed for the transmissions that begin within such a moment,
/// and again after it if they still listen.
extension BeaconEngine {
    /// Covers the wait for an answer in most cases. It changes no result.
    private static let moment = TimeSpan.microseconds(200)

    /// Computes the receptions of transmissions that begin in a moment from `time` on and end in `ends`.
    mutating func computeMoment(
        of device: Int32, from time: Instant, ends: Range<Instant>, _ medium: borrowing Medium
    ) {
        guard let tuning = medium.tuningToBeacons(of: device) else { return }
        let limit = max(time, ends.lowerBound) + Self.moment
        let state = medium.devices[Int(device)]
        for cell in medium.cells[state.cell].neighbours {
            let list = Self.list(cell, tuning.channel)
            guard list < lists.count else { continue }
            var place = lists[list].firstIndex(endingAfter: ends.lowerBound - .nanoseconds(1))
            while place < lists[list].count,
                lists[list][place].end < min(ends.upperBound, limit + BeaconTransmission.longest)
            {
                let transmission = lists[list][place]
                if transmission.start >= time, transmission.start < limit {
                    let power = medium.pathLoss.receivedMilliwatts(
                        power: transmission.milliwatts,
                        squaredDistance: transmission.position.squaredDistance(to: state.position))
                    let result = medium.model.reception(
                        of: transmission.packet, power: power, by: device, at: state.position, needsLost: true
                    ) {
                        interference(
                            in: medium.cells[state.cell].neighbours, on: tuning.channel, from: transmission.start,
                            to: transmission.end, except: transmission.sender, at: state.position, with: 0,
                            upTo: $0, medium.model.signals)
                    }
                    if let result {
                        push(
                            BeaconReception(
                                receiver: device, epoch: state.epoch, list: Int32(list), place: Int32(place),
                                result: result))
                    }
                }
                place += 1
            }
        }
        guard limit < ends.upperBound else { return }
        heap.push(EventHeap.Entry(time: limit.nanoseconds, sequence: .max, index: Int32(receptions.count)))
        receptions.append(
            BeaconReception(
                receiver: device, epoch: state.epoch, list: -1, place: -1,
                result: .init(received: 0, interference: 0, limit: 0, success: 0)))
    }
}
