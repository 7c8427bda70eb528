import BLEAdapter

/// Which way an HCI packet goes.
package enum HCIDirection: Hashable, Sendable {
    case toController
    case toHost
}
