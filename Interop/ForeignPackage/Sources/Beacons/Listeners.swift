import Foundation

/// A list of weakly referenced listeners, in a file that imports only Foundation.
public final class Listeners<Listener: AnyObject> {
    private let names = NSMapTable<Listener, NSString>.weakToStrongObjects()

    /// Makes an empty list.
    public init() {}

    /// Adds a listener with its name.
    public func add(_ listener: Listener, name: String) { names.setObject(name as NSString, forKey: listener) }

    /// Calls every listener.
    public func tell(_ body: (Listener, String) -> Void) {
        for case let listener as Listener in names.keyEnumerator() {
            autoreleasepool { body(listener, names.object(forKey: listener) as String? ?? "") }
        }
    }
}
