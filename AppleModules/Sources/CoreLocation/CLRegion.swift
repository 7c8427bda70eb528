public import Foundation

/// Whether the program is in a region.
public enum CLRegionState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// The program is in the region.
    case inside = 1
    /// The program is outside the region.
    case outside = 2
}

/// A region that a location manager can monitor. On Linux, the only regions are those of beacons.
///
/// Two regions with one identifier are equal.
open class CLRegion: NSObject, @unchecked Sendable {
    private let storedIdentifier: String
    private let notifications = Guarded((onEntry: true, onExit: true))

    init(identifier: String) {
        storedIdentifier = identifier
        super.init()
    }

    /// The name of the region in the program. A location manager monitors one region of a name.
    open var identifier: String { storedIdentifier }

    /// Whether the delegate receives didEnterRegion.
    open var notifyOnEntry: Bool {
        get { notifications.withLock { $0.onEntry } }
        set { notifications.withLock { $0.onEntry = newValue } }
    }

    /// Whether the delegate receives didExitRegion.
    open var notifyOnExit: Bool {
        get { notifications.withLock { $0.onExit } }
        set { notifications.withLock { $0.onExit = newValue } }
    }

    /// Compares the identifiers.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }

    /// The hash of the identifier.
    open override var hash: Int { identifier.hashValue }
}
