/// The settings of a serial line, as `struct termios2` (asm-generic/termbits.h), which supports arbitrary speeds.
enum SerialSettings {
    #if canImport(Glibc) && (arch(x86_64) || arch(arm64) || arch(arm) || arch(i386) || arch(riscv64))
    /// The kernel's `struct termios2`: four words of flags, the line discipline, nineteen control characters, two
    /// speeds.
    private struct Words {
        var input: UInt32 = 0
        var output: UInt32 = 0
        var control: UInt32 = 0
        var local: UInt32 = 0
        var characters: InlineArray<20, UInt8> = .init(repeating: 0)
        var inputSpeed: UInt32 = 0
        var outputSpeed: UInt32 = 0
    }

    /// TCGETS2 and TCSETS2.
    private enum Request {
        static let get: UInt = 0x802C_542A
        static let set: UInt = 0x402C_542B
    }

    private enum Control {
        static let eightBits: UInt32 = 0x0000_0030
        static let receives: UInt32 = 0x0000_0080
        static let ignoresModemLines: UInt32 = 0x0000_0800
        /// The speed is the number in the speed words.
        static let numericSpeed: UInt32 = 0x0000_1000
        static let flowControl: UInt32 = 0x8000_0000
    }

    /// The index of the control character for the minimum number of octets (VMIN), after the line discipline.
    private static let minimumIndex = 1 + 6

    /// Sets eight bits, no parity, hardware flow control and no processing of any kind.
    static func apply(speed: UInt32, to number: Int32, of device: String) throws(TransportError) {
        var words = Words()
        words.control =
            Control.eightBits | Control.receives | Control.ignoresModemLines | Control.numericSpeed
            | Control.flowControl
        words.characters[minimumIndex] = 1
        words.inputSpeed = speed
        words.outputSpeed = speed
        guard ioctl(number, Request.set, &words) == 0 else { throw SerialPort.failure(device, errno) }
        var result = Words()
        guard ioctl(number, Request.get, &result) == 0 else { throw SerialPort.failure(device, errno) }
        // A receiver samples a frame of ten bits correctly if the speeds of both sides differ by less than about 5 %. A
        // driver that does not support a speed keeps another one.
        let difference = result.outputSpeed > speed ? result.outputSpeed - speed : speed - result.outputSpeed
        guard UInt64(difference) * 100 <= UInt64(speed) * 3 else {
            throw TransportError(
                .system,
                "\(device) cannot run at \(speed) bits a second, but at \(result.outputSpeed): choose a speed that it has."
            )
        }
    }
    #else
    static func apply(speed: UInt32, to number: Int32, of device: String) throws(TransportError) {
        throw TransportError(
            .notBuiltIn,
            "This build cannot set up serial ports: use tcp:HOST:PORT, with a program that serves \(device).")
    }
    #endif
}
