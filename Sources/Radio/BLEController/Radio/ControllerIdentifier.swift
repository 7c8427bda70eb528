/// Identifies a controller on a virtual radio.
///
/// The radio reuses an identifier only after `VirtualRadio.removeController(_:isReusable:)` allowed it.
package struct ControllerIdentifier: Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
}
