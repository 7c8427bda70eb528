import BLEAdapter
import Foundation
import Testing

@testable import BLEStore

/// The file of the names that a user gives to devices.
@Suite struct DeviceNameTests {
    private let bench = StoreBench()
    private let one = PeerIdentifier(high: 0x5B1D_7A10 << 32, low: 1)
    private let two = PeerIdentifier(high: 0x5B1D_7A11 << 32, low: 2)
    private var file: DeviceNameFile { DeviceNameFile(directory: bench.directory) }

    @Test func aNameIsOnTheDiskAndPrivate() throws {
        #expect(try file.read().names.isEmpty)
        try file.change { $0[one] = "Kitchen 厨房" }
        #expect(try file.read()[one] == "Kitchen 厨房" && file.read().identifier(named: "KITCHEN 厨房") == one)
        #expect(try bench.mode(bench.path("names")) == 0o600 && bench.mode(bench.directory.path) == 0o700)
        try file.change { $0[two] = "Bath" }
        try file.change { $0[one] = nil }
        #expect(try file.read().sorted.map(\.name) == ["Bath"])
        #expect(try bench.names() == ["lock", "names"])
    }

    @Test func aChangeThatThrowsWritesNothing() throws {
        struct Refusal: Error {}
        try file.change { $0[one] = "a" }
        #expect(throws: Refusal.self) {
            try file.change { names in
                names[one] = "b"
                throw Refusal()
            }
        }
        #expect(try file.read()[one] == "a")
    }

    /// After each system call of a write, all further ones fail, as for a program that ends there.
    @Test func aWriterThatStopsAfterAnySystemCallLeavesTheOldOrTheNewNames() throws {
        var isNew: [Bool] = []
        for calls in 0..<40 {
            let bench = StoreBench()
            try DeviceNameFile(directory: bench.directory).change { $0[one] = "old" }
            var directory = bench.directory
            let count = Lock(0)
            directory.failure = { _ in
                count.withLock { count in
                    count += 1
                    return count > calls ? EIO : nil
                }
            }
            let result = Result { try DeviceNameFile(directory: directory).change { $0[one] = "new" } }
            let found = try #require(try DeviceNameFile(directory: bench.directory).read()[one])
            #expect(found == "old" || found == "new")
            isNew.append(found == "new")
            // The next writer is not disturbed by what this one left.
            try DeviceNameFile(directory: bench.directory).change { $0[two] = "next" }
            #expect(try DeviceNameFile(directory: bench.directory).read()[one] == found)
            if case .success = result { break }
        }
        #expect(isNew.first == false && isNew.last == true && isNew == isNew.sorted { !$0 && $1 })
    }

    @Test func aDamagedFileIsSetAside() throws {
        try file.change { $0[one] = "a" }
        var octets = try [UInt8](Data(contentsOf: URL(fileURLWithPath: bench.path("names"))))
        for index in octets.indices {
            octets[index] ^= 0x55
            try Data(octets).write(to: URL(fileURLWithPath: bench.path("names")))
            #expect(try file.read().names.isEmpty)
            octets[index] ^= 0x55
        }
        #expect(try bench.names().contains { $0.hasPrefix("names.corrupt-") })
        try file.change { $0[two] = "b" }
        #expect(try file.read()[two] == "b")
    }

    @Test func aFileOfALaterVersionStays() throws {
        try file.change { $0[one] = "a" }
        let later = StoreEnvelope(magic: "OCBNAMES", version: 2).seal([1, 2, 3])
        try Data(later).write(to: URL(fileURLWithPath: bench.path("names")))
        #expect(try file.read().names.isEmpty)
        let failure = #expect(throws: DeviceNameFile.Failure.self) { try file.change { $0[one] = "b" } }
        #expect(failure?.description.contains("later version") == true)
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: bench.path("names")))) == later)
    }

    @Test(arguments: [[], [0], Array(repeating: 0, count: 20)] as [[UInt8]])
    func aContentBeyondTheLimitsIsRefused(rest: [UInt8]) throws {
        var names = DeviceNames()
        for number in 0..<1024 { names[PeerIdentifier(high: UInt64(number), low: 0)] = "n\(number)" }
        #expect(try DeviceNames(decoding: names.encoded[...]) == names)
        names[PeerIdentifier(high: .max, low: 0)] = "more"
        #expect(throws: (any Error).self) { try DeviceNames(decoding: names.encoded[...]) }
        for count in [0, 1, 128, 129] {
            var writer = StoreWriter()
            one.write(to: &writer)
            writer.text(String(repeating: "x", count: count))
            let names = try? DeviceNames(decoding: writer.octets[...])
            #expect((names != nil) == (1...128).contains(count), "\(count)")
        }
        if !rest.isEmpty { #expect(throws: (any Error).self) { try DeviceNames(decoding: rest[...]) } }
    }

    @Test func aFolderOfAnotherUserIsNotUsed() throws {
        try file.change { $0[one] = "a" }
        var directory = bench.directory
        directory.user = { _ in geteuid() + 1 }
        let failure = #expect(throws: DeviceNameFile.Failure.self) {
            _ = try DeviceNameFile(directory: directory).read()
        }
        #expect(failure?.description.contains("belongs to user") == true)
    }
}
