/// What a controller's timer is for.
enum ControllerTimer: Hashable {
    /// The next advertising event.
    case advertising
    /// High duty cycle directed advertising gives up.
    case advertisingEnd
    /// The scanner's next interval, or the end of its window.
    case scanInterval, scanWindow
    case initiateInterval, initiateWindow
    /// Who holds the radio stops waiting for a packet.
    case radio
    /// A link's next event, its supervision, and its control procedure's time limit.
    case event(Int32), supervision(Int32), procedure(Int32)

    /// The timers that there are without any link, in order of `index`.
    static let own: [ControllerTimer] = [
        .advertising, .advertisingEnd, .scanInterval, .scanWindow, .initiateInterval, .initiateWindow, .radio,
    ]

    /// A number for each, without gaps.
    var index: Int {
        switch self {
        case .advertising: 0
        case .advertisingEnd: 1
        case .scanInterval: 2
        case .scanWindow: 3
        case .initiateInterval: 4
        case .initiateWindow: 5
        case .radio: 6
        case .event(let slot): 7 + 3 * Int(slot)
        case .supervision(let slot): 8 + 3 * Int(slot)
        case .procedure(let slot): 9 + 3 * Int(slot)
        }
    }
}
