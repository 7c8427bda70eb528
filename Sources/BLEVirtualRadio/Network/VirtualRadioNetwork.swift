import BLEController
import BLEWire

/// A virtual radio with its controllers and their hosts. On its engine's queue alone.
///
/// A step visits only the hosts with packets or a deadline that is due: its cost does not depend on the number of the others.
///
/// Hosts hold the network through their links and executors, and the network holds the hosts: `close` ends that.
package final class VirtualRadioNetwork: VirtualTimeModel {
    package let radio: VirtualRadio
    private struct Slot {
        var controller: ControllerIdentifier?
        var host: (any HCIHost)?
        /// The address that the pool allocated for it, if any.
        var address: DeviceAddress?
        /// The number of the device for users. Slots are used again, numbers are not.
        var number = 0
    }

    private let slotNumbers: SlotNumbers
    /// Slots whose devices are gone, for new ones.
    private var freeSlots: [Int] = []
    private var addresses: DeviceAddressPool
    /// How many devices have been added.
    private var deviceCount = 0

    private var slots: [Slot] = []
    /// The slots by the numbers of their controllers; -1 for a removed controller.
    private var slotsOfControllers: [Int] = []
    private var deadlines = DeadlineTable()
    /// The slots of external hosts.
    private var externalHosts: [Int] = []
    /// The slots of external hosts with packets to send.
    private var unsent: [Int] = []
    /// The external hosts that sent a packet recently.
    private var polledHosts: [ExternalHost] = []
    /// The external hosts from their admission until their slot is free again. A slot is filled when the engine runs, so this is the count
    /// for the limit.
    private(set) var admittedHosts: [Int: ExternalHost] = [:]
    private var hasReportedLimit = false
    private var isClosed = false
    /// The slots of advertisers without a host.
    private var advertisers: [Int] = []
    /// Reused for the slots whose deadlines are due.
    private var due: [Int] = []
    package var airObservers: [(borrowing AirPacket) -> Void] = [] {
        didSet {
            let observers = airObservers
            radio.airObserver = { (packet: borrowing AirPacket) in
                for observer in observers { observer(packet) }
            }
        }
    }
    package var hciObservers:
        [(_ slot: Int, _ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) -> Void] = []
    /// Called when the controller of a slot is removed. Another device may get the slot.
    package var removalObservers: [(_ slot: Int, _ time: Instant) -> Void] = []

    init(seed: UInt64, configuration: RadioConfiguration, slotNumbers: SlotNumbers = SlotNumbers()) {
        self.slotNumbers = slotNumbers
        addresses = DeviceAddressPool(seed: seed)
        radio = VirtualRadio(seed: seed, configuration: configuration)
    }

    /// Ends the connections of all external hosts and releases all hosts and observers.
    func close() {
        isClosed = true
        for host in Array(admittedHosts.values) { host.end() }
        admittedHosts.removeAll()
        polledHosts.removeAll()
        // The last references are released when no array of this object is being changed.
        let releasedSlots = slots
        defer { withExtendedLifetime(releasedSlots) {} }
        slots = []
        slotsOfControllers.removeAll()
        externalHosts.removeAll()
        advertisers.removeAll()
        deadlines = DeadlineTable()
        airObservers = []
        hciObservers = []
        removalObservers = []
    }

    // MARK: Devices

    /// Puts a controller on the air. Slots are numbered before calls arrive, so calls may come in another order.
    ///
    /// - Parameters:
    ///   - address: an address of the pool, which is released when the controller is removed.
    ///   - make: makes the host, once its controller is there.
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
        if host is HostlessAdvertiser { advertisers.append(slot) }
    }

    /// A slot for a device that may be removed: a free one if there is any.
    package func takeSlot() -> Int { freeSlots.popLast() ?? slotNumbers.next() }

    /// Admits an external host, which `add` puts on the air later. Returns its slot; nil if the limit is reached or the network
    /// closed.
    ///
    /// Hosts that are leaving make room: all of them at the limit, else those with the same name or requested address. A program that restarts may
    /// connect before the end of its former connection is read, and is to have the same address.
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

    /// Puts an admitted external host on the air. Without a requested address, its address follows from its name.
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

    /// Puts an advertiser without a host on the air, and returns its address.
    ///
    /// - Parameter releasesSlot: whether another device may get its slot after it is removed.
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
        guard slots.indices.contains(slot) else { return }
        (slots[slot].host as? HostlessAdvertiser)?.change(to: advertising)
    }

    /// Switches a controller off, in the middle of its packets and links.
    package func remove(_ slot: Int) {
        guard let controller = controller(slot) else { return }
        let host = externalHost(slot)
        if let host { polledHosts.removeAll { $0 === host } }
        // An object of a `World` device keeps its slot after the removal. No object keeps the slot of an external host.
        let releasesSlot = host != nil || (slots[slot].host as? HostlessAdvertiser)?.releasesSlot == true
        if let address = slots[slot].address { addresses.release(address) }
        let remaining = slots[slot].host.flatMap { $0.outlivesController ? $0 : nil }
        slots[slot] = Slot(host: remaining)
        slotsOfControllers[controller.rawValue] = -1
        deadlines.set(slot, to: nil)
        externalHosts.removeAll { $0 == slot }
        advertisers.removeAll { $0 == slot }
        radio.removeController(controller, isReusable: releasesSlot)
        if releasesSlot { freeSlots.append(slot) }
        for observer in removalObservers { observer(slot, radio.now) }
    }

    package func move(_ slot: Int, to position: RadioPosition) {
        guard let controller = controller(slot) else { return }
        radio.move(controller, to: position)
    }

    /// Ends the connection of an external host, or removes an advertiser.
    package func removeDevice(_ slot: Int) {
        guard slots.indices.contains(slot) else { return }
        if let host = externalHost(slot) { host.end() } else if advertisers.contains(slot) { remove(slot) }
    }

    /// Ends the connections of all external hosts.
    package func disconnectExternalHosts() {
        for slot in externalHosts { externalHost(slot)?.end() }
    }

    /// The external hosts in the order in which they came, and then the advertisers without a host.
    package var devices: [NetworkDevice] {
        (externalHosts + advertisers).compactMap { slot in
            guard let name = deviceName(slot), let controller = slots[slot].controller,
                let status = radio.status(of: controller)
            else { return nil }
            return NetworkDevice(
                slot: slot, number: slots[slot].number, controller: controller, name: name, status: status,
                isHost: externalHost(slot) != nil)
        }
    }

    private func deviceName(_ slot: Int) -> String? {
        externalHost(slot)?.name ?? (slots[slot].host as? HostlessAdvertiser)?.name
    }

    /// The number of slots, and of controllers that the radio has room for. The number of devices at one time bounds both.
    package var slotCounts: (hosts: Int, controllers: Int) { (slots.count, slotsOfControllers.count) }

    /// `name`, with a number after it if a device has that name.
    private func unusedName(like name: String) -> String {
        let used = Set((externalHosts + advertisers).compactMap(deviceName))
        var candidate = name
        var number = 1
        while used.contains(candidate) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    private func externalHost(_ slot: Int) -> ExternalHost? { slots[slot].host as? ExternalHost }

    private func controller(_ slot: Int) -> ControllerIdentifier? {
        slots.indices.contains(slot) ? slots[slot].controller : nil
    }

    // MARK: Packets

    /// Takes one H4 packet from the host of a slot.
    package func receive(_ packet: Span<UInt8>, from slot: Int) {
        guard let controller = controller(slot) else { return }
        for observer in hciObservers { observer(slot, .toController, radio.now, packet) }
        radio.receive(packet, for: controller)
    }

    package func exchangePackets() {
        while let controller = radio.nextControllerWithOutput {
            let slot = slotsOfControllers[controller.rawValue]
            let host = slot >= 0 ? slots[slot].host : nil
            radio.drainOutput(of: controller) { packet in
                guard let host else { return }
                for observer in hciObservers { observer(slot, .toHost, radio.now, packet) }
                host.receive(packet)
            }
            host?.flush()
        }
    }

    package var hasExternalHosts: Bool { !externalHosts.isEmpty }

    /// Notes that an external host has packets to send at the next exchange.
    func noteUnsent(_ slot: Int) { unsent.append(slot) }

    /// Polls an external host that begins to send: more packets may follow before the event of its socket.
    func beginPolling(_ host: ExternalHost) { polledHosts.append(host) }

    package func exchangeWithExternalHosts(isPolling: Bool) {
        guard !externalHosts.isEmpty else { return }
        for slot in unsent { externalHost(slot)?.send() }
        unsent.removeAll(keepingCapacity: true)
        guard isPolling else { return }
        polledHosts.removeAll { !$0.poll() }
    }

    // MARK: Time

    /// Sets when to call the host of a slot, in place of the deadline set before; nil: never.
    package func setDeadline(_ slot: Int, to deadline: Instant?) {
        guard slots.indices.contains(slot), slots[slot].controller != nil || slots[slot].host != nil else { return }
        deadlines.set(slot, to: deadline)
    }

    package var nextDeadline: Instant? {
        guard let deadline = deadlines.first else { return radio.nextDeadline }
        return radio.nextDeadline.map { min($0, deadline) } ?? deadline
    }

    package func advance(to now: Instant) {
        radio.advance(to: now)
        guard let deadline = deadlines.first, deadline <= now else { return }
        // Each host once: a host that is due again at once has its turn in the next step.
        deadlines.takeDue(through: now, into: &due)
        for slot in due {
            guard let host = slots[slot].host else { continue }
            host.handleTimeout()
            host.flush()
        }
        due.removeAll(keepingCapacity: true)
    }
}
