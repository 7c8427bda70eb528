import BLEWire

/// The division of data over a first PDU and AUX_CHAIN_INDs, as few as possible (Vol 6, Part B, 2.3.4.9).
struct FragmentedData: Hashable {
    /// The octets of data.
    let count: Int
    /// The octets of data for which the first PDU has room without AuxPtr.
    let firstRoom: Int
    /// Whether the data goes on after these octets without a PDU for the rest. The last PDU says so with an AuxPtr that names no PDU.
    let isCut: Bool
    /// The octets of the first PDU's header that stay empty.
    var unused = 0

    /// The octets of a payload after the octet with the mode and the length of the extended header.
    private static let room = 254
    /// The octets of data for which AUX_CHAIN_IND has room without AuxPtr.
    private let chainRoom: Int
    private static let pointerLength = 3

    /// - Parameters:
    ///   - header: The length of the extended header of the first PDU without AuxPtr.
    ///   - chainHeader: The same of AUX_CHAIN_IND, which has the flags and ADI.
    init(count: Int, afterHeader header: Int, inChain chainHeader: Int = 3, isCut: Bool = false) {
        chainRoom = Self.room - chainHeader
        self.count = count
        self.isCut = isCut
        firstRoom = Self.room - header
    }

    /// The octets in one PDU, 0 for the first.
    func range(of fragment: Int) -> Range<Int> {
        let room = fragment == 0 ? firstRoom : chainRoom
        var start = 0
        if fragment > 0 {
            start = firstRoom - Self.pointerLength + (fragment - 1) * (chainRoom - Self.pointerLength)
        }
        start = min(start, count)
        let left = count - start
        return start..<start + (left <= room && !isCut ? left : min(left, room - Self.pointerLength))
    }

    func isLast(_ fragment: Int) -> Bool { range(of: fragment).upperBound == count }

    /// The length of the PDU with a fragment, including its header.
    func pduLength(_ fragment: Int) -> Int {
        let header = Self.room - (fragment == 0 ? firstRoom : chainRoom)
        let pointer = isLast(fragment) && !isCut ? 0 : Self.pointerLength
        let empty = fragment == 0 ? unused : 0
        return LL.AdvertisingHeader.encodedCount + 1 + header - empty + pointer + range(of: fragment).count
    }

    /// From the start of the PDU with a fragment, which is not the last, to the start of the next one.
    func step(after fragment: Int, on phy: LL.PHY) -> TimeSpan {
        phy.airTime(pduLength: pduLength(fragment)) + space(before: fragment + 1, on: phy)
    }

    /// From the end of the PDU before a fragment, which is not the first, to its start.
    func space(before fragment: Int, on phy: LL.PHY) -> TimeSpan {
        LL.auxiliaryFrameSpace(after: phy.airTime(pduLength: pduLength(fragment - 1)))
    }

    /// The time from the start of the first PDU to the end of the last one.
    func duration(on phy: LL.PHY) -> TimeSpan {
        var (duration, fragment) = (phy.airTime(pduLength: pduLength(0)), 0)
        while !isLast(fragment) {
            fragment += 1
            duration = duration + space(before: fragment, on: phy) + phy.airTime(pduLength: pduLength(fragment))
        }
        return duration
    }

    /// As much of the data as can be sent within a time; nil if not even the first PDU without data can.
    func fitting(into time: TimeSpan, on phy: LL.PHY) -> FragmentedData? {
        if duration(on: phy) <= time { return self }
        let header = Self.room - firstRoom
        var (fragment, used) = (0, TimeSpan.zero)
        while !isLast(fragment) {
            let following = used + phy.airTime(pduLength: pduLength(fragment))
            if following > time { break }
            fragment += 1
            used = following + space(before: fragment, on: phy)
        }
        // This PDU is too long.
        let octets = range(of: fragment)
        let fixed =
            LL.AdvertisingHeader.encodedCount + 1 + Self.pointerLength
            + (fragment == 0 ? header - unused : Self.room - chainRoom)
        let room = min(phy.pduLength(within: time - used) - fixed, octets.count - 1)
        guard fragment > 0 || room >= 0 else { return nil }
        var shorter = FragmentedData(
            count: octets.lowerBound + max(0, room), afterHeader: header, inChain: Self.room - chainRoom, isCut: true)
        shorter.unused = unused
        return shorter
    }
}
