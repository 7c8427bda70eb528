/// The requests of a write with response.
package struct WriteRequests: Hashable, Sendable {
    /// The number of Prepare Write Requests before an Execute Write Request; 0 for a value that fits into one Write Request (Vol 3, Part G, 4.9.4).
    package let parts: Int

    /// - Parameter mtu: The ATT_MTU; nil stands for the smallest (Vol 3, Part G, 5.2.1).
    init(_ count: Int, mtu: Int?) {
        let mtu = mtu ?? 23
        // A Write Request has three octets before the value, a Prepare Write Request five (Vol 3, Part F, 3.4.5.1 and 3.4.6.1).
        parts = count <= mtu - 3 ? 0 : (count + mtu - 6) / (mtu - 5)
    }
}
