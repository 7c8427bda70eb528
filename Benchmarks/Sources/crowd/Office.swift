import BLEController
import BLECrypto
import BLEHost
import BLEWire

/// Complete hosts on one radio: an office with beacons, keyboards and people with scanners.
final class Office {
    private final class Device {
        var host: HostStack
        let controller: ControllerIdentifier
        var link: LinkIdentifier?
        var isSubscribed = false
        var values = 0
        var reports = 0

        init(_ host: consuming HostStack, _ controller: ControllerIdentifier) {
            self.host = host
            self.controller = controller
        }
    }

    let radio = VirtualRadio(seed: 1, crypto: { SwiftCryptoProvider(generator: $0) })
    private(set) var transmissions = 0
    private var devices: [Device] = []
    private var deadlines = SlotDeadlineHeap()
    private var due: [Int] = []
    private var handle: UInt16 = 0
    private var gadgets: [Int] = []

    /// The number of received octets of values, of advertising reports, and of established links.
    var values: Int { devices.reduce(0) { $0 + $1.values } }
    var reports: Int { devices.reduce(0) { $0 + $1.reports } }
    var links: Int { gadgets.count { devices[$0].link != nil } }

    private func add(_ configuration: HostConfiguration = HostConfiguration()) -> Int {
        let number = devices.count
        // 30 m by 20 m, at desks.
        let position = RadioPosition(x: Double(number * 7 % 30), y: Double(number * 13 % 20))
        let controller = radio.addController(ControllerConfiguration(), at: position)
        devices.append(
            Device(HostStack(configuration: configuration, random: SeededRandom(seed: UInt64(number + 7))), controller))
        devices[number].host.start(at: radio.now)
        carryOut(number)
        settle()
        return number
    }

    /// - Parameters:
    ///   - devices: all of them, of which one in twenty scans, `links` are gadgets that belong to one of `links / 3` computers, and
    ///     the others are beacons.
    init(devices count: Int, links: Int) {
        let service = ServiceDefinition(
            uuid: BluetoothUUID(UInt16(0xFEE7)), isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: BluetoothUUID(UInt16(0xFEC8)), properties: 0x10, permissions: 1, value: nil, descriptors: [])
            ])
        var wish = HostConfiguration()
        // The parameters of keyboards and mice: an interval below 30 ms and a latency of 150 ms.
        wish.connectionParameters = RequestedConnectionParameters(
            intervalMinimum: 24, intervalMaximum: 24, latency: 4, timeout: 400)
        var computer = 0
        for number in 0..<links {
            if number % 3 == 0 { computer = add(wish) }
            let gadget = add()
            gadgets.append(gadget)
            let added = devices[gadget].host.database.add(service, included: [])
            handle = added?.characteristics.first?.valueHandle ?? 0
            connect(computer, gadget)
        }
        for number in self.devices.count..<max(count, self.devices.count) {
            let device = add()
            if number % 20 == 0 {
                // A phone in a pocket: 30 ms of every 300.
                devices[device].host.setScanning(
                    ScanParameters(isActive: false, interval: 480, window: 48), at: radio.now)
            } else {
                devices[device].host.setAdvertising(
                    AdvertisingParameters(
                        data: [2, 1, 6, 3, 3, 0xE7, 0xFE], isConnectable: true, intervalMinimum: 1636,
                        intervalMaximum: 1636), at: radio.now)
            }
            carryOut(device)
        }
        settle()
    }

    private func connect(_ computer: Int, _ gadget: Int) {
        devices[gadget].host.setAdvertising(AdvertisingParameters(data: [2, 1, 6]), at: radio.now)
        carryOut(gadget)
        guard let address = devices[gadget].host.ownAddress else { return }
        let before = devices[computer].link
        devices[computer].host.connect(to: address, at: radio.now)
        carryOut(computer)
        run(for: .seconds(20)) { self.devices[gadget].link != nil && self.devices[computer].link != before }
        devices[gadget].host.setAdvertising(nil, at: radio.now)
        carryOut(gadget)
        guard let link = devices[computer].link else { return }
        devices[computer].isSubscribed = false
        devices[computer].host.submit(
            .setNotify(valueHandle: handle, end: handle + 1, mode: .notification), id: 1, on: link, at: radio.now)
        carryOut(computer)
        run(for: .seconds(20)) { self.devices[computer].isSubscribed }
    }

    /// Lets the time pass; every gadget notifies twenty octets each second.
    func run(seconds: Int) {
        let value = [UInt8](repeating: 1, count: 20)
        radio.airObserver = { [unowned self] _ in transmissions += 1 }
        for _ in 0..<seconds {
            for gadget in gadgets {
                guard let link = devices[gadget].link else { continue }
                _ = devices[gadget].host.notify(value.span, handle: handle, on: link, at: radio.now)
                carryOut(gadget)
            }
            run(for: .seconds(1)) { false }
        }
        radio.airObserver = nil
    }

    private func run(for time: TimeSpan, until condition: () -> Bool) {
        let end = radio.now + time
        settle()
        while !condition() {
            var next = radio.nextDeadline ?? end
            if let alarm = deadlines.first { next = min(next, alarm) }
            guard next <= end else { return radio.advance(to: end) }
            radio.advance(to: next)
            if let alarm = deadlines.first, alarm <= radio.now {
                deadlines.takeDue(through: radio.now, into: &due)
                for number in due {
                    devices[number].host.handleTimeout(at: radio.now)
                    carryOut(number)
                }
                due.removeAll(keepingCapacity: true)
            }
            settle()
        }
    }

    private func settle() {
        while let next = radio.nextControllerWithOutput {
            let device = devices[next.rawValue]
            radio.drainOutput(of: next) { device.host.receive($0, at: radio.now) }
            carryOut(next.rawValue)
        }
    }

    /// What follows from a call of a host.
    private func carryOut(_ number: Int) {
        let device = devices[number]
        for event in device.host.output.events.pending {
            switch event {
            case .connected(let link, _, _, _): device.link = link
            case .disconnected: device.link = nil
            case .completed: device.isSubscribed = true
            case .value(_, let value): device.values += value.octets.count
            case .advertisingReport: device.reports += 1
            default: break
            }
        }
        device.host.output.events.removeAll()
        if !device.host.output.packets.isEmpty {
            let octets = device.host.output.packets
            var start = 0
            while start + 4 <= octets.count {
                let isData = octets[start] == 2
                let length =
                    isData ? 5 + Int(octets[start + 3]) + Int(octets[start + 4]) << 8 : 4 + Int(octets[start + 3])
                radio.receive(octets.span.extracting(start..<start + length), for: device.controller)
                start += length
            }
            device.host.output.packets.removeAll(keepingCapacity: true)
        }
        deadlines.set(number, to: device.host.nextTimeout)
    }
}
