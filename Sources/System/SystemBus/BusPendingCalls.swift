import BLEWire

/// The calls that wait for their answers, by serial.
struct BusPendingCalls {
    enum Purpose: Hashable {
        /// Of the owner, with its number.
        case owner(UInt64)
        case hello
        /// AddMatch.
        case rule(String)
        /// GetNameOwner.
        case nameOwner(String)

        var isOwners: Bool { if case .owner = self { true } else { false } }
    }

    private struct Call {
        let purpose: Purpose
        let destination: String?
        let deadline: Instant
        /// Whether the bus counts it among the calls whose replies it expects: it has left, and is not for the bus itself.
        var counts: Bool
    }

    private var calls: [UInt32: Call] = [:]
    private var lastSerial: UInt32 = 0
    /// The calls that were given up, and that the bus counts still.
    private var abandoned: Set<UInt32> = []
    private var counted = 0

    var count: Int { calls.count }
    /// The calls of this connection whose replies the bus expects.
    var countAtBus: Int { counted + abandoned.count }
    var deadline: Instant? { calls.values.lazy.map(\.deadline).min() }

    /// A serial that no call uses; never 0.
    mutating func nextSerial() -> UInt32 {
        repeat { lastSerial &+= 1 } while lastSerial == 0 || calls[lastSerial] != nil || abandoned.contains(lastSerial)
        return lastSerial
    }

    mutating func add(
        _ purpose: Purpose, to destination: String?, deadline: Instant, serial: UInt32, leaves: Bool = true
    ) {
        calls[serial] = Call(purpose: purpose, destination: destination, deadline: deadline, counts: false)
        if leaves { left(serial) }
    }

    /// A call leaves for the bus. Returns false if it was given up before.
    @discardableResult
    mutating func left(_ serial: UInt32) -> Bool {
        guard let call = calls[serial] else { return false }
        if call.destination != BusSession.bus {
            calls[serial]?.counts = true
            counted += 1
        }
        return true
    }

    mutating func remove(_ serial: UInt32) -> Purpose? {
        guard let call = calls.removeValue(forKey: serial) else { return nil }
        if call.counts { counted -= 1 }
        return call.purpose
    }

    /// Removes the call that a message answers. Nil if there is none: answers to calls that were given up, and those of a connection that was
    /// not called.
    mutating func remove(_ serial: UInt32, from answer: BusMessage) -> Purpose? {
        guard let call = calls[serial] else {
            abandoned.remove(serial)
            return nil
        }
        // The bus itself answers for a service that is gone. Who answers for the name of a service is unknown here.
        if let sender = answer.sender, let destination = call.destination, sender != BusSession.bus,
            destination == BusSession.bus || BusNames.isUnique(destination), sender != destination
        {
            return nil
        }
        return remove(serial)
    }

    mutating func removeExpired(at now: Instant) -> [(UInt32, Purpose)] {
        remove { $0.deadline <= now }
    }

    mutating func removeAll() -> [(UInt32, Purpose)] { remove { _ in true } }

    /// Removes calls, in the order of their serials.
    private mutating func remove(_ isChosen: (Call) -> Bool) -> [(UInt32, Purpose)] {
        let chosen = calls.filter { isChosen($0.value) }.sorted { $0.key < $1.key }
        for (serial, call) in chosen {
            if call.counts { abandoned.insert(serial) }
            _ = remove(serial)
        }
        return chosen.map { ($0.key, $0.value.purpose) }
    }
}
