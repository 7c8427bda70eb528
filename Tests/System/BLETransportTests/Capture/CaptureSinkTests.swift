import BLEAdapter
import BLEWire
import Foundation
import Synchronization
import Testing

@testable import BLETransport

@Suite struct CaptureSinkTests {
    /// Exists as long as a test.
    private final class Folder {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "ocb-capture-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let temporary: Folder
    private var folder: String { temporary.path }

    init() throws { temporary = try Folder() }

    private func append(_ octets: [UInt8], to sink: CaptureSink) -> Bool { sink.append(octets.span) }

    private func makePipe() -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func aFileContainsAllRecordsInOrder() throws {
        let path = folder + "/a"
        try Data([9, 9, 9]).write(to: URL(fileURLWithPath: path))
        let sink = try CaptureSink(path: path)
        for index in 0..<10_000 { #expect(append([UInt8(index & 0xFF), UInt8(index >> 8)], to: sink)) }
        #expect(sink.flush())
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 20_000)
        sink.close()
        #expect(!append([1], to: sink))
        #expect(sink.failure == nil)
        let octets = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect((0..<10_000).allSatisfy { Int(octets[2 * $0]) + Int(octets[2 * $0 + 1]) << 8 == $0 })
    }

    @Test func aFullDiskIsReportedAtTheBeginning() throws {
        let sink = try CaptureSink(path: "/dev/full")
        #expect(append([1, 2, 3], to: sink))
        let failure = #expect(throws: TransportError.self) { try sink.verify() }
        #expect(failure?.description.hasPrefix("There is no room for the capture at /dev/full") == true)
        #expect(!append([4], to: sink))
        sink.close()
    }

    @Test func aFailureIsReportedOnceAndStored() throws {
        let sink = try CaptureSink(path: "/dev/full")
        let failures = Lock<[TransportError.Kind]>([])
        sink.onFailure { failure in failures.withLock { $0.append(failure.kind) } }
        #expect(append([1], to: sink))
        #expect(sink.flush())
        #expect(failures.withLock { $0 } == [.system])
        sink.onFailure { failure in failures.withLock { $0.append(failure.kind) } }
        sink.close()
        #expect(failures.withLock { $0 } == [.system, .system])
    }

    @Test func aClosedReaderEndsOnlyTheCapture() {
        let (reader, writer) = makePipe()
        close(reader)
        let sink = CaptureSink(descriptor: writer, name: "a pipe")
        #expect(append([1, 2, 3], to: sink))
        #expect(sink.flush())
        #expect(!append([4], to: sink))
        #expect(sink.failure == nil)
        sink.close()
    }

    @Test func aSlowReaderLosesRecordsWithoutMemoryGrowth() {
        let (reader, writer) = makePipe()
        let sink = CaptureSink(descriptor: writer, name: "a pipe", limit: 100_000)
        let record = [UInt8](repeating: 7, count: 1000)
        let taken = (0..<1000).filter { _ in append(record, to: sink) }.count
        // What the pipe holds, what is being written, and what waits.
        #expect(taken >= 100 && taken < 400)
        sink.close(timeout: .milliseconds(50))
        #expect(sink.failure?.kind == .timedOut)
        // The write that is under way ends halfway.
        close(reader)
        #expect(sink.flush())
    }

    @Test func aNamedPipeWaitsForItsReader() throws {
        let path = folder + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        let sink = try CaptureSink(path: path)
        #expect(append([1, 2, 3], to: sink))
        let reader = open(path, O_RDONLY)
        #expect(append([4], to: sink))
        sink.close()
        var octets = [UInt8](repeating: 0, count: 10)
        #expect(read(reader, &octets, 10) == 4)
        #expect(octets[..<4] == [1, 2, 3, 4])
        close(reader)
    }

    @Test func aMissingFolderHasAMessage() {
        let error = #expect(throws: TransportError.self) { _ = try CaptureSink(path: folder + "/nowhere/a.pcapng") }
        #expect(error?.kind == .notFound)
        #expect(error?.description.contains("nowhere/a.pcapng") == true)
    }
}
