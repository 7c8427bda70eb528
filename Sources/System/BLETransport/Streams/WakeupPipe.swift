import CLinuxBluetooth

/// A pipe that wakes the thread that polls its reading end.
final class WakeupPipe: Sendable {
    private let reading: Descriptor
    private let writing: Descriptor

    init() throws(TransportError) {
        var numbers: [2 of Int32] = [-1, -1]
        let result = withUnsafeMutablePointer(to: &numbers) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { clb_open_pipe($0) }
        }
        guard result == 0 else {
            throw .outOfDescriptors(for: "Bluetooth", -result)
        }
        reading = Descriptor(numbers[0], kind: .file)
        writing = Descriptor(numbers[1], kind: .file)
    }

    var number: Int32 { reading.number }
    var writingNumber: Int32 { writing.number }

    func signal() {
        var octet: UInt8 = 0
        // A write that fails because the pipe is full has no consequence: the thread wakes for the octets in the pipe.
        _ = systemWrite(writing.number, &octet, 1)
    }

    func drain() {
        var octets: [64 of UInt8] = .init(repeating: 0)
        while read(into: &octets) == 64 {}
    }

    /// Reads what is in the pipe, and calls `body` for each octet.
    func drain(_ body: (UInt8) -> Void) {
        var octets: [64 of UInt8] = .init(repeating: 0)
        var count = 64
        while count == 64 {
            count = read(into: &octets)
            for index in 0..<max(0, count) { body(octets[index]) }
        }
    }

    private func read(into octets: inout [64 of UInt8]) -> Int {
        withUnsafeMutableBytes(of: &octets) { systemRead(reading.number, $0.baseAddress, $0.count) }
    }
}
