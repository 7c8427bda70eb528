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
    }

    /// The index is the member's number.
    private var members: [Place] = []
    /// The members' numbers, by those of their controllers; -1 for who has gone.
    private var numbers: [Int] = []
    private var alarms = WakeTable()
    /// The numbers of the hosts outside, and of those of them who have something to be sent.
    private var outsiders: [Int] = []
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

    init(seed: UInt64, configuration: RadioConfiguration) {
        radio = VirtualRadio(seed: seed, configuration: configuration)
    }

    /// Puts a controller on the air. Numbers are given out before calls arrive, so they may come in another order; the
    /// member is made once its controller is there.
    func add(
        _ number: Int, _ configuration: ControllerConfiguration, at position: Position, make: () -> any RadioMember
    ) {
        while members.count <= number { members.append(Place()) }
        let controller = radio.addController(configuration, at: position)
        while numbers.count <= controller.rawValue { numbers.append(-1) }
        numbers[controller.rawValue] = number
        members[number].controller = controller
        let member = make()
        members[number].member = member
        if member is ForeignHost { outsiders.append(number) }
    }

    /// Switches a member's controller off in mid-air.
    func remove(_ number: Int) {
        guard let controller = controller(number) else { return }
        if let host = foreignHost(number) { talkers.removeAll { $0 === host } }
        // A host of ours lives on without a controller, and still has sessions to tell of that.
        members[number] = Place(member: members[number].member as? HostCore)
        numbers[controller.rawValue] = -1
        alarms.set(number, to: nil)
        outsiders.removeAll { $0 == number }
        radio.removeController(controller)
    }

    func move(_ number: Int, to position: Position) {
        guard let controller = controller(number) else { return }
        radio.move(controller, to: position)
    }

    /// Takes one H4 packet from a member's host.
    func receive(_ packet: Span<UInt8>, from number: Int) {
        guard let controller = controller(number) else { return }
        for observer in hciObservers { observer(number, .toController, radio.now, packet) }
        radio.receive(packet, for: controller)
    }

    package func endForeignHost(_ number: Int) {
        guard members.indices.contains(number) else { return }
        (members[number].member as? ForeignHost)?.end()
    }

    /// The hosts of others that are here, in the order in which they came.
    package var guests: [RadioGuest] {
        outsiders.compactMap { number in
            guard let host = foreignHost(number), let controller = members[number].controller,
                let status = radio.status(of: controller)
            else { return nil }
            return RadioGuest(member: number, controller: controller, name: host.name, status: status)
        }
    }

    /// `name`, with a number behind it if somebody has that name already.
    func unusedName(like name: String) -> String {
        let taken = Set(outsiders.compactMap { foreignHost($0)?.name })
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

/// A host of somebody else on the radio.
package struct RadioGuest: Hashable, Sendable {
    package let member: Int
    package let controller: ControllerIdentifier
    /// Unlike that of any other guest that is there.
    package let name: String
    package let status: ControllerStatus
}
