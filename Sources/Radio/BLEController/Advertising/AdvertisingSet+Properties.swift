import BLEWire

/// What follows from the host's parameters.
extension AdvertisingSet {
    // MARK: The type of the events

    /// Whether the set uses legacy PDUs.
    var isLegacy: Bool { parameters.properties.contains(.legacy) }
    var isConnectable: Bool { parameters.properties.contains(.connectable) }
    var isScannable: Bool { parameters.properties.contains(.scannable) }
    var isDirected: Bool { parameters.properties.contains(.directed) }
    var isHighDuty: Bool { parameters.properties.contains(.highDutyCycle) }
    var isAnonymous: Bool { parameters.properties.contains(.anonymous) }
    var includesTxPower: Bool { parameters.properties.contains(.includesTxPower) }
    /// Whether scanners or initiators may answer.
    var expectsAnswers: Bool { isConnectable || isScannable }
    /// Directed legacy PDUs have no data (Vol 6, Part B, 2.3.1.2). Neither has AUX_ADV_IND of scannable events (2.3.1.6).
    var supportsData: Bool { isLegacy ? !isDirected : !isScannable }
    /// Whether ADV_EXT_IND needs AUX_ADV_IND: for data, for answers, to omit the address, and for SyncInfo (Vol 6, Part B, 2.3.1.5).
    func needsAuxiliary(data: Int) -> Bool { expectsAnswers || isAnonymous || data > 0 || announcesTrain }
    /// Whether the set may advertise periodically (Vol 4, Part E, 7.8.61).
    var mayBePeriodic: Bool { !isLegacy && !expectsAnswers && !isAnonymous }
    /// Whether AUX_ADV_IND has SyncInfo.
    var announcesTrain: Bool { mayBePeriodic && periodic?.isRunning == true }

    /// The PHY of the primary channels. On the Coded PHY it uses S=8 unless the host selects the coding (Vol 6, Part B, 2.3.1.5).
    var primaryPHY: LL.PHY { !isLegacy && parameters.primaryPHY == .leCoded ? coding.primary : .oneM }
    var secondaryPHY: LL.PHY {
        switch parameters.secondaryPHY {
        case .le2M: .twoM
        case .leCoded: coding.secondary
        default: .oneM
        }
    }

    // MARK: Lengths

    /// The length of the payload of the legacy advertising PDU.
    var legacyLength: Int { isDirected ? 12 : 6 + data.octets.count }

    /// Data in AUX_ADV_IND and its chain.
    func advertisementLayout(_ count: Int) -> FragmentedData {
        // The flags and ADI, AdvA, TargetA, SyncInfo with the response timing in ACAD, and TxPower.
        let header =
            3 + (isAnonymous ? 0 : 6) + (isDirected ? 6 : 0)
            + (announcesTrain ? 18 + (periodic?.responseTimingData.count ?? 0) : 0)
            + (includesTxPower ? 1 : 0)
        return FragmentedData(count: count, afterHeader: header)
    }

    /// Data in AUX_SCAN_RSP and its chain. The extended header has the flags, AdvA and ADI.
    static func responseLayout(_ count: Int) -> FragmentedData { FragmentedData(count: count, afterHeader: 9) }

    /// From the start of the first of `count` ADV_EXT_INDs of an event to the end of the last one.
    func primaryDuration(_ count: Int, hasAuxiliary: Bool) -> TimeSpan {
        primaryAirTime(hasAuxiliary: hasAuxiliary) * count + LL.interFrameSpace * (count - 1)
    }

    /// Of ADV_EXT_IND.
    private func primaryAirTime(hasAuxiliary: Bool) -> TimeSpan {
        // The flags, ADI and AuxPtr, or the flags, AdvA, TargetA and TxPower.
        let header = hasAuxiliary ? 6 : 7 + (isDirected ? 6 : 0) + (includesTxPower ? 1 : 0)
        return primaryPHY.airTime(pduLength: LL.AdvertisingHeader.encodedCount + 1 + header)
    }

    /// From the end of the last ADV_EXT_IND to the start of AUX_ADV_IND.
    var auxiliarySpace: TimeSpan { LL.auxiliaryFrameSpace(after: primaryAirTime(hasAuxiliary: true)) }

    /// From the end of the PDU before a fragment of AUX_ADV_IND to its start.
    func auxiliarySpace(before fragment: Int) -> TimeSpan {
        fragment == 0 ? auxiliarySpace : auxiliary.advertisementLayout.space(before: fragment, on: secondaryPHY)
    }

    /// From the start of an event to its end after the longest answer.
    func eventLength(data: Int, response: Int) -> TimeSpan {
        let channels = parameters.primaryChannelMap.rawValue.nonzeroBitCount
        if isLegacy {
            let airTime = LL.PHY.oneM.airTime(pduLength: 2 + (isDirected ? 12 : 6 + data))
            // CONNECT_IND is as long as the longest SCAN_RSP and follows a request of 14 octets at most.
            let answers = LL.PHY.oneM.airTime(pduLength: 14) + LL.PHY.oneM.airTime(pduLength: 2 + 37)
            return (airTime + LL.interFrameSpace * 3 + (expectsAnswers ? answers : .zero)) * channels
        }
        let hasAuxiliary = needsAuxiliary(data: data)
        let frame = frameLength(hasAuxiliary: hasAuxiliary)
        guard hasAuxiliary else { return frame }
        let length = frame + advertisementLayout(isScannable ? 0 : data).duration(on: secondaryPHY)
        return isScannable ? length + Self.responseLayout(response).duration(on: secondaryPHY) : length
    }

    /// The part of an extended event that does not depend on its data: the primary channels, and the requests.
    private func frameLength(hasAuxiliary: Bool) -> TimeSpan {
        let channels = parameters.primaryChannelMap.rawValue.nonzeroBitCount
        let primary = primaryDuration(channels, hasAuxiliary: hasAuxiliary)
        guard hasAuxiliary else { return primary }
        let phy = secondaryPHY
        let length = primary + auxiliarySpace
        if isConnectable {
            return length + LL.interFrameSpace * 2 + phy.airTime(pduLength: 2 + 34) + phy.airTime(pduLength: 2 + 14)
        }
        return isScannable ? length + LL.interFrameSpace * 2 + phy.airTime(pduLength: 2 + 12) : length
    }

    /// Shortens a prepared event that begins now so that it ends before `limit`, if it can. A scan response has time without its data at least.
    mutating func shorten(to limit: Instant, now: Instant) -> Bool {
        var room = limit - now - frameLength(hasAuxiliary: auxiliary.isPresent)
        guard auxiliary.isPresent else { return room >= .zero }
        if isScannable { room = room - FragmentedData(count: 0, afterHeader: 12).duration(on: secondaryPHY) }
        return auxiliary.shorten(to: limit, room: room, on: secondaryPHY)
    }

    /// The same for the present data; for extended events, `prepare` determines it.
    var currentEventLength: TimeSpan {
        isLegacy ? eventLength(data: data.octets.count, response: response.octets.count) : auxiliary.eventLength
    }

    /// Whether events with this data exist: connectable ones have no chain (Vol 6, Part B, 2.3.1.6), and no event is longer than the longest
    /// interval of the host.
    func fits(data: Int, response: Int) -> Bool {
        guard !isLegacy else { return true }
        if isConnectable, !advertisementLayout(data).isLast(0) { return false }
        var assumed = self
        assumed.coding = coding.assumed
        return assumed.eventLength(data: data, response: response)
            <= .microseconds(625 * Int(parameters.intervalMaximum))
    }

    // MARK: The filter policy

    /// The advertising filter policy for scan requests, which directed advertising ignores (Vol 6, Part B, 4.3.2).
    func mayScan(_ scanner: PeerAddress, _ acceptList: FilterAcceptList) -> Bool {
        if isDirected { return scanner.matches(parameters.peerAddress) }
        switch parameters.filterPolicy {
        case .scanFromAcceptList, .bothFromAcceptList: return acceptList.accepts(scanner)
        default: return true
        }
    }

    /// The advertising filter policy for connections, which directed advertising ignores (Vol 6, Part B, 4.3.2).
    func mayConnect(_ initiator: PeerAddress, _ acceptList: FilterAcceptList) -> Bool {
        guard isConnectable else { return false }
        if isDirected { return initiator.matches(parameters.peerAddress) }
        switch parameters.filterPolicy {
        case .connectFromAcceptList, .bothFromAcceptList: return acceptList.accepts(initiator)
        default: return true
        }
    }
}
