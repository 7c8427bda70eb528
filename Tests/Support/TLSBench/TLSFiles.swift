import Foundation
import TLSChannel

/// Certificates and keys in a folder. They were made for these tests, and protect nothing.
package final class TLSFiles: Sendable {
    package let folder = NSTemporaryDirectory() + "studio-tls-\(UUID().uuidString)"
    package var certificate: String { folder + "/certificate.pem" }
    package var key: String { folder + "/key.pem" }
    package var otherKey: String { folder + "/other.pem" }
    /// A certificate for other.example that belongs to `otherKey`.
    package var otherCertificate: String { folder + "/other-certificate.pem" }
    package var lockedKey: String { folder + "/locked.pem" }
    package var garbage: String { folder + "/garbage.pem" }
    package var missing: String { folder + "/missing.pem" }

    package init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (path, text) in [
            (certificate, Self.certificateText), (key, Self.keyText), (otherKey, Self.otherKeyText),
            (lockedKey, Self.lockedKeyText), (otherCertificate, Self.otherCertificateText),
            (garbage, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
        ] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    package func context() throws -> TLSContext { try TLSContext(certificate: certificate, key: key) }

    /// For studio.example, *.rooms.example, localhost, 127.0.0.1 and ::1, valid for 100 years.
    private static let certificateText = """
        -----BEGIN CERTIFICATE-----
        MIIB2jCCAYCgAwIBAgIUIk03KufKqwIFxBC3FqmrW6zVd2wwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOc3R1ZGlvLmV4YW1wbGUwIBcNMjYxMTI4MDgxNjI2WhgPMjEy
        NjExMDQwODE2MjZaMBkxFzAVBgNVBAMMDnN0dWRpby5leGFtcGxlMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEv5guGKtBlFwPVdtrJwQtcpoFmpRozpb44UY1J+6A
        zN1kLqkTCCkaqzUqzDq+IzSjQeyt8VqKfpfMUrFB2scziaOBozCBoDAdBgNVHQ4E
        FgQU6qZgUVg2b/hcsx+MrndjWzOGW1owHwYDVR0jBBgwFoAU6qZgUVg2b/hcsx+M
        rndjWzOGW1owDwYDVR0TAQH/BAUwAwEB/zBNBgNVHREERjBEgg5zdHVkaW8uZXhh
        bXBsZYIPKi5yb29tcy5leGFtcGxlgglsb2NhbGhvc3SHBH8AAAGHEAAAAAAAAAAA
        AAAAAAAAAAEwCgYIKoZIzj0EAwIDSAAwRQIhANoqXTby0vIAibi8ezRhiaIMwAlj
        eio9AAHMnMNd+n7NAiBhrlrdjSGyC9jzWnyt0/N6NTCLQObFQC7gSgc7cF6u1A==
        -----END CERTIFICATE-----
        """

    private static let keyText = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIBZFn1iQACwbFQPeBdPzzne4kxAtKmS0+y+WTDMCN8SVoAoGCCqGSM49
        AwEHoUQDQgAEv5guGKtBlFwPVdtrJwQtcpoFmpRozpb44UY1J+6AzN1kLqkTCCka
        qzUqzDq+IzSjQeyt8VqKfpfMUrFB2scziQ==
        -----END EC PRIVATE KEY-----
        """

    private static let otherKeyText = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIC7tf5y3QvZQiuKq3oX60zHF+DR25Nd8IJHLWE7iXsE4oAoGCCqGSM49
        AwEHoUQDQgAEPTfDtNQo3E78uq/l3JSwgLx4SKoqtrSNTYxn4YAx4XrJGpr3GUI7
        7XVkPta9lw5tOVU/HNjWfk/smo0gFEHZgw==
        -----END EC PRIVATE KEY-----
        """

    private static let otherCertificateText = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUegAwIBAgIUNO2L27w/DgwPo4RQBGuLCNQ6zsMwCgYIKoZIzj0EAwIw
        GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yNjExMjgxMTIxMTBaGA8yMTI2
        MTEwNDExMjExMFowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABD03w7TUKNxO/Lqv5dyUsIC8eEiqKra0jU2MZ+GAMeF6
        yRqa9xlCO+11ZD7WvZcObTlVPxzY1n5P7JqNIBRB2YOjbTBrMB0GA1UdDgQWBBQd
        pj2ADlIKaaGhLLT6r3uCF4dBHzAfBgNVHSMEGDAWgBQdpj2ADlIKaaGhLLT6r3uC
        F4dBHzAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDW90aGVyLmV4YW1wbGUw
        CgYIKoZIzj0EAwIDRwAwRAIgPompVcGbmhoX/odc7Z4cuVnwuXM+cdEDWuBKH2I/
        qA0CIBT0JMb30AjebEPO0Y/+Rce+Y/8tKCD5iZLPgZem907S
        -----END CERTIFICATE-----
        """

    /// The key with a passphrase.
    private static let lockedKeyText = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,45CF81BCD01C7D6BB9CE7CA680B4A6F3

        QYVZ7xDFMm7//t/4dpcgPQyQ43uGECd/0ifMH4vYMAEXrPqHm/mbeP2bU57hjRrm
        y4mtZPP21Ha4MIQuQOPYAdBzkxyGdzQASCNfUGcRO5SmATFiKabfI3dnOhQxR6d8
        R0yRJtv+hH3ocse6a1ZBkd/77UGyfosodSttDz0rgi8=
        -----END EC PRIVATE KEY-----
        """
}
