import Foundation

/// A call on a thread of its own, of which a test expects that it waits: `#expect(await call.waits())`.
package final class ThreadedCall: Sendable {
    // The folder of the thread, relative to that of the processes.
    private let thread = Collected<String?>()
    private let ends = Collected<Void>()

    package init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            thread.add(try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))
            body()
            ends.add(())
        }
    }

    /// Returns true when the thread sleeps in the kernel, as for a lock or a queue, and false when the call has returned.
    package func waits() async -> Bool {
        _ = await eventually { !self.ends.all.isEmpty || self.sleeps }
        return ends.all.isEmpty
    }

    /// Returns when the call has returned. Returns false if it does not.
    package func end() async -> Bool { await eventually { !self.ends.all.isEmpty } }

    /// The state of the thread follows its name in the file.
    private var sleeps: Bool {
        guard let folder = thread.all.first ?? nil,
            let line = try? String(contentsOfFile: "/proc/\(folder)/stat", encoding: .utf8)
        else { return false }
        return line.split(separator: ")").last?.hasPrefix(" S") == true
    }
}
