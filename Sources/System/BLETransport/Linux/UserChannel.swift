import CLinuxBluetooth

/// Opens the HCI user channel of an adapter (HCI_CHANNEL_USER), which takes the adapter from the kernel. Each read and
/// each write is one H4 packet.
enum UserChannel {
    /// Requests to the kernel. Tests replace them.
    struct Kernel: Sendable {
        /// Returns the descriptor of the channel, or the negative of an error number.
        var openChannel: @Sendable (UInt16) -> Int32
        /// Returns 0, or the negative of an error number.
        var bringDown: @Sendable (UInt16) -> Int32
        /// Whether the adapter is up and its set-up is complete; nil if the kernel cannot be queried.
        var isUp: @Sendable (UInt16) -> Bool?
        /// Waits for 100 ms.
        var pause: @Sendable () -> Void

        static let real = Kernel(
            openChannel: { clb_open_user_channel($0) },
            bringDown: { index in
                let control = clb_open_control()
                guard control >= 0 else { return control }
                defer { _ = close(control) }
                return clb_bring_down(control, index)
            },
            isUp: { index in
                let control = clb_open_control()
                guard control >= 0 else { return nil }
                defer { _ = close(control) }
                var information = clb_device_info()
                return clb_read_device_info(control, index, &information) >= 0 && information.flags & 0b11 == 0b01
            },
            pause: { usleep(100_000) })
    }

    /// The maximum number of attempts to bring an adapter down. Another program may bring it up again before the
    /// channel is open.
    private static let attemptLimit = 3
    /// The maximum number of pauses while the kernel sets up a new adapter: 5 s.
    private static let pauseLimit = 50

    /// Opens the channel. Brings an adapter that is up down first. May take seconds, because some drivers load firmware
    /// during the call.
    static func open(_ index: UInt16) -> Result<Descriptor, TransportError> {
        switch open(index, Kernel.real) {
        case .success(let number): .success(Descriptor(number, kind: .packets))
        case .failure(let failure): .failure(explain(failure.code, index))
        }
    }

    struct OpenError: Error, Equatable {
        let code: Int32
    }

    static func open(_ index: UInt16, _ kernel: Kernel) -> Result<Int32, OpenError> {
        var result = kernel.openChannel(index)
        var attempts = Self.attemptLimit - 1
        var pauses = Self.pauseLimit
        while result == -EBUSY, attempts > 0 {
            // The system had a descriptor for the channel, but has none for this request.
            guard let isUp = kernel.isUp(index) else { return .failure(OpenError(code: EMFILE)) }
            if isUp {
                attempts -= 1
                let down = kernel.bringDown(index)
                // The kernel refuses while a program has opened the user channel.
                if down == -EBUSY { result = -EUSERS }
                guard down >= 0 || down == -EALREADY else { break }
            } else {
                // The kernel is setting up a new adapter (HCI_SETUP). Bringing it down would end the set-up, which is
                // never repeated.
                pauses -= 1
                guard pauses > 0 else { return .failure(OpenError(code: EAGAIN)) }
                kernel.pause()
            }
            result = kernel.openChannel(index)
        }
        return result >= 0 ? .success(result) : .failure(OpenError(code: -result))
    }

    /// One sentence: what happened and what to do next.
    static func explain(_ code: Int32, _ index: UInt16, system: SystemBluetooth = .current) -> TransportError {
        let name = "hci\(index)"
        let reason = systemText(code)
        switch code {
        case EPERM, EACCES:
            return .init(
                .permissionDenied,
                "This program may not take \(name) from the kernel (\(reason)): allow it with \(system.capabilityCommand) and "
                    + "start it again.")
        case EBUSY, EUSERS:
            return .init(.addressInUse, inUse(name, code, system))
        case ENODEV, ENXIO:
            let others = system.adapters()
            if others.contains(index) {
                // `/sys` shows an adapter slightly before and after it can be opened.
                return .init(
                    .notFound,
                    "\(name) cannot be opened yet (\(reason)): it was just plugged in, or is being removed, so try again in a moment."
                )
            }
            let advice =
                others.isEmpty
                ? "this machine has no Bluetooth adapter: plug one in"
                : "this machine has \(others.map { "hci\($0)" }.joined(separator: ", ")): choose from these, or plug the adapter in"
            return .init(.notFound, "There is no \(name); \(advice).")
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
            return .init(
                .notSupported,
                "\(name) cannot be opened, for this kernel has no Bluetooth (\(reason)): load it with sudo modprobe bluetooth, or, "
                    + "in a container or a virtual machine, give a controller as tcp:HOST:PORT or unix:PATH.")
        case ERFKILL:
            return .init(
                .blocked,
                "The radio of \(name) is switched off: switch it on with sudo rfkill unblock bluetooth, or with the machine's own switch."
            )
        case EAGAIN:
            return .init(
                .system,
                "\(name) is being set up by the kernel, which takes long: if it stays so, unplug it and plug it in again."
            )
        case EMFILE, ENFILE: return .outOfDescriptors(for: name, code)
        case ETIMEDOUT, EIO:
            return .init(.system, "\(name) does not answer the kernel (\(reason)): unplug it and plug it in again.")
        default: return .init(.system, "Opening \(name) failed (\(reason)): look at the end of sudo dmesg.")
        }
    }

    private static func inUse(_ name: String, _ code: Int32, _ system: SystemBluetooth) -> String {
        let holders = system.holders()
        // The daemon never opens a user channel. After EUSERS another program holds it.
        let holder = holders.first { ($0.name == SystemBluetooth.daemon) == (code == EBUSY) } ?? holders.first
        return switch holder {
        case .some(let holder) where holder.name == SystemBluetooth.daemon:
            "\(name) is in use by bluetoothd (process \(holder.process)): stop it with sudo systemctl stop bluetooth, or choose "
                + "another adapter."
        case .some(let holder):
            "\(name) is in use by \(holder.name) (process \(holder.process)): end that program, or choose another adapter."
        case nil:
            "\(name) is in use by another program, which this user may not see: find it with sudo lsof | grep "
                + "'protocol: HCI' and end it, or choose another adapter."
        }
    }

    /// The word quoted for a shell if necessary.
    static func shellWord(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+=:,@%".utf8.contains(octet)
            }
        }
        guard !plain || text.isEmpty else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }
}
