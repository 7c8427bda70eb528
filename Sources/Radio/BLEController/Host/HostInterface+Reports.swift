import BLEWire

/// The reports of advertisers.
extension HostInterface {
    /// Reports a packet of a host that uses the legacy commands.
    mutating func report(
        _ type: HCI.AdvertisingEventType, from address: DeviceAddress, data: Span<UInt8>, rssi: Int8
    ) {
        guard allows(.advertisingReport) else { return }
        try? output.append(
            advertisingReport: HCI.AdvertisingReport(eventType: type, address: address, data: data, rssi: rssi))
    }

    /// Reports a legacy packet to a host that uses the extended commands.
    mutating func report(
        extended type: HCI.ExtendedAdvertisingEventType, from address: DeviceAddress, data: Span<UInt8>,
        target: DeviceAddress?, rssi: Int8
    ) {
        guard allows(.extendedAdvertisingReport) else { return }
        try? output.append(
            extendedAdvertisingReport: HCI.ExtendedAdvertisingReport(
                eventType: type, address: address, rssi: rssi,
                directAddress: target ?? DeviceAddress(kind: .public, value: 0), data: data))
    }

    /// Reports a packet in as many reports as its data needs, at least one (Vol 4, Part E, 7.7.65.13).
    ///
    /// - Parameter namesCodings: Whether the host tells the codings of the Coded PHY apart: 3 is S=8, and 4 is S=2. Otherwise 3 is the Coded PHY.
    mutating func report(_ packet: CollectedPacket, isTruncated: Bool, namesCodings: Bool) {
        guard allows(.extendedAdvertisingReport) else { return }
        func code(_ phy: LL.PHY) -> UInt8 { namesCodings ? phy.rawValue : HCI.PHY(phy).rawValue }
        let data = packet.data.span
        var start = 0
        repeat {
            let end = min(data.count, start + HCI.ExtendedAdvertisingReport.maximumData)
            var type = packet.eventType
            type.dataStatus = end < data.count ? .moreToCome : isTruncated ? .truncated : .complete
            try? output.append(
                extendedAdvertisingReport: HCI.ExtendedAdvertisingReport(
                    eventType: type, address: packet.reported, primaryPHY: code(packet.primaryPHY),
                    secondaryPHY: packet.secondaryPHY.map(code) ?? 0,
                    advertisingSID: packet.dataInfo?.setID ?? 0xFF, txPower: packet.txPower ?? 127,
                    rssi: packet.rssi, periodicAdvertisingInterval: packet.periodicInterval,
                    directAddress: packet.target ?? DeviceAddress(kind: .public, value: 0),
                    data: data.extracting(start..<end)))
            start = end
        } while start < data.count
    }
}
