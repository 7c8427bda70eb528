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
    /// The name of the explorer in the directory.
    private let identifier: String
    private var explorer: Explorer?

    init(_ context: WorldProgramContext, _ directory: ExplorerDirectory, _ identifier: String) {
        self.context = context
        self.directory = directory
        self.identifier = identifier
    }

    deinit {
        if let explorer { directory.remove(ObjectIdentifier(explorer), identifier) }
    }

    /// The kind for the room's table of programs.
    ///
    /// - Parameter world: What the names of its explorers begin with, before the identifier of the device.
    static func kind(_ directory: ExplorerDirectory, world: String) -> WorldProgramKind {
        WorldProgramKind(identifier, kind: .phone, defaultName: "Explorer", isExplorer: true, takesAnyAction: true) {
            context in
            ExplorerProgram(context, directory, world + context.identifier)
        }
    }

    func start() {
        // The virtual time is readable on any thread.
        nonisolated(unsafe) let (now, report) = (context.now, context.report)
        let (directory, identifier) = (directory, identifier)
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
        directory.remove(ObjectIdentifier(explorer), identifier)
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
