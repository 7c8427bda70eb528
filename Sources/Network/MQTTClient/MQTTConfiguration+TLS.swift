import Glibc
import TLSChannel

extension MQTTConfiguration.TLS {
    /// - Throws: If a file cannot be read, or the certificate has no key.
    func check() throws(MQTTClientError) {
        guard (certificate == nil) == (key == nil) else {
            throw MQTTClientError("A client certificate needs its key, and a key its certificate.", "Give both files.")
        }
        for path in [authorities, certificate, key].compactMap(\.self) where access(path, R_OK) != 0 {
            throw MQTTClientError("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
    }

    /// Reads the files.
    ///
    /// - Throws: If OpenSSL is missing, or a file does not serve.
    func context() throws(MQTTClientError) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext(authorities: authorities, certificate: certificate, key: key)
        } catch {
            throw MQTTClientError(error.sentence, error.tried, error.next)
        }
    }
}
