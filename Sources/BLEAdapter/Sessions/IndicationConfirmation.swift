/// The confirmation that a peer waits for after an indication: it is sent when the last reference to this object is released.
///
/// Each observer keeps it until its program has dealt with the indication. The peer sends the next one only then, so a slow
/// program slows its peers down. An observer that goes away releases it as well, and no link is left waiting.
package final class IndicationConfirmation: Sendable {
    private let send: @Sendable () -> Void

    package init(_ send: @escaping @Sendable () -> Void) { self.send = send }

    deinit { send() }
}
