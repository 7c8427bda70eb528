/// Opens the kernel's driver for virtual controllers (drivers/bluetooth/hci_vhci.c). The kernel, and with it bluetoothd, has an adapter `hciN` as
/// long as the connection is open. Each read and each write is one H4 packet.
package enum KernelAdapter {
    /// The type of the driver's own packets: one reports the adapter's number.
    private static let driverPacket: UInt8 = 0xFF

    /// Opens the driver and asks for an adapter.
    package static func open(_ path: String = "/dev/vhci") throws(TransportError) -> TransportConnection {
        let number = systemOpen(path, O_RDWR | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else { throw failure(path, errno) }
        let descriptor = Descriptor(number, kind: .packetDevice)
        // A primary controller, which the kernel sets up.
        let request: [UInt8] = [driverPacket, 0]
        guard systemWrite(number, request, request.count) == request.count else { throw failure(path, errno) }
        return TransportConnection(descriptor, name: path)
    }

    /// Returns the number in the adapter's name; nil if the packet is not the driver's report of it. It may come after packets of the kernel's host.
    package static func index(in packet: Span<UInt8>) -> UInt16? {
        guard packet.count == 4, packet[0] == driverPacket else { return nil }
        return UInt16(packet[2]) | UInt16(packet[3]) << 8
    }

    static func failure(_ path: String, _ code: Int32) -> TransportError {
        let reason = systemText(code)
        return switch code {
        case ENOENT, ENODEV, ENXIO:
            .init(
                .notSupported,
                "The kernel has no driver for virtual controllers at \(path) (\(reason)): load it with sudo modprobe hci_vhci."
            )
        case EACCES, EPERM:
            .init(
                .permissionDenied,
                "This user may not open \(path) (\(reason)): run the program with sudo, or give the right with sudo setfacl -m u:$(id -un):rw \(path)."
            )
        default: .init(.system, "The kernel gave no adapter at \(path) (\(reason)): look at the end of sudo dmesg.")
        }
    }
}
