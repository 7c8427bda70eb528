import BLEWire
import Testing

@testable import BLEController

/// A packet on the air.
struct SubeventPacket: Hashable {
    var start: Instant
    var end: Instant
    var channel: UInt8
    var accessAddress: UInt32
    var sender: ControllerIdentifier
}

/// What an advertiser learned about one response slot.
struct SlotReport: Hashable {
    var subevent: UInt8
    var slot: UInt8
    /// Nil if no response was received.
    var data: [UInt8]?
    var txPower: Int8 = 127
}

/// An advertiser of a train with responses and receivers, whose hosts answer as a test says.
final class ResponseBench {
    typealias Entry = HCI.LESetPeriodicAdvertisingSubeventData.Entry

    /// A report of a receiver.
    struct Packet: Hashable {
        var receiver: Int
        var handle: UInt16
        var event: UInt16
        var subevent: UInt8
        /// Nil if the packet was not received.
        var data: [UInt8]?
    }

    let bench = Bench()
    let advertiser: RawHost
    let receivers: [RawHost]
    /// The data and the slots of a subevent; nil for none.
    var content: (UInt8) -> (data: [UInt8], slots: Range<UInt8>)? = { ([2, 0xFF, $0], 0..<10) }
    /// The slot and the data of a response; nil for none.
    var answer: (Packet) -> (slot: UInt8, data: [UInt8])? = { _ in nil }
    private(set) var packets: [Packet] = []
    private(set) var air: [SubeventPacket] = []
    /// The subevents that were requested, in order.
    private(set) var requested: [UInt8] = []
    private(set) var dataStatuses: [HCI.ErrorCode] = []
    private(set) var answerStatuses: [HCI.ErrorCode] = []
    /// The events of each host that have been read.
    private var positions: [Int]
    /// 4 subevents of 20 ms with 10 slots of 1 ms, 5 ms after their starts, in an interval of 100 ms.
    var parameters = HCI.LESetPeriodicAdvertisingParametersV2(
        advertisingHandle: 1, intervalMinimum: 80, intervalMaximum: 80, subeventCount: 4, subeventInterval: 16,
        responseSlotDelay: 4, responseSlotSpacing: 8, responseSlotCount: 10)

    init(receivers count: Int = 1) {
        let bench = bench
        advertiser = bench.addHost()
        receivers = (0..<count).map { bench.addHost(at: RadioPosition(x: $0 % 2 == 0 ? 1 : -1)) }
        positions = Array(repeating: 0, count: count + 1)
        for host in [advertiser] + receivers { host.unmaskResponses() }
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.accessAddress != LL.advertisingAccessAddress else { return }
            air.append(
                SubeventPacket(
                    start: packet.start, end: packet.start + packet.airTime, channel: packet.channel,
                    accessAddress: packet.accessAddress, sender: packet.sender))
        }
    }

    /// Starts the train. Returns the first error.
    func start(phy: HCI.PHY = .le1M) -> HCI.ErrorCode? {
        let handle = parameters.advertisingHandle
        let created = advertiser.advertiseExtended(bench, [], handle: handle, interval: 0x50, enables: false) {
            $0.secondaryPHY = phy
            if phy == .leCoded { $0.primaryPHY = .leCoded }
        }
        guard created == .success else { return created }
        let set = advertiser.status(bench, of: parameters)
        guard set == .success else { return set }
        let enabled = advertiser.enablePeriodic(bench, handle)
        guard enabled == .success else { return enabled }
        return advertiser.enable(bench, [handle])
    }

    /// Synchronizes a receiver, and chooses subevents.
    func synchronize(_ index: Int = 0, _ subevents: [UInt8]?, phy: HCI.PHYMask = .le1M, timeout: UInt16 = 100) throws
        -> UInt16
    {
        let receiver = receivers[index]
        receiver.scanExtended(on: phy)
        let before = receiver.establishedWithSubevents.count
        #expect(
            receiver.createSync(bench, with: advertiser, setID: parameters.advertisingHandle, timeout: timeout)
                == .success)
        let end = bench.radio.now + .seconds(10)
        while receiver.establishedWithSubevents.count == before, bench.radio.now < end { run(for: .milliseconds(10)) }
        receiver.send(HCI.LESetExtendedScanEnable(enable: false))
        let sync = try #require(receiver.establishedWithSubevents.last)
        #expect(sync.status == .success)
        if let subevents { #expect(choose(subevents, sync.syncHandle, index) == .success) }
        return sync.syncHandle
    }

    func choose(_ subevents: [UInt8], _ handle: UInt16, _ index: Int = 0) -> HCI.ErrorCode? {
        receivers[index].status(bench, of: HCI.LESetPeriodicSyncSubevent(syncHandle: handle, subevents: subevents))
    }

    /// Sends a response, and returns the status.
    func respond(
        _ handle: UInt16, to event: UInt16, _ subevent: UInt8, in responseSubevent: UInt8? = nil, slot: UInt8,
        _ data: [UInt8], _ index: Int = 0
    ) -> HCI.ErrorCode? {
        let opcode = HCI.LESetPeriodicAdvertisingResponseData.opcode
        let parameters: [UInt8] =
            [UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(event & 0xFF), UInt8(event >> 8), subevent]
            + [responseSubevent ?? subevent, slot, UInt8(data.count)] + data
        receivers[index].send(
            raw: [1, UInt8(opcode.rawValue & 0xFF), UInt8(opcode.rawValue >> 8), UInt8(parameters.count)] + parameters)
        bench.deliver()
        return receivers[index].status(of: opcode)
    }

    func setData(_ entries: [Entry]) -> HCI.ErrorCode? {
        advertiser.status(
            bench,
            of: HCI.LESetPeriodicAdvertisingSubeventData(
                advertisingHandle: parameters.advertisingHandle, subevents: entries))
    }

    // MARK: Time

    func run(for time: TimeSpan) {
        let end = bench.radio.now + time
        bench.deliver()
        answerAll()
        while let next = bench.radio.nextDeadline, next <= end {
            bench.radio.advance(to: next)
            bench.deliver()
            answerAll()
        }
        bench.radio.advance(to: end)
    }

    /// Runs until a receiver has a report.
    func nextPacket() throws -> Packet {
        let (before, end) = (packets.count, bench.radio.now + .seconds(1))
        while packets.count == before, bench.radio.now < end { run(for: .milliseconds(1)) }
        return try #require(packets.count > before ? packets.last : nil)
    }

    /// Lets the hosts answer their new events.
    private func answerAll() {
        while answerAdvertiser() || receivers.indices.contains(where: { answerReceiver($0) }) {}
    }

    private func answerAdvertiser() -> Bool {
        guard positions[0] < advertiser.events.count else { return false }
        let event = advertiser.events[positions[0]]
        positions[0] += 1
        guard event[0] == 0x3E, event[2] == 0x27 else { return true }
        let count = parameters.subeventCount
        let subevents = (0..<event[5]).map { UInt8((Int(event[4]) + Int($0)) % Int(count)) }
        requested += subevents
        for subevent in subevents {
            guard let (data, slots) = content(subevent) else { continue }
            let entry = Entry(
                subevent: subevent, responseSlotStart: slots.lowerBound, responseSlotCount: UInt8(slots.count),
                data: data)
            if let status = setData([entry]) { dataStatuses.append(status) }
        }
        return true
    }

    private func answerReceiver(_ index: Int) -> Bool {
        let host = receivers[index]
        guard positions[index + 1] < host.events.count else { return false }
        let event = host.events[positions[index + 1]]
        positions[index + 1] += 1
        guard event[0] == 0x3E, event[2] == 0x25,
            let report = try? HCI.LEPeriodicAdvertisingReportV2(decoding: event.span.extracting(droppingFirst: 3))
        else { return true }
        let data = report.dataStatus == .notReceived ? nil : [UInt8](report.data)
        let packet = Packet(
            receiver: index, handle: report.syncHandle, event: report.eventCounter, subevent: report.subevent,
            data: data)
        packets.append(packet)
        guard data != nil, let response = answer(packet),
            let status = respond(
                packet.handle, to: packet.event, packet.subevent, slot: response.slot, response.data, index)
        else { return true }
        answerStatuses.append(status)
        return true
    }

    // MARK: What was heard

    /// The reports of slots, in order.
    var slots: [SlotReport] {
        var result: [SlotReport] = []
        var partial: [UInt8] = []
        for event in advertiser.events where event[0] == 0x3E && event[2] == 0x28 {
            let parameters = event.span.extracting(droppingFirst: 3)
            guard var report = try? HCI.LEPeriodicAdvertisingResponseReport(decoding: parameters) else {
                Issue.record("no report: \(event)")
                continue
            }
            #expect(report.advertisingHandle == self.parameters.advertisingHandle && report.count <= 25)
            // Without the packet of the subevent nothing was awaited.
            #expect(report.wasSent || report.count == 0)
            let subevent = report.subevent
            while let response = report.next() {
                partial += [UInt8](response.data)
                guard response.dataStatus != .moreToCome else { continue }
                let isMissing = response.dataStatus == .notReceived
                result.append(
                    SlotReport(
                        subevent: subevent, slot: response.responseSlot, data: isMissing ? nil : partial,
                        txPower: response.txPower))
                partial = []
            }
        }
        return result
    }

    /// The responses that were received.
    var responses: [SlotReport] { slots.filter { $0.data != nil } }

    /// Forgets what was heard.
    func forget() {
        packets = []
        air = []
        requested = []
        (dataStatuses, answerStatuses) = ([], [])
        advertiser.events.removeAll()
        for receiver in receivers { receiver.events.removeAll() }
        positions = positions.map { _ in 0 }
    }

    /// The packets of a device, without those of the other access address.
    func sent(by host: RawHost) -> [SubeventPacket] { air.filter { $0.sender == host.identifier } }
}

extension RawHost {
    /// Makes all LE events visible up to those of trains with responses, but LE Enhanced Connection Complete.
    func unmaskResponses() {
        send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFF_FFFF_FFFF & ~(1 << 9))))
    }

    var establishedWithSubevents: [HCI.LEPeriodicAdvertisingSyncEstablishedV2] {
        all(HCI.LEPeriodicAdvertisingSyncEstablishedV2.self)
    }
}
