import BLESimulator
import BLEVirtualRadio
import CoreBluetooth
import Foundation
import TestConditions
import Testing

/// Channels under load, with slow readers, and on links that end.
struct ChannelFlowTests {
    @Test func aMegabyteIsEchoedUnchanged() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers(isEcho: true)
        let size = 1 << 20
        let data = Data.pattern(size)
        let start = it.world.now
        near.send(data)
        try await it.wait("the echo", timeout: .seconds(600)) { near.received.count >= size }
        let length = it.world.now - start
        #expect(near.received == data)
        #expect(checksum(near.received) == checksum(data))
        #expect(far.state.value.toSend.isEmpty)
        // Faster than 40 kB/s each way, with both ways at once.
        #expect(length < .seconds(26), "\(length)")
    }

    private func checksum(_ data: Data) -> UInt32 {
        data.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    }

    /// A stream's delegate may run another world, whose time does not stand still.
    @Test func aStreamEventStopsOnlyItsOwnWorld() async throws {
        final class Observer: NSObject, StreamDelegate, @unchecked Sendable {
            let worlds: [World]
            let held = Locked<[[Bool]]>([])
            init(_ worlds: [World]) { self.worlds = worlds }
            func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
                held { $0.append(worlds.map(\.radio.engine.isHeldByCaller)) }
            }
        }
        let it = try await ChannelWorld()
        let (near, far) = try await it.open()
        let observer = Observer([it.world, World()])
        near.inputStream.delegate = observer
        CFReadStreamSetDispatchQueue(near.inputStream, it.central.queue)
        near.inputStream.open()
        try await it.wait("an event") { !observer.held.value.isEmpty }
        #expect(observer.held.value == [[true, false]])
        withExtendedLifetime(far) {}
    }

    @Test func aReaderThatStopsBlocksTheWriterWithoutLoss() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        far.state { $0.isReading = false }
        let data = Data.pattern(500_000)
        near.send(data)
        await it.world.run(for: .seconds(30))
        // What is under way fills the reader's window of 128 KiB and some queues.
        let left = near.state.value.toSend.count
        #expect(left > 300_000)
        #expect(near.output.hasSpaceAvailable == false)
        #expect(far.received.isEmpty)
        await it.world.run(for: .seconds(30))
        #expect(near.state.value.toSend.count == left)
        // The link is as usable as before.
        it.central.peripheral?.readRSSI()
        far.resume()
        try await it.wait("the rest") { far.received.count == data.count }
        #expect(far.received == data)
    }

    @Test func twoChannelsOfALinkAreIndependent() async throws {
        let it = try await ChannelWorld()
        let (first, firstFar) = try await it.openUsers()
        let (second, secondFar) = try await it.openUsers()
        firstFar.state { $0.isReading = false }
        first.send(.pattern(200_000))
        second.send(.pattern(100_000, seed: 9))
        try await it.wait("the second") { secondFar.received.count == 100_000 }
        #expect(secondFar.received == .pattern(100_000, seed: 9))
        #expect(firstFar.received.isEmpty)
        first.close()
        try await it.wait("its end") { firstFar.input.hasBytesAvailable || firstFar.events.contains("in end") }
        secondFar.send(.pattern(10))
        try await it.wait("answer") { second.received.count == 10 }
    }

    @Test func theEndOfTheLinkIsAnErrorAfterTheReceivedOctets() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        near.state { $0.isReading = false }
        far.send(.pattern(5_000))
        await it.world.run(for: .seconds(2))
        it.device.remove()
        try await it.wait("end") { near.events.contains("out error 7") }
        #expect(!near.events.contains("in error 7"))
        near.resume()
        try await it.wait("error") { near.events.contains("in error 7") }
        #expect(near.received == .pattern(5_000))
        #expect(near.input.streamStatus == .error)
        #expect(near.output.streamStatus == .error)
    }

    @Test func cancellingTheConnectionEndsChannelsOnBothSides() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.openUsers()
        let peripheral = try #require(it.central.peripheral)
        it.central.manager.cancelPeripheralConnection(peripheral)
        try await it.wait("end") { near.events.contains("in error 7") && far.events.contains("in error 7") }
        try await it.wait("disconnected") { it.central.events.value.contains("disconnected") }
    }

    @Test func row154_streamsCanBePolledInRealTime() async throws {
        // Threads of a program that wait for each other in reads and writes, in a world that runs by itself.
        let it = try await ChannelWorld(pace: .multiple(20))
        let (near, far) = try await it.open()
        it.world.start()
        let received = Locked(Data())
        let isDone = DispatchSemaphore(value: 0)
        nonisolated(unsafe) let (source, sink) = (near.outputStream!, far.inputStream!)
        let data = Data.pattern(60_000)
        Thread.detachNewThread {
            source.open()
            let octets = [UInt8](data)
            var sent = 0
            while sent < octets.count {
                let count = octets[sent...].withUnsafeBufferPointer {
                    source.write($0.baseAddress!, maxLength: $0.count)
                }
                guard count > 0 else { return }
                sent += count
            }
        }
        Thread.detachNewThread {
            sink.open()
            var buffer = [UInt8](repeating: 0, count: 777)
            while received.value.count < data.count {
                let count = sink.read(&buffer, maxLength: buffer.count)
                guard count > 0 else { break }
                received { $0.append(contentsOf: buffer[..<count]) }
            }
            isDone.signal()
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                isDone.wait()
                continuation.resume()
            }
        }
        it.world.stop()
        #expect(received.value == data)
        withExtendedLifetime((near, far)) {}
    }

    @Test func row154_streamEventsRunOnTheThreadOfTheRunLoop() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.open()
        let echo = StreamUser(far, on: it.peripheral.queue, isEcho: true)
        let user = StreamUser(near)
        let data = Data.pattern(50_000)
        let isOver = Locked(false)
        let threads = Locked<Set<Bool>>([])
        let observer = ThreadNote(user, threads)
        Thread.detachNewThread {
            let this = Thread.current
            observer.thread { $0 = this }
            user.input.delegate = observer
            user.output.delegate = observer
            user.input.schedule(in: .current, forMode: .default)
            user.output.schedule(in: .current, forMode: .default)
            user.open()
            user.send(data)
            while !isOver.value { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5)) }
        }
        try await it.wait("the echo") { user.received.count == data.count }
        #expect(user.received == data)
        #expect(threads.value == [true])
        #expect(user.events == ["in open", "out open"])
        echo.close()
        try await it.wait("the end") { user.events.contains("in end") }
        isOver { $0 = true }
        // A run loop that has ended blocks no stream.
        await it.world.run(for: .seconds(5))
    }

    @Test func anIdleRunLoopStopsTheWorldOnlyBriefly() async throws {
        let it = try await ChannelWorld()
        let (near, far) = try await it.open()
        let sender = StreamUser(far, on: it.peripheral.queue)
        let user = StreamUser(near)
        let isScheduled = Locked(false)
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            user.input.schedule(in: .current, forMode: .default)
            isScheduled { $0 = true }
            isOver.wait()
        }
        try #require(await eventually { isScheduled.value })
        user.open()
        sender.send(.pattern(10))
        try await it.wait("octets") { user.input.hasBytesAvailable }
        #expect(user.events.isEmpty)
        isOver.signal()
    }
}

/// Notes whether events come on the thread they should come on.
private final class ThreadNote: NSObject, StreamDelegate, @unchecked Sendable {
    let user: StreamUser
    let threads: Locked<Set<Bool>>
    let thread = Locked<Thread?>(nil)

    init(_ user: StreamUser, _ threads: Locked<Set<Bool>>) {
        self.user = user
        self.threads = threads
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        let isRight = Thread.current === thread.value
        threads { _ = $0.insert(isRight) }
        user.stream(aStream, handle: eventCode)
    }
}
