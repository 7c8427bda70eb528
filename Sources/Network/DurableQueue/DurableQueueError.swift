import Foundation

/// The reason why a durable queue cannot do what was asked.
package enum DurableQueueError: Error, Equatable, CustomStringConvertible {
    /// The message has more octets than the limit.
    case tooLong(Int, limit: Int)
    /// Another process uses the folder.
    case inUse(folder: String)
    /// The file system refused an operation, with the number of the error.
    case system(operation: String, path: String, Int32)

    package var description: String {
        switch self {
        case .tooLong(let count, let limit):
            "The message has \(count) octets, but the queue takes \(limit) at most."
        case .inUse(let folder):
            "Another process uses the queue in \(folder). End it, or choose another folder."
        case .system(let operation, let path, let number):
            "\(operation) \(path) failed: \(String(cString: strerror(number)))."
        }
    }
}
