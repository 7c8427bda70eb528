import Testing

@testable import BLEAdapter

struct ChannelSendingTests {
    private final class Driver: ChannelDriver {
        func pump() {}
        func consumed(_ count: Int) {}
        func close() {}
    }

    private func write(_ octets: [UInt8], _ handle: ChannelHandle) -> Int {
        octets.withUnsafeBufferPointer(handle.write)
    }

    @Test func sdusOccupySpaceUntilTheyAreSent() {
        let handle = ChannelHandle(psm: 0x80, sendMTU: 8_192, receiveWindow: 1_000, driver: Driver())
        let octets = [UInt8](repeating: 1, count: ChannelHandle.outboxLimit)
        #expect(write(octets, handle) == octets.count && !handle.status.hasSpace)
        var queue = SDUQueue()
        handle.takeSDUs(into: &queue)
        #expect(write([1], handle) == 0, "nothing is sent yet")
        let length = queue.firstLength
        #expect(length == 8_192)
        queue.removeFirst()
        handle.sent(length)
        #expect(handle.hasUnsent && handle.status.hasSpace)
        #expect(write([7, 8], handle) == 2, "outside the lock, while an SDU is taken")
        queue.removeFirst()
        handle.sent(length)
        #expect(queue.isEmpty)
        handle.takeSDUs(into: &queue)
        #expect(queue.firstLength == 2 && queue.first[0] == 7)
    }
}
