import AdvertisementScanning
import BLEAdapter
import BLEValues
import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation

/// A device that the user opened in the live table: connects, explores, and carries out what the keys ask for. The scan of the table goes on.
@MainActor
final class DevicePage {
    private(set) var view = DeviceView()
    let key: ScannedDevice.Key
    private var peer: PeerIdentifier { key.peer }
    /// The advertisement, as the last drawing showed it. The table may drop the device.
    private var advertisement: [String] = []

    private let terminal: Terminal
    private let redraw: @MainActor () -> Void
    /// A client of its own: that of the scan waits for reports.
    private var client: CentralClient?
    private var characteristics: [CBCharacteristic] = []
    private var formats: [Int: PresentationFormat] = [:]
    /// The characteristic of the read under way, whose next value is the result.
    private var reading: CBCharacteristic?
    private var queue: [DeviceView.Action] = []
    private var work: Task<Void, Never>?
    private var isClosed = false

    /// The most actions that wait for their turn.
    private static let queueLimit = 16
    private static let limit = Duration.seconds(10)

    /// - Parameter redraw: Asks for a drawing.
    init(_ device: ScannedDevice, terminal: Terminal, redraw: @escaping @MainActor () -> Void) {
        key = device.key
        self.terminal = terminal
        self.redraw = redraw
        if device.isConnectable { perform(.connect) } else { view.state = .notConnectable }
    }

    /// Handles a key. Returns whether the user goes back to the list.
    func handle(_ key: ScreenKey) -> Bool {
        guard let action = view.handle(key) else { return false }
        if action == .close { return true }
        perform(action)
        return false
    }

    /// - Parameter device: The device as the scan knows it; nil if the table has dropped it.
    func lines(_ device: ScannedDevice?, at now: Duration, size: TerminalSize) -> [String] {
        if let device {
            advertisement = AdvertisementDetail(terminal: terminal, names: OwnNames.current).lines(device, at: now)
        }
        return view.lines(advertisement, terminal: terminal, size: size)
    }

    /// Ends the link.
    func close() async {
        isClosed = true
        work?.cancel()
        await work?.value
        client?.observer = nil
        await client?.close()
        client = nil
    }

    // MARK: Actions

    private func perform(_ action: DeviceView.Action) {
        guard !isClosed, queue.count < Self.queueLimit else { return }
        queue.append(action)
        if work == nil { work = Task { await workOff() } }
    }

    private func workOff() async {
        while !queue.isEmpty, !isClosed {
            do {
                try await run(queue.removeFirst())
            } catch let failure as ToolError {
                report(failure)
            } catch {}
            redraw()
        }
        work = nil
    }

    private func report(_ failure: ToolError) {
        let text = failure.lines.map(say).joined(separator: " ")
        if view.state.isConnected, client?.peripheral?.state == .connected {
            view.note = ValueText.printable(text)
        } else if case .lost = view.state {
            // The end of the link has said why.
        } else {
            view.state = .lost(ValueText.printable(text))
        }
    }

    private func run(_ action: DeviceView.Action) async throws {
        switch action {
        case .close: break
        case .connect: try await connect()
        case .name(let text):
            try OwnNames.set(text.isEmpty ? nil : text, of: peer)
            view.note = text.isEmpty ? say("The device has no name of your own now.") : say("Named \(text).")
        case .read(let index):
            try await read(index)
            view.note = ""
        case .subscribe(let index, let isOn):
            let (client, peripheral) = try link()
            try await client.setNotifying(isOn, characteristics[index], of: peripheral)
            view.update(index) { $0.isNotifying = isOn }
            view.note = ""
        case .write(let index, let text):
            let (client, peripheral) = try link()
            let octets = try Self.octets(text, for: characteristics[index])
            try await client.write(octets, to: characteristics[index], of: peripheral, response: nil)
            view.note = say("wrote \(octetCount(octets.count)) to \(displayName(characteristics[index].uuid))")
        }
    }

    /// Hexadecimal digits, else what the format of the characteristic takes, such as `21.5`.
    static func octets(_ text: String, for characteristic: CBCharacteristic) throws -> [UInt8] {
        do throws(ValueError) {
            return try ValueFormat(.hexadecimal).octets(text)
        } catch {
            if let schema = characteristic.uuid.shortValue.flatMap(Schemas.schema),
                let octets = try? schema.encode(text)
            {
                return octets
            }
            throw ToolError(.usage, error.description)
        }
    }

    private func link() throws -> (CentralClient, CBPeripheral) {
        guard let client, let peripheral = client.peripheral, peripheral.state == .connected else {
            throw ToolError(.failed, "no device is connected.")
        }
        return (client, peripheral)
    }

    private func connect() async throws {
        view.begin()
        redraw()
        characteristics = []
        formats = [:]
        await client?.close()
        let client = CentralClient()
        self.client = client
        client.observer = { [weak self] event in self?.observe(event) }
        try await client.powerOn(Self.limit)
        guard let peripheral = client.peripheral(peer.uuid) else {
            throw ToolError(.notFound, "the adapter no longer knows \(peer.shortText).")
        }
        let pairing = PairingManager()
        pairing.setAgent(PageAgent { [weak self] in self?.view.note = $0 }, decidesAboutRequests: false)
        client.pairing = pairing
        do {
            try await client.connect(peripheral, within: Self.limit)
        } catch {
            client.manager.cancelPeripheralConnection(peripheral)
            throw error
        }
        view.state = .exploring
        redraw()
        try await explore(client, peripheral)
        if view.state == .exploring { view.state = .connected }
    }

    // MARK: Attributes

    private func explore(_ client: CentralClient, _ peripheral: CBPeripheral) async throws {
        for service in try await client.discoverAll(of: peripheral, descriptors: true) {
            let (title, number) = Self.title(service.uuid)
            view.add(service: title, number)
            for characteristic in service.characteristics ?? [] {
                let (title, number) = Self.title(characteristic.uuid)
                characteristics.append(characteristic)
                view.add(.init(title: title, number: number, properties: characteristic.properties))
            }
        }
        let described = await client.linkDescription(of: peripheral)
        let rssi = described == nil ? nil : try await client.readRSSI(of: peripheral)
        let device = ConnectedDevice(client: client, peripheral: peripheral)
        view.head = DeviceHead(device, described, rssi: rssi).line(Terminal(allowsColor: false, isTerminal: false))
        redraw()
        for index in characteristics.indices {
            for descriptor in characteristics[index].descriptors ?? [] where descriptor.describesCharacteristic {
                try await tolerating { try await client.read(descriptor, of: peripheral) }
                if let format = descriptor.presentationFormat { formats[index] = format }
                if let text = descriptor.userDescription {
                    view.update(index) { $0.label = ValueText.printable(text) }
                }
            }
            guard characteristics[index].properties.contains(.read) else { continue }
            do {
                try await read(index)
            } catch let failure as ToolError where failure.isRefusal {
                // The row shows it.
            }
            redraw()
        }
    }

    /// A descriptor that the device refuses to tell is of no consequence.
    private func tolerating(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let failure as ToolError where failure.isRefusal {}
    }

    private func read(_ index: Int) async throws {
        let (client, peripheral) = try link()
        reading = characteristics[index]
        defer { reading = nil }
        do {
            let octets = try await client.read(characteristics[index], of: peripheral)
            show(octets, index)
        } catch let failure as ToolError where failure.isRefusal {
            view.update(index) { $0.problem = say(AttributeTree.reason(failure)) }
            throw failure
        }
    }

    private func show(_ octets: [UInt8], _ index: Int) {
        let text = AttributeTree.text(octets, characteristics[index].uuid, formats[index])
        view.update(index) { row in
            (row.octets, row.text, row.problem) = (octets, text, nil)
        }
    }

    private static func title(_ uuid: CBUUID) -> (String, String) {
        let name = displayName(uuid)
        return name == uuid.uuidString ? (name, "") : (name, uuid.uuidString)
    }

    private func observe(_ event: CentralClient.Event) {
        switch event {
        case .value(let characteristic, nil) where characteristic !== reading:
            guard let index = characteristics.firstIndex(where: { $0 === characteristic }) else { return }
            show(Array(characteristic.value ?? Data()), index)
            view.update(index) { $0.count += 1 }
        case .disconnected(let error):
            guard view.state.isConnected else { return }
            for index in characteristics.indices { view.update(index) { $0.isNotifying = false } }
            view.state = .lost(say("The device disconnected: \(sentence(error))."))
        default: return
        }
        redraw()
    }
}

/// Pairs as a device without a display and keys does, if the device requires it, and says so on the page.
private final class PageAgent: PairingAgent {
    let capability = PairingCapability.noInputNoOutput
    private let note: @MainActor (String) -> Void

    init(_ note: @escaping @MainActor (String) -> Void) { self.note = note }

    func handle(_ prompt: PairingPrompt) { prompt.cancel() }

    func pairingEnded(with device: PairingDevice, _ result: Result<PairingSecurity, PairingError>) {
        let sentence = say(PairingRecord.sentence(about: device, result))
        MainActor.assumeIsolated { note(sentence) }
    }
}
