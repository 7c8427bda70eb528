import Foundation

/// Objects that hear of something, none of them kept alive, in a file that imports no more than Foundation.
public final class Listeners<Listener: AnyObject> {
    private let names = NSMapTable<Listener, NSString>.weakToStrongObjects()

    /// Makes an empty list.
    public init() {}

    /// Adds one with its name.
    public func add(_ listener: Listener, name: String) { names.setObject(name as NSString, forKey: listener) }

    /// Tells every one.
    public func tell(_ body: (Listener, String) -> Void) {
        for case let listener as Listener in names.keyEnumerator() {
            autoreleasepool { body(listener, names.object(forKey: listener) as String? ?? "") }
        }
    }
}
