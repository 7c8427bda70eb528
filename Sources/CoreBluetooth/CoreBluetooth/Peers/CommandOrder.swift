/// Keeps the results of a peripheral's GATT commands in the order of the calls.
///
/// The adapter carries the commands out one after another, so their results come in order. A command that is refused without it waits here for
/// the results of those before it.
struct CommandOrder {
    typealias Refusal = (any CBPeripheralDelegate, CBPeripheral) -> Void

    private var submitted = 0
    private var completed = 0
    /// In the order of the calls, with the number of commands before each.
    private var refusals: [(after: Int, call: Refusal)] = []

    /// Counts a command that the adapter carries out.
    mutating func submit() { submitted += 1 }

    /// Counts the result of the oldest command.
    mutating func complete() { completed = min(submitted, completed + 1) }

    /// Keeps a refusal for `next`. Returns false if no result precedes it.
    mutating func wait(_ refusal: @escaping Refusal) -> Bool {
        guard completed < submitted || !refusals.isEmpty else { return false }
        refusals.append((submitted, refusal))
        return true
    }

    /// Removes and returns the next refusal if the results before it have come.
    mutating func next() -> Refusal? {
        guard let first = refusals.first, first.after <= completed else { return nil }
        refusals.removeFirst()
        return first.call
    }
}
