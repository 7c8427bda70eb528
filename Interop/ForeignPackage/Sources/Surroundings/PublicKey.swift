import Foundation

/// Foundation brings the names of Security.
extension SecKey {
    /// The octets of the public key.
    public func publicData() throws -> Data {
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCopyPublicKey(self), let data = SecKeyCopyExternalRepresentation(key, &error) else {
            throw error!.takeRetainedValue()
        }
        return data as Data
    }
}
