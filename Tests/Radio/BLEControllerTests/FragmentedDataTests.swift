import BLEWire
import Testing

@testable import BLEController

/// The division of data over a first PDU and its chain (Vol 6, Part B, 2.3.4.9).
struct FragmentedDataTests {
    /// Octets of the first header that stay empty shorten the first PDU, and bring the next one forward.
    @Test(arguments: LL.PHY.allCases) func emptyRoomShortensTheFirstPDU(_ phy: LL.PHY) {
        let full = FragmentedData(count: 600, afterHeader: 13)
        var layout = full
        layout.unused = 9
        #expect(layout.pduLength(0) == full.pduLength(0) - 9 && layout.pduLength(1) == full.pduLength(1))
        #expect(layout.range(of: 0) == full.range(of: 0) && layout.duration(on: phy) < full.duration(on: phy))
        for fragment in 0...1 {
            let step = layout.step(after: fragment, on: phy)
            let space = step - phy.airTime(pduLength: layout.pduLength(fragment))
            #expect(space == layout.space(before: fragment + 1, on: phy))
            #expect(step.nanoseconds % 30_000 == 0)
            #expect(space >= LL.minimumAuxiliaryFrameSpace && space < LL.minimumAuxiliaryFrameSpace + .microseconds(30))
        }
    }

    /// A layout that is cut to a time uses all of it, and keeps the empty octets.
    @Test(arguments: LL.PHY.allCases, [0, 5]) func aCutLayoutKeepsItsEmptyRoom(_ phy: LL.PHY, missing: Int) throws {
        var layout = FragmentedData(count: 600, afterHeader: 13)
        layout.unused = 9
        let time = phy.airTime(pduLength: layout.pduLength(0) - missing)
        let shorter = try #require(layout.fitting(into: time, on: phy))
        #expect(shorter.isCut && shorter.unused == 9 && shorter.count == layout.range(of: 0).count - missing)
        #expect(shorter.duration(on: phy) == time)
    }
}
