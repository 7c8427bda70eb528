// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/L2CAP/CreditBasedConnection.swift. Do not edit.

extension L2CAP.CreditBasedConnectionRequest {
    package init(
        spsm: UInt16, sourceChannel: L2CAP.ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16,
        _: Void = ()
    ) {
        self.spsm = spsm
        self.sourceChannel = sourceChannel
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        spsm = try bytes.readUInt16()
        sourceChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(spsm)
        try output.write(sourceChannel.rawValue)
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
    }
}

extension L2CAP.CreditBasedConnectionResponse {
    package init(
        destinationChannel: L2CAP.ChannelIdentifier, mtu: UInt16, mps: UInt16, initialCredits: UInt16,
        result: L2CAP.CreditBasedConnectionResponse.Result, _: Void = ()
    ) {
        self.destinationChannel = destinationChannel
        self.mtu = mtu
        self.mps = mps
        self.initialCredits = initialCredits
        self.result = result
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        destinationChannel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        mtu = try bytes.readUInt16()
        mps = try bytes.readUInt16()
        initialCredits = try bytes.readUInt16()
        result = L2CAP.CreditBasedConnectionResponse.Result(rawValue: try bytes.readUInt16())
        try bytes.finish()
    }

    package static var octetCount: Int { 10 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(destinationChannel.rawValue)
        try output.write(mtu)
        try output.write(mps)
        try output.write(initialCredits)
        try output.write(result.rawValue)
    }
}

extension L2CAP.FlowControlCredit {
    package init(channel: L2CAP.ChannelIdentifier, credits: UInt16, _: Void = ()) {
        self.channel = channel
        self.credits = credits
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        channel = L2CAP.ChannelIdentifier(rawValue: try bytes.readUInt16())
        credits = try bytes.readUInt16()
        try bytes.finish()
    }

    package static var octetCount: Int { 4 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(channel.rawValue)
        try output.write(credits)
    }
}
