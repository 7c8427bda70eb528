// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/LEDataLengthAndPHYCommands.swift. Do not edit.

extension HCI.LESetDataLength {
    package init(connectionHandle: HCI.ConnectionHandle, txOctets: UInt16, txTime: UInt16, _: Void = ()) {
        self.connectionHandle = connectionHandle
        self.txOctets = txOctets
        self.txTime = txTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        txOctets = try bytes.readUInt16()
        txTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(txOctets)
        try output.write(txTime)
    }
}

extension HCI.LEReadSuggestedDefaultDataLength.ReturnParameters {
    package init(status: HCI.ErrorCode, maximumTxOctets: UInt16, maximumTxTime: UInt16, _: Void = ()) {
        self.status = status
        self.maximumTxOctets = maximumTxOctets
        self.maximumTxTime = maximumTxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        maximumTxOctets = try bytes.readUInt16()
        maximumTxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(maximumTxOctets)
        try output.write(maximumTxTime)
    }
}

extension HCI.LEWriteSuggestedDefaultDataLength {
    package init(maximumTxOctets: UInt16, maximumTxTime: UInt16, _: Void = ()) {
        self.maximumTxOctets = maximumTxOctets
        self.maximumTxTime = maximumTxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        maximumTxOctets = try bytes.readUInt16()
        maximumTxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(maximumTxOctets)
        try output.write(maximumTxTime)
    }
}

extension HCI.LEReadMaximumDataLength.ReturnParameters {
    package init(
        status: HCI.ErrorCode, maximumTxOctets: UInt16, maximumTxTime: UInt16, maximumRxOctets: UInt16,
        maximumRxTime: UInt16, _: Void = ()
    ) {
        self.status = status
        self.maximumTxOctets = maximumTxOctets
        self.maximumTxTime = maximumTxTime
        self.maximumRxOctets = maximumRxOctets
        self.maximumRxTime = maximumRxTime
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        maximumTxOctets = try bytes.readUInt16()
        maximumTxTime = try bytes.readUInt16()
        maximumRxOctets = try bytes.readUInt16()
        maximumRxTime = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 9 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(maximumTxOctets)
        try output.write(maximumTxTime)
        try output.write(maximumRxOctets)
        try output.write(maximumRxTime)
    }
}

extension HCI.LEReadPHY {
    package init(connectionHandle: HCI.ConnectionHandle, _: Void = ()) {
        self.connectionHandle = connectionHandle
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        try bytes.finish()
    }

    package static var octetCount: Int { 2 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
    }
}

extension HCI.LEReadPHY.ReturnParameters {
    package init(
        status: HCI.ErrorCode, connectionHandle: HCI.ConnectionHandle, txPHY: HCI.PHY, rxPHY: HCI.PHY, _: Void = ()
    ) {
        self.status = status
        self.connectionHandle = connectionHandle
        self.txPHY = txPHY
        self.rxPHY = rxPHY
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        connectionHandle = try bytes.readConnectionHandle()
        txPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        rxPHY = HCI.PHY(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(connectionHandle)
        try output.write(txPHY.rawValue)
        try output.write(rxPHY.rawValue)
    }
}

extension HCI.LESetDefaultPHY {
    package init(noPreference: HCI.PHYPreference = [], txPHYs: HCI.PHYMask, rxPHYs: HCI.PHYMask, _: Void = ()) {
        self.noPreference = noPreference
        self.txPHYs = txPHYs
        self.rxPHYs = rxPHYs
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        noPreference = HCI.PHYPreference(rawValue: try bytes.readUInt8())
        txPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
        rxPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(noPreference.rawValue)
        try output.write(txPHYs.rawValue)
        try output.write(rxPHYs.rawValue)
    }
}

extension HCI.LESetPHY {
    package init(
        connectionHandle: HCI.ConnectionHandle, noPreference: HCI.PHYPreference = [], txPHYs: HCI.PHYMask,
        rxPHYs: HCI.PHYMask, options: UInt16 = 0, _: Void = ()
    ) {
        self.connectionHandle = connectionHandle
        self.noPreference = noPreference
        self.txPHYs = txPHYs
        self.rxPHYs = rxPHYs
        self.options = options
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        connectionHandle = try bytes.readConnectionHandle()
        noPreference = HCI.PHYPreference(rawValue: try bytes.readUInt8())
        txPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
        rxPHYs = HCI.PHYMask(rawValue: try bytes.readUInt8())
        options = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 7 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(connectionHandle)
        try output.write(noPreference.rawValue)
        try output.write(txPHYs.rawValue)
        try output.write(rxPHYs.rawValue)
        try output.write(options)
    }
}
