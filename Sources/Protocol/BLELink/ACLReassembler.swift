import BLEWire

/// Reassembles the L2CAP frames of one link from ACL fragments (Vol 3, Part A, 7.2). A frame that arrives in one
/// fragment is used in place.
@usableFromInline
package struct ACLReassembler {
    /// The octets of the current frame, header first. After `.assembled` the owner may take the buffer. It returns it
    /// with `finish`.
    package var buffer: [UInt8] = []
    /// The octets that the current frame still lacks; nil until its length is known.
    private var missing: Int?
    @usableFromInline var isActive = false
    /// Whether no frame is in progress.
    @inlinable package var isIdle: Bool { !isActive }
    /// The longest frame to reassemble, including its header.
    package let limit: Int

    package init(limit: Int) { self.limit = limit }

    /// The result of a fragment, and any fragment or frame that was dropped.
    package struct Outcome: Hashable, Sendable {
        package enum Progress: Hashable, Sendable {
            /// The fragment is a whole frame.
            case whole
            /// `buffer` holds a whole frame. Call `finish` after reading it.
            case assembled
            /// The frame is not complete, or no frame is in progress.
            case incomplete
        }

        package var progress: Progress
        package var fault: Fault?
    }

    package enum Fault: Hashable, Sendable {
        /// A continuing fragment without a start. It was dropped.
        case missingStart
        /// The frame has more octets than its length field states. It was dropped.
        case tooLong
        /// The frame is longer than this host accepts. It was dropped.
        case aboveLimit
        /// A frame began before the preceding one ended. The preceding one was dropped.
        case unfinished
    }

    package mutating func receive(isContinuation: Bool, _ fragment: Span<UInt8>) -> Outcome {
        isContinuation ? proceed(fragment) : begin(fragment)
    }

    private mutating func begin(_ fragment: Span<UInt8>) -> Outcome {
        let fault: Fault? = isActive ? .unfinished : nil
        finish()
        if fragment.count >= L2CAP.headerCount {
            let total = L2CAP.frameCount(fragment[0], fragment[1])
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
            let total = L2CAP.frameCount(buffer[0], buffer[1])
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

    /// Prepares for the next frame. Keeps the buffer's capacity.
    package mutating func finish() {
        buffer.empty()
        missing = nil
        isActive = false
    }

    /// Does the same as `finish`, after the owner has taken `buffer`.
    package mutating func finish(returning taken: consuming [UInt8]) {
        buffer = taken
        finish()
    }
}
