import BLEAdapter
import BLETransport
import BLEWire
import SystemBus

/// L2CAP channels by the sockets of the kernel, which needs no rights for them. bluetoothd has no part in them: the link is one of its own.
///
/// Threads: everything runs on the scheduler. `@unchecked Sendable` for that reason: the drivers of handles submit their calls to it.
final class BlueZChannels: BlueZRole, @unchecked Sendable {
    enum Limit {
        static let channels = 64
        static let services = 16
        /// The kernel waits 40 s for an answer, and longer for a pairing in between.
        static let opening = TimeSpan.seconds(60)
        /// The time that a closed channel has to send its remaining data.
        static let closing = TimeSpan.seconds(10)
        /// The numbers of services (SPSM, Vol 3, Part A, 4.22).
        static let numbers: ClosedRange<UInt16> = 0x01...0xFF
    }

    /// The longest SDU that is accepted, in octets: it fills eight link-layer data PDUs of 251 octets, less the headers, as in the
    /// library's own host.
    static let receiveMTU: UInt16 = 8 * 251 - 6

    typealias Opened = (Result<ChannelHandle, ChannelError>) -> Void

    /// A class, so that a step of the pump copies no queue.
    private final class Channel {
        var pump: ChannelPump
        let psm: UInt16
        /// Whether a peer opened it.
        let isAccepted: Bool
        var completion: Opened?

        init(_ socket: any ChannelSocket, _ psm: UInt16, isAccepted: Bool) {
            (pump, self.psm, self.isAccepted) = (ChannelPump(socket), psm, isAccepted)
        }
    }

    private let scheduler: any SerialScheduler
    private let system: any ChannelSystem
    /// The address of the adapter; nil while it is not powered on.
    private var local: DeviceAddress?
    private var channels: [Int: Channel] = [:]
    private var services: [UInt16: any ChannelListener] = [:]
    /// The answers to calls that opened nothing.
    private var refused: [() -> Void] = []
    private var lastNumber = 0
    private var buffer = [UInt8](repeating: 0, count: Int(receiveMTU))

    init(_ scheduler: any SerialScheduler, _ system: any ChannelSystem) {
        (self.scheduler, self.system) = (scheduler, system)
    }

    // MARK: The adapter

    func begin(on bus: any Bus, adapter: String, _ objects: BlueZObjects) {
        let properties = objects.properties(adapter, BlueZ.adapter)
        begin(
            properties?["Address"]?.text.flatMap { BlueZDevice.address($0, properties?["AddressType"]?.text) })
    }

    func begin(_ address: DeviceAddress?) {
        end(.unknown)
        local = address
    }

    /// Ends all channels and services. The kernel has ended the links.
    func end(_ state: AdapterState) {
        local = nil
        for service in services.values { service.close() }
        services = [:]
        for number in channels.keys.sorted() { remove(number, .linkLost, .notPoweredOn) }
    }

    func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects) {}

    // MARK: The central's side

    /// Opens a channel over the link with a peer. `completion` is called once, on the scheduler, never within this method.
    func openChannel(_ psm: UInt16, to peer: DeviceAddress, completion: @escaping Opened) {
        do throws(ChannelError) {
            guard let local else { throw .notPoweredOn }
            guard Limit.numbers.contains(psm) else { throw .unknownPSM }
            guard channels.count < Limit.channels else { throw .noResources }
            let socket: any ChannelSocket
            do throws(ChannelSystemError) {
                socket = try system.connect(psm, to: peer, from: local)
            } catch { throw ChannelError(error) }
            let number = add(socket, psm, isAccepted: false)
            channels[number]?.completion = completion
            channels[number]?.pump.watch()
            after(Limit.opening, number) { $0.channels[number]?.pump.state == .opening }
        } catch {
            refused.append { completion(.failure(error)) }
            scheduler.submit { self.answerRefused() }
        }
    }

    private func answerRefused() {
        let answers = refused
        refused = []
        for answer in answers { answer() }
    }

    // MARK: The peripheral's side

    /// Accepts channels under a new number. `completion` is called once, within this method, and `onOpened` for each channel, with the
    /// address of the peer.
    func publish(
        requiresEncryption: Bool, completion: @escaping (Result<UInt16, ChannelError>) -> Void,
        onOpened: @escaping (ChannelHandle, DeviceAddress) -> Void
    ) {
        guard let local else { return completion(.failure(.notPoweredOn)) }
        guard services.count < Limit.services else { return completion(.failure(.noResources)) }
        do throws(ChannelSystemError) {
            let service = try system.listen(on: local, requiresEncryption: requiresEncryption)
            let psm = service.psm
            service.onAccept = { [weak self] socket, peer in
                guard let handle = self?.accept(socket, psm) else { return socket.close() }
                onOpened(handle, peer)
            }
            services[psm] = service
            completion(.success(psm))
        } catch { completion(.failure(ChannelError(error))) }
    }

    /// Stops accepting channels, and closes those of the service.
    func unpublish(_ psm: UInt16) {
        guard let service = services.removeValue(forKey: psm) else { return }
        service.close()
        for number in channels.keys.sorted() where channels[number]?.psm == psm && channels[number]?.isAccepted == true
        {
            remove(number, .local, .refused)
        }
    }

    private func accept(_ socket: any ChannelSocket, _ psm: UInt16) -> ChannelHandle? {
        guard channels.count < Limit.channels, case .connected(let mtu) = socket.progress else { return nil }
        return attach(add(socket, psm, isAccepted: true), mtu)
    }

    // MARK: Channels

    private func add(_ socket: any ChannelSocket, _ psm: UInt16, isAccepted: Bool) -> Int {
        lastNumber += 1
        let number = lastNumber
        channels[number] = Channel(socket, psm, isAccepted: isAccepted)
        socket.onReadable = { [weak self] in self?.readable(number) }
        socket.onWritable = { [weak self] in self?.step(number) { $0.writable() } }
        return number
    }

    private func attach(_ number: Int, _ mtu: Int) -> ChannelHandle? {
        guard let channel = channels[number] else { return nil }
        let handle = ChannelHandle(
            psm: channel.psm, sendMTU: mtu, receiveWindow: ChannelPump.receiveWindow,
            driver: BlueZChannelDriver(self, number))
        channel.pump.attach(handle)
        channel.pump.watch()
        return handle
    }

    private func readable(_ number: Int) {
        // The buffer is taken during the step, which also uses this object.
        var taken: [UInt8] = []
        swap(&taken, &buffer)
        step(number) { $0.readable(&taken) }
        swap(&taken, &buffer)
    }

    /// Runs a step of a channel. The calls of its handle come back by the scheduler, so that none runs within a step.
    fileprivate func step(_ number: Int, _ body: (inout ChannelPump) -> ChannelPump.Step) {
        guard let channel = channels[number] else { return }
        switch body(&channel.pump) {
        case .goesOn: channel.pump.watch()
        case .opened(let mtu):
            let completion = channel.completion
            channel.completion = nil
            if let handle = attach(number, mtu) { completion?(.success(handle)) }
        case .failed(let error): remove(number, .linkLost, ChannelError(error))
        case .ended(let end): remove(number, end, .notConnected)
        case .flushed: remove(number, .local, .notConnected)
        }
    }

    fileprivate func close(_ number: Int) {
        step(number) { $0.close() }
        after(Limit.closing, number) { $0.channels[number] != nil }
    }

    /// Removes a channel that is still in a state after some time.
    private func after(_ time: TimeSpan, _ number: Int, if isLate: @escaping @Sendable (BlueZChannels) -> Bool) {
        scheduler.submit(after: time) { [weak self] in
            if let self, isLate(self) { self.remove(number, .local, .noAnswer) }
        }
    }

    private func remove(_ number: Int, _ end: ChannelEnd, _ failure: ChannelError) {
        guard let channel = channels.removeValue(forKey: number) else { return }
        channel.pump.socket.close()
        channel.pump.handle?.finish(end)
        channel.completion?(.failure(failure))
    }

    fileprivate func submit(_ body: @escaping @Sendable (BlueZChannels) -> Void) {
        scheduler.submit { [weak self] in if let self { body(self) } }
    }
}

/// Submits the requests of a handle to the scheduler.
private final class BlueZChannelDriver: ChannelDriver {
    private weak let channels: BlueZChannels?
    private let number: Int

    init(_ channels: BlueZChannels, _ number: Int) { (self.channels, self.number) = (channels, number) }

    func pump() { channels?.submit { [number] in $0.step(number) { $0.pump() } } }

    func consumed(_ count: Int) {
        channels?.submit { [number] in
            $0.step(number) {
                $0.consumed(count)
                return .goesOn
            }
        }
    }

    func close() { channels?.submit { [number] in $0.close(number) } }
}
