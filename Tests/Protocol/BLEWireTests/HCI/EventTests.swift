import BLEWire
import Testing

/// Octets by hand from the parameter tables of Vol 4, Part E, 7.7.
@Suite struct EventTests {
    @Test func connectionEventsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.DisconnectionComplete.self, "00 40 00 08", .fixed)
        checkPDU(HCI.EncryptionChange.self, "00 40 00 01", .fixed)
        checkPDU(HCI.ReadRemoteVersionInformationComplete.self, "00 40 00 0C 0F 00 34 12", .fixed)
        checkPDU(HCI.EncryptionKeyRefreshComplete.self, "00 40 00", .fixed)
        checkPDU(HCI.AuthenticatedPayloadTimeoutExpired.self, "40 00", .fixed)
        let ended = try HCI.DisconnectionComplete(decoding: octets("00 40 00 08").span)
        #expect(ended == .init(status: .success, connectionHandle: 0x40, reason: .connectionTimeout))
    }

    @Test func controllerEventsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.CommandStatus.self, "00 01 0D 20", .fixed)
        checkPDU(HCI.HardwareError.self, "42", .fixed)
        checkPDU(HCI.DataBufferOverflow.self, "01", .fixed)
        let status = try HCI.CommandStatus(decoding: octets("0C 02 0D 20").span)
        #expect(
            status == .init(status: .commandDisallowed, numberOfCommandPackets: 2, opcode: .leCreateConnection))
    }

    @Test func commandCompleteContainsTheReturnParameters() throws {
        let bytes = octets("01 02 20 00 1B 00 40")
        checkPDU(HCI.CommandComplete.self, bytes)
        let event = try HCI.CommandComplete(decoding: bytes.span)
        #expect(event.numberOfCommandPackets == 1 && event.opcode == .leReadBufferSize && event.status == .success)
        let sizes = try event.returnParameters(of: HCI.LEReadBufferSize.self)
        #expect(sizes == .init(status: .success, leACLDataPacketLength: 27, totalLEACLDataPackets: 64))
        #expect(throws: DecodeError.unexpectedType) {
            let event = try HCI.CommandComplete(decoding: bytes.span)
            _ = try event.returnParameters(of: HCI.LERand.self)
        }
    }

    @Test func commandCompleteWithoutReturnParametersHasNoStatus() throws {
        let bytes = octets("01 00 00")
        let event = try HCI.CommandComplete(decoding: bytes.span)
        #expect(event.opcode == .none && event.status == nil)
    }

    @Test func completedPacketsCarryAnyNumberOfConnections() throws {
        let bytes = octets("03 40 00 01 00 41 00 02 00 42 00 FF 01")
        checkPDU(HCI.NumberOfCompletedPackets.self, bytes, .fixed)
        checkPDU(HCI.NumberOfCompletedPackets.self, "00", .fixed)
        checkPDU(HCI.HostNumberOfCompletedPackets.self, bytes, .fixed)
        checkPDU(HCI.CompletedPackets.self, "40 00 01 00", .fixed)
        checkPDU(HCI.CompletedPacketsList.self, bytes, .fixed)
        var entries = try HCI.NumberOfCompletedPackets(decoding: bytes.span).entries
        #expect(entries.count == 3)
        var seen: [HCI.CompletedPackets] = []
        while let entry = entries.next() { seen.append(entry) }
        #expect(
            seen == [
                .init(connectionHandle: 0x40, count: 1), .init(connectionHandle: 0x41, count: 2),
                .init(connectionHandle: 0x42, count: 0x1FF),
            ])
        #expect(entries.count == 0)
    }

    @Test func aCountOfConnectionsThatDoesNotFitIsRefused() {
        for text in ["02 40 00 01 00", "01 40 00 01 00 00", "FF"] {
            #expect(throws: DecodeError.invalidLength) {
                _ = try HCI.NumberOfCompletedPackets(decoding: octets(text).span)
            }
        }
    }

    @Test func advertisingReportsAreReadOneByOne() throws {
        let first = "00 01 01 02 03 04 05 C6 03 02 01 06 C4"
        let second = "04 00 11 12 13 14 15 16 00 7F"
        let bytes = octets("02" + first + second)
        checkPDU(HCI.LEAdvertisingReport.self, bytes, .fixed)
        checkPDU(HCI.AdvertisingReport.self, first, .fixed)
        checkPDU(HCI.AdvertisingReport.self, second, .fixed)
        var event = try HCI.LEAdvertisingReport(decoding: bytes.span)
        #expect(event.count == 2)
        var seen: [String] = []
        while let report = event.next() {
            seen.append("\(report.eventType.rawValue) \(report.address) \(hex([UInt8](report.data))) \(report.rssi)")
        }
        #expect(seen == ["0 C6:05:04:03:02:01 02 01 06 -60", "4 16:15:14:13:12:11  127"])
        #expect(event.count == 0)
    }

    @Test func anAdvertisingReportWhoseLengthsDoNotFitIsRefused() {
        let report = "00 01 01 02 03 04 05 C6 03 02 01 06 C4"
        for text in [
            "02" + report, "01" + report + "00", "01 00 01 01 02 03 04 05 C6 20" + String(repeating: "00", count: 33),
        ] {
            #expect(throws: DecodeError.self) { _ = try HCI.LEAdvertisingReport(decoding: octets(text).span) }
        }
    }

    @Test func theDirectedReportRoundTripsAndRejectsWrongLengths() throws {
        let bytes = octets("01 01 00 11 12 13 14 15 16 01 01 02 03 04 05 46 C4")
        checkPDU(HCI.LEDirectedAdvertisingReport.self, bytes, .fixed)
        let report = try HCI.LEDirectedAdvertisingReport(decoding: bytes.span)
        #expect(report.address.kind == .public && report.directAddress.kind == .random && report.rssi == -60)
    }

    @Test func leConnectionEventsRoundTripAndRejectWrongLengths() throws {
        let complete = "00 40 00 01 01 01 02 03 04 05 C6 18 00 04 00 2A 00 07"
        checkPDU(HCI.LEConnectionComplete.self, complete, .fixed)
        checkPDU(
            HCI.LEEnhancedConnectionComplete.self,
            "00 40 00 00 01 01 02 03 04 05 C6 21 22 23 24 25 66 00 00 00 00 00 00 18 00 04 00 2A 00 07", .fixed)
        checkPDU(HCI.LEConnectionUpdateComplete.self, "00 40 00 18 00 04 00 2A 00", .fixed)
        checkPDU(HCI.LEReadRemoteFeaturesComplete.self, "00 40 00 20 41 00 00 00 00 00 00", .fixed)
        checkPDU(HCI.LELongTermKeyRequest.self, "40 00 11 22 33 44 55 66 77 88 34 12", .fixed)
        let point = (16...79).map { String($0, radix: 16) }.joined(separator: " ")
        checkPDU(HCI.LEReadLocalP256PublicKeyComplete.self, "00 " + point, .fixed)
        let secret = (16...47).map { String($0, radix: 16) }.joined(separator: " ")
        checkPDU(HCI.LEGenerateDHKeyComplete.self, "00 " + secret, .fixed)
        checkPDU(HCI.LERemoteConnectionParameterRequest.self, "40 00 06 00 0C 00 00 00 C8 00", .fixed)
        checkPDU(HCI.LEDataLengthChange.self, "40 00 FB 00 48 08 1B 00 48 01", .fixed)
        checkPDU(HCI.LEPHYUpdateComplete.self, "00 40 00 02 01", .fixed)
        checkPDU(HCI.LEChannelSelectionAlgorithm.self, "40 00 01", .fixed)
        checkPDU(HCI.LEMetaEvent.self, "01" + complete)
        let value = try HCI.LEConnectionComplete(decoding: octets(complete).span)
        #expect(value.connectionHandle == 0x40 && value.role == .peripheral)
        #expect(value.peerAddress == DeviceAddress(kind: .random, value: 0xC605_0403_0201))
        #expect(value.interval == 0x18 && value.latency == 4 && value.supervisionTimeout == 0x2A)
        #expect(value.centralClockAccuracy == .ppm20)
        let length = try HCI.LEDataLengthChange(decoding: octets("40 00 FB 00 48 08 1B 00 48 01").span)
        #expect(length.maximumTxOctets == 251 && length.maximumTxTime == 2120)
        #expect(length.maximumRxOctets == 27 && length.maximumRxTime == 328)
    }
}
