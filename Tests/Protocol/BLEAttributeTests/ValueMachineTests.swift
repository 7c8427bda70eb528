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

    /// A value of 512 octets is whole, so no request follows, whatever the parts.
    @Test(arguments: [23, 65, 257, 258, 512, 513, 514, 517]) func aReadEndsAt512Octets(mtu: Int) throws {
        for count in [510, 511, 512] {
            let value = pattern(count)
            var machine = ValueRead(handle: 3)
            var step = machine.start(mtu: mtu)
            var sent = 0
            var requests = 0
            while step.request != nil, requests < 100 {
                #expect(step.request == (sent == 0 ? .read(handle: 3) : .readBlob(handle: 3, offset: sent)))
                requests += 1
                let part = value[sent...].prefix(mtu - 1)
                step = try machine.feed([sent == 0 ? 0x0B : 0x0D] + part, mtu: mtu)
                sent += part.count
            }
            #expect(step.output == value)
            // Every part but the last is full.
            #expect(requests == (count == 512 ? (511 + mtu - 1) / (mtu - 1) : count / (mtu - 1) + 1))
        }
    }

    /// A Write Request carries ATT_MTU - 3 octets, a Prepare Write Request ATT_MTU - 5 (Vol 3, Part F, 3.4.5.1 and 3.4.6.1).
    @Test(arguments: [23, 24, 100, 515, 516, 517]) func aWriteIsOneRequestIfItFits(mtu: Int) throws {
        for count in [0, mtu - 5, mtu - 4, mtu - 3, mtu - 2, 511, 512, 513] {
            let value = pattern(count)
            var machine = ValueWrite(handle: 3, value: value)
            let step = machine.start(mtu: mtu)
            if count > 512 {
                #expect(step.failure == .valueTooLong)
            } else if count <= mtu - 3 {
                #expect(step.request == .write(handle: 3, value: value))
            } else {
                #expect(step.request == .prepareWrite(handle: 3, value: value, part: 0..<min(count, mtu - 5)))
            }
        }
    }

    /// What follows Database Out Of Sync (Vol 3, Part G, 2.5.2.1).
    @Test func anOperationIsRepeatedOnlyAtTheSameAttribute() throws {
        let readHash = ClientRequest.readByType(handles(1, 0xFFFF), uuid(0x2B2A))
        let hash = "09 12 0D00 01000000000000000000000000000000"
        func outcome(_ operation: GATTOperation, _ type: BluetoothUUID?, _ answers: [String]) throws
            -> Resynchronization.Outcome?
        {
            var machine = Resynchronization(operation, knownHash: 2, knownType: type)
            #expect(machine.start(mtu: 23).request == readHash)
            for answer in answers.dropLast() { #expect(try machine.feed(answer).request != nil) }
            return try machine.feed(try #require(answers.last)).output
        }
        func expected(_ hash: UInt128?, isUnchanged: Bool = false, isRepeatable: Bool) -> Resynchronization.Outcome {
            .init(databaseHash: hash, isUnchanged: isUnchanged, isRepeatable: isRepeatable)
        }
        let same = "09 12 0D00 02000000000000000000000000000000"
        let read = GATTOperation.read(handle: 12)
        let type = uuid(0x36F5)
        #expect(try outcome(read, type, [same]) == expected(2, isUnchanged: true, isRepeatable: true))
        #expect(try outcome(read, nil, [same]) == expected(2, isUnchanged: true, isRepeatable: true))
        #expect(try outcome(read, type, [hash, "05 01 0C00 F536"]) == expected(1, isRepeatable: true))
        #expect(try outcome(read, type, [hash, "05 01 0C00 F636"]) == expected(1, isRepeatable: false))
        #expect(try outcome(read, type, [hash, "01 04 0C00 0A"]) == expected(1, isRepeatable: false))
        #expect(try outcome(read, nil, [hash]) == expected(1, isRepeatable: false))
        #expect(try outcome(.discoverServices(nil), nil, [hash]) == expected(1, isRepeatable: true))
        #expect(try outcome(read, type, ["01 08 0100 0A", "05 01 0C00 F536"]) == expected(nil, isRepeatable: true))
        #expect(
            try outcome(.write(handle: 12, value: []), nil, ["01 08 0100 0A"]) == expected(nil, isRepeatable: false))
        var refused = Resynchronization(read, knownHash: 2, knownType: type)
        _ = refused.start(mtu: 23)
        #expect(try refused.feed("01 08 0100 05").failure == .attribute(5))
    }

    /// A name of as many octets as a response holds may continue (Vol 3, Part G, 4.8.2).
    @Test(arguments: [(23, 18), (23, 19), (257, 252), (257, 253), (517, 252), (517, 253)]) func aLongNameIsReadFurther(
        mtu: Int, count: Int
    ) throws {
        var machine = DeviceNameRead()
        #expect(machine.start(mtu: mtu).request == .readByType(handles(1, 0xFFFF), uuid(0x2A00)))
        let step = try machine.feed([0x09, UInt8(2 + count), 3, 0] + pattern(count), mtu: mtu)
        guard count == min(mtu - 4, 253) else {
            #expect(step.output == pattern(count))
            return
        }
        #expect(step.request == .readBlob(handle: 3, offset: count))
        #expect(try machine.feed([0x0D, 9], mtu: mtu).output == pattern(count) + [9])
    }
}
