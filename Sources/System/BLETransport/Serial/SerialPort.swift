/// Opens serial devices for H4 over UART (Vol 4, Part A): eight data bits, no parity, one stop bit, hardware flow
/// control.
enum SerialPort {
    /// Opens `device` for this process only, configures it, and discards the octets that the system has buffered.
    static func open(_ device: String, speed: UInt32) throws(TransportError) -> Descriptor {
        let number = retrying { systemOpen(device, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0) }
        guard number >= 0 else { throw failure(device, errno) }
        let descriptor = Descriptor(number, kind: .terminal)
        guard isatty(number) == 1 else { throw failure(device, ENOTTY) }
        // The lock excludes programs that use it. The exclusive mode excludes all others.
        guard retrying({ flock(number, LOCK_EX | LOCK_NB) }) == 0 else { throw failure(device, EBUSY) }
        try SerialSettings.apply(speed: speed, to: number, of: device)
        descriptor.setExclusive(true)
        _ = tcflush(number, TCIOFLUSH)
        return descriptor
    }

    static func failure(_ device: String, _ code: Int32) -> TransportError {
        let reason = systemText(code)
        return switch code {
        case ENOENT, ENODEV, ENXIO, ENOTDIR:
            .init(.notFound, "There is no serial port \(device) (\(reason)): plug the board in, or correct the path.")
        case EACCES, EPERM:
            .init(
                .permissionDenied,
                "This user may not open \(device) (\(reason)): join its group (sudo usermod -aG dialout $USER, then log in anew)."
            )
        case EBUSY:
            .init(
                .addressInUse,
                "Another program uses \(device): end it; ModemManager, for instance, tries every new port.")
        case ENOTTY:
            .init(.notFound, "\(device) is no serial port: name one as in serial:/dev/ttyACM0@1000000.")
        default: .init(.system, "The serial port \(device) failed (\(reason)): check the board and its cable.")
        }
    }

    /// Repeats a call that a signal interrupted.
    private static func retrying(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
