import Dispatch
import Foundation
import TLSBench
import TLSChannel
import Testing

@testable import MQTTClient

/// A client and a broker with TLS, over sockets.
// check-tests: skip: the library belongs to the system, and the build does not need it.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSClient.isPossible, "OpenSSL's library is not installed"))
struct MQTTSecureRealTimeTests {
    private let files: TLSFiles

    init() throws { files = try TLSFiles() }

    private func configuration(_ host: String, _ port: Int, _ tls: MQTTConfiguration.TLS) -> MQTTConfiguration {
        var configuration = MQTTConfiguration(host: host, port: port, clientIdentifier: "c")
        configuration.tls = tls
        return configuration
    }

    /// The events of a client until the end of its first connection, or until a message arrived.
    private func events(_ configuration: MQTTConfiguration) throws -> [MQTTEvent] {
        let queue = DispatchQueue(label: "owner")
        let log = EventLog()
        let client = try MQTTClient(configuration, on: queue) { log.add($0) }
        queue.sync { client.connect() }
        #expect(
            log.wait { events in
                events.contains { event in
                    switch event {
                    case .disconnected, .received: true
                    default: false
                    }
                }
            })
        queue.sync { client.disconnect() }
        return log.all
    }

    private func secureBroker() throws -> FakeBroker {
        try FakeBroker(tls: files.context()) { connection, _ in
            try connection.accept()
            try connection.send(publish("t", [UInt8](repeating: 7, count: 100_000)))
            try connection.awaitEnd()
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func aTrustedBrokerIsUsed(host: String) throws {
        let broker = try secureBroker()
        let events = try events(configuration(host, broker.port, .init(authorities: files.certificate)))
        let message = MQTTMessage(topic: "t", payload: [UInt8](repeating: 7, count: 100_000))
        #expect(events == [.connected, .received(message)])
    }

    @Test func anotherBrokerIsNot() throws {
        let broker = try secureBroker()
        let prefix =
            "The certificate of the broker is not trusted: check its authority and its host name. OpenSSL says: "
        for authorities in [files.otherCertificate, nil] {
            let events = try events(configuration("127.0.0.1", broker.port, .init(authorities: authorities)))
            guard case .disconnected(let reason) = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(reason.hasPrefix(prefix) && reason.hasSuffix("."), "\(reason)")
        }
    }

    @Test func aPortWithoutTLSIsSaidPlainly() throws {
        let broker = try FakeBroker { connection, _ in
            try connection.send(hexadecimal("20 03 00 00 00"))
            try connection.awaitEnd()
        }
        let plain = try events(configuration("127.0.0.1", broker.port, .init(authorities: files.certificate)))
        #expect(plain == [.disconnected(reason: "The broker does not use TLS at this port.")])
        let silent = try FakeBroker { _, _ in }
        let ended = try events(configuration("127.0.0.1", silent.port, .init(authorities: files.certificate)))
        #expect(ended == [.disconnected(reason: MQTTReasonText.tls(nil))])
    }

    @Test func filesThatDoNotServeAreSaidAtTheBeginning() throws {
        for (tls, words) in [
            (MQTTConfiguration.TLS(authorities: files.missing), "cannot be read"),
            (.init(authorities: files.garbage), "cannot be used"),
            (.init(certificate: files.certificate), "needs its key"),
            (.init(certificate: files.certificate, key: files.lockedKey), "without a passphrase"),
        ] {
            let failure = #expect(throws: MQTTClientError.self) {
                try MQTTClient(configuration("127.0.0.1", 1, tls), on: DispatchQueue(label: "owner")) { _ in }
            }
            #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
        }
    }
}
