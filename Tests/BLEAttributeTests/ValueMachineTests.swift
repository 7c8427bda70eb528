import BLEWire
import Testing

@testable import BLEAttribute

/// The machines that read, write and subscribe, by their actions.
struct ValueMachineTests {
    @Test func aFullResponseIsFollowedByAReadBlob() throws {
        var machine = ValueRead(handle: 3)
        #expect(machine.start(mtu: 23).request == .read(handle: 3))
        #expect(try machine.feed([0x0B] + pattern(22)).request == .readBlob(handle: 3, offset: 22))
        #expect(try machine.feed([0x0D] + pattern(3)).output == pattern(22) + pattern(3))
    }

    @Test func anEmptyPartOrTwoErrorsEndALongRead() throws {
        for end in ["0D", "01 0C 0300 0B", "01 0C 0300 07"] {
            var machine = ValueRead(handle: 3)
            _ = machine.start(mtu: 23)
            _ = try machine.feed([0x0B] + pattern(22))
            #expect(try machine.feed(end).output == pattern(22), "\(end)")
        }
        var machine = ValueRead(handle: 3)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed("01 0A 0300 07").failure == .attribute(7), "not on the first request")
        _ = try machine.feed([0x0B] + pattern(22))
        #expect(try machine.feed("01 0C 0300 0E").failure == .attribute(0x0E))
    }

    @Test func aLongReadFailsBeyond512Octets() throws {
        var machine = ValueRead(handle: 3)
        _ = machine.start(mtu: 23)
        var step = try machine.feed([0x0B] + pattern(22))
        var requests = 1
        while step.request != nil, requests < 1_000 {
            step = try machine.feed([0x0D] + pattern(22))
            requests += 1
        }
        #expect(step.failure == .attribute(0x0D))
        #expect(requests == 24)
    }

    @Test func theMTUMayGrowBetweenRequestAndResponse() throws {
        var machine = ValueRead(handle: 3)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed([0x0B] + pattern(22), mtu: 100).request == .readBlob(handle: 3, offset: 22))
        #expect(try machine.feed([0x0D] + pattern(99), mtu: 100).request == .readBlob(handle: 3, offset: 121))
    }

    @Test func aLongWriteIsPreparedPartByPartAndExecuted() throws {
        let value = pattern(40)
        var machine = ValueWrite(handle: 3, value: value)
        #expect(machine.start(mtu: 23).request == .prepareWrite(handle: 3, value: value, part: 0..<18))
        #expect(
            try machine.feed([0x17, 3, 0, 0, 0] + value[..<18]).request
                == .prepareWrite(handle: 3, value: value, part: 18..<36))
        #expect(
            try machine.feed([0x17, 3, 0, 18, 0] + value[18..<36]).request
                == .prepareWrite(handle: 3, value: value, part: 36..<40))
        #expect(try machine.feed([0x17, 3, 0, 36, 0] + value[36...]).request == .executeWrite(true))
        #expect(try machine.feed("19").output != nil)
    }

    @Test(arguments: ["17 0400 0000", "17 0300 0100", "17 0300 0000 01"])
    func aWrongEchoCancelsTheLongWrite(head: String) throws {
        let value = pattern(40)
        var machine = ValueWrite(handle: 3, value: value)
        _ = machine.start(mtu: 23)
        let tail = head.count == 12 ? Array(value[..<18]) : Array(value[1..<18])
        #expect(try machine.feed(octets(head) + tail).request == .executeWrite(false))
        #expect(try machine.feed("19").failure == .nonsense)
    }

    @Test func aRefusedPartCancelsThePreparedParts() throws {
        let value = pattern(40)
        var machine = ValueWrite(handle: 3, value: value)
        _ = machine.start(mtu: 23)
        _ = try machine.feed([0x17, 3, 0, 0, 0] + value[..<18])
        #expect(try machine.feed("01 16 0300 09").request == .executeWrite(false))
        #expect(try machine.feed("01 18 0300 0E").failure == .attribute(9), "the first error counts")
        var first = ValueWrite(handle: 3, value: value)
        _ = first.start(mtu: 23)
        #expect(try first.feed("01 16 0300 03").failure == .attribute(3), "nothing was prepared")
    }

    @Test func aShortWriteIsOneRequest() throws {
        var machine = ValueWrite(handle: 3, value: pattern(20))
        #expect(machine.start(mtu: 23).request == .write(handle: 3, value: pattern(20)))
        #expect(try machine.feed("13").output != nil)
        var refused = ValueWrite(handle: 3, value: [])
        #expect(refused.start(mtu: 23).request == .write(handle: 3, value: []))
        #expect(try refused.feed("01 12 0300 05").failure == .attribute(5))
        var tooLong = ValueWrite(handle: 3, value: pattern(513))
        #expect(tooLong.start(mtu: 517).failure == .valueTooLong)
    }

    @Test func theClientConfigurationIsFoundAndWritten() throws {
        var machine = Subscription(valueHandle: 12, end: 20, mode: .indication)
        #expect(machine.start(mtu: 23).request == .findInformation(handles(13, 20)))
        #expect(try machine.feed("05 01 0D00 0129").request == .findInformation(handles(14, 20)))
        #expect(try machine.feed("05 01 0E00 0229 0F00 0429").request == .write(handle: 14, value: [2, 0]))
        #expect(try machine.feed("13").output != nil)
        var missing = Subscription(valueHandle: 12, end: 20, mode: .notification)
        _ = missing.start(mtu: 23)
        #expect(try missing.feed("01 04 0D00 0A").failure == .attribute(0x0A))
        var none = Subscription(valueHandle: 12, end: 12, mode: .off)
        #expect(none.start(mtu: 23).failure == .attribute(0x0A))
        var foreign = Subscription(valueHandle: 12, end: 20, mode: .off)
        _ = foreign.start(mtu: 23)
        #expect(
            try foreign.feed("05 01 0D00 0328 0E00 F636 0F00 0229").failure == .attribute(0x0A),
            "that one belongs to the next characteristic")
    }

    @Test func serviceChangedIsSearchedForInTheGATTServiceAlone() throws {
        var machine = ServiceChangedSubscription()
        #expect(machine.start(mtu: 23).request == .findPrimaryServices(handles(1, 0xFFFF), uuid(0x1801)))
        #expect(try machine.feed("07 0600 0900").request == .findPrimaryServices(handles(10, 0xFFFF), uuid(0x1801)))
        #expect(try machine.feed("01 06 0A00 0A").request == .readByType(handles(6, 9), uuid(0x2803)))
        // One handle is left: no other characteristic fits there.
        #expect(try machine.feed("09 07 0700 20 0800 052A").request == .findInformation(handles(9, 9)))
        #expect(machine.valueHandle == 8)
        #expect(try machine.feed("05 01 0900 0229").request == .write(handle: 9, value: [2, 0]))
        #expect(try machine.feed("13").output != nil)
        var without = ServiceChangedSubscription()
        _ = without.start(mtu: 23)
        #expect(try without.feed("01 06 0100 0A").failure == .attribute(0x0A))
    }

    @Test func aServerWithoutMTUExchangeKeepsTheDefaultMTU() throws {
        var machine = MTUExchange(localMTU: 498)
        #expect(machine.start(mtu: 23).request == .exchangeMTU(498))
        #expect(try machine.feed("01 02 0000 06").output == .some(nil))
        #expect(try machine.feed("03 B900").output == 185)
    }
}
