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
    /// A connection's next event, its supervision, and its control procedure's time limit.
    case event(Int32), supervision(Int32), procedure(Int32)
}
