/// The confirmation of an indication (Vol 3, Part F, 3.4.7.3). The host sends it when the last reference to this object
/// is released.
///
/// Each observer retains it until its program has handled the indication. The peer sends its next indication only after
/// that, so a slow program slows its peers down. An observer that is released releases the confirmation as well, so no
/// link waits forever.
package final class IndicationConfirmation: Sendable {
    private let send: @Sendable () -> Void

    package init(_ send: @escaping @Sendable () -> Void) { self.send = send }

    deinit { send() }
}
