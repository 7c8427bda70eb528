import BLEWire

extension Medium {
    /// The transmissions that have begun and not ended, in the order of their ends.
    ///
    /// It searches all transmissions, of which there are about as many as overlapped at the busiest time, so that beginnings cost nothing.
    var transmissionsInFlight: [Int32] {
        transmissions.indices.filter { index in
            let transmission = transmissions[index]
            return transmission.sender >= 0 && !transmission.isCut && transmission.start <= now
                && transmission.end > now
        }
        .sorted { (transmissions[$0].end, $0) < (transmissions[$1].end, $1) }
        .map { Int32($0) }
    }
}
