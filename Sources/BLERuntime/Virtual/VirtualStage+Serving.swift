import BLEAdapter
import BLEController
import BLETransport
import BLEWire
import Dispatch
import Logging
import Synchronization

extension VirtualStage {
    /// Listens at `address`. Each connection gets a controller of its own on this radio, speaks H4 with it, and takes it along
    /// when it ends. Ends with the server.
    ///
    /// - Parameter configuration: with a public address, that of the first controller; further ones have the next higher addresses.
    ///   Without one, addresses follow from the radio's seed and the names of the programs.
    package func serve(
        at address: TransportAddress, position: RadioPosition,
        configuration: ControllerConfiguration = ControllerConfiguration()
    ) throws(TransportError) -> VirtualControllerServer {
        // Small helpings: one that sends as fast as it can takes its turn like everybody.
        let listener = try StreamListener(at: address, queue: engine.queue, readSize: 2048)
        return VirtualControllerServer(listener, stage: self, position, configuration)
    }

    /// Gives the host at the other end of a connected stream socket a controller of its own. Takes the descriptor over.
    package func attach(descriptor: Int32, name: String, at position: RadioPosition) {
        let queue = engine.queue
        queue.async { [self] in
            admit(ByteStream(descriptor: descriptor, name: name, queue: queue), position, ControllerConfiguration())
        }
    }

    /// The most hosts of others that are on the radio at once; the next one's connection is closed.
    package static let guestLimit = 512

    /// On the engine's queue.
    func admit(_ stream: ByteStream, _ position: RadioPosition, _ configuration: ControllerConfiguration) {
        let log = LibraryLog.logger()
        let door = self.door
        guard let scene = door.scene else { return stream.close() }
        let introduction = stream.peerProcess.map(ProcessIntroduction.init)
        let name = introduction?.name ?? "device"
        // A program that restarts may come before the end of its former life was read: it is to have the same address.
        if let complaint = introduction?.complaint { log.warning("\(name): \(complaint)") }
        let wish = introduction?.address ?? configuration.publicAddress?.value
        let isFull = door.hosts.count >= Self.guestLimit
        door.endHosts { host in
            (isFull || host.introducedName == name || wish != nil && host.wish == wish) && host.isLeaving
        }
        guard door.hosts.count < Self.guestLimit else {
            if !door.saidFull {
                log.warning("The radio is full (\(Self.guestLimit) hosts): others are sent away until one leaves.")
            }
            door.saidFull = true
            return stream.close()
        }
        door.saidFull = false
        let host = Confined(ForeignHost(stream, name: name, wish: wish))
        let number = scene.takeGuestNumber()
        door.hosts[number] = host.object
        host.object.onOutput = { door.scene?.noteUnsent(number) }
        change { scene in
            scene.addGuest(host.object, number, configuration, at: introduction?.position ?? position, wish: wish)
        }
        host.object.onEnd = { [weak self] in
            log.info("\(stream.name): the host is gone, and its controller with it.")
            // It counts until its place is free.
            self?.change { scene in
                door.hosts[number] = nil
                scene.remove(number)
            }
        }
        stream.onReceive = { [weak self] octets in
            // Through the engine, so that time moves on first to where it should be.
            let octets = [UInt8](octets)
            if host.object.noteRead() { door.scene?.noteTalker(host.object) }
            self?.change { scene in
                host.object.received(octets) { scene.receive($0, from: number) }
            }
        }
        stream.onClose = { _ in host.object.end() }
        log.info("\(stream.name): a host has a virtual controller.")
        stream.start()
    }
}

/// A listener that gives each connection a virtual controller.
package final class VirtualControllerServer: Sendable {
    /// Where it listens, with the port that the system chose if none was given.
    package let address: TransportAddress
    private let listener: Confined<StreamListener>
    private let queue: DispatchQueue

    fileprivate init(
        _ listener: StreamListener, stage: VirtualStage, _ position: RadioPosition,
        _ configuration: ControllerConfiguration
    ) {
        address = listener.address
        queue = stage.engine.queue
        self.listener = Confined(listener)
        listener.onAccept = { [weak stage] stream in stage?.admit(stream, position, configuration) }
        let box = self.listener
        queue.async { box.object.start() }
    }

    /// Accepts no more connections; those that there are stay.
    package func stop() {
        let listener = self.listener
        queue.async { listener.object.close() }
    }

    deinit { stop() }
}
