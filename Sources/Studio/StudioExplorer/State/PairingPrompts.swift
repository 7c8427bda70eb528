import BluetoothPairing
import Foundation
import Phrases

/// The prompts of pairings that wait for the user.
struct PairingPrompts {
    /// The most prompts that wait. Each link has at most one.
    private static let limit = 32

    private var waiting: [(number: Int, prompt: PairingPrompt)] = []
    private var next = 1

    /// Returns false if too many prompts wait.
    mutating func add(_ prompt: PairingPrompt) -> Bool {
        guard waiting.count < Self.limit else { return false }
        waiting.append((next, prompt))
        next += 1
        return true
    }

    func prompt(_ number: Int) throws(PhrasedError) -> PairingPrompt {
        guard let found = waiting.first(where: { $0.number == number }) else {
            throw PhrasedError(
                "unknown-prompt", Phrase("The prompt no longer waits for an answer.", "这个提示已不再等待答复。"))
        }
        return found.prompt
    }

    mutating func remove(_ number: Int) { waiting.removeAll { $0.number == number } }
    mutating func remove(_ prompt: PairingPrompt) { waiting.removeAll { $0.prompt.id == prompt.id } }
    mutating func remove(of device: UUID) { waiting.removeAll { $0.prompt.device.identifier == device } }
    mutating func removeAll() { waiting = [] }

    var states: [PromptState] { waiting.map { PromptState($0.number, $0.prompt) } }
}
