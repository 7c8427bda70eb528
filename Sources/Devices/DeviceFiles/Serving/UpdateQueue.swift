import CoreBluetooth

/// Updates that wait for the transmit queue of the manager.
struct UpdateQueue {
    struct Update {
        let characteristic: CBMutableCharacteristic
        let value: [UInt8]
        /// Nil selects all subscribers.
        let centrals: [CBCentral]?
        /// Whether a newer value of the same characteristic replaces this one.
        let isPeriodic: Bool
    }

    /// A client that writes faster than it receives echoes fills the queue.
    private static let limit = 1024

    private var updates: [Update] = []
    private var lost = 0

    var first: Update? { updates.first }

    /// Appends an update. Beyond the limit it is lost.
    mutating func append(_ update: Update) {
        if update.isPeriodic,
            let index = updates.firstIndex(where: { $0.isPeriodic && $0.characteristic === update.characteristic })
        {
            updates[index] = update
        } else if updates.count < Self.limit {
            updates.append(update)
        } else {
            lost += 1
        }
    }

    mutating func removeFirst() { updates.removeFirst() }

    mutating func removeAll(where isObsolete: (CBMutableCharacteristic) -> Bool) {
        updates.removeAll { isObsolete($0.characteristic) }
    }

    /// The number of lost updates since the last call.
    mutating func takeLostCount() -> Int {
        defer { lost = 0 }
        return lost
    }
}
