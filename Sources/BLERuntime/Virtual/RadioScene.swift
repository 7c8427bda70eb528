import BLEController
import BLEWire

/// What has a controller on the virtual radio: one of our hosts, or a foreign one behind a socket.
protocol RadioMember: AnyObject {
    var nextDeadline: Instant? { get }
    func handleTimeout()
    /// Takes one H4 packet from the controller.
    func receive(_ packet: Span<UInt8>)
    /// Acts on what was received; called when the controller has nothing more to say for now.
    func flush()
}

/// A virtual radio and everyone on it. On its engine's queue alone.
package final class RadioScene: VirtualScene {
    package let radio: VirtualRadio
    private struct Place {
        var controller: ControllerIdentifier?
        var member: (any RadioMember)?
    }

    /// The index is the member's number.
    private var members: [Place] = []
    /// The numbers of those that are here, in order. Members come and go; the dead cost nothing.
    private var present: [Int] = []
    private var numbers: [ControllerIdentifier: Int] = [:]
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
        numbers[controller] = number
        members[number].controller = controller
        members[number].member = make()
        present.insert(number, at: present.firstIndex { $0 > number } ?? present.count)
    }

    /// Switches a member's controller off in mid-air.
    func remove(_ number: Int) {
        guard let controller = controller(number) else { return }
        members[number] = Place()
        present.removeAll { $0 == number }
        numbers[controller] = nil
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

    package func endForeignHosts() {
        for number in present { (members[number].member as? ForeignHost)?.end() }
    }

    private func controller(_ number: Int) -> ControllerIdentifier? {
        members.indices.contains(number) ? members[number].controller : nil
    }

    package var nextDeadline: Instant? {
        var earliest = radio.nextDeadline
        for number in present {
            guard let deadline = members[number].member?.nextDeadline else { continue }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        return earliest
    }

    package func advance(to now: Instant) {
        radio.advance(to: now)
        for number in present {
            guard let member = members[number].member, let deadline = member.nextDeadline, deadline <= now else {
                continue
            }
            member.handleTimeout()
            member.flush()
        }
    }

    package func settle() {
        while true {
            let waiting = radio.controllersWithOutput
            guard !waiting.isEmpty else { return }
            for controller in waiting {
                let number = numbers[controller]
                let member = number.flatMap { members[$0].member }
                radio.drainOutput(of: controller) { packet in
                    guard let number, let member else { return }
                    for observer in hciObservers { observer(number, .toHost, radio.now, packet) }
                    member.receive(packet)
                }
                member?.flush()
            }
        }
    }
}
