import BLEAdapter
import BLEWire
import Dispatch
import Foundation
import StudioExplorer
import Phrases
import StudioRoom
import StudioServer

/// The explorers of the studio, and their topics, streams, commands and files.
///
/// - Topic `explorers`: `[{"id","name","isAdapter","state"}]`; `id` is the device of the room, that of the lesson behind `lesson-`, or `adapter`; `state` a case of `CBManagerState`.
/// - Topic `explorer.ID`: an `ExplorerState` without devices, with `advice` (why there is no adapter, or null) and `logFirst` (the number of the
///   oldest entry of the log).
/// - Topic `explorer.ID.devices`: the opened devices, `[DeviceState]`.
/// - Stream `explorer.ID.log`: `ExplorerLogEntry`.
/// - Commands `explorer.do {"explorer","action","with"}` (see `ExplorerAction`), `explorer.filter {"explorer","filter"}` (a `ScanSelection`, which all
///   pages share), `explorer.pending {"explorer","device"}` -> `{"pending"}` (the operations that wait for a connected device), `explorer.detail {"explorer","device"}` -> `{"detail"}`, `explorer.formats {"explorer","device","attribute"}` -> `{"detail"}`,
///   `explorer.values {"explorer","device","attribute","from"?}` -> `ValueHistoryPage` (those from a number on),
///   `explorer.validate {"explorer","device","attribute","value","format"}` -> `{"octets","count","parts"}`.
/// - Files `explorer.log {"explorer"}` and `explorer.script {"explorer","device"}`.
package final class ExplorerDirectory: Sendable {
    /// Performs an action of an explorer in the room, so that the room can repeat it.
    package typealias RoomAct =
        @Sendable (_ device: String, _ action: String, _ arguments: RoomValue) async throws -> Void

    private struct Entry {
        let identifier: String
        var name: String
        let isAdapter: Bool
        /// Why the adapter cannot be used, if that is known.
        let advice: Phrase?
        /// The explorers of the device, the latest one last: a step back in time makes another one before the former ends.
        var candidates: [WeakExplorer]
        var filter = ScanSelection()
        var state = "unknown"

        var explorer: Explorer? { candidates.last { $0.explorer != nil }?.explorer }
    }

    /// The program of the room, or the adapter's owner, keeps the explorer.
    private struct WeakExplorer {
        weak var explorer: Explorer?
    }

    private struct State {
        var entries: [Entry] = []
        var act: RoomAct?
        /// The topics that changed since the pages heard of it.
        var dirty: Set<String> = []
        var isReporting = false
    }

    /// The least time between two reports of changes to the pages.
    private static let reportInterval = DispatchTimeInterval.milliseconds(80)

    private let hub: StudioHub
    private let state = Lock(State())

    package init(_ hub: StudioHub) {
        self.hub = hub
        hub.addTopic("explorers") { [weak self] in self?.list ?? JSONText("[]") }
        addCommands()
    }

    /// Sets how actions of explorers in the room are performed.
    package func setRoom(_ act: @escaping RoomAct) { state.withLock { $0.act = act } }

    // MARK: Explorers

    /// Adds an explorer. It replaces an earlier one with the same identifier, whose device the room made anew.
    func add(_ explorer: Explorer, _ identifier: String, isAdapter: Bool = false, advice: Phrase? = nil) {
        let name = explorer.name
        state.withLock { [weak explorer] state in
            let candidate = WeakExplorer(explorer: explorer)
            if let former = state.entries.firstIndex(where: { $0.identifier == identifier }) {
                state.entries[former].candidates.append(candidate)
                // The device of another scene can have the identifier.
                state.entries[former].name = name
                return
            }
            state.entries.append(
                Entry(identifier: identifier, name: name, isAdapter: isAdapter, advice: advice, candidates: [candidate])
            )
            // d2 before d10
            state.entries.sort {
                ($0.identifier.count, $0.identifier) < ($1.identifier.count, $1.identifier)
            }
        }
        hub.addTopic("explorer.\(identifier)") { [weak self] in await self?.scanText(identifier) ?? JSONText("null") }
        hub.addTopic("explorer.\(identifier).devices") { [weak self] in
            await self?.read(identifier) { JSONText.encoded($0.devices.states) } ?? JSONText("[]")
        }
        hub.addStream("explorer.\(identifier).log") { [weak self] position, limit in
            await self?.read(identifier) { $0.log.batch(from: position, limit: limit) }
                ?? StreamBatch(items: [], next: position)
        }
        hub.touch("explorers")
    }

    /// Removes an explorer whose device has left the room, unless another one has its identifier.
    func remove(_ explorer: ObjectIdentifier, _ identifier: String) {
        let isRemoved = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.identifier == identifier }) else { return false }
            state.entries[index].candidates.removeAll { candidate in
                candidate.explorer == nil || candidate.explorer.map(ObjectIdentifier.init) == explorer
            }
            guard state.entries[index].candidates.isEmpty else { return false }
            state.entries.remove(at: index)
            return true
        }
        guard isRemoved else { return }
        hub.removeTopic("explorer.\(identifier)")
        hub.removeTopic("explorer.\(identifier).devices")
        hub.touch("explorers")
    }

    /// Reports a change of an explorer. Calls are cheap.
    func changed(_ identifier: String) {
        let begins = state.withLock { state in
            state.dirty.insert(identifier)
            defer { state.isReporting = true }
            return !state.isReporting
        }
        guard begins else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.reportInterval) { [weak self] in self?.report() }
    }

    private func report() {
        let dirty = state.withLock { state in
            defer {
                state.dirty = []
                state.isReporting = false
            }
            return state.dirty
        }
        for identifier in dirty {
            hub.touch("explorer.\(identifier)")
            hub.touch("explorer.\(identifier).devices")
            hub.touchStream("explorer.\(identifier).log")
        }
    }

    /// Reports a new state of the manager of an explorer.
    func adapterChanged(_ identifier: String, _ word: String) {
        let isChanged = state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.identifier == identifier }),
                state.entries[index].state != word
            else { return false }
            state.entries[index].state = word
            return true
        }
        if isChanged { hub.touch("explorers") }
    }

    // MARK: Values

    private struct ExplorerName: Encodable {
        let id: String
        let name: String
        let isAdapter: Bool
        let state: String
    }

    private var list: JSONText {
        JSONText.encoded(
            state.withLock { state in
                state.entries.filter { $0.explorer != nil }.map {
                    ExplorerName(id: $0.identifier, name: $0.name, isAdapter: $0.isAdapter, state: $0.state)
                }
            })
    }

    private func scanText(_ identifier: String) async -> JSONText {
        let (filter, advice) = state.withLock { state in
            let entry = state.entries.first { $0.identifier == identifier }
            return (entry?.filter ?? ScanSelection(), entry?.advice)
        }
        let page = await read(identifier) { explorer in
            ExplorerPage(
                state: explorer.state(filter, includesDevices: false), advice: advice,
                logFirst: explorer.log.entries.first?.n ?? explorer.log.next)
        }
        guard let page else { return JSONText("null") }
        adapterChanged(identifier, page.state.adapter)
        return JSONText.encoded(page)
    }

    /// Reads an explorer on its queue. Returns nil if it no longer exists.
    private func read<Value: Sendable>(_ identifier: String, _ body: @escaping @Sendable (Explorer) -> Value) async
        -> Value?
    {
        guard let explorer = explorer(identifier) else { return nil }
        return await withCheckedContinuation { continuation in
            explorer.queue.async { continuation.resume(returning: body(explorer)) }
        }
    }

    private func explorer(_ identifier: String) -> Explorer? {
        state.withLock { state in state.entries.first { $0.identifier == identifier }?.explorer }
    }

    /// Runs a body on an explorer's queue that may fail.
    private func run<Value: Sendable>(
        _ identifier: String, _ body: @escaping @Sendable (Explorer) throws -> Value
    ) async throws -> Value {
        let result = await read(identifier) { explorer in Result { try body(explorer) } }
        guard let result else {
            throw PhrasedError(
                "unknown-explorer",
                Phrase(
                    "The studio has no explorer \(identifier.prefix(64)).", "工作室里没有探索器 \(identifier.prefix(64))。"),
                next: Phrase("Select another explorer.", "请选择另一个探索器。"))
        }
        return try result.get()
    }

    // MARK: Commands

    private func addCommands() {
        hub.on("explorer.do") { [weak self] (arguments: ExplorerDo) in
            try await self?.perform(arguments)
            return Nothing()
        }
        hub.on("explorer.filter") { [weak self] (arguments: ExplorerFilterChange) in
            self?.setFilter(arguments)
            return Nothing()
        }
        hub.on("explorer.detail") { [weak self] (arguments: ExplorerDeviceQuery) in
            let device = try arguments.identifier
            return ExplorerDetailReply(detail: try await self?.run(arguments.explorer) { $0.detail(of: device) } ?? nil)
        }
        hub.on("explorer.formats") { [weak self] (arguments: ExplorerAttributeQuery) in
            let device = try arguments.identifier
            let detail = try await self?.run(arguments.explorer) {
                try $0.devices.formats(of: arguments.attribute, of: device)
            }
            return ExplorerFormatsReply(detail: detail ?? nil)
        }
        hub.on("explorer.values") { [weak self] (arguments: ExplorerAttributeQuery) in
            let device = try arguments.identifier
            return try await self?.run(arguments.explorer) {
                try $0.devices.pastValues(of: arguments.attribute, of: device, from: arguments.from ?? 0)
            }
        }
        hub.on("explorer.pending") { [weak self] (arguments: ExplorerDeviceQuery) in
            let device = try arguments.identifier
            return ExplorerPendingReply(
                pending: try await self?.run(arguments.explorer) { try $0.devices.pending(of: device) } ?? 0)
        }
        hub.on("explorer.validate") { [weak self] (arguments: ExplorerAttributeQuery) in
            let device = try arguments.identifier
            let value = ExplorerAction.WriteValue(
                String((arguments.value ?? "").prefix(4096)), format: arguments.format ?? "hex")
            return try await self?.run(arguments.explorer) { explorer in
                let octets = try explorer.devices.octets(of: value, for: arguments.attribute, of: device)
                return ExplorerOctetsReply(
                    octets, parts: try explorer.devices.writeRequests(octets.count, to: device).parts)
            }
        }
        hub.addFile("explorer.log") { [weak self] arguments in
            let text = try await self?.run(arguments["explorer"] ?? "") { $0.logFile } ?? ""
            return StudioFile(name: "explorer-log.txt", type: "text/plain; charset=utf-8", content: Data(text.utf8))
        }
        hub.addFile("explorer.script") { [weak self] arguments in
            guard let device = arguments["device"].flatMap(UUID.init(uuidString:)) else {
                throw PhrasedError("arguments", Phrase("The script needs a device.", "脚本需要指定设备。"))
            }
            let text = try await self?.run(arguments["explorer"] ?? "") { try $0.devices.script(of: device) } ?? ""
            return StudioFile(name: "session.yaml", type: "text/yaml; charset=utf-8", content: Data(text.utf8))
        }
    }

    private func perform(_ arguments: ExplorerDo) async throws {
        let action = try StudioArguments.action(arguments.action)
        let with = try StudioArguments.bounded(arguments.with ?? .object([:]), Phrase("The argument", "这个参数"))
        let (isAdapter, act) = state.withLock { state in
            (state.entries.first { $0.identifier == arguments.explorer }?.isAdapter ?? false, state.act)
        }
        if !isAdapter, let act {
            return try await act(arguments.explorer, action, with)
        }
        let data = try JSONEncoder().encode(with)
        try await run(arguments.explorer) { try $0.perform(ExplorerAction(action, data)) }
    }

    private func setFilter(_ arguments: ExplorerFilterChange) {
        var filter = arguments.filter
        filter.name = filter.name.map { String($0.prefix(64)) }
        filter.service = filter.service.map { String($0.prefix(64)) }
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.identifier == arguments.explorer }) else { return }
            state.entries[index].filter = filter
        }
        hub.touch("explorer.\(arguments.explorer)")
    }
}

// MARK: JSON

private struct ExplorerPage: Encodable, Sendable {
    let state: ExplorerState
    let advice: Phrase?
    let logFirst: Int

    enum CodingKeys: CodingKey { case advice, logFirst }

    func encode(to encoder: any Encoder) throws {
        try state.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(advice, forKey: .advice)
        try container.encode(logFirst, forKey: .logFirst)
    }
}

private struct ExplorerDo: Decodable, Sendable {
    let explorer: String
    let action: String
    let with: RoomValue?
}

private struct ExplorerFilterChange: Decodable, Sendable {
    let explorer: String
    let filter: ScanSelection
}

private struct ExplorerDeviceQuery: Decodable, Sendable {
    let explorer: String
    let device: String

    var identifier: UUID { get throws { try parsed(device) } }
}

private struct ExplorerAttributeQuery: Decodable, Sendable {
    let explorer: String
    let device: String
    let attribute: String
    let value: String?
    let format: String?
    /// The number of a value.
    let from: Int?

    var identifier: UUID { get throws { try parsed(device) } }
}

private func parsed(_ device: String) throws -> UUID {
    guard let identifier = UUID(uuidString: device) else {
        throw PhrasedError("arguments", Phrase("The device is not an identifier.", "设备标识无效。"))
    }
    return identifier
}

private struct ExplorerDetailReply: Encodable, Sendable {
    let detail: ScanDetail?
}

private struct ExplorerFormatsReply: Encodable, Sendable {
    /// Nil before a value.
    let detail: ValueDetail?
}

private struct ExplorerPendingReply: Encodable, Sendable {
    let pending: Int
}

private struct ExplorerOctetsReply: Encodable, Sendable {
    /// Hexadecimal digits.
    let octets: String
    let count: Int
    /// The number of Prepare Write Requests of a write with response; 0 if one Write Request is enough.
    let parts: Int

    init(_ octets: [UInt8], parts: Int) {
        self.parts = parts
        self.octets = Hexadecimal.digits(octets)
        count = octets.count
    }
}

extension JSONText {
    /// A value as JSON; `null` if it cannot be encoded.
    fileprivate static func encoded(_ value: some Encodable) -> JSONText {
        (try? JSONText(encoding: value)) ?? JSONText("null")
    }
}

extension ExplorerLog {
    /// The entries from a number on.
    fileprivate func batch(from position: Int, limit: Int) -> StreamBatch {
        let first = entries.first?.n ?? next
        // A run that began again has fewer entries.
        let reset = position > next ? next : nil
        let start = min(max(position, first), next)
        let chosen = entries.dropFirst(start - first).prefix(limit)
        return StreamBatch(
            items: chosen.map { JSONText.encoded($0) }, next: start + chosen.count,
            missed: reset == nil ? start - position : 0, reset: reset)
    }
}
