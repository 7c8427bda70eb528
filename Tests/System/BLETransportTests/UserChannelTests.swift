import BLEAdapter
import BLEWire
import CLinuxBluetooth
import Foundation
import Testing

@testable import BLETransport

@Suite struct UserChannelTests {
    /// A kernel that gives these answers, one after another, and keeps count.
    final class Script: Sendable {
        let opened: Lock<[Int32]>
        let down: Lock<[Int32]>
        let downs = Lock(0)
        let pauses = Lock(0)
        /// So many pauses the adapter is being set up.
        let setUp: Int

        init(open: [Int32], down: [Int32] = [], setUp: Int = 0) {
            self.setUp = setUp
            opened = Lock(open)
            self.down = Lock(down)
        }

        var kernel: UserChannel.Kernel {
            UserChannel.Kernel(
                openChannel: { _ in self.opened.withLock { $0.isEmpty ? -EIO : $0.removeFirst() } },
                bringDown: { _ in
                    self.downs.withLock { $0 += 1 }
                    return self.down.withLock { $0.isEmpty ? -EIO : $0.removeFirst() }
                },
                isUp: { _ in self.pauses.withLock { $0 } >= self.setUp },
                pause: { self.pauses.withLock { $0 += 1 } })
        }
    }

    @Test func anAdapterThatIsDownIsOpenedAtOnce() {
        let script = Script(open: [7])
        #expect(UserChannel.open(0, script.kernel) == .success(7))
        #expect(script.downs.withLock { $0 } == 0)
    }

    @Test func anAdapterThatIsUpIsBroughtDownFirst() {
        let script = Script(open: [-EBUSY, 7], down: [0])
        #expect(UserChannel.open(0, script.kernel) == .success(7))
        #expect(script.downs.withLock { $0 } == 1)
    }

    @Test func repeatedBringUpsAreRetriedWithALimit() {
        #expect(UserChannel.open(0, Script(open: [-EBUSY, -EBUSY, 7], down: [0, 0]).kernel) == .success(7))
        let script = Script(open: [-EBUSY, -EBUSY, -EBUSY, 7], down: [0, 0, 0])
        #expect(UserChannel.open(0, script.kernel) == .failure(.init(code: EBUSY)))
    }

    @Test func anAdapterInSetupIsAwaited() {
        let script = Script(open: [-EBUSY, -EBUSY, -EBUSY, 7], setUp: 10)
        #expect(UserChannel.open(0, script.kernel) == .success(7))
        #expect(script.downs.withLock { $0 } == 0)
        #expect(script.pauses.withLock { $0 } == 3)
        let endless = Script(open: [Int32](repeating: -EBUSY, count: 1000), setUp: 1000)
        #expect(UserChannel.open(0, endless.kernel) == .failure(.init(code: EAGAIN)))
        #expect(endless.downs.withLock { $0 } == 0)
    }

    @Test func anExclusivelyUsedAdapterIsNotBroughtDown() {
        #expect(
            UserChannel.open(0, Script(open: [-EBUSY], down: [-EBUSY]).kernel) == .failure(.init(code: EUSERS)))
    }

    @Test func withoutPermissionTheFirstErrorIsReported() {
        #expect(UserChannel.open(0, Script(open: [-EPERM]).kernel) == .failure(.init(code: EPERM)))
    }

    @Test func openingAnAbsentAdapterHasAMessage() {
        // Without Bluetooth in the kernel, without rights, or without the adapter.
        guard case .failure(let error) = UserChannel.open(60000) else {
            Issue.record("there is no such adapter")
            return
        }
        #expect([.notSupported, .permissionDenied, .notFound].contains(error.kind))
        #expect(error.description.contains("hci60000"))
    }
}

@Suite struct AdapterSentenceTests {
    /// A machine in a directory of the test's own.
    private func machine(_ build: (FakeMachine) throws -> Void = { _ in }) throws -> (SystemBluetooth, FakeMachine) {
        let fake = try FakeMachine()
        try fake.link("/proc/self/exe", "/opt/my programs/wristband")
        try build(fake)
        return (SystemBluetooth(root: fake.root), fake)
    }

    private func sentence(_ code: Int32, _ build: (FakeMachine) throws -> Void = { _ in }) throws -> TransportError {
        let (machine, fake) = try machine(build)
        return withExtendedLifetime(fake) { UserChannel.explain(code, 0, system: machine) }
    }

    @Test(arguments: [EPERM, EACCES])
    func theSetcapCommandQuotesTheProgram(_ code: Int32) throws {
        let error = try sentence(code)
        #expect(error.kind == .permissionDenied)
        #expect(
            error.description.contains(
                "sudo setcap 'cap_net_admin,cap_net_raw+eip' '/opt/my programs/wristband'"))
    }

    @Test func wordsAreQuotedForAShell() {
        #expect(UserChannel.shellWord("/usr/bin/a-b_c.d") == "/usr/bin/a-b_c.d")
        #expect(UserChannel.shellWord("/a b") == "'/a b'")
        #expect(UserChannel.shellWord("it's") == "'it'\\''s'")
        #expect(UserChannel.shellWord("$(x)") == "'$(x)'")
        #expect(UserChannel.shellWord("") == "''")
    }

    @Test func theServiceThatUsesAnAdapterIsNamed() throws {
        let error = try sentence(EBUSY) { try $0.process(180, "bluetoothd") }
        #expect(error.kind == .addressInUse)
        #expect(error.description.contains("bluetoothd (process 180)"))
        #expect(error.description.contains("sudo systemctl stop bluetooth"))
    }

    @Test func theExclusiveUserOfAnAdapterIsNamed() throws {
        let error = try sentence(EUSERS) {
            try $0.process(180, "bluetoothd")
            try $0.file(
                "/proc/net/hci", "sk               RefCnt Rmem   Wmem   User   Inode  Parent\n0 2 0 0 0 4711 0\n")
            try $0.process(181, "btmon", descriptors: ["socket:[4711]"])
            try $0.process(200, "editor", descriptors: ["socket:[4710]"])
            try $0.process(312, "wristband", descriptors: ["/dev/null", "socket:[4711]"])
        }
        #expect(
            error.description
                == "hci0 is in use by wristband (process 312): end that program, or choose another adapter.")
    }

    @Test func anInvisibleUserOfAnAdapterIsMentioned() throws {
        #expect(try sentence(EUSERS).description.contains("another program"))
    }

    @Test func anAbsentAdaptersMessageListsTheOthers() throws {
        let some = try sentence(ENODEV) {
            try $0.directory("/sys/class/bluetooth/hci1")
            try $0.directory("/sys/class/bluetooth/hci12")
            try $0.directory("/sys/class/bluetooth/hci1:42")
        }
        #expect(some.kind == .notFound)
        #expect(some.description.contains("has hci1, hci12:"))
        #expect(try sentence(ENODEV).description.contains("plug one in"))
    }

    @Test func aListedAdapterIsNotReportedAsMissing() throws {
        let error = try sentence(ENODEV) {
            try $0.directory("/sys/class/bluetooth/hci0")
            try $0.directory("/sys/class/bluetooth/hci1")
        }
        #expect(error.kind == .notFound)
        #expect(error.description.hasPrefix("hci0 cannot be opened yet (No such device)"))
        #expect(!error.description.contains("There is no"))
    }

    @Test func aSwitchedOffRadioAndAKernelWithoutBluetoothNameTheirCommands() throws {
        #expect(try sentence(ERFKILL).kind == .blocked)
        #expect(try sentence(ERFKILL).description.contains("sudo rfkill unblock bluetooth"))
        #expect(try sentence(EAFNOSUPPORT).kind == .notSupported)
        #expect(try sentence(EAFNOSUPPORT).description.contains("sudo modprobe bluetooth"))
    }

    @Test(arguments: [EPERM, EAGAIN, EBUSY, EUSERS, ENODEV, EAFNOSUPPORT, ERFKILL, EIO, ENOMEM])
    func everyMessageIsOneSentenceWithTheAdapter(_ code: Int32) throws {
        let text = try sentence(code).description
        #expect(text.contains("hci0"))
        #expect(text.hasSuffix("."))
        #expect(!text.contains("\n"))
        #expect(!text.dropLast().contains(". "))
    }
}

/// `/proc` and `/sys` in a directory that is removed with it.
final class FakeMachine {
    let root: String

    init() throws {
        root = NSTemporaryDirectory() + "machine-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func directory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: root + path, withIntermediateDirectories: true)
    }

    func file(_ path: String, _ text: String) throws {
        try directory((path as NSString).deletingLastPathComponent)
        try Data(text.utf8).write(to: URL(fileURLWithPath: root + path))
    }

    func link(_ path: String, _ target: String) throws {
        try directory((path as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: target)
    }

    func process(_ number: Int, _ name: String, descriptors: [String] = []) throws {
        try file("/proc/\(number)/comm", name + "\n")
        for (index, target) in descriptors.enumerated() { try link("/proc/\(number)/fd/\(index)", target) }
    }

    @Test func withoutDescriptorsOpeningFailsAtOnce() {
        let kernel = UserChannel.Kernel(
            openChannel: { _ in -EBUSY }, bringDown: { _ in 0 }, isUp: { _ in nil },
            pause: { Issue.record("waits") })
        #expect(UserChannel.open(0, kernel) == .failure(UserChannel.OpenError(code: EMFILE)))
        let sentence = "(Too many open files): raise the limit with ulimit -n, or close what is not needed."
        #expect(UserChannel.explain(EMFILE, 0).description == "No file descriptor is left for hci0 \(sentence)")
        let address = TransportAddress.tcp(host: "::1", port: 1)
        #expect(
            TransportError.connecting(to: address, EMFILE).description
                == "No file descriptor is left for tcp:[::1]:1 \(sentence)")
    }

    @Test func aSlowAdapterHasItsOwnTimeoutMessage() {
        let sentence = TransportError.timedOut(.adapter(index: 3), 60_000).description
        #expect(sentence.hasPrefix("hci3 was not ready within 60 s: unplug it"))
    }
}
