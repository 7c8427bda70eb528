import ArgumentParser

extension Option {
    /// An option with a default value that the help shows. The argument parser shows none of an option with a `transform`.
    init(
        wrappedValue: Value, shown help: String, valueName: String,
        transform: @escaping @Sendable (String) throws -> Value
    ) {
        let value = (wrappedValue as? Duration).map { number($0 / .seconds(1)) } ?? "\(wrappedValue)"
        self.init(
            wrappedValue: wrappedValue, help: ArgumentHelp("\(help) (default: \(value))", valueName: valueName),
            transform: transform)
    }
}
