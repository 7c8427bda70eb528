import CLinuxBluetooth

/// Takes an adapter of this machine from the kernel: its HCI user channel, which carries one H4 packet a read or write.
enum UserChannel {
    /// What is asked of the kernel; in tests, of a stand-in.
    struct Kernel: Sendable {
        /// The descriptor of the channel, or the negative of an error number.
        var openChannel: @Sendable (UInt16) -> Int32
        /// 0, or the negative of an error number.
        var bringDown: @Sendable (UInt16) -> Int32
        /// Whether the adapter is up, and no longer being set up; nil if the kernel cannot be asked.
        var isUp: @Sendable (UInt16) -> Bool?
        /// Waits a little.
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

    /// Somebody may bring the adapter up again between our two calls.
    private static let attempts = 3
    /// So many pauses a new adapter has for its set-up.
    private static let patience = 50

    /// Opens the channel; an adapter that is up is brought down first. May take seconds: some controllers load their firmware then.
    static func open(_ index: UInt16) -> Result<Descriptor, TransportError> {
        switch open(index, Kernel.real) {
        case .success(let number): .success(Descriptor(number, kind: .packets))
        case .failure(let failure): .failure(explain(failure.code, index))
        }
    }

    struct Failure: Error, Equatable {
        let code: Int32
    }

    static func open(_ index: UInt16, _ kernel: Kernel) -> Result<Int32, Failure> {
        var result = kernel.openChannel(index)
        var attempts = Self.attempts - 1
        var patience = Self.patience
        while result == -EBUSY, attempts > 0 {
            // The channel had a descriptor, so that it was the last one.
            guard let isUp = kernel.isUp(index) else { return .failure(Failure(code: EMFILE)) }
            if isUp {
                attempts -= 1
                let down = kernel.bringDown(index)
                // Nobody can bring it down while a program has it for itself.
                if down == -EBUSY { result = -EUSERS }
                guard down >= 0 || down == -EALREADY else { break }
            } else {
                // A new adapter. To bring it down now would end its set-up, and the kernel never begins that again.
                patience -= 1
                guard patience > 0 else { return .failure(Failure(code: EAGAIN)) }
                kernel.pause()
            }
            result = kernel.openChannel(index)
        }
        return result >= 0 ? .success(result) : .failure(Failure(code: -result))
    }

    /// One sentence: what happened, and what to do, in the words of this machine.
    static func explain(_ code: Int32, _ index: UInt16, machine: Machine = .this) -> TransportError {
        let name = "hci\(index)"
        let reason = systemText(code)
        switch code {
        case EPERM, EACCES:
            return .init(
                .permissionDenied,
                "This program may not take \(name) from the kernel (\(reason)): allow it with sudo setcap "
                    + "'cap_net_admin,cap_net_raw+eip' \(shellWord(machine.program)) and start it again.")
        case EBUSY, EUSERS:
            return .init(.addressInUse, inUse(name, code, machine))
        case ENODEV, ENXIO:
            let others = machine.adapters()
            if others.contains(index) {
                // The kernel tells of an adapter before it can be opened, and a little longer than it can be.
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

    private static func inUse(_ name: String, _ code: Int32, _ machine: Machine) -> String {
        let holders = machine.holders()
        // The daemon never takes a user channel; with that error somebody else has it.
        let holder = holders.first { ($0.name == Machine.daemon) == (code == EBUSY) } ?? holders.first
        return switch holder {
        case .some(let holder) where holder.name == Machine.daemon:
            "\(name) is in use by bluetoothd (process \(holder.process)): stop it with sudo systemctl stop bluetooth, or choose "
                + "another adapter."
        case .some(let holder):
            "\(name) is in use by \(holder.name) (process \(holder.process)): end that program, or choose another adapter."
        case nil:
            "\(name) is in use by another program, which does not show itself to this user: find it with sudo lsof | grep "
                + "'protocol: HCI' and end it, or choose another adapter."
        }
    }

    /// As it is written in a shell.
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
