import BLEWire

extension Medium {
    // MARK: What the lane sees

    private var beaconScene: BeaconScene {
        BeaconScene(cells: cells, model: model, isObserved: isObserved, longest: longest)
    }

    /// All devices that listen to advertisers. Those on one primary channel and in one cell follow each other.
    private var beaconListeners: [BeaconListener] {
        var listeners: [BeaconListener] = []
        // These have the lists of all channels.
        for channel in UInt8(32)..<40 {
            for cell in cells.all {
                for device in cells[cell].listeners[channel] {
                    if let listener = beaconListener(device) { listeners.append(listener) }
                }
            }
        }
        return listeners
    }

    /// A device that can receive beacons; nil for other devices.
    private func beaconListener(_ device: Int32) -> BeaconListener? {
        let state = devices[Int(device)]
        guard let tuning = state.tuning, !tuning.phy.isCoded, tuning.accessAddress == LL.advertisingAccessAddress
        else { return nil }
        return BeaconListener(
            device: device, epoch: state.epoch, cell: state.cell, channel: tuning.channel, phy: tuning.phy,
            position: state.position, since: tuning.since, awaitsAnswer: !tuning.ignoresErrors,
            needsLost: isObserved || !tuning.ignoresErrors)
    }

    // MARK: Events

    /// Notes that the receptions of a device have to be computed.
    mutating func queueInLane(_ device: Int32) {
        guard lane.count > 0, !devices[Int(device)].isInLaneQueue else { return }
        devices[Int(device)].isInLaneQueue = true
        lane.enqueue(device)
    }

    /// The time and the sequence number of the lane's next event; nil without beacons.
    mutating func nextBeaconEvent() -> (time: Int64, sequence: UInt64)? {
        guard lane.count > 0 else { return nil }
        if lane.needsRecomputation || !lane.queue.isEmpty { computeBeaconReceptions() }
        computeMoments()
        return lane.next
    }

    /// Computes the moments that begin before the next event of the radio. No device is tuned anew before it, unless a host wants it: receptions
    /// that were computed too early are void then.
    private mutating func computeMoments() {
        let limit = scheduler.next()?.time ?? .max
        while let next = lane.heap.min, next.time < limit {
            let reception = lane.receptions[Int(next.index)]
            let isVoid = reception.receiver >= 0 && devices[Int(reception.receiver)].epoch != reception.epoch
            guard isVoid || reception.list < 0 else { return }
            lane.heap.removeMin()
            guard !isVoid, let listener = beaconListener(reception.receiver) else { continue }
            let (time, end) = (Instant(nanoseconds: next.time), Instant(nanoseconds: lane.preparedEnd))
            lane.compute(listener, from: time, ends: time..<end, beaconScene)
        }
    }

    /// Computes what a call or an event made necessary. All events up to the present have been processed.
    private mutating func computeBeaconReceptions() {
        let (first, end) = (time + .nanoseconds(1), Instant(nanoseconds: lane.preparedEnd))
        if first >= end {
            lane.needsRecomputation = false
        } else if lane.needsRecomputation {
            lane.compute(beaconListeners, ends: first..<end, beaconScene)
        } else {
            for device in lane.queue {
                guard let listener = beaconListener(device) else { continue }
                lane.compute(listener, from: listener.since, ends: first..<end, beaconScene)
            }
        }
        clearLaneQueue()
    }

    mutating func beginBeaconSlice() {
        lane.beginSlice(beaconListeners, beaconScene)
        clearLaneQueue()
    }

    private mutating func clearLaneQueue() {
        for device in lane.queue { devices[Int(device)].isInLaneQueue = false }
        lane.clearQueue()
    }

    /// Takes the lane's next event, which is not the beginning of a slice, and determines the receivers, into `receipts`.
    ///
    /// - Returns: The transmission that ends now; nil if no device receives it.
    mutating func takeBeaconEvent() -> BeaconTransmission? {
        receipts.removeAll(keepingCapacity: true)
        var ended: BeaconTransmission?
        guard let event = lane.heap.min else { return nil }
        while let next = lane.heap.min, next.time == event.time, next.sequence == event.sequence {
            lane.heap.removeMin()
            let reception = lane.receptions[Int(next.index)]
            let receiver = reception.receiver
            if receiver >= 0, devices[Int(receiver)].epoch != reception.epoch { continue }
            let transmission = lane.lists[Int(reception.list)][Int(reception.place)]
            ended = transmission
            if receiver >= 0 { conclude(reception.result, transmission, at: receiver) }
        }
        if receipts.count > 1 { receipts.sort { $0.receiver < $1.receiver } }
        return ended
    }

    private mutating func conclude(
        _ computed: ReceptionModel.Result, _ transmission: BeaconTransmission, at receiver: Int32
    ) {
        var result = computed
        if result.success > 0 {
            var examined = 0
            let others = interferenceOfTransmissions(
                on: transmission.channel, from: transmission.start, to: transmission.end, except: -1, at: receiver,
                upTo: result.limit, &examined)
            if others > 0 {
                result.interference += others
                result.success = model.success(of: transmission.packet, result)
            }
        }
        conclude(result, transmission.packet, at: receiver)
    }

    // MARK: Transmissions of beacons at other receptions

    /// The last end of the beacons' transmissions that `device` is receiving with this tuning; nil if there is none.
    func endOfBeaconBeingReceived(by device: Int32, _ tuning: Tuning, now: Instant) -> Instant? {
        guard !lane.isEmpty else { return nil }
        let position = devices[Int(device)].position
        var last: Instant?
        lane.forEachTransmission(
            in: cells[devices[Int(device)].cell].neighbours, on: tuning.channel,
            endingIn: now..<now + longest[tuning.channel]
        ) { transmission in
            if transmission.start < now, transmission.start >= tuning.since, transmission.end >= last ?? now,
                tuning.phy.hears(transmission.phy),
                pathLoss.isDetectable(
                    model.signals.signal(transmission.power, from: transmission.position, at: position),
                    phy: transmission.phy)
            {
                last = transmission.end
            }
            return true
        }
        return last
    }

    /// The power of the beacons that overlap a transmission of another controller, and of `others`, in mW.
    func interferenceOfBeacons(
        on channel: UInt8, from start: Instant, to end: Instant, at receiver: Int32, with others: Double,
        upTo limit: Double
    ) -> Double {
        let device = devices[Int(receiver)]
        return lane.interference(
            in: cells[device.cell].neighbours, on: channel, from: start, to: end, longest[channel], except: -1,
            at: device.position, with: others, upTo: limit, model.signals)
    }
}
