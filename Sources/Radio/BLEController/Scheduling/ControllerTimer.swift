/// The purpose of a controller's timer.
enum ControllerTimer: Hashable {
    /// The next advertising event.
    case advertising
    /// The timeout of high duty cycle directed advertising (Vol 6, Part B, 4.4.2.4.3).
    case advertisingEnd
    /// The scanner's next interval, and the end of its window.
    case scanInterval(PrimaryPHY), scanWindow(PrimaryPHY)
    case initiateInterval(PrimaryPHY), initiateWindow(PrimaryPHY)
    /// The end of a scan, or of the pause after it.
    case scanPeriod
    /// The end of a turn while windows on both primary PHYs are open.
    case listeningTurn
    /// The next PDU on a secondary channel.
    case auxiliary
    /// The end of the wait for a PDU.
    case radio
    /// The change of the private addresses.
    case addressRotation
    /// A link's next event, supervision timeout, procedure timeout and authenticated payload timeout.
    case event(Int32), supervision(Int32), procedure(Int32), payload(Int32)

    /// The timers that do not belong to a link, in order of `index`.
    static let own: [ControllerTimer] = [
        .advertising, .advertisingEnd, .scanInterval(.oneM), .scanWindow(.oneM), .initiateInterval(.oneM),
        .initiateWindow(.oneM), .radio, .addressRotation, .scanInterval(.coded), .scanWindow(.coded),
        .initiateInterval(.coded), .initiateWindow(.coded), .scanPeriod, .listeningTurn, .auxiliary,
    ]

    /// A dense index for each timer.
    var index: Int {
        switch self {
        case .advertising: 0
        case .advertisingEnd: 1
        case .scanInterval(let phy): phy == .oneM ? 2 : 8
        case .scanWindow(let phy): phy == .oneM ? 3 : 9
        case .initiateInterval(let phy): phy == .oneM ? 4 : 10
        case .initiateWindow(let phy): phy == .oneM ? 5 : 11
        case .radio: 6
        case .addressRotation: 7
        case .scanPeriod: 12
        case .listeningTurn: 13
        case .auxiliary: 14
        case .event(let slot): 15 + 4 * Int(slot)
        case .supervision(let slot): 16 + 4 * Int(slot)
        case .procedure(let slot): 17 + 4 * Int(slot)
        case .payload(let slot): 18 + 4 * Int(slot)
        }
    }
}
