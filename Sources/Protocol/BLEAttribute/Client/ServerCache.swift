import BLEWire

/// The attribute cache of the peer of a link, and its use on that link.
struct ServerCache {
    var contents: AttributeCache
    /// Whether the Database Hash was read since the latest change: discoveries are answered from `contents` and recorded there.
    private(set) var isValid = false
    /// Increases with each change of the database. A discovery that began before a change must not be recorded after it.
    private(set) var generation = 0
    /// Whether a report of a change is due.
    var isReportDue = false

    init(_ contents: AttributeCache) { self.contents = contents }

    /// Takes the result of reading the Database Hash. Returns whether the contents have changed.
    ///
    /// The contents stay if the hash is the same. If the server has no hash, they stay if the server would have announced a change
    /// to this bonded client (Vol 3, Part G, 2.5.2).
    mutating func validated(_ outcome: CacheValidation.Outcome) -> Bool {
        let isSame =
            outcome.databaseHash == contents.databaseHash && (outcome.databaseHash != nil || contents.isAnnounced)
        let old = (contents.databaseHash, contents.hasAnnouncedRobustCaching)
        if !isSame { forget() }
        contents.databaseHash = outcome.databaseHash
        contents.hasAnnouncedRobustCaching = outcome.hasAnnouncedRobustCaching
        isValid = true
        return !isSame || old != (contents.databaseHash, contents.hasAnnouncedRobustCaching)
    }

    /// Takes the database of a server that has changed, with its new hash.
    mutating func resynchronized(_ hash: UInt128?) {
        forget()
        contents.databaseHash = hash
        isValid = true
    }

    /// Takes a change of the database. The hash has to be read again.
    mutating func invalidate() {
        forget()
        isValid = false
    }

    private mutating func forget() {
        contents.removeAll()
        generation += 1
    }
}
