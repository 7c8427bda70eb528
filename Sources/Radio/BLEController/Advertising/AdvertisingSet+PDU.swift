import BLEWire

/// The PDUs of a set.
extension AdvertisingSet {
    // MARK: Primary channels

    /// The PDU of each type of legacy advertising event (Vol 6, Part B, 2.3.1).
    var pduType: LL.AdvertisingPDUType {
        if isDirected { return .advDirectInd }
        if isConnectable { return .advInd }
        return isScannable ? .advScanInd : .advNonconnInd
    }

    /// Appends the advertising PDU of the current event.
    func appendAdvertisement(on channel: UInt8, to pdu: inout [UInt8]) {
        if isLegacy { appendLegacyAdvertisement(to: &pdu) } else { appendExtendedAdvertisement(on: channel, to: &pdu) }
    }

    private func appendLegacyAdvertisement(to pdu: inout [UInt8]) {
        let (address, data) = (addresses.own, data.octets)
        var header = LL.AdvertisingHeader(
            type: pduType, transmitterIsRandom: address.kind == .random,
            length: UInt8(truncatingIfNeeded: legacyLength))
        header.channelSelection2 = isConnectable
        if isDirected {
            let target = addresses.target
            header.receiverIsRandom = target.kind == .random
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.AdvDirectInd(advertiser: address.value, target: target.value))
        } else {
            try? pdu.append(encoding: header)
            try? pdu.append(encoding: LL.AdvInd(advertiser: address.value, data: data.span))
        }
    }

    /// Appends the SCAN_RSP of a legacy event.
    func appendLegacyResponse(to pdu: inout [UInt8]) {
        let (own, response) = (addresses.own, response.octets)
        let header = LL.AdvertisingHeader(
            type: .scanRsp, transmitterIsRandom: own.kind == .random,
            length: UInt8(truncatingIfNeeded: 6 + response.count))
        try? pdu.append(encoding: header)
        try? pdu.append(encoding: LL.ScanRsp(advertiser: own.value, data: response.span))
    }

    /// ADV_EXT_IND (Vol 6, Part B, 2.3.1.5). With AUX_ADV_IND, it has neither addresses nor power, because AUX_ADV_IND has them.
    private func appendExtendedAdvertisement(on channel: UInt8, to pdu: inout [UInt8]) {
        guard auxiliary.isPresent else { return append(mode, isAddressed: true, to: &pdu) }
        // The other channels' PDUs come before AUX_ADV_IND.
        let later = (parameters.primaryChannelMap.rawValue >> (channel - 37)).nonzeroBitCount - 1
        let time = primaryDuration(later + 1, hasAuxiliary: true) + auxiliarySpace
        append(
            mode, isAddressed: false, dataInfo: auxiliary.dataInfo, pointer: pointer(to: 0, after: time), to: &pdu)
    }

    // MARK: Secondary channels

    /// Appends AUX_ADV_IND (Vol 6, Part B, 2.3.1.6) or an AUX_CHAIN_IND of it (2.3.1.8), which begins at `start`.
    func appendAuxiliary(_ fragment: Int, at start: Instant, to pdu: inout [UInt8]) {
        let layout = auxiliary.advertisementLayout
        let data = auxiliary.data
        var (syncInfo, controllerData) = (LL.SyncInfo?.none, [UInt8]())
        if fragment == 0, auxiliary.announcesTrain {
            let end = start + secondaryPHY.airTime(pduLength: layout.pduLength(0))
            syncInfo = periodic?.syncInfo(from: start, to: end)
            // The timing of the train that SyncInfo names, which may have begun anew. The length is planned.
            let timing = periodic?.responseTimingData ?? []
            controllerData = timing.count == auxiliary.controllerData.count ? timing : auxiliary.controllerData
        }
        append(
            fragment == 0 ? mode : .none, isAddressed: fragment == 0, dataInfo: auxiliary.dataInfo,
            pointer: pointer(after: fragment, in: layout), syncInfo: syncInfo, controllerData: controllerData.span,
            data: data.span.extracting(layout.range(of: fragment)), to: &pdu)
    }

    /// Appends AUX_SCAN_RSP (Vol 6, Part B, 2.3.2.3) or an AUX_CHAIN_IND of it.
    func appendAuxiliaryResponse(_ fragment: Int, to pdu: inout [UInt8]) {
        let own = addresses.own
        let layout = auxiliary.responseLayout
        let response = auxiliary.response
        let fields = LL.ExtendedAdvertisement(
            mode: .none, advertiser: fragment == 0 ? own.value : nil, dataInfo: auxiliary.dataInfo,
            pointer: pointer(after: fragment, in: layout),
            data: response.span.extracting(layout.range(of: fragment)))
        let header = LL.AdvertisingHeader(
            type: .extended, transmitterIsRandom: fragment == 0 && own.kind == .random)
        try? pdu.append(encoding: LL.AdvertisingPDU.extended(header, fields))
    }

    /// Appends AUX_CONNECT_RSP for an initiator (Vol 6, Part B, 2.3.3.2).
    func appendAcceptance(for initiator: DeviceAddress, to pdu: inout [UInt8]) {
        let own = addresses.own
        let fields = LL.ExtendedAdvertisement(mode: .none, advertiser: own.value, target: initiator.value)
        let header = LL.AdvertisingHeader(
            type: .auxConnectRsp, transmitterIsRandom: own.kind == .random,
            receiverIsRandom: initiator.kind == .random)
        try? pdu.append(encoding: LL.AdvertisingPDU.auxConnectRsp(header, fields))
    }

    private var mode: LL.AdvertisingMode { isConnectable ? .connectable : isScannable ? .scannable : .none }

    /// - Parameter isAddressed: Whether this is the PDU of the event with the addresses and the power.
    private func append(
        _ mode: LL.AdvertisingMode, isAddressed: Bool, dataInfo: LL.AdvertisingDataInfo? = nil,
        pointer: LL.AuxiliaryPointer? = nil, syncInfo: LL.SyncInfo? = nil, controllerData: Span<UInt8> = Span(),
        data: Span<UInt8> = Span(), to pdu: inout [UInt8]
    ) {
        let own = isAddressed && !isAnonymous ? addresses.own : nil
        let target = isAddressed && isDirected ? addresses.target : nil
        let fields = LL.ExtendedAdvertisement(
            mode: mode, advertiser: own?.value, target: target?.value, dataInfo: dataInfo, pointer: pointer,
            syncInfo: syncInfo, txPower: isAddressed && includesTxPower ? txPower : nil, controllerData: controllerData,
            data: data)
        let header = LL.AdvertisingHeader(
            type: .extended, transmitterIsRandom: own?.kind == .random, receiverIsRandom: target?.kind == .random)
        try? pdu.append(encoding: LL.AdvertisingPDU.extended(header, fields))
    }

    private func pointer(after fragment: Int, in layout: FragmentedData) -> LL.AuxiliaryPointer? {
        // An offset of zero says that the chain ends before the data (Vol 6, Part B, 2.3.4.5).
        guard !layout.isLast(fragment) else { return layout.isCut ? pointer(to: fragment + 1, after: .zero) : nil }
        return pointer(to: fragment + 1, after: layout.step(after: fragment, on: secondaryPHY))
    }

    private func pointer(to fragment: Int, after time: TimeSpan) -> LL.AuxiliaryPointer {
        LL.AuxiliaryPointer(
            channel: auxiliary.channels[fragment], isClockAccurate: auxiliary.clockAccuracy.isWithin50, after: time,
            on: secondaryPHY)
    }
}
