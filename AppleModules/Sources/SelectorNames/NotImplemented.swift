/// The error of an optional requirement that an object does not implement. `Scripts/without-objective-c` lets optional requirements with a result
/// throw it, and turns `object.method?()` into `try? object.method()`.
public struct NotImplemented: Error {
    /// Makes the error.
    public init() {}
}
