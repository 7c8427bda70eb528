/// The reason why octets are no DNS message.
package enum DNSError: Error, Equatable {
    /// The octets end before the message does.
    case truncated
    /// A name has more than 255 octets, an unknown kind of label, or a compression pointer that does not point backward.
    case invalidName
    /// The data of a record does not have the layout of its type.
    case invalidRecord
}
