import BLESimulator
import Foundation
import StudioExplorer
import Phrases
import StudioRoom

/// The explorer as a program of a phone in the room. The actions of its user are commands of the room, so a step back in time repeats them.
final class ExplorerProgram: WorldProgram {
    /// The program's name in commands and scenes.
    static let identifier = "explorer"

    private let context: WorldProgramContext
    private let directory: ExplorerDirectory
    private var explorer: Explorer?

    init(_ context: WorldProgramContext, _ directory: ExplorerDirectory) {
        self.context = context
        self.directory = directory
    }

    deinit {
        if let explorer { directory.remove(ObjectIdentifier(explorer), context.identifier) }
    }

    /// The kind for the room's table of programs.
    static func kind(_ directory: ExplorerDirectory) -> WorldProgramKind {
        WorldProgramKind(identifier, kind: .phone, defaultName: "Explorer", isExplorer: true) { context in
            ExplorerProgram(context, directory)
        }
    }

    func start() {
        // The virtual time is readable on any thread.
        nonisolated(unsafe) let (now, report) = (context.now, context.report)
        let (directory, identifier) = (directory, context.identifier)
        let device = context.device
        let explorer = Explorer(
            name: context.name, on: device.adapter, queue: context.queue, clock: { Int64(now() / .nanoseconds(1)) },
            offerMTU: { device.setMaximumTransmissionUnit(Int($0)) }, changed: { directory.changed(identifier) },
            report: { report(ProgramEvent($0)) })
        self.explorer = explorer
        directory.add(explorer, identifier)
    }

    func stop() {
        guard let explorer else { return }
        explorer.close()
        directory.remove(ObjectIdentifier(explorer), context.identifier)
    }

    func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue {
        let data = try JSONEncoder().encode(arguments == .null ? .object([:]) : arguments)
        try explorer?.perform(ExplorerAction(action, data))
        return .null
    }

    var nextDeadline: Duration? { explorer?.nextDeadline.map { .nanoseconds($0) } }

    func tick() { explorer?.tick() }
}

extension ProgramEvent {
    fileprivate init(_ entry: ExplorerLogEntry) {
        let kind: Kind =
            switch entry.kind {
            case .call: .call
            case .callback: .callback
            case .note: .note
            case .error: .error
            }
        self.init(kind, entry.text, swift: entry.swift)
    }
}
