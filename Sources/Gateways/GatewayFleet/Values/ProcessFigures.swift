import Glibc

/// What a process has used, from `/proc/PID/stat` (proc(5)).
package struct ProcessFigures: Equatable, Sendable {
    /// In seconds.
    package var processorTime: Double
    package var threads: Int
    /// Resident octets.
    package var memory: Int

    /// - Returns: nil if there is no such process.
    package static func of(_ process: Int32) -> ProcessFigures? {
        read("/proc/\(process)/stat").flatMap {
            ProcessFigures($0, ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))), pageSize: Int(getpagesize()))
        }
    }

    /// The name of the program stands in parentheses, and can contain spaces and parentheses.
    init?(_ text: String, ticksPerSecond: Double, pageSize: Int) {
        guard let end = text.lastIndex(of: ")") else { return nil }
        // The first of these is field 3.
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
            let threads = Int(fields[17]), let pages = Int(fields[21])
        else { return nil }
        processorTime = (user + system) / ticksPerSecond
        self.threads = threads
        memory = pages * pageSize
    }

    /// The sum of several processes; nil if one of them has ended.
    package static func sum(of processes: [Int32]) -> ProcessFigures? {
        guard !processes.isEmpty else { return nil }
        var sum: ProcessFigures?
        for process in processes {
            guard let figures = of(process) else { return nil }
            guard let before = sum else {
                sum = figures
                continue
            }
            sum = before
            sum!.processorTime += figures.processorTime
            sum!.threads += figures.threads
            sum!.memory += figures.memory
        }
        return sum
    }

    fileprivate static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var octets = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &octets, octets.count)
        return count > 0 ? String(decoding: octets.prefix(count), as: UTF8.self) : nil
    }
}

/// How busy the processors of the machine have been since its start, from `/proc/stat`.
package struct MachineFigures: Equatable, Sendable {
    package var busy: Double
    package var total: Double

    package static func now() -> MachineFigures? { ProcessFigures.read("/proc/stat").flatMap(MachineFigures.init) }

    /// The first line: user, nice, system, idle, iowait, irq, softirq, steal.
    init?(_ text: String) {
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        guard fields.first == "cpu", fields.count > 8 else { return nil }
        let times = fields[1...8].map { Double($0) ?? 0 }
        total = times.reduce(0, +)
        busy = total - times[3] - times[4]
    }

    /// The busy share since an earlier state, from 0 to 1.
    package func share(since earlier: MachineFigures) -> Double {
        total > earlier.total ? (busy - earlier.busy) / (total - earlier.total) : 0
    }
}
