import BLEAdapter
import BluetoothPairing
import CoreBluetooth
import Foundation
import StudioPhrases

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
    /// Sets the ATT_MTU that the adapter offers on later links; nil if the adapter has no choice.
    private let offerMTU: (@Sendable (UInt16) -> Void)?
    /// The ATT_MTU that the adapter offers (Vol 3, Part F, 3.2.8).
    private var offeredMTU = Explorer.defaultMTU
    private static let mtus = 23...517
    /// What the host of a virtual device offers.
    static let defaultMTU = 498
    /// Called on the queue after each change of the state.
    private let changed: @Sendable () -> Void
    /// Called on the queue with each entry of the log.
    private let report: @Sendable (ExplorerLogEntry) -> Void

    var scan: ExplorerScan
    var devices: [ExploredDevice] = []
    var prompts: [(number: Int, prompt: PairingPrompt)] = []
    var nextPrompt = 1
    package private(set) var log = ExplorerLog()
    /// The time of the next look at the reports of the scan.
    private var scanDeadline: Int64?
    /// The time of the last report of the scan.
    private var lastReport: Int64 = 0
    private static let reportInterval: Int64 = 1_000_000_000
    private var found = FoundDevices()

    /// - Parameters:
    ///   - name: The name of the device on which the explorer runs.
    ///   - adapter: The adapter of that device.
    ///   - queue: A serial queue.
    ///   - clock: The time in nanoseconds, virtual or real. Any thread may call it.
    ///   - offerMTU: Sets the ATT_MTU that the adapter offers on later links; nil if the adapter has no choice.
    ///   - changed: Called on the queue after each change of the state.
    ///   - report: Called on the queue with each entry of the log.
    package init(
        name: String, on adapter: any BluetoothAdapter, queue: DispatchQueue, clock: @escaping @Sendable () -> Int64,
        offerMTU: (@Sendable (UInt16) -> Void)? = nil, changed: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (ExplorerLogEntry) -> Void = { _ in }
    ) {
        self.name = name
        self.adapter = adapter
        self.queue = queue
        self.clock = clock
        self.offerMTU = offerMTU
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
        scanDeadline = nil
        if central.isScanning { central.stopScan() }
        for device in devices where device.link != .disconnected {
            central.cancelPeripheralConnection(device.peripheral)
        }
        pairing.setAgent(nil)
        central.delegate = nil
    }

    // MARK: Time

    /// The time of the next `tick` in nanoseconds; nil if none is needed.
    package var nextDeadline: Int64? {
        (devices.compactMap(\.discovery.due) + [scanDeadline].compactMap { $0 }).min()
    }

    /// Takes the reports of the scan, and begins the discoveries that are due.
    package func tick() {
        let now = clock()
        beginDueDiscoveries(at: now)
        guard scanDeadline != nil else { return }
        scanDeadline = now + Self.tickInterval
        if let count = found.takeUnnamed(at: now) {
            note("discovered-more", Phrase("Found \(count) more devices", "又发现 \(count) 个设备"))
        }
        // The page shows how long devices are silent.
        if scan.drain() || now - lastReport >= Self.reportInterval {
            lastReport = now
            changed()
        }
    }

    /// Whether the log has room for a line about another device that the scan found.
    func admitsFoundDevice() -> Bool { found.admits(at: clock()) }

    func startScan() {
        call(
            "scan", Phrase("Start to scan for all devices", "开始扫描所有设备"),
            swift: "central.scanForPeripherals(withServices: nil)")
        central.scanForPeripherals(withServices: nil)
        scan.start(on: adapter)
        scanDeadline = clock() + Self.tickInterval
        touch()
    }

    func stopScan() {
        call("stop-scan", Phrase("Stop the scan", "停止扫描"), swift: "central.stopScan()")
        central.stopScan()
        endScan()
    }

    func endScan() {
        scan.stop()
        scanDeadline = nil
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
            prompts: prompts.map { PromptState($0.number, $0.prompt) }, logNext: log.next,
            offeredMTU: offerMTU == nil ? nil : offeredMTU, time: clock())
    }

    /// The opened devices.
    package var deviceStates: [DeviceState] { devices.map(\.state) }

    /// All about one device of the scan; nil if the scan does not know it.
    package func detail(of device: UUID) -> ScanDetail? { scan.detail(of: device) }

    /// Offers an ATT_MTU on later links.
    func offer(mtu: Int) throws(StudioError) {
        guard let offerMTU, Self.mtus.contains(mtu) else { throw StudioError.actionArguments }
        offeredMTU = mtu
        offerMTU(UInt16(mtu))
        note(
            "offer-mtu",
            Phrase("The next links use an ATT_MTU of at most \(mtu) octets", "下一个连接的 ATT_MTU 最多为 \(mtu) 字节"))
    }

    // MARK: Changes

    func touch() { changed() }

    func index(of device: UUID) -> Int? { devices.firstIndex { $0.identifier == device } }

    func index(of peripheral: CBPeripheral) -> Int? { devices.firstIndex { $0.peripheral === peripheral } }

    /// The name of a device for the log.
    func title(_ index: Int) -> String { devices[index].name.map(ShownText.name) ?? devices[index].shortIdentifier }

    // MARK: The log

    func call(_ key: String, _ text: Phrase, swift: String, _ device: UUID? = nil) {
        add(.call, key, text, swift, device)
    }

    func callback(_ key: String, _ text: Phrase, swift: String, _ device: UUID? = nil) {
        add(.callback, key, text, swift, device)
    }

    func note(_ key: String, _ text: Phrase, _ device: UUID? = nil) { add(.note, key, text, nil, device) }

    /// Adds a failure that CoreBluetooth reported to the delegate.
    func failure(_ key: String, _ text: Phrase, _ error: any Error, swift: String, _ device: UUID?) {
        let reason = Phrase(error)
        add(.error, key, Phrase("\(text): \(reason)", "\(text)：\(reason)"), swift, device)
    }

    private func add(_ kind: ExplorerLogEntry.Kind, _ key: String, _ text: Phrase, _ swift: String?, _ device: UUID?) {
        report(log.add(kind, key, text, swift: swift, device: device?.uuidString, at: clock()))
        touch()
    }

    func clearLog() {
        log.clear()
        touch()
    }
}

extension ExploredDevice {
    var shortIdentifier: String { String(identifier.uuidString.prefix(8)) }
}

extension CBManagerState {
    /// The name of the case, and its meaning in Chinese.
    var phrase: Phrase {
        switch self {
        case .resetting: Phrase("resetting", "正在重启")
        case .unsupported: Phrase("unsupported", "不支持")
        case .unauthorized: Phrase("unauthorized", "未获授权")
        case .poweredOff: Phrase("poweredOff", "已关闭")
        case .poweredOn: Phrase("poweredOn", "已开启")
        default: Phrase("unknown", "未知")
        }
    }

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
