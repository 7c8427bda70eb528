// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/HCI/Commands/VendorCommands.swift. Do not edit.

extension HCI.VendorWriteBDADDR {
    package init(address: HCI.PublicDeviceAddress, _: Void = ()) {
        self.address = address
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        address = try bytes.readAddress(.public)
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.writeLittleEndian(address.value, 6)
    }
}

extension HCI.VendorWriteTransmitPower {
    package init(role: HCI.VendorPowerRole, handle: UInt16, power: Int8, _: Void = ()) {
        self.role = role
        self.handle = handle
        self.power = power
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        role = HCI.VendorPowerRole(rawValue: try bytes.readUInt8())
        handle = try bytes.readUInt16()
        power = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(role.rawValue)
        try output.write(handle)
        try output.write(power)
    }
}

extension HCI.VendorWriteTransmitPower.ReturnParameters {
    package init(status: HCI.ErrorCode, role: HCI.VendorPowerRole, handle: UInt16, selected: Int8, _: Void = ()) {
        self.status = status
        self.role = role
        self.handle = handle
        self.selected = selected
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        status = HCI.ErrorCode(rawValue: try bytes.readUInt8())
        role = HCI.VendorPowerRole(rawValue: try bytes.readUInt8())
        handle = try bytes.readUInt16()
        selected = try bytes.readInt8()
        try bytes.finish()
    }

    package static var octetCount: Int { 5 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(status.rawValue)
        try output.write(role.rawValue)
        try output.write(handle)
        try output.write(selected)
    }
}

extension HCI.VendorWriteSleepClock {
    package init(error: Int16, accuracy: HCI.ClockAccuracy, _: Void = ()) {
        self.error = error
        self.accuracy = accuracy
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        error = Int16(bitPattern: try bytes.readUInt16())
        accuracy = HCI.ClockAccuracy(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 3 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(UInt16(bitPattern: error))
        try output.write(accuracy.rawValue)
    }
}
