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
    }

    private var calls: [UInt32: Call] = [:]
    private var lastSerial: UInt32 = 0

    var count: Int { calls.count }
    var deadline: Instant? { calls.values.lazy.map(\.deadline).min() }

    /// A serial that no call uses; never 0.
    mutating func nextSerial() -> UInt32 {
        repeat { lastSerial &+= 1 } while lastSerial == 0 || calls[lastSerial] != nil
        return lastSerial
    }

    mutating func add(_ purpose: Purpose, to destination: String?, deadline: Instant) -> UInt32 {
        let serial = nextSerial()
        add(purpose, to: destination, deadline: deadline, serial: serial)
        return serial
    }

    mutating func add(_ purpose: Purpose, to destination: String?, deadline: Instant, serial: UInt32) {
        calls[serial] = Call(purpose: purpose, destination: destination, deadline: deadline)
    }

    mutating func remove(_ serial: UInt32) -> Purpose? { calls.removeValue(forKey: serial)?.purpose }

    /// Removes the call that a message answers. Nil if there is none: answers to calls that were given up, and those of a connection that was
    /// not called.
    mutating func remove(_ serial: UInt32, from answer: BusMessage) -> Purpose? {
        guard let call = calls[serial] else { return nil }
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
        for (serial, _) in chosen { calls[serial] = nil }
        return chosen.map { ($0.key, $0.value.purpose) }
    }
}
