import BLEWire

/// Where a central's links have their anchors: when one comes or goes, the others move, so that each has the same time until
/// the next one's anchor.
extension Controller {
    /// Moves the anchors apart as soon as none of the links is busy with a control procedure. Only for links of one
    /// interval: with several, what is near today is far tomorrow.
    mutating func respaceAnchors(_ air: inout Air) {
        let slots = openLinks.filter { links[$0].isCentral }
        guard slots.count > 2 else {
            // The plan for a new link's anchor puts two as far apart as can be.
            wantsRespacing = false
            return
        }
        for slot in slots {
            guard links[slot].interval == links[slots[0]].interval else {
                wantsRespacing = false
                return
            }
            guard links[slot].isEstablished, links[slot].control.isIdle, links[slot].changes.isEmpty else { return }
        }
        wantsRespacing = false
        let moves = AnchorPlan.moves(of: slots.map { links[$0].anchor }, interval: links[slots[0]].intervalSpan)
        for (slot, move) in zip(slots, moves) where move > .zero {
            let offset = move.nanoseconds / LL.slot.nanoseconds
            guard offset < Int64(links[slot].interval) else { continue }
            links[slot].anchorShift = move - LL.slot * Int(offset)
            requestProcedure(
                .moveAnchor(offset: UInt16(offset), latency: links[slot].latency, timeout: links[slot].timeout), slot,
                &air)
        }
    }
}
