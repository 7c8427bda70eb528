import Foundation

/// The place of received files. The receiver calls the methods on its queue.
public protocol TransferStore: AnyObject {
    /// Finds a place for a file, and the octets of it that an earlier link brought.
    ///
    /// - Throws: The reason that the sender gets.
    func open(_ offer: TransferOffer) throws(TransferStoreError) -> any TransferSink
}

/// The place of one file, to which octets are appended.
public protocol TransferSink: AnyObject {
    /// The number of octets that are stored already.
    var count: Int { get }
    /// Calls `body` with the stored octets in order, in blocks.
    func readStored(_ body: (Data) -> Void) throws(TransferStoreError)
    /// Appends octets.
    func append(_ octets: Data) throws(TransferStoreError)
    /// Removes all octets: they are not the beginning of the file.
    func removeAll() throws(TransferStoreError)
    /// Completes the file: it appears under its name.
    func commit() throws(TransferStoreError)
}

/// The error of a store that refuses a file or octets of it.
public struct TransferStoreError: Error, Hashable, Sendable {
    /// The reason that the sender gets.
    public let reason: TransferReason
    /// The cause for the program of the receiver, which the sender does not get; empty if the reason says all.
    public let text: String

    /// Creates an error.
    public init(_ reason: TransferReason, text: String = "") {
        self.reason = reason
        self.text = text
    }
}
