/// What the system shows of itself and of this process.
extension SystemBluetooth {
    /// The release of the kernel, such as `6.1.0-18-amd64`.
    package var kernelRelease: String? { SystemFiles.line(root + "/proc/sys/kernel/osrelease") }

    /// The name of the distribution with its version (os-release(5)).
    package var distribution: String? {
        let lines = (SystemFiles.text(root + "/etc/os-release") ?? "").split(separator: "\n")
        let value = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst("PRETTY_NAME=".count)
        return value.map { String($0.filter { $0 != "\"" }) }
    }

    /// The kernel's driver of an adapter, such as `btusb`.
    package func driver(_ index: UInt16) -> String? {
        SystemFiles.link(directory(index) + "/device/driver")?.split(separator: "/").last.map(String.init)
    }

    /// Whether this process has CAP_NET_ADMIN and CAP_NET_RAW, with which it takes an adapter from the kernel and brings it
    /// down (capabilities(7)).
    package var mayTakeAdapters: Bool {
        let lines = (SystemFiles.text(root + "/proc/self/status") ?? "").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("CapEff:") }),
            let digits = line.split(whereSeparator: \.isWhitespace).last, let capabilities = UInt64(digits, radix: 16)
        else { return false }
        let needed: UInt64 = 1 << 12 | 1 << 13
        return capabilities & needed == needed
    }

    /// The command that gives this program those capabilities.
    package var capabilityCommand: String {
        "sudo setcap 'cap_net_admin,cap_net_raw+eip' \(UserChannel.shellWord(program))"
    }

    /// Whether this process runs in a container of Docker or Podman, which has no Bluetooth of its own.
    package var isContainer: Bool {
        SystemFiles.text(root + "/.dockerenv") != nil || SystemFiles.text(root + "/run/.containerenv") != nil
    }
}
