import BLEAdapter
import BLEWire

/// The scans that sessions request, and the advertisers that each session has seen. `AdvertiserTable` holds the
/// advertisers.
///
/// A controller reports a scan response apart from the advertising data (Vol 4, Part E, 7.7.65.2). The session layer
/// reports a scannable advertiser when its scan response arrives. A session that wants one report per device thus gets
/// a complete one. If the response is lost, the advertiser is reported without it after `responseTimeout`. It is
/// reported again, as changed, if the response arrives later. If the advertising data and the response have different values under one key,
/// the values of the packet that has just arrived are reported, and each half once.
struct ScanRequests {
    /// The time that a scannable advertiser waits for its scan response.
    static let responseTimeout = TimeSpan.milliseconds(250)

    struct Session {
        let number: Int
        let request: ScanRequest
        let selectsEveryDevice: Bool
        /// The reported versions of the advertiser in each slot.
        private var reported: [Versions] = []

        private struct Versions {
            var data = 0
            var response = 0
        }

        init(number: Int, request: ScanRequest) {
            self.number = number
            self.request = request
            selectsEveryDevice = request.services.isEmpty && request.solicitedServices.isEmpty
        }

        /// Records a report of the advertiser in `slot`. Returns false if there is nothing new in it.
        mutating func report(_ advertisers: borrowing AdvertiserTable, _ slot: Int) -> Bool {
            while reported.count <= slot { reported.append(Versions()) }
            // Each access reads one value of the entry, which is large to copy. Where the halves differ, a report has the values of the newer one.
            let halvesDiffer = advertisers.entries[slot].halvesDiffer
            let hasResponse = !halvesDiffer || advertisers.entries[slot].content!.isScanResponseNewer
            let (data, response) = (advertisers.entries[slot].dataVersion, advertisers.entries[slot].responseVersion)
            let isDataNew = (!halvesDiffer || !hasResponse) && reported[slot].data != data
            let isResponseNew = hasResponse && reported[slot].response != response
            if isDataNew { reported[slot].data = data }
            if isResponseNew { reported[slot].response = response }
            return isDataNew || isResponseNew
        }
    }

    /// Sessions that scan, in the order of their start.
    var sessions: [Session] = []
    /// Advertisers that wait for their scan response.
    var holds = HoldQueue()
    /// Whether the programs are in the background of a phone: scans for all devices report nothing, and each other scan reports a device once.
    var isInBackground = false
    /// Whether an advertisement that was not received whole has been noted.
    private var hasNotedTruncation = false

    mutating func receivedTruncated(_ address: DeviceAddress, _ context: inout SessionContext) {
        if !hasNotedTruncation { context.note(.advertisementTruncated(address)) }
        hasNotedTruncation = true
    }

    /// Appends to `selected` the sessions that get a report of the advertiser in `slot` now, and records the report.
    ///
    /// - Parameter isPacket: Whether a packet of the advertiser has just arrived.
    mutating func select(
        _ advertisers: borrowing AdvertiserTable, _ slot: Int, isPacket: Bool, into selected: inout [Int]
    ) {
        for index in sessions.indices where selects(index, advertisers, slot, isPacket: isPacket) {
            selected.append(sessions[index].number)
        }
    }

    /// Whether a session gets a report of the advertiser in `slot` now. Records the report.
    mutating func selects(_ index: Int, _ advertisers: borrowing AdvertiserTable, _ slot: Int, isPacket: Bool) -> Bool {
        if isInBackground, sessions[index].selectsEveryDevice { return false }
        let allowsDuplicates = sessions[index].request.allowDuplicates && !isInBackground
        guard allowsDuplicates ? isPacket : advertisers.entries[slot].hold == nil else { return false }
        if !sessions[index].selectsEveryDevice {
            guard advertisers.entries[slot].content!.isSelected(by: sessions[index].request) else { return false }
        }
        return allowsDuplicates || sessions[index].report(advertisers, slot)
    }
}
