import BLEWire

/// Puts the L2CAP frames of one link together from ACL fragments (Vol 3, Part A, 7.2). A frame that came in one piece is
/// used where it lies.
package struct ACLReassembler {
    /// The octets of the frame under way, header first. After `.assembled` the owner may take it, and gives it back with
    /// `finish`.
    package var buffer: [UInt8] = []
    /// Octets that the frame under way still lacks; nil while its length is not known.
    private var missing: Int?
    private var isActive = false
    /// The longest frame, with header, that is put together.
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// What became of a fragment, and what was dropped on the way.
    package struct Outcome: Hashable, Sendable {
        package enum Progress: Hashable, Sendable {
            /// The fragment is a whole frame.
            case whole
            /// `buffer` holds a whole frame; call `finish` when it was read.
            case assembled
            /// More is to come, or nothing is under way.
            case incomplete
        }

        package var progress: Progress
        package var fault: Fault?
    }

    package enum Fault: Hashable, Sendable {
        /// A continuing fragment without a start: dropped.
        case missingStart
        /// More octets than the frame's length field says: the frame was dropped.
        case tooLong
        /// The frame is longer than this host takes: dropped.
        case aboveLimit
        /// A frame began before the last one had ended: the last one was dropped.
        case unfinished
    }

    package mutating func receive(isContinuation: Bool, _ fragment: Span<UInt8>) -> Outcome {
        isContinuation ? proceed(fragment) : begin(fragment)
    }

    private mutating func begin(_ fragment: Span<UInt8>) -> Outcome {
        let fault: Fault? = isActive ? .unfinished : nil
        finish()
        if fragment.count >= L2CAP.headerCount {
            let total = L2CAP.headerCount + (Int(fragment[0]) | Int(fragment[1]) << 8)
            if total > limit { return drop(.aboveLimit) }
            if fragment.count == total { return Outcome(progress: .whole, fault: fault) }
            if fragment.count > total { return drop(.tooLong) }
            missing = total - fragment.count
        }
        isActive = true
        buffer.append(fragment)
        return Outcome(progress: .incomplete, fault: fault)
    }

    private mutating func proceed(_ fragment: Span<UInt8>) -> Outcome {
        guard isActive else { return drop(.missingStart) }
        if let missing, fragment.count > missing { return drop(.tooLong) }
        buffer.append(fragment)
        if let left = missing {
            missing = left - fragment.count
        } else if buffer.count >= L2CAP.headerCount {
            let total = L2CAP.headerCount + (Int(buffer[0]) | Int(buffer[1]) << 8)
            if total > limit { return drop(.aboveLimit) }
            if buffer.count > total { return drop(.tooLong) }
            missing = total - buffer.count
        }
        return Outcome(progress: missing == 0 ? .assembled : .incomplete, fault: nil)
    }

    private mutating func drop(_ fault: Fault) -> Outcome {
        finish()
        return Outcome(progress: .incomplete, fault: fault)
    }

    /// Makes ready for the next frame; keeps the buffer's capacity.
    package mutating func finish() {
        buffer.empty()
        missing = nil
        isActive = false
    }

    /// `finish`, after the owner had taken `buffer`.
    package mutating func finish(returning taken: consuming [UInt8]) {
        buffer = taken
        finish()
    }
}
