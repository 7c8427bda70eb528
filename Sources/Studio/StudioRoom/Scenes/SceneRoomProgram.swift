import BLEAdapter
import CoreBluetooth
import Phrases

/// Runs a `SceneProgram` on a device of the room.
final class SceneRoomProgram: WorldProgram {
    private let program: any SceneProgram
    private let context: WorldProgramContext
    private(set) var nextDeadline: Duration?

    init(_ program: any SceneProgram, in context: WorldProgramContext) {
        self.program = program
        self.context = context
        let report = context.report
        program.log = { report(Self.happening($0)) }
    }

    func start() {
        program.start()
        nextDeadline = program.period.map { context.now() + $0 }
    }

    func stop() { program.stop() }

    func tick() {
        program.tick()
        nextDeadline = program.period.map { context.now() + $0 }
    }

    func perform(_ action: String, with arguments: WorldValue) throws -> WorldValue {
        guard program.press(action) else { throw PhrasedError.unknownAction(action) }
        return .null
    }

    /// The methods of CoreBluetooth that programs call. Lines that begin with another method report a callback.
    private static let calls: Set<String> = [
        "scanForPeripherals", "connect", "cancelPeripheralConnection", "retrieveConnectedPeripherals",
        "retrievePeripherals", "readValue", "writeValue", "startAdvertising",
    ]
    private static let callbackPrefixes = ["did", "centralManager", "peripheral"]

    /// The event for a line of a program. A line about an error of a delegate method is one of kind `callback`, too.
    static func happening(_ line: String) -> ProgramEvent {
        let name = String(line.prefix { $0.isLetter })
        // The name of a method alone is Swift in both languages.
        let text = line == name && calls.contains(name) ? Phrase(data: line) : SceneLines.book.phrase(line)
        if calls.contains(name) { return ProgramEvent(.call, text, swift: name) }
        let isCallback = callbackPrefixes.contains { prefix in
            name.hasPrefix(prefix) && name.dropFirst(prefix.count).first?.isUppercase == true
        }
        return isCallback ? ProgramEvent(.callback, text, swift: name) : ProgramEvent(.note, text)
    }
}
