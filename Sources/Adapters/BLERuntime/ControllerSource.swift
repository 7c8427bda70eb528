import BLEAdapter
import BLEHostAdapter
import BLETransport
import BLEWire
import Dispatch

/// A controller that can be opened repeatedly. It covers the differences between sockets, adapters of this machine and
/// the shared radio.
package protocol ControllerSource: Sendable {
    /// The name for messages and for the executor's queue.
    var name: String { get }
    var recoveryPolicy: RecoveryPolicy { get }
    /// Opens the controller. The completion is called once on `queue`, which is also the queue of this call.
    func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion)
    /// Whether its radio is switched off.
    func isBlocked() -> Bool
    /// Calls `changed` on `queue` when a radio switch changed, or an adapter was added or removed, as long as the
    /// result is retained. Returns nil if the source cannot observe this.
    func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject?
}

extension ControllerSource {
    package typealias OpeningCompletion = (Result<TransportConnection, ControllerOpeningError>) -> Void

    package func isBlocked() -> Bool { false }
    package func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? { nil }
}

/// The reason why a controller cannot be opened.
package struct ControllerOpeningError: Error {
    package enum Reason: Hashable, Sendable {
        case unavailable
        /// The radio is switched off.
        case blocked
        /// This program lacks the permission to use the controller.
        case notPermitted
    }

    package var reason: Reason
    /// One sentence for the log: what happened and what to do.
    package var sentence: String
    /// The underlying error for the debug log, if the sentence is a different one.
    package var details: TransportError?

    var kind: ControllerError.Kind {
        switch reason {
        case .unavailable: .unavailable
        case .blocked: .blocked
        case .notPermitted: .notPermitted
        }
    }

    package init(_ reason: Reason, _ sentence: String, details: TransportError? = nil) {
        self.reason = reason
        self.sentence = sentence
        self.details = details
    }

    /// The failure of an adapter of this machine.
    package init(adapter error: TransportError, isBlocked: Bool) {
        sentence = error.description
        reason =
            switch error.kind {
            case .permissionDenied: .notPermitted
            case .blocked: .blocked
            // A switch may remove the adapter.
            case .notFound where isBlocked: .blocked
            default: .unavailable
            }
    }
}

/// A controller behind a socket or a serial port that speaks H4.
package struct SocketControllerSource: ControllerSource {
    let address: TransportAddress
    package var name: String { address.description }
    package var recoveryPolicy: RecoveryPolicy { .socket }

    package init(_ address: TransportAddress) { self.address = address }

    package func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion) {
        StreamConnector.connect(to: address, queue: queue) { result in
            completion(result.mapError { ControllerOpeningError(.unavailable, $0.description) })
        }
    }
}

/// An adapter of this machine, which this program takes from the kernel.
package struct SystemAdapterSource: ControllerSource {
    let index: UInt16
    package var name: String { "hci\(index)" }
    package var recoveryPolicy: RecoveryPolicy { .systemAdapter }

    package init(index: UInt16) { self.index = index }

    package func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion) {
        // The driver may load firmware, and the kernel gives up by itself if the adapter does not answer.
        StreamConnector.connect(to: .adapter(index: index), queue: queue, timeout: .seconds(60)) { result in
            completion(result.mapError { ControllerOpeningError(adapter: $0, isBlocked: isBlocked()) })
        }
    }

    package func isBlocked() -> Bool { SystemBluetooth.current.isBlocked(index) }

    package func watch(on queue: DispatchQueue, _ changed: @escaping () -> Void) -> AnyObject? {
        RadioSwitchWatcher(queue: queue, changed)
    }
}

/// The controller that a shared radio has for this program.
package struct SharedRadioSource: ControllerSource {
    let place: SharedRadioEndpoint
    package var name: String { place.address.description }
    package var recoveryPolicy: RecoveryPolicy { .sharedRadio }

    package init(_ place: SharedRadioEndpoint) { self.place = place }

    package func open(on queue: DispatchQueue, _ completion: @escaping OpeningCompletion) {
        do throws(SharedRadioEndpoint.EndpointError) {
            try place.check()
        } catch {
            return completion(.failure(ControllerOpeningError(.unavailable, error.description)))
        }
        StreamConnector.connect(to: place.address, queue: queue) { result in
            completion(
                result.mapError { error in
                    ControllerOpeningError(
                        .unavailable, place.sentence(for: error, afterStart: ", and this program goes on"),
                        details: error)
                })
        }
    }
}
