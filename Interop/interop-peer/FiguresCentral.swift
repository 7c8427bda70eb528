import CoreBluetooth

/// Measures one client through an adapter: connects, receives notifications, writes commands and reads, and prints a line for each of these parts.
/// Interop/guest/inside/figures_bleak.py does the same with another library.
@MainActor
final class FiguresCentral: NSObject, @preconcurrency CBCentralManagerDelegate, @preconcurrency CBPeripheralDelegate {
    private enum Part: String { case connect, notify, write, read, leave }

    private let report: Report
    private let operations: UInt32
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var part = Part.connect
    private var meter = FiguresMeter()
    /// Of notifications: received, and the number that is next. Of writes: the number that is next. Of reads: their number.
    private var count: UInt32 = 0
    private var next: UInt32 = 0
    private var connected = 0.0
    private var undiscovered = 0
    private var began = 0.0
    private var latencies: [Double] = []

    init(report: Report) {
        self.report = report
        operations = ProcessInfo.processInfo.environment["INTEROP_OPERATIONS"].flatMap { UInt32($0) } ?? 1000
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    // MARK: The link

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [Plan.figures])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        begin(.connect)
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        connected = meter.elapsed
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        undiscovered = peripheral.services?.count ?? 0
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        undiscovered -= 1
        guard undiscovered == 0 else { return }
        let services = peripheral.services ?? []
        for characteristic in services.first(where: { $0.uuid == Plan.figures })?.characteristics ?? [] {
            characteristics[characteristic.uuid] = characteristic
        }
        end(services.count, "connected=\(microseconds(connected))")
        subscribe()
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        guard part == .leave else { report.abandon("disconnected: \(error?.localizedDescription ?? "no reason")") }
        report.note(FiguresMeter.memory)
        report.end()
    }

    // MARK: Notifications

    /// The subscription itself is not measured.
    private func subscribe() {
        part = .notify
        peripheral?.setNotifyValue(true, for: characteristics[Plan.stream]!)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.abandon("not subscribed: \(error.localizedDescription)") }
        guard characteristic.isNotifying else { return }
        begin(.notify)
        demand(0)
    }

    private func demand(_ acknowledged: UInt32) {
        let value = operations.littleEndianOctets + acknowledged.littleEndianOctets
        peripheral?.writeValue(value, for: characteristics[Plan.demand]!, type: .withoutResponse)
    }

    private func receive(_ number: UInt32) {
        count += 1
        next = number + 1
        if next == operations {
            end(Int(count), "good=\(count)")
            begin(.write)
            write()
        } else if next % (Plan.figuresAhead / 2) == 0 {
            demand(next)
        }
    }

    // MARK: Write commands

    private func write() {
        guard let peripheral, let counted = characteristics[Plan.counted] else { return }
        while next < operations, peripheral.canSendWriteWithoutResponse {
            peripheral.writeValue(Data.numbered(next), for: counted, type: .withoutResponse)
            next += 1
        }
        if next == operations { peripheral.readValue(for: characteristics[Plan.tally]!) }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if part == .write, next < operations { write() }
    }

    private func tally(_ value: Data) {
        guard value.number(at: 0) == operations else {
            // bluetoothd has taken all of them, and some are on their way.
            peripheral?.readValue(for: characteristics[Plan.tally]!)
            return
        }
        end(Int(operations), "good=\(value.number(at: 4) ?? 0)")
        begin(.read)
        read()
    }

    // MARK: Reads

    private func read() {
        began = meter.elapsed
        peripheral?.readValue(for: characteristics[Plan.sample]!)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value, let number = value.number(at: 0), error == nil else {
            report.abandon("no value: \(error?.localizedDescription ?? "no error")")
        }
        switch characteristic.uuid {
        case Plan.stream: receive(number)
        case Plan.tally: tally(value)
        default:
            latencies.append(meter.elapsed - began)
            if number == operations { count += 1 }
            if latencies.count < Int(operations) { return read() }
            latencies.sort()
            let (middle, late) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
            end(latencies.count, "good=\(count) median=\(microseconds(middle)) late=\(microseconds(late))")
            part = .leave
            manager.cancelPeripheralConnection(peripheral)
        }
    }

    // MARK: Parts

    private func begin(_ part: Part) {
        self.part = part
        (count, next) = (0, 0)
        meter = FiguresMeter()
    }

    private func end(_ operations: Int, _ more: String) {
        report.note("FIGURE \(part.rawValue) operations=\(operations) \(meter.spent) \(more)")
    }

    private func microseconds(_ seconds: Double) -> Int { Int(seconds * 1e6) }
}

/// What a part takes: time, and time of the processor in this process and in others.
struct FiguresMeter {
    /// The names of other processes and their numbers: "bluetoothd=12 bus=7".
    private static let others = ProcessInfo.processInfo.environment["INTEROP_PROCESSES"] ?? ""

    private let start = Self.clock
    private let before = Self.spent

    var elapsed: Double { Self.clock - start }

    /// In microseconds: "time=… own=… bluetoothd=…".
    var spent: String {
        let time = "time=\(Int(elapsed * 1e6))"
        return ([time] + zip(before, Self.spent).map { "\($0.name)=\($1.time - $0.time)" }).joined(separator: " ")
    }

    /// The largest memory that was resident, in KiB.
    static var memory: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let words = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(
            whereSeparator: \.isWhitespace)
        return "FIGURE memory kibibytes=\(words?.dropFirst().first ?? "0")"
    }

    private static var clock: Double { ProcessInfo.processInfo.systemUptime }

    private static var spent: [(name: String, time: Int)] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let own = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec) }
        return [("own", own)]
            + others.split(separator: " ").map { entry in
                let words = entry.split(separator: "=")
                // The first number is the time on a processor in nanoseconds.
                let text = (try? String(contentsOfFile: "/proc/\(words[1])/schedstat", encoding: .utf8)) ?? ""
                return (String(words[0]), (text.split(separator: " ").first.flatMap { Int($0) } ?? 0) / 1000)
            }
    }
}
