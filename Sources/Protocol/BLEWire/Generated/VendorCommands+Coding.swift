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
