/// The direction of an HCI packet.
package enum HCIDirection: Hashable, Sendable {
    case toController
    case toHost
}
