import BLEWire
import Testing

@Suite struct CodeTests {
    @Test func opcodesJoinGroupAndCommand() {
        #expect(HCI.Opcode.disconnect.rawValue == 0x0406)
        #expect(HCI.Opcode.reset.rawValue == 0x0C03)
        #expect(HCI.Opcode.readBDADDR.rawValue == 0x1009)
        #expect(HCI.Opcode.readRSSI.rawValue == 0x1405)
        #expect(HCI.Opcode.leSetScanEnable.rawValue == 0x200C)
        #expect(HCI.Opcode.leReadBufferSizeV2.rawValue == 0x2060)
        #expect(HCI.Opcode.leSetPHY.group == 8 && HCI.Opcode.leSetPHY.command == 0x32)
        #expect(HCI.Opcode(group: 8, command: 0x32) == .leSetPHY)
        #expect(HCI.Opcode.leSetPHY.description == "LE Set PHY")
        #expect(HCI.Opcode(rawValue: 0xFC01).description == "command 0xFC01")
    }

    @Test func everyCommandHasItsOpcode() {
        #expect(HCI.Reset.opcode == .reset)
        #expect(HCI.ReadLocalSupportedCommands.opcode.rawValue == 0x1002)
        #expect(HCI.LECreateConnection.opcode.rawValue == 0x200D)
        #expect(HCI.LERemoteConnectionParameterRequestNegativeReply.opcode.rawValue == 0x2021)
        #expect(HCI.LEReadTransmitPower.opcode.rawValue == 0x204B)
        #expect(HCI.LEReadMaximumDataLength.opcode.rawValue == 0x202F)
    }

    @Test func errorCodesHaveTheNamesOfTheSpecification() {
        #expect(HCI.ErrorCode.success.description == "Success")
        #expect(HCI.ErrorCode(rawValue: 0x08).description == "Connection Timeout")
        #expect(HCI.ErrorCode(rawValue: 0x13) == .remoteUserTerminatedConnection)
        #expect(HCI.ErrorCode(rawValue: 0x3E) == .connectionFailedToBeEstablished)
        #expect(HCI.ErrorCode(rawValue: 0x2B).description == "error 0x2B")
        let unnamed = (UInt8(0)...0x48).filter { HCI.ErrorCode(rawValue: $0).description.hasPrefix("error") }
        #expect(unnamed == [0x2B, 0x31, 0x33])
    }

    /// The words of files and of options.
    @Test func physHaveWords() {
        #expect(
            HCI.PHY.all.map(\.word) == ["1M", "2M", "coded"] && HCI.PHY.all.map(\.option) == ["1m", "2m", "coded"])
        #expect(HCI.PHY.primary.map(\.word) == ["1M", "coded"])
        for phy in HCI.PHY.all { #expect(HCI.PHY(word: phy.word) == phy && HCI.PHY(word: phy.option) == phy) }
        for word in ["", "3M", "Coded", "1M ", "PHY 7"] { #expect(HCI.PHY(word: word) == nil, "\(word)") }
    }

    @Test func eventsAreNamed() {
        #expect(HCI.EventCode(rawValue: 0x3E) == .leMeta)
        #expect(HCI.EventCode.numberOfCompletedPackets.description == "Number Of Completed Packets")
        #expect(HCI.LESubeventCode(rawValue: 0x14).description == "LE Channel Selection Algorithm")
        #expect(HCI.LESubeventCode(rawValue: 0x7F).description == "LE event 0x7F")
    }

    /// Octets and bits by hand from the table in Vol 4, Part E, 6.27.
    @Test func supportedCommandsHaveTheirBits() {
        var mask = HCI.SupportedCommands()
        mask.octets[0] = 0x20
        mask.octets[5] = 0x80
        mask.octets[15] = 0x22
        mask.octets[26] = 0x08
        mask.octets[33] = 0x40
        mask.octets[41] = 0x20
        let expected: [HCI.Opcode] = [
            .disconnect, .reset, .readBDADDR, .readRSSI, .leSetScanEnable, .leSetDataLength, .leReadBufferSizeV2,
        ]
        for opcode in expected { #expect(mask.contains(opcode), "\(opcode)") }
        for raw in UInt16(0x0400)...0x2100 {
            let opcode = HCI.Opcode(rawValue: raw)
            #expect(mask.contains(opcode) == expected.contains(opcode))
        }
        #expect(HCI.SupportedCommands(expected) == mask)
        mask.remove(.disconnect)
        #expect(!mask.contains(.disconnect) && mask.octets[0] == 0)
        mask.insert(HCI.Opcode(rawValue: 0xFC01))
        #expect(!mask.contains(HCI.Opcode(rawValue: 0xFC01)))
    }

    @Test func noTwoCommandsShareASupportedBit() {
        let bits = (UInt16(0x0400)...0x2100).compactMap { HCI.Opcode(rawValue: $0).supportedCommandBit }
        #expect(bits.count > 50 && Set(bits).count == bits.count)
    }

    @Test func eventMasksAllowTheirEvents() {
        #expect(HCI.EventMask.default.allows(.disconnectionComplete))
        #expect(!HCI.EventMask.default.allows(.leMeta))
        #expect(HCI.EventMask.leMeta.allows(.leMeta))
        #expect(!HCI.EventMask([]).allows(.disconnectionComplete))
        #expect(HCI.EventMask([]).allows(.commandComplete) && HCI.EventMask([]).allows(.numberOfCompletedPackets))
        #expect(HCI.EventMask.disconnectionComplete.allows(.disconnectionComplete))
        #expect(HCI.EventMask.encryptionChange.allows(.encryptionChange))
        #expect(HCI.EventMask.readRemoteVersionInformationComplete.allows(.readRemoteVersionInformationComplete))
        #expect(HCI.EventMask.hardwareError.allows(.hardwareError))
        #expect(HCI.EventMask.dataBufferOverflow.allows(.dataBufferOverflow))
        #expect(HCI.EventMask.encryptionKeyRefreshComplete.allows(.encryptionKeyRefreshComplete))
        let all: [(HCI.LEEventMask, HCI.LESubeventCode)] = [
            (.connectionComplete, .connectionComplete), (.advertisingReport, .advertisingReport),
            (.connectionUpdateComplete, .connectionUpdateComplete),
            (.readRemoteFeaturesComplete, .readRemoteFeaturesComplete), (.longTermKeyRequest, .longTermKeyRequest),
            (.remoteConnectionParameterRequest, .remoteConnectionParameterRequest),
            (.dataLengthChange, .dataLengthChange), (.enhancedConnectionComplete, .enhancedConnectionComplete),
            (.directedAdvertisingReport, .directedAdvertisingReport), (.phyUpdateComplete, .phyUpdateComplete),
            (.channelSelectionAlgorithm, .channelSelectionAlgorithm),
        ]
        for (mask, code) in all {
            #expect(mask.allows(code))
            #expect(!HCI.LEEventMask(rawValue: ~mask.rawValue).allows(code))
            #expect(HCI.LEEventMask.default.allows(code) == (code.rawValue <= 5))
        }
        #expect(!HCI.LEEventMask(rawValue: .max).allows(HCI.LESubeventCode(rawValue: 0)))
        #expect(!HCI.LEEventMask(rawValue: .max).allows(HCI.LESubeventCode(rawValue: 255)))
    }
}
