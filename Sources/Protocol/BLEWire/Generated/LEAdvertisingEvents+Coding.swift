// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Events/LEAdvertisingEvents.swift. Do not edit.

extension HCI.LEAdvertisingSetTerminated {
    package init(
        status: HCI.ErrorCode, advertisingHandle: UInt8, connectionHandle: HCI.ConnectionHandle, completedEvents: UInt8,
        _: Void = ()
    ) {
        self.status = status
        self.advertisingHandle = advertisingHandle
        self.connectionHandle = connectionHandle
        self.completedEvents = completedEvents
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        advertisingHandle = try bytes.readUInt8()
        connectionHandle = try bytes.readConnectionHandle()
        completedEvents = try bytes.readUInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(advertisingHandle)
        try output.write(connectionHandle)
        try output.write(completedEvents)
    }
}

extension HCI.LEScanRequestReceived {
    package init(advertisingHandle: UInt8, scannerAddress: DeviceAddress, _: Void = ()) {
        self.advertisingHandle = advertisingHandle
        self.scannerAddress = scannerAddress
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        advertisingHandle = try bytes.readUInt8()
        scannerAddress = try bytes.readTypedAddress()
        try bytes.finish()
    }

    package static var octetCount: Int { 8 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(advertisingHandle)
        try output.write(typed: scannerAddress)
    }
}
