import Glibc

/// Reasons of refusals in plain sentences.
enum MQTTRefusal {
    /// The reason in CONNACK: codes of MQTT 3.1.1, 3.2.2.3, or of MQTT 5.0, 3.2.2.2.
    static func text(_ code: Int32, _ version: MQTTConfiguration.Version, _ other: String) -> String {
        switch (version, code) {
        case (.v311, 4), (.v5, 0x86): "The broker refused the user or the password."
        case (.v311, 5), (.v5, 0x87):
            "The broker does not authorize this client. Check the user, the password and the certificate."
        case (.v311, 2), (.v5, 0x85): "The broker refused the client identifier. Choose another name."
        case (.v311, 3), (.v5, 0x88): "The broker is not available."
        case (.v311, 1), (.v5, 0x84): "The broker does not support this version of MQTT. Try the version 3.1.1 or 5."
        default: "The broker refused the connection: \(other)"
        }
    }

    /// Whether a reason in PUBACK may be gone when the message comes again: an unspecified error, an error of the implementation, or a quota
    /// (MQTT 5.0, 3.4.2.1).
    static func isTemporary(_ code: Int32) -> Bool { [0x80, 0x83, 0x97].contains(code) }

    /// - Parameter logged: The last error that the TLS library reported.
    static func tls(_ logged: String?) -> String {
        guard let logged else {
            return
                "The TLS connection failed. The broker may require a client certificate, or may not use TLS at this port."
        }
        if logged.contains("certificate verify failed") || logged.contains("host name verification failed") {
            return "The certificate of the broker is not trusted: check its authority and its host name."
        }
        if logged.contains("certificate required") || logged.contains("alert") {
            return "The broker refused the TLS connection: check the client certificate."
        }
        if logged.contains("wrong version number") { return "The broker does not use TLS at this port." }
        return "The TLS connection failed: \(logged.hasSuffix(".") ? logged : logged + ".")"
    }
}

extension MosquittoLibrary {
    /// A sentence of the library.
    func text(_ pointer: Text?) -> String {
        let text = pointer.map { String(cString: $0) } ?? "unknown reason"
        return text.hasSuffix(".") ? text : text + "."
    }

    /// The reason for the result of a call.
    ///
    /// - Parameters:
    ///   - number: `errno` after the call.
    ///   - logged: The last error that the library logged.
    func text(of result: Int32, _ number: Int32, logged: String?) -> String {
        switch result {
        case Code.system where number != 0: "\(String(cString: strerror(number)))."
        case Code.name: "The name of the host is unknown."
        case Code.tls: MQTTRefusal.tls(logged)
        default: text(errorText(result))
        }
    }
}

extension MQTTConfiguration.TLS {
    /// - Throws: If a file cannot be read, or the certificate has no key.
    func check() throws(MQTTFailure) {
        guard (certificate == nil) == (key == nil) else {
            throw MQTTFailure("A client certificate needs its key, and a key its certificate.", "Give both files.")
        }
        for path in [authorities, certificate, key].compactMap(\.self) where access(path, R_OK) != 0 {
            throw MQTTFailure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
    }
}
