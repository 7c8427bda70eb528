import BLEAdapter
import BLEController
import BLEWire

/// What has a controller on the virtual radio: one of our hosts, or a foreign one behind a socket. It is called when there is
/// something for it, and says itself (`RadioScene.wake`) when it wants to be called because of the time.
protocol RadioMember: AnyObject {
    func handleTimeout()
    /// Takes one H4 packet from the controller.
    func receive(_ packet: Span<UInt8>)
    /// Acts on what was received; called when the controller has nothing more to say for now.
    func flush()
}

/// A virtual radio and everyone on it. On its engine's queue alone.
///
/// A step visits those alone who have something to do in it: what it costs does not depend on how many others there are.
package final class RadioScene: VirtualScene {
    package let radio: VirtualRadio
    private struct Place {
        var controller: ControllerIdentifier?
        var member: (any RadioMember)?
        /// Its address as far as the scene gave it one.
        var address: DeviceAddress?
        /// A number that no other member has or had; the places are used again.
        var serial = 0
    }

    /// Gives out numbers that no member ever had.
    let numberSource: MemberNumbers
    /// Numbers of guests that have gone, for guests to come.
    private var freeNumbers: [Int] = []
    private var addresses: GuestAddresses
    /// How many members have been added.
    private var serials = 0

    /// The index is the member's number.
    private var members: [Place] = []
    /// The members' numbers, by those of their controllers; -1 for who has gone.
    private var numbers: [Int] = []
    private var alarms = WakeTable()
    /// The numbers of the hosts outside, and of those of them who have something to be sent.
    private var outsiders: [Int] = []
    /// The numbers of the advertisers without a host.
    private var advertisers: [Int] = []
    private var unsent: [Int] = []
    /// Those of them who sent something lately.
    private var talkers: [ForeignHost] = []
    /// Reused for the members that are due.
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
        [(_ number: Int, _ direction: HCIDirection, _ time: Instant, _ packet: Span<UInt8>) -> Void] = []
    /// Called when the controller of a member is removed, whose number may go to another member.
    package var removalObservers: [(_ number: Int, _ time: Instant) -> Void] = []

    init(seed: UInt64, configuration: RadioConfiguration, numbers: MemberNumbers = MemberNumbers()) {
        numberSource = numbers
        addresses = GuestAddresses(seed: seed)
        radio = VirtualRadio(seed: seed, configuration: configuration)
    }

    /// Puts a controller on the air. Numbers are given out before calls arrive, so they may come in another order; the
    /// member is made once its controller is there.
    ///
    /// - Parameter address: one that `addresses` gave out and takes back when the member is removed.
    func add(
        _ number: Int, _ configuration: ControllerConfiguration, at position: RadioPosition,
        address: DeviceAddress? = nil,
        make: () -> any RadioMember
    ) {
        while members.count <= number { members.append(Place()) }
        let controller = radio.addController(configuration, at: position)
        while numbers.count <= controller.rawValue { numbers.append(-1) }
        numbers[controller.rawValue] = number
        members[number].controller = controller
        members[number].address = address
        members[number].serial = serials
        serials += 1
        let member = make()
        members[number].member = member
        if member is ForeignHost { outsiders.append(number) }
        if member is AdvertisingMember { advertisers.append(number) }
    }

    /// A number for a guest: that of one that has gone, if there is any.
    func takeGuestNumber() -> Int { freeNumbers.popLast() ?? numberSource.next() }

    /// Puts a host outside on the air.
    ///
    /// - Parameter wish: the public address that it is to have; nil: one that follows from its name.
    func addGuest(
        _ host: ForeignHost, _ number: Int, _ configuration: ControllerConfiguration, at position: RadioPosition,
        wish: UInt64?
    ) {
        var configuration = configuration
        let address = addresses.take(for: host.introducedName, wish: wish, kind: .public)
        configuration.publicAddress = address
        host.name = unusedName(like: host.introducedName)
        add(number, configuration, at: position, address: address) { host }
    }

    /// Puts an advertiser without a host on the air, and returns its address.
    @discardableResult
    func addAdvertiser(
        _ number: Int, _ identity: AdvertiserIdentity, _ advertising: RawAdvertising, at position: RadioPosition,
        isReusable: Bool = false
    ) -> DeviceAddress {
        let address = addresses.take(
            for: identity.name, wish: identity.address?.value, kind: identity.address?.kind ?? .random)
        var configuration = ControllerConfiguration()
        configuration.transmitPower = identity.transmitPower
        if address.kind == .public { configuration.publicAddress = address }
        add(number, configuration, at: position, address: address) { [unowned self] in
            AdvertisingMember(advertising, name: identity.name, address: address, isReusable: isReusable) {
                [unowned self] in receive($0, from: number)
            }
        }
        members[number].member?.flush()
        return address
    }

    /// Makes an advertiser without a host send something else.
    func change(_ number: Int, to advertising: RawAdvertising) {
        guard members.indices.contains(number) else { return }
        (members[number].member as? AdvertisingMember)?.change(to: advertising)
    }

    /// Switches a member's controller off in mid-air.
    func remove(_ number: Int) {
        guard let controller = controller(number) else { return }
        let host = foreignHost(number)
        if let host { talkers.removeAll { $0 === host } }
        // An object of a `World` device keeps its number after the removal; nothing keeps a guest's.
        let isReusable = host != nil || (members[number].member as? AdvertisingMember)?.isReusable == true
        if let address = members[number].address { addresses.giveBack(address) }
        // A host of ours lives on without a controller, and still has sessions to tell of that.
        members[number] = Place(member: members[number].member as? HostCore)
        numbers[controller.rawValue] = -1
        alarms.set(number, to: nil)
        outsiders.removeAll { $0 == number }
        advertisers.removeAll { $0 == number }
        radio.removeController(controller, isReusable: isReusable)
        if isReusable { freeNumbers.append(number) }
        for observer in removalObservers { observer(number, radio.now) }
    }

    func move(_ number: Int, to position: RadioPosition) {
        guard let controller = controller(number) else { return }
        radio.move(controller, to: position)
    }

    /// Takes one H4 packet from a member's host.
    func receive(_ packet: Span<UInt8>, from number: Int) {
        guard let controller = controller(number) else { return }
        for observer in hciObservers { observer(number, .toController, radio.now, packet) }
        radio.receive(packet, for: controller)
    }

    /// Breaks the connection of a host outside, or takes an advertiser away.
    package func endGuest(_ number: Int) {
        guard members.indices.contains(number) else { return }
        if let host = foreignHost(number) { host.end() } else if advertisers.contains(number) { remove(number) }
    }

    /// The hosts of others that are here, in the order in which they came, and then the advertisers without a host.
    package var guests: [RadioGuest] {
        (outsiders + advertisers).compactMap { number in
            guard let name = guestName(number), let controller = members[number].controller,
                let status = radio.status(of: controller)
            else { return nil }
            return RadioGuest(
                member: number, serial: members[number].serial, controller: controller, name: name, status: status,
                isHost: foreignHost(number) != nil)
        }
    }

    private func guestName(_ number: Int) -> String? {
        foreignHost(number)?.name ?? (members[number].member as? AdvertisingMember)?.name
    }

    /// How many numbers were given to members and how many controllers the radio has room for: bounded by those that are there at once.
    package var slotCounts: (members: Int, controllers: Int) { (members.count, numbers.count) }

    /// `name`, with a number behind it if somebody has that name already.
    func unusedName(like name: String) -> String {
        let taken = Set((outsiders + advertisers).compactMap(guestName))
        var candidate = name
        var number = 1
        while taken.contains(candidate) {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    package func endForeignHosts() {
        for number in outsiders { foreignHost(number)?.end() }
    }

    private func foreignHost(_ number: Int) -> ForeignHost? { members[number].member as? ForeignHost }

    package var hasOutsiders: Bool { !outsiders.isEmpty }

    /// A host outside has something to be sent at the next exchange.
    func noteUnsent(_ number: Int) { unsent.append(number) }

    /// A host outside begins to send, and may have more to say than the system has told of.
    func noteTalker(_ host: ForeignHost) { talkers.append(host) }

    package func exchangeWithOutsiders(isLooking: Bool) {
        guard !outsiders.isEmpty else { return }
        for number in unsent { foreignHost(number)?.send() }
        unsent.removeAll(keepingCapacity: true)
        guard isLooking else { return }
        talkers.removeAll { !$0.look() }
    }

    /// Calls a member at `deadline`, and not when it wanted to be called before; nil: not at all.
    func wake(_ number: Int, at deadline: Instant?) {
        guard members.indices.contains(number),
            members[number].controller != nil || members[number].member != nil
        else { return }
        alarms.set(number, to: deadline)
    }

    private func controller(_ number: Int) -> ControllerIdentifier? {
        members.indices.contains(number) ? members[number].controller : nil
    }

    package var nextDeadline: Instant? {
        guard let alarm = alarms.first else { return radio.nextDeadline }
        return radio.nextDeadline.map { min($0, alarm) } ?? alarm
    }

    package func advance(to now: Instant) {
        radio.advance(to: now)
        guard let alarm = alarms.first, alarm <= now else { return }
        // Each once: a member that is due again at once has its turn in the next step.
        alarms.takeDue(through: now, into: &due)
        for number in due {
            guard let member = members[number].member else { continue }
            member.handleTimeout()
            member.flush()
        }
        due.removeAll(keepingCapacity: true)
    }

    package func settle() {
        while let controller = radio.nextControllerWithOutput {
            let number = numbers[controller.rawValue]
            let member = number >= 0 ? members[number].member : nil
            radio.drainOutput(of: controller) { packet in
                guard let member else { return }
                for observer in hciObservers { observer(number, .toHost, radio.now, packet) }
                member.receive(packet)
            }
            member?.flush()
        }
    }
}

/// An external host on the radio, or an advertiser without a host.
package struct RadioGuest: Hashable, Sendable {
    /// Its place among the members, which another has after it.
    package let member: Int
    /// The number by which users know it: no other device has it, or had it.
    package let serial: Int
    package let controller: ControllerIdentifier
    /// Unlike that of any other guest that is there.
    package let name: String
    package let status: ControllerStatus
    /// Whether it is a host.
    package let isHost: Bool
}
