internal import BLEAdapter
internal import BLESecurity
internal import BLEWire
import Foundation

/// A question or a message for the user during a pairing. ``PairingAgent/handle(_:)`` receives it.
///
/// An answer may follow at any time and on any thread. It has no effect after another answer, and after
/// ``PairingAgent/dismiss(_:)``.
public enum PairingPrompt: Sendable, Identifiable {
    /// Another device requests a pairing.
    case accept(PairingRequest)
    /// The user has to enter a passkey on the other device.
    case display(PasskeyDisplay)
    /// The user has to compare six digits on both devices.
    case compare(NumericComparison)
    /// The user has to enter the passkey that the other device displays.
    case enter(PasskeyEntry)

    /// Distinguishes prompts. No two prompts of a program are equal.
    public struct ID: Hashable, Sendable {
        let number: PairingQuestionNumber
    }

    /// The identity of the prompt.
    public var id: ID { ID(number: reply.number) }

    /// The other device of the pairing.
    public var device: PairingDevice { reply.device }

    /// Ends the pairing.
    public func cancel() { reply.send(.cancel) }

    fileprivate var reply: PairingReply {
        switch self {
        case .accept(let request): request.reply
        case .display(let display): display.reply
        case .compare(let comparison): comparison.reply
        case .enter(let entry): entry.reply
        }
    }

    init(_ request: AgentRequest, _ reply: PairingReply) {
        switch request {
        case .accept(let proposal): self = .accept(PairingRequest(proposal, reply))
        case .display(let passkey): self = .display(PasskeyDisplay(passkey: passkey, reply: reply))
        case .compare(let value): self = .compare(NumericComparison(digits: value.digits, reply: reply))
        case .enterPasskey: self = .enter(PasskeyEntry(reply: reply))
        }
    }
}

/// A pairing that another device requests.
public struct PairingRequest: Sendable {
    /// The protection that the pairing will have.
    public let level: PairingSecurity.Level
    /// The protection of the bond whose keys the pairing would replace; nil if there is no bond. A request to replace the
    /// keys of a bond without the user's action can be an attack by a device that imitates the bonded one.
    public let replaces: PairingSecurity?
    fileprivate let reply: PairingReply

    /// The device that requests the pairing.
    public var device: PairingDevice { reply.device }

    fileprivate init(_ proposal: PairingProposal, _ reply: PairingReply) {
        level = PairingSecurity.Level(proposal.security.level)
        replaces = proposal.replaces.map { PairingSecurity($0) }
        self.reply = reply
    }

    /// Continues with the pairing.
    public func accept() { reply.send(.accept(true)) }

    /// Refuses the pairing.
    public func refuse() { reply.send(.accept(false)) }
}

/// A passkey that the user has to enter on the other device. Its description hides the digits.
public struct PasskeyDisplay: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    fileprivate let passkey: Passkey
    fileprivate let reply: PairingReply

    /// Six decimal digits.
    public var digits: String { passkey.digits }

    /// The device on which the user enters the passkey.
    public var device: PairingDevice { reply.device }

    /// A text without the digits.
    public var description: String { "PasskeyDisplay(redacted)" }
    /// A text without the digits.
    public var debugDescription: String { description }
    /// A mirror without the digits.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Ends the pairing.
    public func cancel() { reply.send(.cancel) }
}

/// Six digits that both devices display, and that are equal unless a device in the middle manipulates the pairing.
public struct NumericComparison: Sendable {
    /// Six decimal digits.
    public let digits: String
    fileprivate let reply: PairingReply

    /// The other device.
    public var device: PairingDevice { reply.device }

    /// Answers whether the other device displays the same digits. False ends the pairing.
    public func confirm(_ areEqual: Bool) { reply.send(.accept(areEqual)) }
}

/// A request for the passkey that the other device displays, or that the user enters on both devices.
public struct PasskeyEntry: Sendable {
    fileprivate let reply: PairingReply

    /// The device that displays the passkey.
    public var device: PairingDevice { reply.device }

    /// Answers with the passkey.
    ///
    /// - Parameter digits: One to six decimal digits. Spaces are ignored.
    /// - Returns: False if the text is not a passkey. The prompt then still waits for an answer.
    @discardableResult
    public func enter(_ digits: String) -> Bool {
        let digits = digits.filter { !$0.isWhitespace }
        guard (1...6).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            let value = UInt32(digits)
        else { return false }
        reply.send(.passkey(Passkey(value: UInt128(value))))
        return true
    }

    /// Tells the other device that the user pressed a key, if both devices support that. The other device can display the
    /// progress.
    public func report(_ key: PairingKeypress) { reply.send(.keypress(key.kind)) }

    /// Ends the pairing.
    public func cancel() { reply.send(.cancel) }
}

/// The progress of the entry of a passkey (Vol 3, Part H, 3.5.8).
public enum PairingKeypress: Hashable, Sendable {
    case started
    case digitEntered
    case digitErased
    case cleared
    case completed
}

/// The way back to the adapter.
struct PairingReply: Sendable {
    let number: PairingQuestionNumber
    let device: PairingDevice
    let answer: @Sendable (AgentAnswer) -> Void

    func send(_ answer: AgentAnswer) { self.answer(answer) }
}
