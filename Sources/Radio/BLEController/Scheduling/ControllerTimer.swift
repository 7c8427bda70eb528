/// The purpose of a controller's timer.
enum ControllerTimer: Hashable {
    /// The next advertising event of any set.
    case advertising
    /// The first end of a set's duration (Vol 4, Part E, 7.8.56), or of high duty cycle advertising (Vol 6, Part B, 4.4.2.4.3).
    case advertisingEnd
    /// The next interval of the scanner or the initiator, and the end of its window.
    case interval(ListeningRole, PrimaryPHY), window(ListeningRole, PrimaryPHY)
    /// The end of a scan, or of the pause after it.
    case scanPeriod
    /// The end of a turn while windows on both primary PHYs are open.
    case listeningTurn
    /// The next PDU on a secondary channel.
    case auxiliary
    /// The next event of a train, and the next reception of one or the loss of its sync.
    case train, sync
    /// The end of the wait for a PDU.
    case radio
    /// The change of the private addresses.
    case addressRotation
    /// A link's next event, supervision timeout, procedure timeout and authenticated payload timeout.
    case event(Int32), supervision(Int32), procedure(Int32), payload(Int32)

    /// The timers that do not belong to a link, in order of `index`.
    static let own: [ControllerTimer] = [
        .advertising, .advertisingEnd, .interval(.scanner, .oneM), .window(.scanner, .oneM),
        .interval(.initiator, .oneM), .window(.initiator, .oneM), .radio, .addressRotation,
        .interval(.scanner, .coded), .window(.scanner, .coded), .interval(.initiator, .coded),
        .window(.initiator, .coded), .scanPeriod, .listeningTurn, .auxiliary, .train, .sync,
    ]

    /// A dense index for each timer.
    var index: Int {
        switch self {
        case .advertising: 0
        case .advertisingEnd: 1
        case .interval(let role, let phy): (role == .scanner ? 2 : 4) + (phy == .oneM ? 0 : 6)
        case .window(let role, let phy): (role == .scanner ? 3 : 5) + (phy == .oneM ? 0 : 6)
        case .radio: 6
        case .addressRotation: 7
        case .scanPeriod: 12
        case .listeningTurn: 13
        case .auxiliary: 14
        case .train: 15
        case .sync: 16
        case .event(let slot): 17 + 4 * Int(slot)
        case .supervision(let slot): 18 + 4 * Int(slot)
        case .procedure(let slot): 19 + 4 * Int(slot)
        case .payload(let slot): 20 + 4 * Int(slot)
        }
    }
}
