extension LL {
    /// The type of a control PDU (Vol 6, Part B, 2.4.2).
    package struct ControlOpcode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let connectionUpdateInd = ControlOpcode(rawValue: 0x00)
        package static let channelMapInd = ControlOpcode(rawValue: 0x01)
        package static let terminateInd = ControlOpcode(rawValue: 0x02)
        package static let encReq = ControlOpcode(rawValue: 0x03)
        package static let encRsp = ControlOpcode(rawValue: 0x04)
        package static let startEncReq = ControlOpcode(rawValue: 0x05)
        package static let startEncRsp = ControlOpcode(rawValue: 0x06)
        package static let unknownRsp = ControlOpcode(rawValue: 0x07)
        package static let featureReq = ControlOpcode(rawValue: 0x08)
        package static let featureRsp = ControlOpcode(rawValue: 0x09)
        package static let pauseEncReq = ControlOpcode(rawValue: 0x0A)
        package static let pauseEncRsp = ControlOpcode(rawValue: 0x0B)
        package static let versionInd = ControlOpcode(rawValue: 0x0C)
        package static let rejectInd = ControlOpcode(rawValue: 0x0D)
        package static let peripheralFeatureReq = ControlOpcode(rawValue: 0x0E)
        package static let connectionParamReq = ControlOpcode(rawValue: 0x0F)
        package static let connectionParamRsp = ControlOpcode(rawValue: 0x10)
        package static let rejectExtInd = ControlOpcode(rawValue: 0x11)
        package static let pingReq = ControlOpcode(rawValue: 0x12)
        package static let pingRsp = ControlOpcode(rawValue: 0x13)
        package static let lengthReq = ControlOpcode(rawValue: 0x14)
        package static let lengthRsp = ControlOpcode(rawValue: 0x15)
        package static let phyReq = ControlOpcode(rawValue: 0x16)
        package static let phyRsp = ControlOpcode(rawValue: 0x17)
        package static let phyUpdateInd = ControlOpcode(rawValue: 0x18)
        package static let minUsedChannelsInd = ControlOpcode(rawValue: 0x19)
        package static let periodicSyncInd = ControlOpcode(rawValue: 0x1C)
        package static let clockAccuracyReq = ControlOpcode(rawValue: 0x1D)
        package static let clockAccuracyRsp = ControlOpcode(rawValue: 0x1E)
        package static let powerControlReq = ControlOpcode(rawValue: 0x23)
        package static let powerControlRsp = ControlOpcode(rawValue: 0x24)
        package static let powerChangeInd = ControlOpcode(rawValue: 0x25)
        package static let subrateReq = ControlOpcode(rawValue: 0x26)
        package static let subrateInd = ControlOpcode(rawValue: 0x27)
        package static let channelReportingInd = ControlOpcode(rawValue: 0x28)
        package static let channelStatusInd = ControlOpcode(rawValue: 0x29)
        package static let periodicSyncWRInd = ControlOpcode(rawValue: 0x2A)
    }

    /// The part of a control PDU after its opcode.
    package protocol ControlPayload: PDU {
        static var opcode: ControlOpcode { get }
    }

    /// The payload of a data PDU with the LLID for control: an opcode and its fields.
    package enum ControlPDU: PDU, ~Escapable {
        case connectionUpdateInd(ConnectionUpdateInd)
        case channelMapInd(ChannelMapInd)
        case terminateInd(TerminateInd)
        case encReq(EncReq)
        case encRsp(EncRsp)
        case startEncReq(StartEncReq)
        case startEncRsp(StartEncRsp)
        case unknownRsp(UnknownRsp)
        case featureReq(FeatureReq)
        case featureRsp(FeatureRsp)
        case pauseEncReq(PauseEncReq)
        case pauseEncRsp(PauseEncRsp)
        case versionInd(VersionInd)
        case rejectInd(RejectInd)
        case peripheralFeatureReq(PeripheralFeatureReq)
        case connectionParamReq(ConnectionParamReq)
        case connectionParamRsp(ConnectionParamRsp)
        case rejectExtInd(RejectExtInd)
        case pingReq(PingReq)
        case pingRsp(PingRsp)
        case lengthReq(LengthReq)
        case lengthRsp(LengthRsp)
        case phyReq(PHYReq)
        case phyRsp(PHYRsp)
        case phyUpdateInd(PHYUpdateInd)
        case minUsedChannelsInd(MinUsedChannelsInd)
        case periodicSyncInd(PeriodicSyncInd)
        case clockAccuracyReq(ClockAccuracyReq)
        case clockAccuracyRsp(ClockAccuracyRsp)
        case powerControlReq(PowerControlReq)
        case powerControlRsp(PowerControlRsp)
        case powerChangeInd(PowerChangeInd)
        case subrateReq(SubrateReq)
        case subrateInd(SubrateInd)
        case channelReportingInd(ChannelReportingInd)
        case channelStatusInd(ChannelStatusInd)
        case periodicSyncWRInd(PeriodicSyncWRInd)
        /// An opcode that this version does not support.
        case unknown(ControlOpcode, Span<UInt8>)

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let opcode = ControlOpcode(rawValue: try bytes.readUInt8())
            switch opcode {
            case .connectionUpdateInd: self = .connectionUpdateInd(try ConnectionUpdateInd(decoding: bytes))
            case .channelMapInd: self = .channelMapInd(try ChannelMapInd(decoding: bytes))
            case .terminateInd: self = .terminateInd(try TerminateInd(decoding: bytes))
            case .encReq: self = .encReq(try EncReq(decoding: bytes))
            case .encRsp: self = .encRsp(try EncRsp(decoding: bytes))
            case .startEncReq: self = .startEncReq(try StartEncReq(decoding: bytes))
            case .startEncRsp: self = .startEncRsp(try StartEncRsp(decoding: bytes))
            case .unknownRsp: self = .unknownRsp(try UnknownRsp(decoding: bytes))
            case .featureReq: self = .featureReq(try FeatureReq(decoding: bytes))
            case .featureRsp: self = .featureRsp(try FeatureRsp(decoding: bytes))
            case .pauseEncReq: self = .pauseEncReq(try PauseEncReq(decoding: bytes))
            case .pauseEncRsp: self = .pauseEncRsp(try PauseEncRsp(decoding: bytes))
            case .versionInd: self = .versionInd(try VersionInd(decoding: bytes))
            case .rejectInd: self = .rejectInd(try RejectInd(decoding: bytes))
            case .peripheralFeatureReq: self = .peripheralFeatureReq(try PeripheralFeatureReq(decoding: bytes))
            case .connectionParamReq: self = .connectionParamReq(try ConnectionParamReq(decoding: bytes))
            case .connectionParamRsp: self = .connectionParamRsp(try ConnectionParamRsp(decoding: bytes))
            case .rejectExtInd: self = .rejectExtInd(try RejectExtInd(decoding: bytes))
            case .pingReq: self = .pingReq(try PingReq(decoding: bytes))
            case .pingRsp: self = .pingRsp(try PingRsp(decoding: bytes))
            case .lengthReq: self = .lengthReq(try LengthReq(decoding: bytes))
            case .lengthRsp: self = .lengthRsp(try LengthRsp(decoding: bytes))
            case .phyReq: self = .phyReq(try PHYReq(decoding: bytes))
            case .phyRsp: self = .phyRsp(try PHYRsp(decoding: bytes))
            case .phyUpdateInd: self = .phyUpdateInd(try PHYUpdateInd(decoding: bytes))
            case .minUsedChannelsInd: self = .minUsedChannelsInd(try MinUsedChannelsInd(decoding: bytes))
            case .periodicSyncInd: self = .periodicSyncInd(try PeriodicSyncInd(decoding: bytes))
            case .clockAccuracyReq: self = .clockAccuracyReq(try ClockAccuracyReq(decoding: bytes))
            case .clockAccuracyRsp: self = .clockAccuracyRsp(try ClockAccuracyRsp(decoding: bytes))
            case .powerControlReq: self = .powerControlReq(try PowerControlReq(decoding: bytes))
            case .powerControlRsp: self = .powerControlRsp(try PowerControlRsp(decoding: bytes))
            case .powerChangeInd: self = .powerChangeInd(try PowerChangeInd(decoding: bytes))
            case .subrateReq: self = .subrateReq(try SubrateReq(decoding: bytes))
            case .subrateInd: self = .subrateInd(try SubrateInd(decoding: bytes))
            case .channelReportingInd: self = .channelReportingInd(try ChannelReportingInd(decoding: bytes))
            case .channelStatusInd: self = .channelStatusInd(try ChannelStatusInd(decoding: bytes))
            case .periodicSyncWRInd: self = .periodicSyncWRInd(try PeriodicSyncWRInd(decoding: bytes))
            default: self = .unknown(opcode, bytes)
            }
        }

        package var opcode: ControlOpcode {
            switch self {
            case .connectionUpdateInd: .connectionUpdateInd
            case .channelMapInd: .channelMapInd
            case .terminateInd: .terminateInd
            case .encReq: .encReq
            case .encRsp: .encRsp
            case .startEncReq: .startEncReq
            case .startEncRsp: .startEncRsp
            case .unknownRsp: .unknownRsp
            case .featureReq: .featureReq
            case .featureRsp: .featureRsp
            case .pauseEncReq: .pauseEncReq
            case .pauseEncRsp: .pauseEncRsp
            case .versionInd: .versionInd
            case .rejectInd: .rejectInd
            case .peripheralFeatureReq: .peripheralFeatureReq
            case .connectionParamReq: .connectionParamReq
            case .connectionParamRsp: .connectionParamRsp
            case .rejectExtInd: .rejectExtInd
            case .pingReq: .pingReq
            case .pingRsp: .pingRsp
            case .lengthReq: .lengthReq
            case .lengthRsp: .lengthRsp
            case .phyReq: .phyReq
            case .phyRsp: .phyRsp
            case .phyUpdateInd: .phyUpdateInd
            case .minUsedChannelsInd: .minUsedChannelsInd
            case .periodicSyncInd: .periodicSyncInd
            case .clockAccuracyReq: .clockAccuracyReq
            case .clockAccuracyRsp: .clockAccuracyRsp
            case .powerControlReq: .powerControlReq
            case .powerControlRsp: .powerControlRsp
            case .powerChangeInd: .powerChangeInd
            case .subrateReq: .subrateReq
            case .subrateInd: .subrateInd
            case .channelReportingInd: .channelReportingInd
            case .channelStatusInd: .channelStatusInd
            case .periodicSyncWRInd: .periodicSyncWRInd
            case .unknown(let opcode, _): opcode
            }
        }

        package var encodedCount: Int {
            switch self {
            case .connectionUpdateInd(let payload): 1 + payload.encodedCount
            case .channelMapInd(let payload): 1 + payload.encodedCount
            case .terminateInd(let payload): 1 + payload.encodedCount
            case .encReq(let payload): 1 + payload.encodedCount
            case .encRsp(let payload): 1 + payload.encodedCount
            case .startEncReq(let payload): 1 + payload.encodedCount
            case .startEncRsp(let payload): 1 + payload.encodedCount
            case .unknownRsp(let payload): 1 + payload.encodedCount
            case .featureReq(let payload): 1 + payload.encodedCount
            case .featureRsp(let payload): 1 + payload.encodedCount
            case .pauseEncReq(let payload): 1 + payload.encodedCount
            case .pauseEncRsp(let payload): 1 + payload.encodedCount
            case .versionInd(let payload): 1 + payload.encodedCount
            case .rejectInd(let payload): 1 + payload.encodedCount
            case .peripheralFeatureReq(let payload): 1 + payload.encodedCount
            case .connectionParamReq(let payload): 1 + payload.encodedCount
            case .connectionParamRsp(let payload): 1 + payload.encodedCount
            case .rejectExtInd(let payload): 1 + payload.encodedCount
            case .pingReq(let payload): 1 + payload.encodedCount
            case .pingRsp(let payload): 1 + payload.encodedCount
            case .lengthReq(let payload): 1 + payload.encodedCount
            case .lengthRsp(let payload): 1 + payload.encodedCount
            case .phyReq(let payload): 1 + payload.encodedCount
            case .phyRsp(let payload): 1 + payload.encodedCount
            case .phyUpdateInd(let payload): 1 + payload.encodedCount
            case .minUsedChannelsInd(let payload): 1 + payload.encodedCount
            case .periodicSyncInd(let payload): 1 + payload.encodedCount
            case .clockAccuracyReq(let payload): 1 + payload.encodedCount
            case .clockAccuracyRsp(let payload): 1 + payload.encodedCount
            case .powerControlReq(let payload): 1 + payload.encodedCount
            case .powerControlRsp(let payload): 1 + payload.encodedCount
            case .powerChangeInd(let payload): 1 + payload.encodedCount
            case .subrateReq(let payload): 1 + payload.encodedCount
            case .subrateInd(let payload): 1 + payload.encodedCount
            case .channelReportingInd(let payload): 1 + payload.encodedCount
            case .channelStatusInd(let payload): 1 + payload.encodedCount
            case .periodicSyncWRInd(let payload): 1 + payload.encodedCount
            case .unknown(_, let payload): 1 + payload.count
            }
        }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(opcode.rawValue)
            switch self {
            case .connectionUpdateInd(let payload): try payload.encode(into: &output)
            case .channelMapInd(let payload): try payload.encode(into: &output)
            case .terminateInd(let payload): try payload.encode(into: &output)
            case .encReq(let payload): try payload.encode(into: &output)
            case .encRsp(let payload): try payload.encode(into: &output)
            case .startEncReq(let payload): try payload.encode(into: &output)
            case .startEncRsp(let payload): try payload.encode(into: &output)
            case .unknownRsp(let payload): try payload.encode(into: &output)
            case .featureReq(let payload): try payload.encode(into: &output)
            case .featureRsp(let payload): try payload.encode(into: &output)
            case .pauseEncReq(let payload): try payload.encode(into: &output)
            case .pauseEncRsp(let payload): try payload.encode(into: &output)
            case .versionInd(let payload): try payload.encode(into: &output)
            case .rejectInd(let payload): try payload.encode(into: &output)
            case .peripheralFeatureReq(let payload): try payload.encode(into: &output)
            case .connectionParamReq(let payload): try payload.encode(into: &output)
            case .connectionParamRsp(let payload): try payload.encode(into: &output)
            case .rejectExtInd(let payload): try payload.encode(into: &output)
            case .pingReq(let payload): try payload.encode(into: &output)
            case .pingRsp(let payload): try payload.encode(into: &output)
            case .lengthReq(let payload): try payload.encode(into: &output)
            case .lengthRsp(let payload): try payload.encode(into: &output)
            case .phyReq(let payload): try payload.encode(into: &output)
            case .phyRsp(let payload): try payload.encode(into: &output)
            case .phyUpdateInd(let payload): try payload.encode(into: &output)
            case .minUsedChannelsInd(let payload): try payload.encode(into: &output)
            case .periodicSyncInd(let payload): try payload.encode(into: &output)
            case .clockAccuracyReq(let payload): try payload.encode(into: &output)
            case .clockAccuracyRsp(let payload): try payload.encode(into: &output)
            case .powerControlReq(let payload): try payload.encode(into: &output)
            case .powerControlRsp(let payload): try payload.encode(into: &output)
            case .powerChangeInd(let payload): try payload.encode(into: &output)
            case .subrateReq(let payload): try payload.encode(into: &output)
            case .subrateInd(let payload): try payload.encode(into: &output)
            case .channelReportingInd(let payload): try payload.encode(into: &output)
            case .channelStatusInd(let payload): try payload.encode(into: &output)
            case .periodicSyncWRInd(let payload): try payload.encode(into: &output)
            case .unknown(_, let payload): try output.write(payload)
            }
        }
    }
}
