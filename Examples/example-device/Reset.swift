import CoreBluetooth
import ExamplePrograms

/// The file that is the flash memory of a device. Without a name there is none.
///
/// 存放设备“闪存”内容的文件。
struct FlashFile {
    let path: String?

    var content: Data? { path.flatMap { FileManager.default.contents(atPath: $0) } }

    /// Resets the device: writes the memory, and executes this program again. The client gets no notice of the end of the link.
    ///
    /// 复位：保存闪存，然后重新执行本程序，连接随之断开，对方不会收到通知。
    ///
    /// - Parameter usesNextAddress: Whether the device comes back under the next address of a shared radio; otherwise it has its first one.
    @MainActor func reset(saving memory: Data?, usesNextAddress: Bool = false) {
        guard let path, let memory, FileManager.default.createFile(atPath: path, contents: memory) else {
            printLine("a reset needs a file for the flash memory: --flash FILE")
            exit(1)
        }
        // The last response leaves first. 先让最后的响应发出去。
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.25) {
            Self.chooseAddress(next: usesNextAddress)
            var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
            // The threads of Dispatch block signals, and the program would inherit that: SIGTERM could not end it. 恢复信号屏蔽字。
            var signals = sigset_t()
            sigemptyset(&signals)
            pthread_sigmask(SIG_SETMASK, &signals, nil)
            execv("/proc/self/exe", &arguments)
            perror("example-device")
            exit(1)
        }
    }

    /// Sets the address for the next start. `DEVICE_ADDRESS` keeps the first one.
    private static func chooseAddress(next: Bool) {
        let environment = ProcessInfo.processInfo.environment
        guard let first = environment["DEVICE_ADDRESS"] ?? environment["BLUETOOTH_RADIO_ADDRESS"],
            let number = UInt64(first.filter { $0 != ":" }, radix: 16)
        else { return }
        // The bootloader has the address after that of the application. 引导程序的地址是应用程序的地址加一。
        let octets = (0..<6).reversed().map { (number &+ (next ? 1 : 0)) >> (8 * $0) & 0xFF }
        let text = octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
        setenv("DEVICE_ADDRESS", first, 1)
        setenv("BLUETOOTH_RADIO_ADDRESS", text, 1)
    }
}
