import BLEWire

extension ACLTransmitter {
    /// A link's queue. It works in place: a copy would retain the buffers of both lanes with every packet.
    struct Queue {
        var handle: UInt16
        var isOpen: Bool
        private var main = ACLFrameQueue()
        private var bulk = ACLFrameQueue()
        /// The lane of the most recently started frame.
        private var lane = QueuePriority.bulk
        /// The number of octets that the bulk lane has sent more than the main lane, while both had data.
        private var lead = 0
        /// The octets of that lane's first frame that are still to be sent; 0 between frames.
        private var frameRest = 0
        /// The packets in the controller that it has not reported as completed.
        var outstanding = 0
        /// The main lane has reached `fullMark` and has not fallen to `drainedMark` since.
        var wasFull = false
        /// The octets in each lane.
        private(set) var mainPending = 0
        private(set) var bulkPending = 0
        var pending: Int { mainPending + bulkPending }

        init(handle: UInt16) {
            self.handle = handle
            isOpen = true
        }

        mutating func append(
            _ payload: Span<UInt8>, length: UInt16, _ channel: L2CAP.ChannelIdentifier, lane: QueuePriority
        ) {
            switch lane {
            case .main:
                main.append(payload, length: length, channel)
                mainPending = main.pending
            case .bulk:
                bulk.append(payload, length: length, channel)
                bulkPending = bulk.pending
            }
        }

        /// Appends an attribute PDU to the main lane.
        mutating func append(opcode: ATT.Opcode, handle: UInt16, _ value: Span<UInt8>) {
            main.append(opcode: opcode, handle: handle, value)
            mainPending = main.pending
        }

        /// Moves the next fragment to `output` as an H4 packet. Returns its length in octets.
        mutating func sendFragment(upTo limit: Int, into output: inout [UInt8], mark: Int) -> Int {
            let isStart = frameRest == 0
            if isStart {
                chooseLane()
                frameRest = lane == .main ? main.frameLength : bulk.frameLength
            }
            let count = min(limit, frameRest)
            let header = packetHeader(isStart: isStart, count: count)
            switch lane {
            case .main:
                main.take(count, after: header, into: &output, mark: mark)
                mainPending -= count
                lead -= count
            case .bulk:
                bulk.take(count, after: header, into: &output, mark: mark)
                bulkPending -= count
                lead += count
            }
            frameRest -= count
            outstanding += 1
            return count
        }

        /// The H4 and ACL headers of a packet of `count` octets.
        private func packetHeader(isStart: Bool, count: Int) -> [5 of UInt8] {
            H4.header(handle, isStart ? .firstNonFlushable : .continuing, count: count)
        }

        /// Writes a frame of the main lane to `output` as at most `room` H4 packets of at most `limit` octets, and queues the rest.
        /// Both lanes must be empty, and `limit` must have room for the header of the frame. Returns the number of packets.
        mutating func sendFrame(
            _ payload: Span<UInt8>, length: UInt16, _ channel: L2CAP.ChannelIdentifier, upTo limit: Int, room: Int,
            into output: inout [UInt8]
        ) -> Int {
            var sent = min(limit - L2CAP.headerCount, payload.count)
            let count = L2CAP.headerCount + sent
            let header = H4.header(handle, count: count, frame: Int(length), channel)
            output.append(header, payload.extracting(first: sent))
            var packets = 1
            while sent < payload.count, packets < room {
                let count = min(limit, payload.count - sent)
                output.append(packetHeader(isStart: false, count: count), payload.extracting(sent..<sent + count))
                sent += count
                packets += 1
            }
            lane = .main
            lead = -(L2CAP.headerCount + sent)
            frameRest = payload.count - sent
            if frameRest > 0 {
                main.append(rest: payload.extracting(droppingFirst: sent))
                mainPending = frameRest
            }
            outstanding += packets
            return packets
        }

        /// Takes note of a frame of `count` octets that left as one packet, while both lanes were empty.
        mutating func sentFrame(_ count: Int) {
            lane = .main
            lead = -count
            outstanding += 1
        }

        /// Chooses a lane before a frame: the lane that has sent less, or the other lane if both are equal. An empty
        /// lane accumulates no share.
        private mutating func chooseLane() {
            if mainPending > 0, bulkPending > 0 {
                lane = lead > 0 ? .main : lead < 0 ? .bulk : lane == .main ? .bulk : .main
            } else {
                lane = mainPending > 0 ? .main : .bulk
                lead = 0
            }
        }

        mutating func release(keepingAtMost limit: Int) {
            isOpen = false
            lead = 0
            main.removeAll(keepingAtMost: limit)
            bulk.removeAll(keepingAtMost: limit)
            mainPending = 0
            bulkPending = 0
            frameRest = 0
            outstanding = 0
            wasFull = false
        }
    }
}
