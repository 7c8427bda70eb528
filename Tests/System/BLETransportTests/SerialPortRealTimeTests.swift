import BLEAdapter
import BLEWire
import Dispatch
import Testing

@testable import BLETransport

/// The board's end of a serial line is the master of a pseudo-terminal.
@Suite struct SerialPortRealTimeTests {
    private let bench = Bench()

    struct Line {
        let board: Int32
        let device: String

        init() throws {
            // `posix_openpt` and its like are not among what Swift sees of the C library.
            board = systemOpen("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC, 0)
            var unlocked: Int32 = 0
            var index: UInt32 = 0
            try #require(ioctl(board, 0x4004_5431, &unlocked) == 0)
            try #require(ioctl(board, 0x8004_5430, &index) == 0)
            device = "/dev/pts/\(index)"
        }

        /// The kernel's `struct termios2` of the line, in words: control flags are number 2, speeds 9 (from the board) and 10.
        func settings() throws -> [UInt32] {
            var words = [UInt32](repeating: 0, count: 11)
            try #require(ioctl(board, 0x802C_542A, &words) == 0)
            return words
        }

        func write(_ octets: [UInt8]) -> Int { octets.withUnsafeBytes { systemWrite(board, $0.baseAddress, $0.count) } }

        func read(_ count: Int) -> [UInt8] {
            var all: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: count)
            while all.count < count {
                let length = buffer.withUnsafeMutableBytes { systemRead(board, $0.baseAddress, count - all.count) }
                guard length > 0 else { break }
                all += buffer[..<length]
            }
            return all
        }
    }

    private func open(_ line: Line, speed: UInt32 = 1_000_000) async throws -> DispatchStream {
        try await bench.connect(to: .serial(device: line.device, speed: speed)).get()
    }

    @Test(arguments: [1200, 115_200, 1_000_000, 1_234_567, 12_000_000] as [UInt32])
    func everyOctetPassesUnchangedAtAnySpeed(speed: UInt32) async throws {
        let line = try Line()
        defer { close(line.board) }
        let stream = try await open(line, speed: speed)
        // Among these are the ones that a terminal would act on: interrupt, end of file, flow control, line ends.
        let octets = (0...255).map { UInt8($0) }
        await bench.run { _ = stream.send(octets.span) }
        #expect(line.read(256) == octets)
        let received: [UInt8] = try await bench.result { done in
            let all = Lock<[UInt8]>([])
            stream.onReceive = { bytes in
                let whole = all.withLock { all in
                    all.append(bytes)
                    return all.count >= 256 ? all : nil
                }
                if let whole { done(whole) }
            }
            stream.start()
            #expect(line.write(octets) == 256)
        }
        #expect(received == octets)
        await bench.run { stream.close() }
    }

    /// A pseudo-terminal carries octets at any speed, so the test reads the speed of the line.
    @Test(arguments: [1200, 115_200, 1_000_000, 1_234_567, 12_000_000] as [UInt32])
    func theLineHasTheRequestedSpeedAndHardwareFlowControl(speed: UInt32) async throws {
        let line = try Line()
        defer { close(line.board) }
        #expect(try line.settings()[2] & 0x8000_0000 == 0, "a new line has no flow control")
        let stream = try await open(line, speed: speed)
        let settings = try line.settings()
        #expect(settings[9] == speed && settings[10] == speed)
        #expect(settings[2] & 0x8000_0000 != 0, "CRTSCTS")
        // Eight data bits, one stop bit, no parity (CSIZE, CSTOPB, PARENB).
        #expect(settings[2] & 0x0170 == 0x0030)
        await bench.run { stream.close() }
    }

    @Test func framingRecoversAfterInvalidOctets() async throws {
        let line = try Line()
        defer { close(line.board) }
        let stream = try await open(line)
        let answer: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]
        let report: [UInt8] = [4, 0x3E, 0x0F, 2, 1, 0, 1, 1, 2, 3, 4, 5, 0xC6, 3, 2, 1, 6, 0xC4]
        // Octets of a board at another speed, of a board that was reset within a packet, and after lost octets.
        let garbage: [UInt8] = [0, 0xFF, 0x80, 0x1E, 0xE6, 0x98]
        let before = garbage + answer + report.dropFirst(5) + report
        let after = [0x55] + answer
        let packets: [[UInt8]] = try await bench.result { done in
            let state = Lock((framer: H4Framer(reader: .host), found: [[UInt8]](), reads: 0))
            stream.onReceive = { bytes in
                let (all, reads) = state.withLock { state in
                    state.reads += 1
                    var found: [[UInt8]] = []
                    // The line was silent between two reads.
                    state.framer.receive(bytes, at: .zero + .seconds(2) * state.reads) { found.append([UInt8]($0)) }
                    state.found += found
                    return (state.found, state.reads)
                }
                if reads == 1 { #expect(line.write(after) == after.count) }
                if all.count >= 3 { done(all) }
            }
            stream.start()
            #expect(line.write(before) == before.count)
        }
        #expect(packets.first == answer && packets.last == answer)
        #expect(packets.contains(report))
        await bench.run { stream.close() }
    }

    @Test func aPortHasOneUser() async throws {
        let line = try Line()
        defer { close(line.board) }
        let stream = try await open(line)
        let second = try await bench.connect(to: .serial(device: line.device, speed: 115_200))
        guard case .failure(let error) = second else {
            Issue.record("two users of one port")
            return
        }
        #expect(error.kind == .addressInUse)
        #expect(error.description.contains(line.device))
        await bench.run { stream.close() }
        // Nothing was started on the stream, so closing it has let go of the port already.
        let third = try await open(line)
        await bench.run { third.close() }
    }

    @Test func anUnpluggedBoardEndsTheStreamOnce() async throws {
        let line = try Line()
        let stream = try await open(line)
        let count = Lock(0)
        let _: StreamError = try await bench.result { done in
            stream.onClose = {
                count.withLock { $0 += 1 }
                done($0)
            }
            stream.start()
            close(line.board)
        }
        #expect(await bench.run { stream.isClosed })
        #expect(count.withLock { $0 } == 1)
    }

    @Test(arguments: [("/dev/null", TransportError.Kind.notFound), ("/nowhere/ttyACM0", .notFound)])
    func anInvalidSerialPortIsRefusedWithAReason(device: String, kind: TransportError.Kind) async throws {
        let result = try await bench.connect(to: .serial(device: device, speed: 115_200))
        guard case .failure(let error) = result else {
            Issue.record("\(device) was opened")
            return
        }
        #expect(error.kind == kind)
        #expect(error.description.contains(device))
        #expect(error.description.hasSuffix("."))
    }
}
