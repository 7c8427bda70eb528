// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/L2CAP/Disconnection.swift. Do not edit.

extension L2CAP.DisconnectionRequest {
    package init(destinationChannel: L2CAP.ChannelIdentifier, sourceChannel: L2CAP.ChannelIdentifier, _: Void = ()) {
        self.destinationChannel = destinationChannel
        self.sourceChannel = sourceChannel
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(sourceChannel.rawValue)
    }
}

extension L2CAP.DisconnectionResponse {
    package init(destinationChannel: L2CAP.ChannelIdentifier, sourceChannel: L2CAP.ChannelIdentifier, _: Void = ()) {
        self.destinationChannel = destinationChannel
        self.sourceChannel = sourceChannel
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(sourceChannel.rawValue)
    }
}
