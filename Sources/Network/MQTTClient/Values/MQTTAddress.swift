/// Where a broker is: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` for TLS.
package struct MQTTAddress: Equatable, Sendable {
    package var host: String
    package var port: Int
    package var isSecure: Bool

    /// - Returns: nil if the text is none. A user or a password has no place in it.
    package init?(_ text: String) {
        let isSecure = text.hasPrefix("mqtts://")
        guard isSecure || text.hasPrefix("mqtt://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7)
        var name = rest.hasSuffix("/") ? rest.dropLast() : rest
        var port: Int? = isSecure ? 8883 : 1883
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            // An IPv6 address in brackets (RFC 3986, 3.2.2).
            let text = name[name.index(after: end)...]
            name = name[name.index(after: name.startIndex)..<end]
            if !text.isEmpty { port = text.hasPrefix(":") ? Int(text.dropFirst()) : nil }
        } else if let colon = name.lastIndex(of: ":") {
            port = Int(name[name.index(after: colon)...])
            name = name[..<colon]
            // An IPv6 address without brackets.
            if name.contains(":") { port = nil }
        }
        let isHost = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@/".utf8.contains($0) }
        guard let port, (1...65_535).contains(port), (1...253).contains(name.utf8.count), isHost else {
            return nil
        }
        (host, self.port, self.isSecure) = (String(name), port, isSecure)
    }
}
