import Foundation

/// The system calls that change the folder of a queue. Tests end the process or take a copy of the folder after each of them, and let them fail.
package struct FileSystemCalls: Sendable {
    package enum Step: String, CaseIterable, Sendable {
        /// With the path of the folder.
        case makeFolder, syncParent
        case createSegment, writeSegment, cutSegment, setAside, syncSegment, removeSegment
        case writePosition, syncPosition
        case syncFolder
    }

    /// Called before each call. A result is the error number with which the call fails, without any effect.
    package var failure: (@Sendable (_ step: Step, _ name: String) -> Int32?)?
    /// Called after each call that succeeded, with the name of the file; the name of the folder is empty.
    package var didCall: (@Sendable (_ step: Step, _ name: String) -> Void)?

    /// The maximum number of octets of one write to a segment. Tests set it to let a write fail between two parts of a message.
    package var writeLength = Int.max

    package init() {}

    /// Carries out a call. Returns false if it failed; `errno` has the reason.
    func run(_ step: Step, _ name: String, _ call: () -> Bool) -> Bool {
        if let number = failure?(step, name) {
            errno = number
            return false
        }
        guard call() else { return false }
        didCall?(step, name)
        return true
    }
}
