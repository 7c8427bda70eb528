// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEExtendedAdvertisingCommands.swift. Do not edit.

extension HCI.LESetAdvertisingSetRandomAddress {
    package init(advertisingHandle: UInt8, address: HCI.RandomDeviceAddress, _: Void = ()) {
        self.advertisingHandle = advertisingHandle
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        address = try bytes.readAddress(.random)
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.writeLittleEndian(address.value, 6)
    }
}

extension HCI.LESetExtendedAdvertisingParameters {
    package init(
        advertisingHandle: UInt8, properties: HCI.AdvertisingEventProperties, intervalMinimum: HCI.UInt24,
        intervalMaximum: HCI.UInt24, primaryChannelMap: HCI.AdvertisingChannelMap = .all,
        ownAddressType: HCI.OwnAddressType = .public,
        peerAddress: DeviceAddress = DeviceAddress(kind: .public, value: 0),
        filterPolicy: HCI.AdvertisingFilterPolicy = .everyone, txPower: Int8 = 127, primaryPHY: HCI.PHY = .le1M,
        secondaryMaximumSkip: UInt8 = 0, secondaryPHY: HCI.PHY = .le1M, advertisingSID: UInt8 = 0,
        reportsScanRequests: Bool = false, _: Void = ()
    ) {
        self.advertisingHandle = advertisingHandle
        self.properties = properties
        self.intervalMinimum = intervalMinimum
        self.intervalMaximum = intervalMaximum
        self.primaryChannelMap = primaryChannelMap
        self.ownAddressType = ownAddressType
        self.peerAddress = peerAddress
        self.filterPolicy = filterPolicy
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.advertisingSID = advertisingSID
        self.reportsScanRequests = reportsScanRequests
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        properties = HCI.AdvertisingEventProperties(rawValue: try bytes.readUInt16())
        intervalMinimum = try bytes.readUInt24()
        intervalMaximum = try bytes.readUInt24()
        primaryChannelMap = HCI.AdvertisingChannelMap(rawValue: try bytes.readUInt8())
        ownAddressType = HCI.OwnAddressType(rawValue: try bytes.readUInt8())
        peerAddress = try bytes.readTypedAddress()
        filterPolicy = HCI.AdvertisingFilterPolicy(rawValue: try bytes.readUInt8())
        txPower = try bytes.readInt8()
        primaryPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        secondaryMaximumSkip = try bytes.readUInt8()
        secondaryPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        advertisingSID = try bytes.readUInt8()
        reportsScanRequests = try bytes.readFlag()
        try bytes.finish()
    }

    package static var octetCount: Int { 25 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.write(properties.rawValue)
        try output.write24(intervalMinimum)
        try output.write24(intervalMaximum)
        try output.write(primaryChannelMap.rawValue)
        try output.write(ownAddressType.rawValue)
        try output.write(typed: peerAddress)
        try output.write(filterPolicy.rawValue)
        try output.write(txPower)
        try output.write(primaryPHY.rawValue)
        try output.write(secondaryMaximumSkip)
        try output.write(secondaryPHY.rawValue)
        try output.write(advertisingSID)
        try output.write(reportsScanRequests ? 1 : 0 as UInt8)
    }
}

extension HCI.LESetExtendedAdvertisingParameters.ReturnParameters {
    package init(status: HCI.ErrorCode, selectedTxPower: Int8, _: Void = ()) {
        self.status = status
        self.selectedTxPower = selectedTxPower
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        selectedTxPower = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(selectedTxPower)
    }
}

extension HCI.LESetExtendedAdvertisingParametersV2 {
    package init(
        parameters: HCI.LESetExtendedAdvertisingParameters,
        primaryPHYOptions: HCI.AdvertisingPHYOptions = .noPreference,
        secondaryPHYOptions: HCI.AdvertisingPHYOptions = .noPreference, _: Void = ()
    ) {
        self.parameters = parameters
        self.primaryPHYOptions = primaryPHYOptions
        self.secondaryPHYOptions = secondaryPHYOptions
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        parameters = try HCI.LESetExtendedAdvertisingParameters(decoding: bytes.readBytes(25))
        primaryPHYOptions = HCI.AdvertisingPHYOptions(rawValue: try bytes.readUInt8())
        secondaryPHYOptions = HCI.AdvertisingPHYOptions(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 27 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try parameters.encode(into: &output)
        try output.write(primaryPHYOptions.rawValue)
        try output.write(secondaryPHYOptions.rawValue)
    }
}

extension HCI.LEReadMaximumAdvertisingDataLength.ReturnParameters {
    package init(status: HCI.ErrorCode, maximumLength: UInt16, _: Void = ()) {
        self.status = status
        self.maximumLength = maximumLength
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        maximumLength = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(maximumLength)
    }
}

extension HCI.LEReadNumberOfSupportedAdvertisingSets.ReturnParameters {
    package init(status: HCI.ErrorCode, count: UInt8, _: Void = ()) {
        self.status = status
        self.count = count
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        count = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(count)
    }
}

extension HCI.LERemoveAdvertisingSet {
    package init(advertisingHandle: UInt8, _: Void = ()) {
        self.advertisingHandle = advertisingHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
    }
}
