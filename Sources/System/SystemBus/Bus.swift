import BLETransport
import BLEWire

/// What a program does on a bus (D-Bus). `BusConnection` is one to a bus of the machine.
///
/// A bus is used once: after its end the owner makes another one. Calls and subscriptions may be made at once; they leave when the bus has accepted
/// the connection. All methods are called on one serial queue, on which all callbacks run, never within a method.
package protocol Bus: AnyObject {
    typealias Completion = (Result<BusMessage, BusCallError>) -> Void

    /// Called once with the unique name, when the bus has accepted the connection.
    var onReady: ((String) -> Void)? { get set }
    /// Called once if the connection ends without `close()`. Calls that wait have failed before.
    var onClose: ((BusCallError) -> Void)? { get set }
    /// Called when `isBusy` has become false.
    var onDrain: (() -> Void)? { get set }
    /// The name of this connection; nil before the bus gave it.
    var uniqueName: String? { get }
    /// Whether so much waits for the bus that the owner should not add more.
    var isBusy: Bool { get }

    /// Calls a method of a service. `completion` is called once, with the reply: its values and descriptors. Above 100 calls without an answer,
    /// further ones wait for their turn; signals do not.
    func call(_ message: BusMessage, timeout: TimeSpan, completion: @escaping Completion)
    /// Emits a signal, or makes a call that wants no answer.
    func emit(_ message: BusMessage) throws(BusCallError)
    /// Receives the signals of a rule until it is cancelled. `completion` is called once: with nil when no further signal can be missed, or with the
    /// reason why none will come.
    @discardableResult
    func subscribe(
        _ match: BusMatch, completion: ((BusCallError?) -> Void)?, receive: @escaping (BusMessage) -> Void
    ) -> BusCancellable
    /// Calls back with the unique name of the owner of a name, nil without one: first as it is, then after each change. The end of the connection
    /// calls `onClose` alone; a watch that begins after it calls back with nil.
    @discardableResult
    func watchName(_ name: String, _ change: @escaping (String?) -> Void) -> BusCancellable
    /// Offers an object at a path, with the members of its interfaces. Calls of others are refused by the names of the standard.
    @discardableResult
    func export(
        _ path: String, _ interfaces: [String: Set<String>], _ handle: @escaping (BusCall) -> Void
    ) -> BusCancellable
    /// Ends the connection. Calls that wait fail; no other callback follows.
    func close()
}

extension Bus {
    /// The time in which a service answers, if the caller says nothing.
    package static var timeout: TimeSpan { .seconds(25) }

    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
        descriptors: [Descriptor] = [], timeout: TimeSpan = Self.timeout, completion: @escaping Completion
    ) {
        call(
            .call(destination, path, interface, member, arguments, descriptors: descriptors), timeout: timeout,
            completion: completion)
    }

    /// Reads a property.
    package func property(
        _ destination: String, _ path: String, _ interface: String, _ name: String,
        completion: @escaping (Result<BusValue, BusCallError>) -> Void
    ) {
        call(destination, path, "org.freedesktop.DBus.Properties", "Get", [.string(interface), .string(name)]) {
            completion(
                $0.flatMap { reply in
                    guard case .variant(let value)? = reply.body.first else { return .failure(.invalid) }
                    return .success(value)
                })
        }
    }
}

/// What answers the calls that a bus delivered.
package protocol BusAnswering: AnyObject {
    func reply(_ token: UInt64, _ values: [BusValue], _ descriptors: [Descriptor])
    func fail(_ token: UInt64, _ name: String, _ text: String)
    /// A call without an answer was released, on any thread.
    func released(_ token: UInt64)
}
