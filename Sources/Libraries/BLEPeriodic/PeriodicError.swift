internal import BLEAdapter

/// Why periodic advertising, or the reception of a train, is not possible or has ended.
public enum PeriodicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The Bluetooth adapter has no periodic advertising.
    case unsupported
    /// Bluetooth is off, or its controller is gone.
    case poweredOff
    /// There are as many advertising sets or trains as the adapter takes, or more data than it takes.
    case limit
    /// The data does not fit into the interval.
    case dataTooLong
    /// The train was announced, but none of its packets was received.
    case notReceived
    /// No packet of the train was received for the timeout.
    case lost
    /// There is no train of which to tell: the advertiser does not advertise, or the reception has ended.
    case noTrain
    /// There is no connection to the device.
    case notConnected
    /// The device takes no trains of which others tell.
    case unsupportedByDevice
    /// The train has no subevents.
    case noResponses
    /// The time of a subevent or of a response slot has passed.
    case late
    /// The program ended the request, or its task was cancelled.
    case cancelled
    /// The controller refused, with its error code (Vol 1, Part F, 1.3).
    case controller(UInt8)
    /// The interval is shorter than 7.5 ms or longer than 81.91875 s.
    case interval(Duration)
    /// Subevents or response slots are not in their ranges, or do not fit into the interval.
    case subevents
    /// The timeout is shorter than 100 ms or longer than 163.84 s.
    case timeout(Duration)
    /// The number of events to skip is not 0 to 499.
    case skip(Int)
    /// The number of an advertising set is not 0 to 15.
    case set(Int)
    /// The name has more than 248 octets in UTF-8.
    case name(String)
    /// The text is no device address, such as `C0:11:22:33:44:55`.
    case address(String)

    /// A sentence about the error.
    public var description: String {
        switch self {
        case .unsupported: "The Bluetooth adapter has no periodic advertising."
        case .poweredOff: "Bluetooth is off, or its controller is gone."
        case .limit: "The Bluetooth adapter takes no more advertising sets, trains or data."
        case .dataTooLong: "The data does not fit into the interval."
        case .notReceived: "The train was announced, but none of its packets was received."
        case .lost: "No packet of the train was received for the timeout."
        case .noTrain: "There is no train of which to tell."
        case .notConnected: "There is no connection to the device."
        case .unsupportedByDevice: "The device takes no trains of which others tell."
        case .noResponses: "The train has no subevents."
        case .late: "The time of the subevent or of the response slot has passed."
        case .subevents: "These subevents or response slots are not possible, or do not fit into the interval."
        case .cancelled: "The request was cancelled."
        case .controller(let code): "The Bluetooth controller refused with error \(code)."
        case .interval(let interval): "An interval of \(interval) is not possible: use 7.5 ms to 81.9 s."
        case .timeout(let timeout): "A timeout of \(timeout) is not possible: use 100 ms to 163.84 s."
        case .skip(let count): "Skipping \(count) events is not possible: use 0 to 499."
        case .set(let number): "There is no advertising set \(number): use 0 to 15."
        case .name(let name): "The name has \(name.utf8.count) octets in UTF-8 and may have 248."
        case .address(let text): "\(text) is no device address, such as C0:11:22:33:44:55."
        }
    }

    init(_ failure: PeriodicFailure) {
        switch failure {
        case .unsupported: self = .unsupported
        case .notPoweredOn: self = .poweredOff
        case .limit: self = .limit
        case .dataTooLong: self = .dataTooLong
        case .notReceived: self = .notReceived
        case .lost: self = .lost
        case .noTrain: self = .noTrain
        case .notConnected: self = .notConnected
        case .unsupportedByPeer: self = .unsupportedByDevice
        case .tooLate: self = .late
        case .controller(let code): self = .controller(code)
        }
    }
}
