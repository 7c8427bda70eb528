import Foundation

/// A command of a client.
struct CloudRequest: Decodable {
    struct Arguments: Decodable {
        var service: String?
        var characteristic: String?
        var handle: UInt16?
        /// Octets as hexadecimal digits.
        var value: String?
        var response: Bool?
        var addressType: String?
    }

    let id: String
    let op: String
    let target: String?
    let args: Arguments?

    /// The largest command, in octets.
    static let limit = 16 << 10
    /// The longest identifier, in octets.
    static let idLimit = 64

    /// The request in a payload; nil if it is none.
    static func decode(_ payload: [UInt8]) -> CloudRequest? {
        guard payload.count <= limit, let request = try? JSONDecoder().decode(CloudRequest.self, from: Data(payload)),
            (1...idLimit).contains(request.id.utf8.count), request.op.utf8.count <= idLimit
        else { return nil }
        return request
    }
}

/// The reason why a command was not carried out.
struct CloudCommandError: Error, Equatable {
    let code: String
    let message: String

    init(_ code: String, _ message: String) { (self.code, self.message) = (code, message) }
}

/// Where the reply to a command goes.
struct ReplyDestination: Hashable, Sendable {
    let client: String
    let id: String
}
