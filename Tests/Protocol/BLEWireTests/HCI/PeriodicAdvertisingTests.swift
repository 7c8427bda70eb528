import BLEWire
import Testing

/// Octets by hand from the parameter tables of Vol 4, Part E, 7.8.61 to 7.8.127 and 7.7.65.14 to 7.7.65.37.
struct PeriodicAdvertisingTests {
    @Test func commandsOfPeriodicAdvertisingRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LESetPeriodicAdvertisingParameters.self, "02 50 00 A0 00 40 00", .fixed)
        let parameters = "02 50 00 A0 00 40 00 05 08 04 10 06"
        checkPDU(HCI.LESetPeriodicAdvertisingParametersV2.self, parameters, .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingParametersV2.ReturnParameters.self, "00 02", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingData.self, "02 03 03 02 01 06", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingData.self, "02 04 00", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingEnable.self, "03 02", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingSubeventData.self, "02 02 03 01 04 02 AA BB 04 00 00 00", .fixed)
        let value = try HCI.LESetPeriodicAdvertisingParametersV2(decoding: octets(parameters).span)
        #expect(
            value
                == .init(
                    advertisingHandle: 2, intervalMinimum: 80, intervalMaximum: 160, properties: .includesTxPower,
                    subeventCount: 5, subeventInterval: 8, responseSlotDelay: 4, responseSlotSpacing: 16,
                    responseSlotCount: 6))
        let enable = try HCI.LESetPeriodicAdvertisingEnable(decoding: octets("02 07").span)
        #expect(enable == .init(enable: .includesDataInfo, advertisingHandle: 7) && !enable.enable.contains(.on))
        let subevents = try HCI.LESetPeriodicAdvertisingSubeventData(decoding: octets("02 01 03 01 04 01 AA").span)
        #expect(
            subevents.subevents == [.init(subevent: 3, responseSlotStart: 1, responseSlotCount: 4, data: [0xAA])])
    }

    @Test func commandsOfSyncsRoundTripAndRejectWrongLengths() throws {
        let create = "04 05 01 01 02 03 04 05 C6 03 00 90 01 12"
        checkPDU(HCI.LEPeriodicAdvertisingCreateSync.self, create, .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingCreateSyncCancel.self, "", .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingTerminateSync.self, "21 00", .fixed)
        checkPDU(HCI.LEAddDeviceToPeriodicAdvertiserList.self, "01 01 02 03 04 05 C6 05", .fixed)
        checkPDU(HCI.LERemoveDeviceFromPeriodicAdvertiserList.self, "01 01 02 03 04 05 C6 05", .fixed)
        checkPDU(HCI.LEClearPeriodicAdvertiserList.self, "", .fixed)
        checkPDU(HCI.LEReadPeriodicAdvertiserListSize.ReturnParameters.self, "00 08", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingReceiveEnable.self, "21 00 03", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingResponseData.self, "21 00 34 12 03 04 02 02 AA BB", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingResponseData.ReturnParameters.self, "00 21 00", .fixed)
        checkPDU(HCI.LESetPeriodicSyncSubevent.self, "21 00 40 00 02 01 03", .fixed)
        let value = try HCI.LEPeriodicAdvertisingCreateSync(decoding: octets(create).span)
        #expect(
            value
                == .init(
                    options: .filtersDuplicates, advertisingSID: 5,
                    advertiserAddress: DeviceAddress(kind: .random, value: 0xC605_0403_0201), skip: 3, syncTimeout: 400,
                    excludedToneExtensions: [.angleOfDeparture1, .withoutExtension]))
        let response = try HCI.LESetPeriodicAdvertisingResponseData(
            decoding: octets("21 F0 34 12 03 04 02 01 AA").span)
        #expect(response.syncHandle == 0x21 && response.requestEvent == 0x1234 && response.requestSubevent == 3)
        #expect(response.responseSubevent == 4 && response.responseSlot == 2 && [UInt8](response.data) == [0xAA])
        let subset = try HCI.LESetPeriodicSyncSubevent(decoding: octets("21 00 40 00 02 01 03").span)
        #expect(subset == .init(syncHandle: 0x21, properties: .includesTxPower, subevents: [1, 3]))
    }

    @Test func commandsOfTheTransferRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LEPeriodicAdvertisingSyncTransfer.self, "40 00 34 12 21 00", .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingSetInfoTransfer.self, "40 00 34 12 02", .fixed)
        checkPDU(HCI.LESetPeriodicAdvertisingSyncTransferParameters.self, "40 00 02 03 00 90 01 04", .fixed)
        checkPDU(HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters.self, "03 03 00 90 01 04", .fixed)
        let value = try HCI.LESetPeriodicAdvertisingSyncTransferParameters(
            decoding: octets("40 00 02 03 00 90 01 04").span)
        #expect(
            value
                == .init(
                    connectionHandle: 0x40, mode: .report, skip: 3, syncTimeout: 400,
                    excludedToneExtensions: .angleOfDeparture2))
        let set = try HCI.LEPeriodicAdvertisingSetInfoTransfer(decoding: octets("40 00 34 12 02").span)
        #expect(set == .init(connectionHandle: 0x40, serviceData: 0x1234, advertisingHandle: 2))
        let modes: [HCI.SyncTransferMode] = [.ignore, .synchronize, .report, .reportWithoutDuplicates]
        #expect(modes.map(\.rawValue) == [0, 1, 2, 3])
    }

    /// The ranges of the parameters (7.8.61), and the slots that end within a subevent.
    @Test func subeventsFitIntoTheInterval() {
        typealias Subevents = HCI.PeriodicSubevents
        let subevents = Subevents(count: 4, interval: 16, slotDelay: 4, slotSpacing: 8, slotCount: 15)
        for (isValid, change) in [
            (true, { _ in }), (false, { $0.slotCount = 16 }), (true, { $0.slotCount = 0 }),
            (false, { $0.count = 0 }), (true, { $0.count = 1 }), (false, { $0.count = 5 }),
            (false, { $0.interval = 5 }), (true, { ($0.interval, $0.slotCount) = (6, 2) }),
            (false, { ($0.slotDelay, $0.slotCount) = (16, 0) }), (true, { ($0.slotDelay, $0.slotCount) = (15, 1) }),
        ] as [(Bool, (inout Subevents) -> Void)] {
            var changed = subevents
            change(&changed)
            #expect(changed.isValid(with: 64) == isValid, "\(changed)")
        }
        for count in 127...129 as ClosedRange<UInt8> {
            let many = Subevents(count: count, interval: 6, slotDelay: 1, slotSpacing: 2, slotCount: 1)
            #expect(many.isValid(with: 1_000) == (count <= 128))
        }
        // 12 units of 1.25 ms have 15 slots of 1 ms.
        for (delay, spacing, room) in [
            (4, 8, 15), (4, 2, 60), (4, 1, 0), (0, 8, 0), (15, 8, 1), (16, 8, 0), (17, 8, 0),
        ]
            as [(UInt8, UInt8, Int)]
        {
            let received = Subevents(received: 4, interval: 16, slotDelay: delay, slotSpacing: spacing)
            #expect(received?.room == room && received.map { Int($0.slotCount) } == room, "\(delay) \(spacing)")
        }
        #expect(Subevents(received: 0, interval: 16, slotDelay: 4, slotSpacing: 8) == nil)
        #expect(Subevents(received: 1, interval: 16, slotDelay: 4, slotSpacing: 8)?.count == 1)
    }

    /// Each command and each event has at most 255 octets of parameters; the data of a fragment at most 252 (7.8.62).
    @Test func longFragmentsAndListsAreRefused() throws {
        let data = [UInt8](repeating: 1, count: 253)
        #expect(
            try encoded(
                HCI.LESetPeriodicAdvertisingData(
                    advertisingHandle: 0, operation: .complete, data: data.span.extracting(first: 252))
            ).count == 255)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(
                HCI.LESetPeriodicAdvertisingData(advertisingHandle: 0, operation: .complete, data: data.span))
        }
        #expect(throws: DecodeError.invalidLength) {
            _ = try HCI.LESetPeriodicAdvertisingData(decoding: ([0, 3, 253] + data).span)
        }
        typealias Subevents = HCI.LESetPeriodicAdvertisingSubeventData
        let empty = Subevents.Entry(subevent: 0, responseSlotStart: 0, responseSlotCount: 0, data: [])
        #expect(
            try encoded(Subevents(advertisingHandle: 0, subevents: .init(repeating: empty, count: 15))).count == 62)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(Subevents(advertisingHandle: 0, subevents: .init(repeating: empty, count: 16)))
        }
        #expect(throws: DecodeError.invalidLength) {
            _ = try Subevents(decoding: ([0, 16] + [UInt8](repeating: 0, count: 64)).span)
        }
        var long = empty
        long.data = [UInt8](repeating: 0, count: 249)
        #expect(try encoded(Subevents(advertisingHandle: 0, subevents: [long])).count == 255)
        long.data.append(0)
        #expect(throws: EncodeError.fieldTooLong) { try encoded(Subevents(advertisingHandle: 0, subevents: [long])) }
        let all = HCI.LESetPeriodicSyncSubevent(syncHandle: 0, subevents: [UInt8](0...127))
        #expect(try encoded(all).count == 133)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(HCI.LESetPeriodicSyncSubevent(syncHandle: 0, subevents: [UInt8](0...128)))
        }
    }

    private static let train = "05 01 01 02 03 04 05 C6 02 50 00 05"

    @Test func eventsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LEPeriodicAdvertisingSyncEstablished.self, "00 21 00" + Self.train, .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingSyncEstablishedV2.self, "00 21 00" + Self.train + "05 08 04 10", .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingSyncLost.self, "21 00", .fixed)
        let transfer = "00 40 00 34 12 21 00" + Self.train
        checkPDU(HCI.LEPeriodicAdvertisingSyncTransferReceived.self, transfer, .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingSyncTransferReceivedV2.self, transfer + "05 08 04 10", .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingSubeventDataRequest.self, "02 03 04", .fixed)
        let established = try HCI.LEPeriodicAdvertisingSyncEstablished(decoding: octets("00 21 00" + Self.train).span)
        let address = DeviceAddress(kind: .random, value: 0xC605_0403_0201)
        #expect(
            established
                == .init(
                    status: .success, syncHandle: 0x21, advertisingSID: 5, advertiserAddress: address,
                    advertiserPHY: .le2M, interval: 80, advertiserClockAccuracy: .ppm50))
        let received = try HCI.LEPeriodicAdvertisingSyncTransferReceivedV2(
            decoding: octets(transfer + "05 08 04 10").span)
        #expect(
            received
                == .init(
                    status: .success, connectionHandle: 0x40, serviceData: 0x1234, syncHandle: 0x21, advertisingSID: 5,
                    advertiserAddress: address, advertiserPHY: .le2M, interval: 80, advertiserClockAccuracy: .ppm50,
                    subeventCount: 5, subeventInterval: 8, responseSlotDelay: 4, responseSlotSpacing: 16))
    }

    @Test func reportsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LEPeriodicAdvertisingReport.self, "21 00 F4 C4 FF 01 03 02 01 06", .fixed)
        checkPDU(HCI.LEPeriodicAdvertisingReportV2.self, "21 00 F4 C4 FF 34 12 03 FF 00", .fixed)
        checkPDU(HCI.PeriodicAdvertisingResponse.self, "F4 C4 FF 02 00 02 AA BB", .fixed)
        let report = try HCI.LEPeriodicAdvertisingReport(decoding: octets("21 00 F4 C4 FF 01 01 AA").span)
        #expect(report.syncHandle == 0x21 && report.txPower == -12 && report.rssi == -60)
        #expect(report.toneExtensionType == 0xFF && report.dataStatus == .moreToCome)
        #expect([UInt8](report.data) == [0xAA])
        let second = try HCI.LEPeriodicAdvertisingReportV2(decoding: octets("21 00 F4 C4 FF 34 12 03 FF 00").span)
        #expect(second.eventCounter == 0x1234 && second.subevent == 3 && second.dataStatus == .notReceived)
    }

    /// An event has at most 255 octets of parameters, the subevent code among them (5.4.4): 247 and 244 octets of data remain.
    @Test func longReportsAreRefused() throws {
        let data = [UInt8](repeating: 1, count: 248)
        for count in [0, 247, 248] {
            let report = HCI.LEPeriodicAdvertisingReport(
                syncHandle: 1, dataStatus: .complete, data: data.span.extracting(first: count))
            #expect((try? encoded(report).count) == (count <= 247 ? 7 + count : nil))
            let header = octets("01 00 7F 7F FF 00") + [UInt8(count)]
            let bytes = header + data.prefix(count)
            #expect(
                (try? HCI.LEPeriodicAdvertisingReport(decoding: bytes.span).data.count) == (count <= 247 ? count : nil))
        }
        for count in [0, 244, 245] {
            let report = HCI.LEPeriodicAdvertisingReportV2(
                syncHandle: 1, eventCounter: 0, subevent: 0, dataStatus: .complete,
                data: data.span.extracting(first: count))
            #expect((try? encoded(report).count) == (count <= 244 ? 10 + count : nil))
        }
    }

    @Test func responsesAreReadOneByOne() throws {
        let bytes = octets("02 03 00 02 F4 C4 FF 02 00 02 AA BB 7F 7F FF 05 FF 00")
        checkPDU(HCI.LEPeriodicAdvertisingResponseReport.self, bytes, .fixed)
        var event = try HCI.LEPeriodicAdvertisingResponseReport(decoding: bytes.span)
        #expect(event.advertisingHandle == 2 && event.subevent == 3 && event.wasSent && event.count == 2)
        var seen: [String] = []
        while let response = event.next() {
            seen.append("\(response.responseSlot) \(response.dataStatus.rawValue) \(hex([UInt8](response.data)))")
        }
        #expect(seen == ["2 0 AA BB", "5 255 "] && event.count == 0)
        #expect(throws: DecodeError.truncated) {
            _ = try HCI.LEPeriodicAdvertisingResponseReport(decoding: octets("02 03 00 01 F4 C4 FF 02 00 02 AA").span)
        }
    }

    /// The AD structures of ACAD (Vol 6, Part B, 2.3.4.8), with the layouts of the Core Specification Supplement, Part A, 1.20 and 1.24.
    @Test func controllerDataHasItsStructures() throws {
        let octets = octets("08 28 FF FF FF FF 0F 34 12 09 32 EF BE AD DE 05 08 04 10")
        var structures = AD.Structures(octets.span)
        let update: AD.ChannelMapUpdate? = structures.next()?.content()
        #expect(update == .init(channelMap: LL.ChannelMap(rawValue: 0xF_FFFF_FFFF), instant: 0x1234))
        let timing: AD.PeriodicResponseTiming? = structures.next()?.content()
        #expect(
            timing
                == .init(
                    responseAccessAddress: 0xDEAD_BEEF, subeventCount: 5, subeventInterval: 8, responseSlotDelay: 4,
                    responseSlotSpacing: 16))
        let isAtEnd = structures.next() == nil
        #expect(isAtEnd)
    }

    private static let sync =
        "34 12 64 60 50 00 FF FF FF FF BF 78 56 34 12 55 44 33 07 00 22 11 06 00 B5 02 01 02 03 04 05 C6 20 11"

    /// Vol 6, Part B, 2.4.2.27 and 2.4.2.43.
    @Test func controlPDUsOfTheTransferHaveTheirFields() throws {
        checkPDU(LL.PeriodicSyncInd.self, Self.sync, .fixed)
        checkPDU(LL.PeriodicSyncWRInd.self, Self.sync + "EF BE AD DE 05 08 04 10", .fixed)
        #expect(LL.PeriodicSyncInd.octetCount == 34 && LL.PeriodicSyncWRInd.octetCount == 42)
        #expect(LL.ControlOpcode.periodicSyncInd.rawValue == 0x1C)
        #expect(LL.ControlOpcode.periodicSyncWRInd.rawValue == 0x2A)
        let sync = try LL.PeriodicSyncInd(decoding: octets(Self.sync).span)
        #expect(
            sync
                == .init(
                    identifier: 0x1234,
                    syncInfo: LL.SyncInfo(
                        offset: 100, usesLongUnits: true, adjustsOffset: true, interval: 80, channelMap: .all,
                        sleepClockAccuracy: 5, accessAddress: 0x1234_5678, crcInit: 0x33_4455, eventCounter: 7),
                    connectionEvent: 0x1122, lastPeriodicEvent: 6,
                    advertiserInfo: .init(setID: 5, isRandom: true, sleepClockAccuracy: 5), phy: .twoM,
                    advertiser: 0xC605_0403_0201, syncConnectionEvent: 0x1120))
        let info = sync.advertiserInfo
        #expect(info.setID == 5 && info.isRandom && info.sleepClockAccuracy == 5)
        #expect(LL.PeriodicAdvertiserInfo(setID: 0xFF, isRandom: false, sleepClockAccuracy: 0xFF).rawValue == 0xEF)
    }

    @Test func controlPDUsOfTheTransferAreFoundByTheirOpcodes() throws {
        checkPDU(LL.ControlPDU.self, "1C" + Self.sync)
        checkPDU(LL.ControlPDU.self, "2A" + Self.sync + "EF BE AD DE 05 08 04 10")
        let octets = octets("2A" + Self.sync + "EF BE AD DE 05 08 04 10")
        guard case .periodicSyncWRInd(let sync) = try LL.ControlPDU(decoding: octets.span) else {
            Issue.record("another PDU")
            return
        }
        #expect(sync.responseAccessAddress == 0xDEAD_BEEF && sync.subeventCount == 5 && sync.subeventInterval == 8)
        #expect(sync.responseSlotDelay == 4 && sync.responseSlotSpacing == 16)
    }
}
