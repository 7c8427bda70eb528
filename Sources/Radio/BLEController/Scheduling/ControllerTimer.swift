/// The purpose of a controller's timer.
enum ControllerTimer: Hashable {
    /// The next advertising event.
    case advertising
    /// The timeout of high duty cycle directed advertising (Vol 6, Part B, 4.4.2.4.3).
    case advertisingEnd
    /// The scanner's next interval, and the end of its window.
    case scanInterval, scanWindow
    case initiateInterval, initiateWindow
    /// The end of the wait for a PDU.
    case radio
    /// The change of the private addresses.
    case addressRotation
    /// A link's next event, supervision timeout, procedure timeout and authenticated payload timeout.
    case event(Int32), supervision(Int32), procedure(Int32), payload(Int32)

    /// The timers that do not belong to a link, in order of `index`.
    static let own: [ControllerTimer] = [
        .advertising, .advertisingEnd, .scanInterval, .scanWindow, .initiateInterval, .initiateWindow, .radio,
        .addressRotation,
    ]

    /// A dense index for each timer.
    var index: Int {
        switch self {
        case .advertising: 0
        case .advertisingEnd: 1
        case .scanInterval: 2
        case .scanWindow: 3
        case .initiateInterval: 4
        case .initiateWindow: 5
        case .radio: 6
        case .addressRotation: 7
        case .event(let slot): 8 + 4 * Int(slot)
        case .supervision(let slot): 9 + 4 * Int(slot)
        case .procedure(let slot): 10 + 4 * Int(slot)
        case .payload(let slot): 11 + 4 * Int(slot)
        }
    }
}
