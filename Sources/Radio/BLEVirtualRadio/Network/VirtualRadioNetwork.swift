import BLEController
import BLECrypto
import BLETransport
import BLEWire

/// A virtual radio with its controllers and their hosts. Used only on its engine's queue.
///
/// A step visits only the hosts with packets or a due deadline. Its cost does not depend on the number of other hosts.
///
/// Hosts retain the network through their links and executors, and the network retains the hosts. `close` breaks this
/// cycle.
package final class VirtualRadioNetwork: VirtualTimeModel {
    package typealias AirObserver = (borrowing AirPacket) -> Void
    package typealias HCIObserver =
        (_ slot: Int, _ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) -> Void

    package let radio: VirtualRadio
    private struct Slot {
        var controller: ControllerIdentifier?
        var host: (any HCIHost)?
        /// The address that the pool allocated for it, if any.
        var address: DeviceAddress?
        /// The number of the device for users. Slots are used again, numbers are not.
        var number = 0
        /// The name of a host in this process that users see as a device; nil for other devices.
        var label: String?
        /// The name of its platform.
        var platform: String?
    }

    private let slotNumbers: SlotNumbers
    /// Slots of removed devices, available for new ones.
    private var freeSlots: [Int] = []
    private var addresses: DeviceAddressPool
    /// The number of devices that have been added.
    private var deviceCount = 0

    private var slots: [Slot] = []
    /// The slots by the numbers of their controllers; -1 for a removed controller.
    private(set) var slotsOfControllers: [Int] = []
    private(set) var deadlines = SlotDeadlineHeap()
    /// The slots of external hosts.
    private var externalHosts: [Int] = []
    /// The slots of external hosts with packets to send.
    private var unsent: [Int] = []
    /// The external hosts that sent a packet recently.
    private var polledHosts: [ExternalHost] = []
    /// The external hosts from their admission until their slot is free again. A slot is filled when the engine runs,
    /// so the limit applies to this count.
    private(set) var admittedHosts: [Int: ExternalHost] = [:]
    private var hasReportedLimit = false
    /// The programs beyond the limit.
    private var refusedHosts: [ObjectIdentifier: RejectedHost] = [:]
    /// The maximum number of programs that learn the reason at the same time. Further connections are closed at once.
    private static let refusedHostLimit = 64
    private var isClosed = false
    /// Reused for the slots whose deadlines are due.
    private var due: [Int] = []
    private var airObservers: [(token: AnyObject?, call: AirObserver)] = [] {
        didSet {
            let observers = airObservers
            // Without an observer, the radio does not compute packets that no device receives.
            guard !observers.isEmpty else { return radio.airObserver = nil }
            radio.airObserver = { (packet: borrowing AirPacket) in
                for observer in observers { observer.call(packet) }
            }
        }
    }
    private(set) var hciObservers: [(token: AnyObject?, call: HCIObserver)] = []
    /// Called when the controller of a slot is removed. Another device may use the slot later.
    package var removalObservers: [(_ slot: Int, _ time: Instant) -> Void] = []
    /// The lines with a filter, by slot.
    var lines: [Int: HCILine] = [:]

    init(seed: UInt64, configuration: RadioConfiguration, slotNumbers: SlotNumbers = SlotNumbers()) {
        self.slotNumbers = slotNumbers
        addresses = DeviceAddressPool(seed: seed)
        radio = VirtualRadio(seed: seed, configuration: configuration, crypto: { SwiftCryptoProvider(generator: $0) })
    }

    /// Ends the connections of all external hosts and releases all hosts and observers.
    func close() {
        isClosed = true
        for host in Array(admittedHosts.values) { host.end() }
        admittedHosts.removeAll()
        for host in Array(refusedHosts.values) { host.end() }
        polledHosts.removeAll()
        // Releases the last references while no array of this object is being changed.
        let releasedSlots = slots
        defer { withExtendedLifetime(releasedSlots) {} }
        slots = []
        slotsOfControllers.removeAll()
        externalHosts.removeAll()
        deadlines = SlotDeadlineHeap()
        airObservers = []
        hciObservers = []
        removalObservers = []
        lines = [:]
    }

    // MARK: Observers

    /// Adds an observer of every transmission.
    ///
    /// - Parameter token: Identifies the observer in ``endObservation(_:)``.
    package func observeAir(_ token: AnyObject? = nil, _ observer: @escaping AirObserver) {
        airObservers.append((token, observer))
    }

    /// Adds an observer of the H4 packets between all hosts and their controllers.
    ///
    /// - Parameter token: Identifies the observer in ``endObservation(_:)``.
    package func observeHCI(_ token: AnyObject? = nil, _ observer: @escaping HCIObserver) {
        hciObservers.append((token, observer))
    }

    /// Removes the observers with this token.
    package func endObservation(_ token: AnyObject) {
        airObservers.removeAll { $0.token === token }
        hciObservers.removeAll { $0.token === token }
    }

    // MARK: Devices

    /// Adds a controller to the radio. Slots are numbered before calls arrive, so calls may arrive in another order.
    ///
    /// - Parameters:
    ///   - address: An address of the pool, which is released when the controller is removed.
    ///   - make: Creates the host after its controller.
    package func add(
        _ slot: Int, _ configuration: ControllerConfiguration, at position: RadioPosition,
        address: DeviceAddress? = nil,
        make: () -> any HCIHost
    ) {
        while slots.count <= slot { slots.append(Slot()) }
        let controller = radio.addController(configuration, at: position)
        while slotsOfControllers.count <= controller.rawValue { slotsOfControllers.append(-1) }
        slotsOfControllers[controller.rawValue] = slot
        slots[slot].controller = controller
        slots[slot].address = address
        slots[slot].number = deviceCount
        deviceCount += 1
        let host = make()
        slots[slot].host = host
        if host is ExternalHost { externalHosts.append(slot) }
    }

    /// Returns a slot for a device that may be removed, preferably a free one.
    package func takeSlot() -> Int { freeSlots.popLast() ?? slotNumbers.next() }

    /// Admits an external host. `add` adds it to the radio later. Returns its slot, or nil if the limit is reached or
    /// the network closed.
    ///
    /// Leaving hosts make room: all of them at the limit, otherwise those with the same name or requested address. A
    /// program that restarts may connect before the end of its former connection is read, and must get the same
    /// address.
    func admit(_ host: ExternalHost, limit: Int, onFirstRefusal: () -> Void) -> Int? {
        guard !isClosed else { return nil }
        let isFull = admittedHosts.count >= limit
        for other in Array(admittedHosts.values) {
            let hasSameAddress = host.requestedAddress != nil && other.requestedAddress == host.requestedAddress
            let isReplaceable = isFull || hasSameAddress || other.introducedName == host.introducedName
            if isReplaceable, other.isLeaving { other.end() }
        }
        guard admittedHosts.count < limit else {
            if !hasReportedLimit { onFirstRefusal() }
            hasReportedLimit = true
            return nil
        }
        hasReportedLimit = false
        let slot = takeSlot()
        admittedHosts[slot] = host
        return slot
    }

    /// Ends a connection that was not admitted, after its host has learned the reason. Returns the host, or nil if too many are
    /// refused at this moment.
    func refuse(_ stream: DispatchStream) -> RejectedHost? {
        guard !isClosed, refusedHosts.count < Self.refusedHostLimit else {
            stream.close()
            return nil
        }
        let identifier = ObjectIdentifier(stream)
        let host = RejectedHost(stream) { [weak self] in self?.refusedHosts[identifier] = nil }
        refusedHosts[identifier] = host
        return host
    }

    /// Adds an admitted external host to the radio. Without a requested address, its address follows from its name.
    func add(_ host: ExternalHost, _ slot: Int, _ configuration: ControllerConfiguration, at position: RadioPosition) {
        var configuration = configuration
        let address = addresses.allocate(
            for: host.introducedName, requested: host.requestedAddress, kind: .public)
        configuration.publicAddress = address
        host.name = unusedName(like: host.introducedName)
        add(slot, configuration, at: position, address: address) { host }
    }

    /// Removes an external host whose connection has ended.
    func removeAdmitted(_ slot: Int) {
        admittedHosts[slot] = nil
        remove(slot)
    }

    /// Adds an advertiser without a host to the radio, and returns its address.
    ///
    /// - Parameter releasesSlot: Whether another device may use its slot after its removal.
    @discardableResult
    package func addAdvertiser(
        _ slot: Int, _ identity: AdvertiserIdentity, _ advertising: RawAdvertising, at position: RadioPosition,
        releasesSlot: Bool = false
    ) -> DeviceAddress {
        let address = addresses.allocate(
            for: identity.name, requested: identity.address?.value, kind: identity.address?.kind ?? .random)
        var configuration = ControllerConfiguration()
        configuration.transmitPower = identity.transmitPower
        if address.kind == .public { configuration.publicAddress = address }
        add(slot, configuration, at: position, address: address) { [unowned self] in
            HostlessAdvertiser(advertising, name: identity.name, address: address, releasesSlot: releasesSlot) {
                [unowned self] in receive($0, from: slot)
            }
        }
        slots[slot].host?.flush()
        return address
    }

    /// Replaces the advertising events of an advertiser without a host.
    package func change(_ slot: Int, to advertising: RawAdvertising) {
        advertiser(slot)?.change(to: advertising)
    }

    /// Removes a controller immediately, regardless of its packets and links.
    package func remove(_ slot: Int) {
        guard let controller = controller(slot) else { return }
        let host = externalHost(slot)
        if let host { polledHosts.removeAll { $0 === host } }
        // An object of a `World` device keeps its slot after the removal. No object keeps the slot of an external host.
        let releasesSlot = host != nil || advertiser(slot)?.releasesSlot == true
        if let address = slots[slot].address { addresses.release(address) }
        let remaining = slots[slot].host.flatMap { $0.outlivesController ? $0 : nil }
        slots[slot] = Slot(host: remaining)
        slotsOfControllers[controller.rawValue] = -1
        deadlines.set(slot, to: nil)
        lines[slot] = nil
        externalHosts.removeAll { $0 == slot }
        radio.removeController(controller, isReusable: releasesSlot)
        if releasesSlot { freeSlots.append(slot) }
        for observer in removalObservers { observer(slot, radio.now) }
    }

    /// Shows a host in this process to users, as a device with a name.
    package func label(_ slot: Int, _ name: String, platform: String? = nil) {
        guard controller(slot) != nil else { return }
        slots[slot].label = name
        slots[slot].platform = platform
    }

    /// Ends the connection of an external host, or removes a device of this process.
    package func removeDevice(_ slot: Int) {
        if let host = externalHost(slot) { host.end() } else if deviceName(slot) != nil { remove(slot) }
    }

    /// Ends the connections of all external hosts.
    package func disconnectExternalHosts() {
        for slot in externalHosts { externalHost(slot)?.end() }
    }

    /// The slots of external hosts, followed by those of named hosts in this process and of advertisers without a host, each in the order of their
    /// additions.
    private var deviceSlots: [Int] {
        func sorted(_ slots: [Int]) -> [Int] { slots.sorted { self.slots[$0].number < self.slots[$1].number } }
        return externalHosts + sorted(slots.indices.filter { slots[$0].label != nil })
            + sorted(slots.indices.filter { advertiser($0) != nil })
    }

    /// The devices that users see, in the order of `deviceSlots`.
    package var devices: [NetworkDevice] {
        deviceSlots.compactMap { slot in
            guard let name = deviceName(slot), let controller = slots[slot].controller,
                let status = radio.status(of: controller)
            else { return nil }
            return NetworkDevice(
                slot: slot, number: slots[slot].number, controller: controller, name: name, status: status,
                platform: externalHost(slot)?.platform ?? slots[slot].platform, isHost: advertiser(slot) == nil)
        }
    }

    private func deviceName(_ slot: Int) -> String? {
        externalHost(slot)?.name ?? advertiser(slot)?.name ?? slots[slot].label
    }

    /// The number of slots, and of controllers for which the radio has room. The number of simultaneous devices bounds
    /// both.
    package var slotCounts: (hosts: Int, controllers: Int) { (slots.count, slotsOfControllers.count) }

    /// Returns `name`, with a number appended if a device already has that name.
    private func unusedName(like name: String) -> String {
        let used = Set(deviceSlots.compactMap(deviceName))
        var candidate = name
        var number = 1
        while used.contains(candidate) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    func host(_ slot: Int) -> (any HCIHost)? { slots.indices.contains(slot) ? slots[slot].host : nil }
    private func externalHost(_ slot: Int) -> ExternalHost? { host(slot) as? ExternalHost }
    private func advertiser(_ slot: Int) -> HostlessAdvertiser? { host(slot) as? HostlessAdvertiser }

    func controller(_ slot: Int) -> ControllerIdentifier? {
        slots.indices.contains(slot) ? slots[slot].controller : nil
    }

    // MARK: Packets

    /// Takes one H4 packet from the host of a slot.
    package func receive(_ packet: Span<UInt8>, from slot: Int) {
        guard let controller = controller(slot) else { return }
        for observer in hciObservers { observer.call(slot, .toController, radio.now, packet) }
        if !lines.isEmpty, let line = lines[slot] { return line.take(packet, .toController) }
        radio.receive(packet, for: controller)
    }

    package func exchangePackets() {
        repeat { exchangeWithControllers() } while !lines.isEmpty && deliverDuePackets()
    }

    private func exchangeWithControllers() {
        while let controller = radio.nextControllerWithOutput {
            let slot = slotsOfControllers[controller.rawValue]
            let host = slot >= 0 ? slots[slot].host : nil
            let line = lines.isEmpty ? nil : lines[slot]
            radio.drainOutput(of: controller) { packet in
                guard let host else { return }
                if let line { return line.take(packet, .toHost) }
                for observer in hciObservers { observer.call(slot, .toHost, radio.now, packet) }
                host.receive(packet)
            }
            host?.flush()
        }
    }

    package var hasExternalHosts: Bool { !externalHosts.isEmpty }

    /// Records that an external host has packets to send at the next exchange.
    func noteUnsent(_ slot: Int) { unsent.append(slot) }

    /// Starts to poll an external host that begins to send: more packets may follow before the event of its socket.
    func beginPolling(_ host: ExternalHost) { polledHosts.append(host) }

    package func exchangeWithExternalHosts(isPolling: Bool) {
        guard !externalHosts.isEmpty else { return }
        for slot in unsent { externalHost(slot)?.send() }
        unsent.removeAll(keepingCapacity: true)
        guard isPolling else { return }
        polledHosts.removeAll { !$0.poll() }
    }

    // MARK: Time

    /// Sets the time of the next call to the host of a slot, replacing the preceding deadline; nil removes it.
    package func setDeadline(_ slot: Int, to deadline: Instant?) {
        guard controller(slot) != nil || host(slot) != nil else { return }
        deadlines.set(slot, to: deadline)
    }

    package var nextDeadline: Instant? {
        let next = radio.nextDeadline
        guard let deadline = lines.isEmpty ? deadlines.first : nextHostDeadline else { return next }
        return next.map { min($0, deadline) } ?? deadline
    }

    /// The longest quiet time with two controllers. The next call waits for its events, about half a millisecond.
    private static let quietTime = TimeSpan.seconds(1)

    package var quietUntil: Instant? {
        // With more controllers, one second has too many events; with many more, asking each of them would cost more than it saves.
        let time = TimeSpan(nanoseconds: Self.quietTime.nanoseconds * 2 / Int64(max(2, radio.controllerCount)))
        guard airObservers.isEmpty, lines.isEmpty, time >= .milliseconds(1), let quiet = radio.quietUntil else {
            return nil
        }
        return min(quiet, radio.now + time, deadlines.first ?? quiet)
    }

    package func advance(to now: Instant) {
        radio.advance(to: now)
        guard let deadline = deadlines.first, deadline <= now else { return }
        // Each host once: a host with another due deadline is called in the next step.
        deadlines.takeDue(through: now, into: &due)
        for slot in due {
            guard let host = slots[slot].host else { continue }
            host.handleTimeout()
            host.flush()
        }
        due.removeAll(keepingCapacity: true)
    }
}
