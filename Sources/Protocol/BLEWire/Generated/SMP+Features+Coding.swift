// Written by Scripts/generate-pdus from Sources/Protocol/BLEWire/SMP/SMP+Features.swift. Do not edit.

extension SMP.PairingFeatures {
    package init(
        ioCapability: SMP.IOCapability, hasOutOfBandData: Bool, requirements: SMP.AuthenticationRequirements,
        maximumKeySize: UInt8, initiatorKeys: SMP.KeyDistribution, responderKeys: SMP.KeyDistribution, _: Void = ()
    ) {
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        ioCapability = SMP.IOCapability(rawValue: try bytes.readUInt8())
        hasOutOfBandData = try bytes.readFlag()
        requirements = SMP.AuthenticationRequirements(rawValue: try bytes.readUInt8())
        maximumKeySize = try bytes.readUInt8()
        initiatorKeys = SMP.KeyDistribution(rawValue: try bytes.readUInt8())
        responderKeys = SMP.KeyDistribution(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 6 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(ioCapability.rawValue)
        try output.write(hasOutOfBandData ? 1 : 0 as UInt8)
        try output.write(requirements.rawValue)
        try output.write(maximumKeySize)
        try output.write(initiatorKeys.rawValue)
        try output.write(responderKeys.rawValue)
    }
}

extension SMP.SecurityRequest {
    package init(requirements: SMP.AuthenticationRequirements, _: Void = ()) {
        self.requirements = requirements
    }

    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        requirements = SMP.AuthenticationRequirements(rawValue: try bytes.readUInt8())
        try bytes.finish()
    }

    package static var octetCount: Int { 1 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(requirements.rawValue)
    }
}
