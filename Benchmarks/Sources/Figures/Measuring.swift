import Glibc

/// Seconds of processor time that this process has used, all threads together, user and kernel.
public func processorSeconds() -> Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

/// Seconds on a clock that never steps.
public func wallSeconds() -> Double { seconds(CLOCK_MONOTONIC) }

private func seconds(_ clock: clockid_t) -> Double {
    var now = timespec()
    clock_gettime(clock, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}

/// Octets of memory that this process holds (resident set).
public func residentOctets() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var pages = 0
    var resident = 0
    _ = withUnsafeMutablePointer(to: &pages) { first in
        withUnsafeMutablePointer(to: &resident) { second in
            withVaList([first, second]) { vfscanf(file, "%ld %ld", $0) }
        }
    }
    return resident * sysconf(Int32(_SC_PAGESIZE))
}

/// Octets of memory that this process alone holds: what it allocated, without the pages of programs and libraries.
public func privateOctets() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    var kilobytes = 0
    while fgets(&line, Int32(line.count), file) != nil {
        let found = withUnsafeMutablePointer(to: &kilobytes) { pointer in
            withVaList([pointer]) { vsscanf(line, "RssAnon: %ld", $0) }
        }
        if found == 1 { return kilobytes * 1024 }
    }
    return 0
}

/// The value in the middle; of an even number the upper of the two.
public func median(_ values: [Double]) -> Double {
    values.isEmpty ? .nan : values.sorted()[values.count / 2]
}

/// Whether this is the short form of the checks: the same measurements with fewer rounds.
public let isShort = CommandLine.arguments.contains("--short")
