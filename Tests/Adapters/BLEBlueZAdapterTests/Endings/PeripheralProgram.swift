import BLEAdapter
import BLEWire
import BlueZBench
import SystemBus

@testable import BLEBlueZAdapter

/// A peripheral that goes through all that a program does, with a central that uses it. Both try again what fails. It checks that each request
/// has one answer.
final class PeripheralProgram: PeripheralObserver, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    enum Goal: Int, CaseIterable {
        case read, write, subscribed, values, unsubscribed, removed
    }

    private static let uuid = "2A01"
    private static let address = "F0:00:00:00:00:01"
    private static let valueCount = 40

    private let bench: EndingBench
    /// Whether the central's device tells what newer versions tell.
    private let isRecent: Bool
    private(set) var session: (any PeripheralSession)?
    private(set) var violations: [String] = []
    private(set) var trace: [String] = []
    private(set) var reached: Set<Goal> = []

    private var state = AdapterState.unknown
    private var isAdding = false
    private var isAdded = false
    private var isStarting = false
    private var isAdvertising = false
    private var isPublishing = false
    private var psm: UInt16?
    private var pause = Instant.zero
    private var since = Instant.zero
    private var subscribers: Set<PeerIdentifier> = []
    private var requests: [(RequestIdentifier, isRead: Bool)] = []
    private var seen: Set<RequestIdentifier> = []
    private var lastValue = 0
    private var waitsForRoom = false
    private var updateSince = Instant.zero
    // The central.
    private var central: ScriptedCentral?
    /// The program whose services it uses.
    private var owner: String?
    private var isCalling = false
    private var call = 0
    private var callSince = Instant.zero
    private var subscribedSince: Instant?

    init(_ bench: EndingBench, isRecent: Bool) {
        (self.bench, self.isRecent) = (bench, isRecent)
        session = bench.adapter?.openPeripheral(observer: self)
    }

    var isDone: Bool { reached.count == Goal.allCases.count }
    var situation: String {
        "\(state), adding \(isAdding) \(isAdded), advertising \(isStarting) \(isAdvertising), channel \(isPublishing) \(psm as Any), reached \(reached.map(\.rawValue).sorted()), central \(central?.received.count ?? -1), last \(lastValue), full \(waitsForRoom), applications \(bench.bluez.applications.count), advertisements \(bench.bluez.advertisements.count)"
    }

    func release() { session = nil }

    private var now: Instant { bench.scheduler.now }
    private func note(_ line: String) { trace.append("\(now.nanoseconds / 1_000_000) ms: \(line)") }
    private func violate(_ line: String) {
        violations.append(line)
        note("VIOLATION \(line)")
    }

    // MARK: The central

    private func runCentral() {
        let bluez = bench.bluez
        guard bluez.bus != nil else { return centralIsGone() }
        guard !bench.isHung else { return }
        if let central, !bluez.isConnected(central.path) { centralIsGone() }
        // The services are gone, and those of the same program return as others.
        if let central, let owner, bluez.applications.first?.owner != owner {
            bluez.dropLink(central.path, .remote)
            return centralIsGone()
        }
        guard let central else {
            guard !reached.contains(.unsubscribed), !bluez.advertisements.isEmpty,
                let application = bluez.applications.first, application.attribute(Self.uuid) != nil
            else { return }
            var device = ScriptedDevice(Self.address)
            if isRecent { device.properties = ["CablePairing": .bool(false)] }
            _ = bluez.addDevice(device)
            note("a central connects")
            owner = application.owner
            central = bluez.connectCentral(Self.address, to: application, mtu: 100)
            return
        }
        central.readSockets()
        guard let attribute = bluez.applications.first?.attribute(Self.uuid) else { return }
        guard !isCalling else {
            // bluetoothd gives up after 5 s itself, with an error.
            if now - callSince > .seconds(30) { centralIsGone() }
            return
        }
        if !reached.contains(.read) {
            request { done in
                central.read(attribute) { result in
                    done((try? result.get())?.body.first?.bytes == [4, 5, 6] ? .read : nil)
                }
            }
        } else if !reached.contains(.write) {
            request { done in
                central.write(attribute, [7, 8]) { result in done((try? result.get()) != nil ? .write : nil) }
            }
        } else if !reached.contains(.values) {
            guard let subscribedSince else {
                subscribedSince = now
                return central.subscribe(attribute)
            }
            if central.received.last?.value == Self.value(Self.valueCount) {
                reached.insert(.values)
                checkValues(central)
            } else if bench.isHung {
                self.subscribedSince = now
            } else if now - subscribedSince > .seconds(60) {
                violate("values do not arrive: \(central.received.count)")
            }
        } else if !reached.contains(.unsubscribed) {
            central.unsubscribe(attribute)
        }
    }

    private static func value(_ number: Int) -> [UInt8] { [UInt8(number), UInt8(number ^ 0xFF)] }

    /// All values arrived in their order, without a gap since the first one of the subscription.
    private func checkValues(_ central: ScriptedCentral) {
        let numbers = central.received.map { Int($0.value.first ?? 0) }
        guard let first = numbers.first, numbers == Array(first...Self.valueCount) else {
            return violate("values are missing or in disorder: \(numbers)")
        }
    }

    private func request(_ body: (@escaping (Goal?) -> Void) -> Void) {
        isCalling = true
        call += 1
        callSince = now
        let number = call
        body { [weak self] goal in
            guard let self, number == call, isCalling else { return }
            isCalling = false
            if let goal { reached.insert(goal) }
        }
    }

    private func centralIsGone() {
        if central != nil { note("the central is gone") }
        (central, owner, isCalling, subscribedSince) = (nil, nil, false, nil)
    }

    // MARK: Steps

    func step() {
        runCentral()
        answerRequests()
        guard state == .poweredOn, now >= pause else { return }
        if isAdding || isStarting || isPublishing {
            if now - since > .seconds(150) {
                violate("no answer: adding \(isAdding), starting \(isStarting), publishing \(isPublishing)")
                (isAdding, isStarting, isPublishing) = (false, false, false)
            }
            return
        }
        if reached.contains(.unsubscribed) { return remove() }
        if !isAdded {
            (isAdding, since) = (true, now)
            session?.add(PeripheralBench.lamp, token: 1)
        } else if !isAdvertising {
            (isStarting, since) = (true, now)
            session?.startAdvertising(
                Advertisement(localName: "Lamp", services: [BluetoothUUID(0x1234 as UInt16)]))
        } else if psm == nil {
            (isPublishing, since) = (true, now)
            session?.publishChannel(requiresEncryption: false)
        } else if !subscribers.isEmpty, reached.contains(.subscribed), !reached.contains(.values) {
            update()
        }
    }

    private func update() {
        guard !waitsForRoom else {
            if bench.isHung { updateSince = now }
            if now - updateSince > .seconds(60) { violate("the queue of values stays full") }
            return
        }
        // A new subscriber gets the last values again.
        if lastValue == Self.valueCount {
            guard now - updateSince > .seconds(20) else { return }
            lastValue = 0
        }
        while lastValue < Self.valueCount {
            let value = Self.value(lastValue + 1)
            guard session?.update(value.span, of: .init(service: 1, index: 0), centrals: nil) == true else {
                waitsForRoom = true
                break
            }
            lastValue += 1
        }
        updateSince = now
    }

    private func remove() {
        if isAdded || isAdvertising {
            note("removes")
            session?.remove(token: 1)
            session?.stopAdvertising()
            (isAdded, isAdvertising) = (false, false)
            subscribers = []
        }
        if let psm {
            session?.unpublishChannel(psm: psm)
            self.psm = nil
        }
        since = now
        // Without an answer of bluetoothd's to this program something stays there until the program leaves.
        reached.insert(.removed)
    }

    private func answerRequests() {
        guard let (request, isRead) = requests.first else { return }
        requests.removeFirst()
        session?.respond(to: request, error: 0, value: isRead ? [4, 5, 6] : nil)
    }

    // MARK: PeripheralObserver

    func adapterStateChanged(_ new: AdapterState) {
        note("state \(new)")
        if new == state { violate("the state \(new) twice") }
        state = new
        guard new != .poweredOn else { return }
        if isAdding || isStarting { violate("a request without an answer before \(new)") }
        (isAdding, isAdded, isStarting, isAdvertising, isPublishing, psm) = (false, false, false, false, false, nil)
        (subscribers, lastValue, waitsForRoom) = ([], 0, false)
    }

    func serviceAdded(token: Int, _ failure: PublishingError?) {
        note("added \(failure.map { "\($0)" } ?? "")")
        if !isAdding { violate("an answer to no request: service") }
        (isAdding, isAdded) = (false, failure == nil)
        if failure != nil { pause = now + .milliseconds(500) }
    }

    func advertisingStarted(_ failure: AdvertisingError?) {
        note("advertising \(failure.map { "\($0)" } ?? "")")
        if !isStarting { violate("an answer to no request: advertising") }
        (isStarting, isAdvertising) = (false, failure == nil)
        if failure != nil { pause = now + .milliseconds(500) }
    }

    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        note("subscribed")
        if !subscribers.insert(central.identifier).inserted { violate("a second subscription") }
        reached.insert(.subscribed)
        lastValue = 0
    }

    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {
        note("unsubscribed")
        if subscribers.remove(central.identifier) == nil { violate("the end of no subscription") }
        if reached.contains(.values) { reached.insert(.unsubscribed) }
    }

    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) {
        if !seen.insert(request).inserted { violate("a request twice") }
        requests.append((request, isRead: true))
    }

    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        if !seen.insert(request).inserted { violate("a request twice") }
        if needsResponse { requests.append((request, isRead: false)) }
    }

    func readyToUpdate() {
        if !waitsForRoom { note("ready without a reason") }
        waitsForRoom = false
    }

    func maximumUpdateLengthChanged(_ central: CentralRecord) {}

    func channelPublished(_ result: Result<UInt16, ChannelError>) {
        note("published \(result)")
        if !isPublishing { violate("an answer to no request: channel") }
        isPublishing = false
        psm = try? result.get()
    }

    func channelUnpublished(psm: UInt16, _ failure: ChannelError?) {}
}
