import BLETransport

/// Ends a subscription, a watch or an object. Releasing it ends nothing. Used on the queue of the connection.
package final class BusCancellable {
    private var end: (() -> Void)?

    package init(_ end: @escaping () -> Void) { self.end = end }

    package func cancel() {
        end?()
        end = nil
    }
}

/// A call of an exported object, with one answer. A call that is released without an answer fails.
///
/// `@unchecked Sendable`: it is used on the queue of the connection, and released anywhere.
package final class BusCall: @unchecked Sendable {
    package let message: BusMessage
    private var token: UInt64?
    private weak var connection: (any BusAnswering)?

    package init(_ message: BusMessage, _ token: UInt64?, _ connection: any BusAnswering) {
        (self.message, self.token, self.connection) = (message, token, connection)
    }

    deinit { if let token { connection?.released(token) } }

    /// The full name of the method.
    package var method: String { "\(message.interface ?? "").\(message.member ?? "")" }

    package func reply(_ values: [BusValue] = [], descriptors: [Descriptor] = []) {
        guard let token else { return }
        self.token = nil
        connection?.reply(token, values, descriptors)
    }

    /// - Parameter name: A name like those of `BusCallError.Name`.
    package func fail(_ name: String, _ text: String) {
        guard let token else { return }
        self.token = nil
        connection?.fail(token, name, text)
    }
}
