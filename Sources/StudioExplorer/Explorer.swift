import BLEAdapter
import BluetoothPairing
import CoreBluetooth
import Foundation

/// Scans, connects to several devices, shows their attributes and values, and answers pairings, with CoreBluetooth.
///
/// The explorer is confined to one serial queue: the caller uses it only there, and CoreBluetooth calls it there. It has no clock and no
/// random source of its own, so equal actions at equal times on equal devices give equal states.
package final class Explorer: NSObject, @unchecked Sendable {
    /// The most devices that are open at a time.
    static let deviceLimit = 16
    /// The time between two looks at the reports of the scan, in nanoseconds.
    package static let tickInterval: Int64 = 100_000_000

    package let name: String
    package let queue: DispatchQueue
    let adapter: any BluetoothAdapter
    let clock: @Sendable () -> Int64
    let pairing: PairingManager
    private(set) var central: CBCentralManager!
    private let agent: ExplorerAgent
    /// Called on the queue after each change of the state.
    private let changed: @Sendable () -> Void
    /// Called on the queue with each entry of the log.
    private let report: @Sendable (ExplorerLogEntry) -> Void

    var scan: ExplorerScan
    var devices: [ExploredDevice] = []
    var prompts: [(number: Int, prompt: PairingPrompt)] = []
    var nextPrompt = 1
    package private(set) var log = ExplorerLog()
    private var deadline: Int64?

    /// - Parameters:
    ///   - name: The name of the device on which the explorer runs.
    ///   - adapter: The adapter of that device.
    ///   - queue: A serial queue.
    ///   - clock: The time in nanoseconds, virtual or real. Any thread may call it.
    ///   - changed: Called on the queue after each change of the state.
    ///   - report: Called on the queue with each entry of the log.
    package init(
        name: String, on adapter: any BluetoothAdapter, queue: DispatchQueue, clock: @escaping @Sendable () -> Int64,
        changed: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (ExplorerLogEntry) -> Void = { _ in }
    ) {
        self.name = name
        self.adapter = adapter
        self.queue = queue
        self.clock = clock
        self.changed = changed
        self.report = report
        scan = ExplorerScan(clock: clock)
        pairing = PairingManager(adapter: adapter, queue: queue)
        agent = ExplorerAgent()
        super.init()
        agent.explorer = self
        central = AdapterBinding.$scoped.withValue(adapter) { CBCentralManager(delegate: self, queue: queue) }
        pairing.setAgent(agent)
    }

    /// Ends the scan and all links.
    package func close() {
        scan.stop()
        deadline = nil
        if central.isScanning { central.stopScan() }
        for device in devices where device.link != .disconnected {
            central.cancelPeripheralConnection(device.peripheral)
        }
        pairing.setAgent(nil)
        central.delegate = nil
    }

    // MARK: Time

    /// The time of the next `tick` in nanoseconds; nil if none is needed.
    package var nextDeadline: Int64? { deadline }

    /// Takes the reports of the scan.
    package func tick() {
        guard deadline != nil else { return }
        deadline = clock() + Self.tickInterval
        if scan.drain() { changed() }
    }

    func startScan() {
        call(
            "scan", [:], "Start to scan for all devices",
            swift: "central.scanForPeripherals(withServices: nil)")
        central.scanForPeripherals(withServices: nil)
        scan.start(on: adapter)
        deadline = clock() + Self.tickInterval
        touch()
    }

    func stopScan() {
        call("stop-scan", [:], "Stop the scan", swift: "central.stopScan()")
        central.stopScan()
        endScan()
    }

    func endScan() {
        scan.stop()
        deadline = nil
        touch()
    }

    // MARK: State

    /// The state of the scan, the prompts and the log.
    ///
    /// - Parameter includesDevices: Whether the opened devices with their attributes and values are part of it.
    package func state(
        _ selection: ScanSelection = ScanSelection(), includesDevices: Bool = true
    ) -> ExplorerState {
        let (rows, more) = scan.rows(selection)
        return ExplorerState(
            name: ShownText.name(name), adapter: central.state.word, isScanning: central.isScanning, rows: rows,
            moreRows: more, seen: scan.count, filter: selection, devices: includesDevices ? deviceStates : [],
            prompts: prompts.map { PromptState($0.number, $0.prompt) }, logNext: log.next)
    }

    /// The opened devices.
    package var deviceStates: [DeviceState] { devices.map(\.state) }

    /// All about one device of the scan; nil if the scan does not know it.
    package func detail(of device: UUID) -> ScanDetail? { scan.detail(of: device) }

    // MARK: Changes

    func touch() { changed() }

    func index(of device: UUID) -> Int? { devices.firstIndex { $0.identifier == device } }

    func index(of peripheral: CBPeripheral) -> Int? { devices.firstIndex { $0.peripheral === peripheral } }

    /// The name of a device for the log.
    func title(_ index: Int) -> String { devices[index].name.map(ShownText.name) ?? devices[index].shortIdentifier }

    // MARK: The log

    func call(_ key: String, _ values: [String: String], _ text: String, swift: String, _ device: UUID? = nil) {
        add(.call, key, values, text, swift, device)
    }

    func callback(_ key: String, _ values: [String: String], _ text: String, swift: String, _ device: UUID? = nil) {
        add(.callback, key, values, text, swift, device)
    }

    func note(_ key: String, _ values: [String: String], _ text: String, _ device: UUID? = nil) {
        add(.note, key, values, text, nil, device)
    }

    /// Adds a failure that CoreBluetooth reported to the delegate.
    func failure(
        _ key: String, _ values: [String: String], _ text: String, _ error: any Error, swift: String, _ device: UUID?
    ) {
        let reason = Self.sentence(error)
        add(.error, key, values.merging(["reason": reason]) { $1 }, "\(text): \(reason)", swift, device)
    }

    private func add(
        _ kind: ExplorerLogEntry.Kind, _ key: String, _ values: [String: String], _ text: String, _ swift: String?,
        _ device: UUID?
    ) {
        report(
            log.add(kind, key, values, text, swift: swift, device: device?.uuidString, at: clock()))
        touch()
    }

    func clearLog() {
        log.clear()
        touch()
    }

    /// The text of an error. Codes of the application have no text of their own (Vol 3, Part F, 3.4.1.1).
    static func sentence(_ error: any Error) -> String {
        if let code = (error as? CBATTError)?.code, (0x80...0x9F).contains(code.rawValue) {
            return "application error 0x" + String(code.rawValue, radix: 16, uppercase: true)
        }
        return error.localizedDescription
    }
}

extension ExploredDevice {
    var shortIdentifier: String { String(identifier.uuidString.prefix(8)) }
}

extension CBManagerState {
    var word: String {
        switch self {
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        default: "unknown"
        }
    }
}
