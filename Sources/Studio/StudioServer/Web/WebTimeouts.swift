import Dispatch

/// How long a web server waits for a client. A connection that has not shown a token has little time: any program can open one.
struct WebTimeouts: Sendable {
    /// For everything that a connection does before it has shown the token or proven that it has the key: the TLS handshake, its request, and the proof.
    var stranger = DispatchTimeInterval.seconds(5)
    /// For a whole further request, from the first octet on.
    var request = DispatchTimeInterval.seconds(5)
    /// Between two requests.
    var idle = DispatchTimeInterval.seconds(30)
    /// The time in which a client must accept some octets of a response.
    var stall = DispatchTimeInterval.seconds(30)
}
