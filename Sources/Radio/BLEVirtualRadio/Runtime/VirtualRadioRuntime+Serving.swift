import BLEAdapter
import BLEController
import BLETransport
import BLEWire
import Dispatch
import Logging

extension VirtualRadioRuntime {
    /// Listens at `address`. Each connection gets its own controller on this radio and exchanges H4 packets with it.
    /// The controller is removed with its connection. Listening ends with the server.
    ///
    /// - Parameters:
    ///   - configuration: If it has a public address, the first controller gets that address and further ones
    ///   the next higher addresses. Otherwise addresses follow from the radio's seed and the names of the programs.
    ///   - platforms: The controllers of programs that request a platform in their environment. A program that requests another one is refused.
    package func serve(
        at address: TransportAddress, position: RadioPosition,
        configuration: ControllerConfiguration = ControllerConfiguration(), platforms: [String: ControllerConfiguration]
    ) throws(TransportError) -> VirtualControllerServer {
        let listener = try StreamListener(
            at: address, queue: engine.queue, readSize: Self.readSize, group: engine.streamGroup)
        return VirtualControllerServer(listener, runtime: self, position, configuration, platforms)
    }

    /// Short reads: a host that sends at full speed takes turns with the others.
    private static let readSize = 2048

    /// Gives the host at the peer of a connected stream socket its own controller. Takes ownership of the descriptor.
    package func attach(descriptor: Int32, name: String, at position: RadioPosition) {
        let queue = engine.queue
        queue.async { [self] in
            let connection = TransportConnection(socket: descriptor, name: name)
            let stream = DispatchStream(
                connection, queue: queue, readSize: Self.readSize, group: engine.streamGroup)
            admit(stream, position, ControllerConfiguration())
        }
    }

    /// Gives the kernel of this machine a controller. The kernel, and with it bluetoothd, has an adapter `hciN` until the radio closes.
    ///
    /// - Parameters:
    ///   - connection: An open driver of virtual controllers (``KernelAdapter``).
    ///   - onReady: Receives the number in the adapter's name, on the engine's queue.
    package func attachKernel(
        _ connection: TransportConnection, at position: RadioPosition, onReady: @escaping @Sendable (UInt16) -> Void
    ) {
        let queue = engine.queue
        queue.async { [self] in
            let stream = DispatchStream(connection, queue: queue, readSize: Self.readSize)
            admit(stream, position, ControllerConfiguration(), named: "kernel", onIndex: onReady)
        }
    }

    /// The maximum number of external hosts on the radio. The commands of further ones fail (`RejectedHost`).
    package static let externalHostLimit = 1000
    /// The seconds after which the connection of a refused host ends.
    private static let refusalPeriod = 10

    /// On the engine's queue.
    fileprivate func admit(
        _ stream: DispatchStream, _ position: RadioPosition, _ configuration: ControllerConfiguration,
        platforms: [String: ControllerConfiguration]? = nil, named defaultName: String = "device",
        onIndex: (@Sendable (UInt16) -> Void)? = nil
    ) {
        let log = LibraryLog.logger()
        var configuration = configuration
        let (engine, network) = (engine, network)
        let introduction = stream.peerProcess.map(ProcessIntroduction.init)
        let name = introduction?.name ?? defaultName
        if let complaint = introduction?.complaint { log.warning("\(name): \(complaint)") }
        let platform = platforms == nil ? nil : introduction?.platform
        if let platform, let platforms {
            guard var controller = platforms[platform] else {
                log.warning("\(name) is refused: \(RequestedPlatform.complaint(platform, platforms.keys))")
                return stream.close()
            }
            controller.publicAddress = configuration.publicAddress
            configuration = controller
        }
        let host = ExecutorIsolated(
            ExternalHost(
                stream, name: name, platform: platform,
                requestedAddress: introduction?.requestedAddress ?? configuration.publicAddress?.value))
        let slot = network.object.admit(host.object, limit: Self.externalHostLimit) {
            log.warning(
                "The radio is full (\(Self.externalHostLimit) hosts): it refuses further programs until a host leaves. Start another radio for them with bluelab radio --name NAME."
            )
        }
        guard let slot else {
            guard let refused = network.object.refuse(stream) else { return }
            let end = DispatchWorkItem { [weak refused] in refused?.end() }
            engine.queue.asyncAfter(deadline: .now() + .seconds(Self.refusalPeriod), execute: end)
            return
        }
        host.object.onOutput = { network.object.noteUnsent(slot) }
        let (controller, place) = (configuration, introduction?.position ?? position)
        change { $0.add(host.object, slot, controller, at: place) }
        host.object.onEnd = {
            log.info("\(stream.name): the host has disconnected, and its controller is removed.")
            engine.submit { network.object.removeAdmitted(slot) }
        }
        stream.onReceive = { octets in
            if let onIndex, let index = KernelAdapter.index(in: octets) { return onIndex(index) }
            // Through the engine, which first advances to the present time.
            let octets = [UInt8](octets)
            if host.object.noteRead() { network.object.beginPolling(host.object) }
            engine.submit { host.object.received(octets) { network.object.receive($0, from: slot) } }
        }
        stream.onClose = { _ in host.object.end() }
        log.info("\(stream.name): a host has a virtual controller.")
        stream.start()
    }
}

/// A listener that gives each connection a virtual controller.
package final class VirtualControllerServer: Sendable {
    /// The address, with the port that the system chose if none was given.
    package let address: TransportAddress
    private let listener: ExecutorIsolated<StreamListener>
    private let queue: DispatchQueue

    fileprivate init(
        _ listener: StreamListener, runtime: VirtualRadioRuntime, _ position: RadioPosition,
        _ configuration: ControllerConfiguration, _ platforms: [String: ControllerConfiguration]
    ) {
        address = listener.address
        queue = runtime.engine.queue
        self.listener = ExecutorIsolated(listener)
        listener.onAccept = { [weak runtime] stream in
            guard let runtime else { return stream.close() }
            runtime.admit(stream, position, configuration, platforms: platforms)
        }
        let box = self.listener
        queue.async { box.object.start() }
    }

    /// Stops accepting connections. The existing ones stay.
    package func stop() {
        let listener = self.listener
        queue.async { listener.object.close() }
    }

    deinit { stop() }
}
