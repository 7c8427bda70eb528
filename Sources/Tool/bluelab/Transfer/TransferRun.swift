import BLEAdapter
import BLERuntime
import BLETransfer
import BLEValues
import BLEWire
import CoreBluetooth
import Foundation

/// Runs a transfer until its end, and displays it.
@MainActor
final class TransferRun {
    private enum Input: Sendable {
        case event(TransferEvent)
        case signal(ToolError.Kind)
        case tick
    }

    private let isSending: Bool
    private let isJSON: Bool
    private var fileName: String
    private let store: TransferFolder?
    private let keepsWaiting: Bool
    private let display: TransferDisplay
    private let start = ContinuousClock.now
    private var isCentral = false
    private var deviceName: String?
    private var meter: TransferMeter?
    /// The client of the search for the device, which a signal interrupts.
    private var search: CentralClient?
    private var signal: ToolError.Kind?
    private var lastRecord: Duration?
    /// Why the controller cannot be used, as the user knows it.
    private var controllerFailure: ControllerError?
    /// The result of the command once the transfer has ended; nil is success.
    private var result: Result<Void, ToolError>?

    init(
        isSending: Bool, isJSON: Bool, fileName: String = "", store: TransferFolder? = nil, keepsWaiting: Bool = false
    ) {
        self.isSending = isSending
        self.isJSON = isJSON
        self.fileName = ValueText.printable(fileName)
        self.store = store
        self.keepsWaiting = keepsWaiting
        display = TransferDisplay(isQuiet: isJSON)
    }

    /// The time since the creation.
    private var now: Duration { ContinuousClock.now - start }
    private var direction: String { isSending ? "send" : "receive" }

    /// Runs the transfer as a central with a device, or as a peripheral.
    func run(_ task: sending Transfer, device: String?, _ options: TransferOptions) async throws {
        let (inputs, continuation) = AsyncStream<Input>.makeStream()
        let signals = TerminationSignals(on: .main) { [weak self] kind in
            continuation.yield(.signal(kind))
            MainActor.assumeIsolated { self?.search?.interrupt(ToolError(kind)) }
        }
        let ticker = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .milliseconds(200))
                continuation.yield(.tick)
            }
        }
        defer {
            ticker.cancel()
            signals.cancel()
            display.clear()
        }
        let pairing = options.pairing.watch()
        let peer = if let device { try await find(device, options) } else { nil as UUID? }
        let queue = DispatchQueue(label: "bluelab.transfer")
        let report: @Sendable (TransferEvent) -> Void = { continuation.yield(.event($0)) }
        isCentral = peer != nil
        let central: TransferCentral?
        let peripheral: TransferPeripheral?
        do {
            if let peer {
                peripheral = nil
                central = try TransferCentral(
                    task, peer: .identifier(peer), carrier: options.channel ? .channel : .attributes,
                    timing: options.timing, queue: queue, onEvent: report)
            } else {
                central = nil
                peripheral = try TransferPeripheral(
                    task, name: options.localName, timing: options.timing, queue: queue, onEvent: report)
                display.note(
                    "\(isSending ? "waiting for a receiver of \(fileName)" : "waiting for a sender") as "
                        + "\(ValueText.printable(options.localName)); Ctrl-C ends.")
            }
        } catch {
            throw ToolError(.usage, "\(error).")
        }
        central?.start()
        peripheral?.start()
        for await input in inputs {
            switch input {
            case .event(let event): try handle(event)
            case .tick:
                refresh()
                if peripheral != nil { noteController() }
            case .signal(let kind):
                guard signal == nil else { exit(kind.rawValue) }
                signal = kind
                if let central { central.cancel() } else { result = .failure(ToolError(kind)) }
            }
            if result != nil { break }
        }
        if let peripheral { await withCheckedContinuation { done in peripheral.stop { done.resume() } } }
        withExtendedLifetime((central, pairing)) {}
        try result?.get()
    }

    private func find(_ device: String, _ options: TransferOptions) async throws -> UUID {
        let client = CentralClient()
        search = client
        defer { search = nil }
        return try await options.find(device, with: client)
    }

    /// Says once why the controller cannot be used: a transfer that waits has no other sign of it.
    private func noteController() {
        let latest = ControllerReport.ofProcess.latest
        guard latest != controllerFailure else { return }
        controllerFailure = latest
        if let latest { display.note("\(latest)") }
    }

    // MARK: Events

    private func handle(_ event: TransferEvent) throws {
        let now = self.now
        switch event {
        case .linked(let name): deviceName = name.map(ValueText.printable)
        case .started(let offer, let offset):
            fileName = ValueText.printable(offer.name)
            if meter == nil {
                meter = TransferMeter(size: offer.size, stored: offset, at: now)
                if offset > 0 { display.note("continuing \(fileName) at \(TransferText.amount(offset))") }
            } else {
                meter?.reconnects += 1
                meter?.add(offset, at: now)
            }
            try progress(offer)
        case .progress(let offer, let stored):
            meter?.add(stored, at: now)
            try progress(offer)
        case .linkLost: display.note("the link was lost; waiting for \(deviceName ?? "the other end")")
        case .ended(let offer, nil): try complete(offer)
        case .ended(_, let error?): fail(error)
        }
    }

    private func complete(_ offer: TransferOffer?) throws {
        guard let offer else { return }
        let meter = self.meter ?? TransferMeter(size: offer.size, stored: offer.size, at: now)
        let time = meter.elapsed(at: now)
        let path = store?.path(of: offer)
        if isJSON {
            try emit(
                jsonLine(
                    TransferredRecord(
                        file: offer.name, direction: direction, size: offer.size,
                        digest: Hexadecimal.digits(offer.digest), path: path, resumed: meter.resumedAt,
                        reconnects: meter.reconnects, time: rounded(time / .seconds(1)))))
        } else {
            refresh()
            display.clear()
            let place = path.map { "\(ValueText.printable($0)): " } ?? ""
            display.note(
                "\(place)sha256 matches. \(TransferText.amount(offer.size)) in \(number(rounded(time / .seconds(1)))) s."
            )
        }
        self.meter = nil
        if !keepsWaiting { result = .success(()) }
    }

    private func fail(_ error: TransferError) {
        display.clear()
        if let signal { return result = .failure(ToolError(signal)) }
        let failure = toolFailure(error)
        // A sender's mistake does not end a receiver that waits for senders.
        if !isSending, !isCentral, isRefusedOffer(error) {
            meter = nil
            return display.note("\(failure.lines.first ?? "") Still waiting.")
        }
        result = .failure(failure)
    }

    private func isRefusedOffer(_ error: TransferError) -> Bool {
        switch error {
        case .endedByPeer: true
        case .ended(let reason):
            [
                .nameNotAllowed, .tooLarge, .fileExists, .unsupportedVersion, .protocolError, .timeout,
                .digestMismatch,
            ]
            .contains(reason)
                // Before the first octet, the size and the name of the offer are the reason.
                || meter == nil && [.noSpace, .storageFailed].contains(reason)
        default: false
        }
    }

    private func toolFailure(_ error: TransferError) -> ToolError {
        let peer = deviceName ?? "the other end"
        let file = fileName.isEmpty ? "the file" : fileName
        switch error {
        case .endedByPeer(.timeout), .ended(.timeout):
            return ToolError(
                .timeout, "the transfer stopped: \(peer) was silent for too long.",
                "Try: the same command; it continues at the last stored octet.")
        case .endedByPeer(let reason) where isSending:
            return ToolError(.refused, "\(peer) did not take \(file): \(reason).")
        case .endedByPeer(let reason): return ToolError(.refused, "\(peer) stopped sending \(file): \(reason).")
        case .ended(.noSpace):
            return ToolError(
                .failed, "\(file) cannot be stored: the disk is full.",
                "Try: df -h \(ShellWord.quoted(store?.path ?? "."))")
        case .ended(let reason): return ToolError(.failed, "\(file) was not transferred: \(reason).")
        case .noLink:
            return ToolError(
                .timeout, "the link to \(peer) was lost and did not come back.",
                "Try: the same command; it continues at the last stored octet.")
        case .noService:
            return ToolError(
                .notFound, "\(peer) has no transfer service.", "Try: bluelab transfer receive on the other machine")
        case .refused(let text, let isSecurity):
            let sentence = text.hasSuffix(".") ? String(text.dropLast()) : text
            return ToolError(isSecurity ? .security : .refused, "\(peer) refused an operation: \(sentence).")
        case .notPoweredOn:
            return .unusableController
        case .file(let text): return ToolError(.failed, "\(text).")
        }
    }

    // MARK: Display

    private func progress(_ offer: TransferOffer) throws {
        guard let meter else { return }
        let now = self.now
        guard isJSON else { return refresh() }
        // At most five lines a second.
        if let lastRecord, now - lastRecord < .milliseconds(200) { return }
        lastRecord = now
        try emit(
            jsonLine(
                TransferringRecord(
                    file: offer.name, direction: direction, size: meter.size, stored: meter.stored,
                    rate: meter.rate(at: now).map { $0.rounded() }, remaining: meter.remaining(at: now).map(rounded),
                    reconnects: meter.reconnects, time: rounded(meter.elapsed(at: now) / .seconds(1)))))
    }

    private func refresh() {
        guard let meter else { return }
        let arrow = display.isUnicode ? (isSending ? "→" : "←") : (isSending ? "->" : "<-")
        let now = self.now
        display.show(at: now) { columns, isUnicode in
            TransferText.line(
                fileName, arrow: arrow, deviceName ?? "", meter, at: now, columns: columns, isUnicode: isUnicode)
        }
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 100).rounded() / 100 }
}
