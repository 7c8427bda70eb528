import BLEWire

/// The slices of the lane: their transmissions and receptions. The times and the order of their events are those of the transmissions' ends.
extension BeaconEngine {
    /// The time and the sequence number of the next event: a reception, or the beginning of a slice; nil without beacons.
    var next: (time: Int64, sequence: UInt64)? {
        guard count > 0 else { return nil }
        let slice = upcoming << Self.sliceBits
        guard let first = heap.min, first.time < slice else { return (slice, 0) }
        return (first.time, first.sequence)
    }

    /// Whether the next event is the beginning of a slice.
    var isSliceNext: Bool { heap.min.map { $0.time >= upcoming << Self.sliceBits } ?? true }

    /// Begins the next slice: creates its transmissions and computes their receptions.
    mutating func beginSlice(_ listeners: [BeaconListener], _ scene: BeaconScene) {
        let begin = Instant(nanoseconds: upcoming << Self.sliceBits)
        let end = begin + Self.sliceLength
        takeEvents(of: upcoming)
        let last = sortTransmissions(from: begin, scene.longest)
        preparedEnd = end.nanoseconds
        // A transmission in progress ends in the following slice.
        upcoming += 1
        if last < end, count > 0 {
            while ring[Self.slot(upcoming)].isEmpty { upcoming += 1 }
        }
        compute(listeners, ends: begin..<end, scene)
    }

    /// Lets the workers create the transmissions of the beacons whose next events are in a slice.
    private mutating func takeEvents(of slice: Int64) {
        // A burst of events leaves no storage in the slots that it visits.
        let events = ring[Self.slot(slice)]
        ring[Self.slot(slice)] = []
        let parts = parts(of: 4 * events.count)
        let (threads, workers) = (threads, workers)
        beacons.withUnsafeMutableBufferPointer { beacons in
            // Each beacon is in one part.
            nonisolated(unsafe) let beacons = beacons
            Self.run(parts, threads, workers) { worker, part in
                worker.takeEvents(events[part * events.count / parts..<(part + 1) * events.count / parts], beacons)
            }
        }
        for worker in workers[..<parts] {
            for (beacon, slot) in worker.nextSlots { ring[Int(slot)].append(beacon) }
        }
    }

    /// Adds the new transmissions to the lists, and removes those that cannot overlap one that ends at `begin` or later. Returns the last end.
    private mutating func sortTransmissions(from begin: Instant, _ longest: ByChannelKind<TimeSpan>) -> Instant {
        let (threads, sources) = (threads, workers)
        let count = max(lists.count, sources.map(\.made.count).max() ?? 0)
        while lists.count < count { lists.append([]) }
        let parts = parts(of: sources.reduce(0) { $0 + $1.madeCount })
        lists.withUnsafeMutableBufferPointer { lists in
            // Each list is in one part.
            nonisolated(unsafe) let (lists, workers) = (lists, sources)
            Self.run(parts, threads, sources) { _, part in
                for list in stride(from: part, to: count, by: parts) {
                    let longest = Self.isSecondary(list) ? longest.secondary : longest.primary
                    let old = lists[list].firstIndex(endingAfter: begin - longest)
                    if old > 0 { lists[list].removeFirst(old) }
                    for source in workers where list < source.made.count && !source.made[list].isEmpty {
                        lists[list].append(contentsOf: source.made[list])
                    }
                    lists[list].sort { $0.endsBefore($1) }
                }
            }
        }
        for worker in workers { worker.clearMade() }
        return lists.reduce(begin) { max($0, $1.last?.end ?? $0) }
    }

    /// Computes the receptions of all devices.
    mutating func compute(_ listeners: [BeaconListener], ends: Range<Instant>, _ scene: BeaconScene) {
        needsRecomputation = false
        heap = []
        receptions.removeAll(keepingCapacity: true)
        let background = listeners.filter { !isBrief($0, at: ends.lowerBound) }
        let transmissions = lists.reduce(0) { $0 + $1.count }
        // The threads only read these, which do not change meanwhile.
        let (all, lists, scene) = (background, lists, scene)
        let parts = parts(of: background.count * transmissions / 3)
        Self.run(parts, threads, workers) { worker, part in
            let range = part * all.count / parts..<(part + 1) * all.count / parts
            worker.compute(all[range], ends: ends, lists, scene)
        }
        for worker in workers {
            for reception in worker.receptions { push(reception) }
            worker.receptions.removeAll(keepingCapacity: true)
        }
        for listener in listeners where isBrief(listener, at: ends.lowerBound) {
            computeMoment(of: listener, from: listener.since, ends: ends, scene)
        }
        if scene.isObserved { showTransmissions(ends: ends) }
    }

    /// Computes the receptions of a device for transmissions that begin at `time` or later.
    mutating func compute(
        _ listener: BeaconListener, from time: Instant, ends: Range<Instant>, _ scene: BeaconScene
    ) {
        guard !isBrief(listener, at: ends.lowerBound) else {
            return computeMoment(of: listener, from: time, ends: ends, scene)
        }
        _ = parts(of: 0)
        var listener = listener
        listener.since = time
        let worker = workers[0]
        worker.compute([listener], ends: ends, lists, scene)
        for reception in worker.receptions { push(reception) }
        worker.receptions.removeAll(keepingCapacity: true)
    }

    /// The number of threads for some work, in the time of a reception.
    private mutating func parts(of work: Int) -> Int {
        let parts = min(threads.count, max(1, work / threads.minimumWork))
        while workers.count < parts { workers.append(BeaconWorker()) }
        return parts
    }

    /// Calls `body` for each part, with its worker, and waits for all parts.
    private static func run(
        _ parts: Int, _ threads: BeaconThreads, _ workers: [BeaconWorker],
        _ body: @Sendable (BeaconWorker, _ part: Int) -> Void
    ) {
        guard parts > 1 else { return body(workers[0], 0) }
        // Each worker is used by one thread.
        nonisolated(unsafe) let workers = workers
        threads.run(parts) { body(workers[$0], $0) }
    }

    mutating func push(_ reception: BeaconReception) {
        let transmission = lists[Int(reception.list)][Int(reception.place)]
        heap.insert(
            ScheduledEvent(
                time: transmission.end.nanoseconds, sequence: Scheduler.sequence(ofSender: transmission.sender),
                index: Int32(receptions.count)))
        receptions.append(reception)
    }

    private mutating func showTransmissions(ends: Range<Instant>) {
        let nothing = ReceptionModel.Result(received: 0, interference: 0, limit: 0, success: 0)
        for list in lists.indices {
            for place in lists[list].indices where ends.contains(lists[list][place].end) {
                push(
                    BeaconReception(receiver: -1, epoch: 0, list: Int32(list), place: Int32(place), result: nothing))
            }
        }
    }
}
