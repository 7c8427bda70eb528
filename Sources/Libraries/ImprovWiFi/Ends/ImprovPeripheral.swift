internal import BLEAdapter
import CoreBluetooth

/// A device that publishes the Improv service, advertises it, and joins the network that a client names.
///
/// The advertisement contains the UUID of the service. Apple's API has no way to advertise the service data of version 2 of the
/// specification, so a client sees the state after it has connected. The object uses a peripheral manager of its own. May be used
/// from any thread.
public final class ImprovPeripheral: Sendable {
    /// What happens on the device.
    public enum Event: Hashable, Sendable {
        /// The state is another one.
        case state(ImprovState)
        /// The error that clients see is another one, or occurred again.
        case error(ImprovError)
        /// The device has to show which one it is, such as with a light.
        case identify
        /// The service is advertised.
        case advertising
        /// The service cannot be published or advertised; the text has the reason.
        case failed(String)
    }

    private let session: ImprovPeripheralSession
    private let source: EventSource<Event>

    /// Prepares the service.
    ///
    /// - Parameters:
    ///   - name: The advertised name; nil advertises none.
    ///   - capabilities: What the device can do besides joining. `deviceInformation` follows from `information`.
    ///   - information: What the device says about itself.
    ///   - requiresAuthorization: Whether a client can join a network only after ``authorize()``.
    ///   - joiner: Joins the networks.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events and the joiner.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`.
    public init(
        name: String?, capabilities: ImprovCapabilities = [], information: ImprovDeviceInformation? = nil,
        requiresAuthorization: Bool, joiner: any WiFiJoining, timing: ImprovTiming = ImprovTiming(),
        queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        let source = EventSource(onEvent)
        self.source = source
        session = ImprovPeripheralSession(
            name: name, capabilities: capabilities, information: information,
            requiresAuthorization: requiresAuthorization, joiner: joiner, timing: timing, queue: queue, clock: clock,
            onEvent: source.report)
    }

    /// The events from now on. The stream ends with the object. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<Event> { source.stream() }

    /// Publishes the service and advertises it. Call it once, and keep a reference to the object until ``stop(after:)``.
    public func start() { session.start() }

    /// The user has authorised the device, such as with a button. Clients can join a network until the authorisation ends.
    public func authorize() { session.authorize() }

    /// Removes the service and ends advertising.
    ///
    /// - Parameter delay: The time for which the service remains, such as for a client that has to read the result of its last command.
    public func stop(after delay: Duration = .zero) { session.stop(after: delay) }
}
