import BLEAttribute
import BLELink
import BLEWire

extension Connection {
    /// Makes a link, begins its first request, and drops it. The Swift runtime makes a type at its first use in a process, for 7,000 to 28,000
    /// instructions, and a link uses several. The first host of a process does it when it starts, so that the first connection does not wait.
    static let types: Void = {
        var transmitter = ACLTransmitter(fullMark: 0, limit: 0)
        let address = DeviceAddress(kind: .public, value: 0)
        let connection = Connection(
            identifier: LinkIdentifier(rawValue: 0), handle: 0, role: .central, peer: address,
            onAir: LinkAddresses(local: address, peer: address), slot: transmitter.open(handle: 0),
            parameters: ConnectionParameters(interval: 0, latency: 0, timeout: 0), visibility: .silent,
            capabilities: ControllerCapabilities(), configuration: HostConfiguration())
        var output = ATTOutput()
        connection.bearer.exchangeMTU(at: .zero, output: &output)
        var services: [BluetoothUUID] = []
        services.prepareStorage()
        withExtendedLifetime((connection, services)) {}
    }()
}
