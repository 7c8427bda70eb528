import BLEAdapter
import Foundation

@testable import DurableQueue

/// Watches the system calls of a queue, lets chosen ones fail, and makes the folders that the next run finds after the end of the process or after
/// a power cut.
final class QueueDisk: Sendable {
    /// A folder as a dictionary.
    typealias Files = [String: Data]

    private struct State {
        /// What a power cut leaves: the octets of each file at its last synchronization, and the entries of the folder at the last one of the folder.
        var synchronized: Files = [:]
        var entries: Set<String> = []
        var steps: [FileSystemCalls.Step] = []
        var failures: [FileSystemCalls.Step: Range<Int>] = [:]
        var counts: [FileSystemCalls.Step: Int] = [:]
        var onCall: (@Sendable (FileSystemCalls.Step) -> Void)?
    }

    let root = NSTemporaryDirectory() + "queue-disk-\(UUID().uuidString)"
    var folder: String { root + "/queue" }
    private let state = Lock(State())

    deinit { try? FileManager.default.removeItem(atPath: root) }

    var calls: FileSystemCalls {
        var calls = FileSystemCalls()
        calls.failure = { [unowned self] step, _ in fails(step) ? EIO : nil }
        calls.didCall = { [unowned self] step, name in record(step, name) }
        return calls
    }

    /// The calls since the last time.
    func takeSteps() -> [FileSystemCalls.Step] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }

    /// Lets the calls of a step with these numbers fail, counted from 0 from now on.
    func fail(_ step: FileSystemCalls.Step, _ numbers: Range<Int>) {
        state.withLock { state in
            state.failures[step] = numbers
            state.counts[step] = 0
        }
    }

    func failNothing() { state.withLock { $0.failures = [:] } }

    func onCall(_ body: (@Sendable (FileSystemCalls.Step) -> Void)?) { state.withLock { $0.onCall = body } }

    private func fails(_ step: FileSystemCalls.Step) -> Bool {
        state.withLock { state in
            let number = state.counts[step, default: 0]
            state.counts[step] = number + 1
            return state.failures[step]?.contains(number) == true
        }
    }

    private func record(_ step: FileSystemCalls.Step, _ name: String) {
        let onCall = state.withLock { state in
            state.steps.append(step)
            switch step {
            case .syncSegment, .syncPosition: state.synchronized[name] = content(name)
            case .syncFolder: state.entries = Set(present.keys)
            // The worst case: the removal is on the disk at once.
            case .removeSegment: state.entries.remove(name)
            case .makeFolder, .syncParent: break
            case .createSegment, .writeSegment, .cutSegment, .setAside, .writePosition: break
            }
            return state.onCall
        }
        onCall?(step)
    }

    private func content(_ name: String) -> Data { FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data() }

    /// What the end of the process leaves.
    var present: Files {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return Dictionary(uniqueKeysWithValues: names.map { ($0, content($0)) })
    }

    /// What a power cut leaves if the disk has no more than it must.
    var synchronized: Files {
        state.withLock { state in
            Dictionary(uniqueKeysWithValues: state.entries.map { ($0, state.synchronized[$0] ?? Data()) })
        }
    }

    /// Opens a queue in a folder with these files.
    func open(_ files: Files, limits: DurableQueue.Limits) throws -> DurableQueue {
        let path = root + "/image"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, content) in files { try content.write(to: URL(fileURLWithPath: "\(path)/\(name)")) }
        return try DurableQueue(folder: path, limits: limits)
    }
}
