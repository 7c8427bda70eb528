/// Why a request ended without a reply, and where it stopped.
public struct LinkRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// How far a request came.
    public enum Stage: String, Hashable, Sendable {
        /// The request did not leave this program: the device has not carried it out.
        case waiting
        /// The request left, and the device did not confirm it: the device may have carried it out.
        case sent
        /// The device has confirmed that it received the request: it may have carried it out.
        case accepted
    }

    /// Why the client stopped.
    public enum Reason: String, Hashable, Sendable {
        /// The time limit of the request has ended.
        case timeLimit
        /// The device has started again and does not know what it did before.
        case deviceRestarted
        /// The device has forgotten this client, because it was silent while others were not.
        case forgotten
        /// The program closed the connection.
        case closed
        /// The task that waited for the reply was cancelled.
        case cancelled
    }

    /// How far the request came.
    public let stage: Stage
    /// Why the client stopped.
    public let reason: Reason

    /// Creates a failure.
    public init(_ stage: Stage, _ reason: Reason) {
        self.stage = stage
        self.reason = reason
    }

    /// Whether the device has certainly not carried out the request, so that it can be sent again.
    public var isUntouched: Bool { stage == .waiting }

    /// A sentence with both.
    public var description: String {
        let cause =
            switch reason {
            case .timeLimit: "No reply came within the time limit."
            case .deviceRestarted: "The device has started again."
            case .forgotten: "The device has forgotten this client."
            case .closed: "The link was closed."
            case .cancelled: "The request was cancelled."
            }
        let effect =
            switch stage {
            case .waiting: "The request was not sent: it is safe to send it again."
            case .sent: "The request was sent and not confirmed: read the state of the device before you send it again."
            case .accepted:
                "The device had received the request: read the state of the device before you send it again."
            }
        return "\(cause) \(effect)"
    }
}

/// Why a request cannot be submitted.
public enum LinkSubmitError: Error, Hashable, Sendable, CustomStringConvertible {
    /// 64 requests wait already.
    case tooMany
    /// The name of the operation has no octet, or more than 64.
    case operation
    /// The request has too many octets, or too many levels.
    case format(LinkFormatError)

    /// A sentence about the error.
    public var description: String {
        switch self {
        case .tooMany: "Too many requests wait for replies. Send this one after one of them has ended."
        case .operation: "The name of an operation has 1 to 64 octets."
        case .format(let error): "\(error)"
        }
    }
}

/// Why a request has no result.
public enum DeviceRequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The device refused the request, or could not carry it out.
    case refused(LinkError)
    /// The request ended without a reply.
    case unanswered(LinkRequestError)
    /// The request cannot be sent.
    case notSubmitted(LinkSubmitError)

    /// The text of the cause.
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .unanswered(let error): "\(error)"
        case .notSubmitted(let error): "\(error)"
        }
    }
}

/// The times of a client.
public struct LinkTiming: Hashable, Sendable {
    /// The time that a request has.
    public var request = Duration.seconds(30)
    /// The time that opening a way has.
    public var opening = Duration.seconds(15)
    /// The next way starts to open when the better ones have not opened for this time.
    public var stagger = Duration.seconds(2)
    /// A way that brings no answer for this time is broken.
    public var silence = Duration.seconds(4)
    /// The pause between signs of life while nothing else happens.
    public var ping = Duration.seconds(10)
    /// The pause before a request is sent again. Each further one is twice as long, up to four times this.
    public var firstRepeat = Duration.seconds(1)
    /// The pause before a way that broke is opened again. Each further one is twice as long, up to `longestRetry`.
    public var firstRetry = Duration.seconds(2)
    /// The longest pause before a way is opened again.
    public var longestRetry = Duration.seconds(60)

    /// Creates the usual times.
    public init() {}
}
