import Testing

@testable import MQTTClient

@Suite struct MQTTAddressTests {
    @Test(arguments: [
        ("mqtt://broker.example", "broker.example", 1883, false),
        ("mqtts://broker.example", "broker.example", 8883, true),
        ("mqtts://192.0.2.7:443/", "192.0.2.7", 443, true), ("mqtt://[fe80::1]", "fe80::1", 1883, false),
        ("mqtt://[::1]:65535", "::1", 65535, false),
    ]) func anAddressHasAHostAndAPort(text: String, host: String, port: Int, isSecure: Bool) {
        let address = MQTTAddress(text)
        #expect(address?.host == host && address?.port == port && address?.isSecure == isSecure)
    }

    @Test(arguments: [
        "", "broker", "http://broker", "mqtt://", "mqtt://:1883", "mqtt://broker:", "mqtt://broker:0",
        "mqtt://broker:65536",
        "mqtt://broker:x", "mqtt://me:secret@broker", "mqtt://me@broker", "mqtt://broker/topic", "mqtt://fe80::1",
        "mqtt://[::1", "mqtt://[::1]1883", "mqtt://a b", "mqtt://a\0", "mqtt://\u{2460}",
        "mqtt://" + String(repeating: "a", count: 254),
    ]) func anythingElseIsNone(text: String) {
        #expect(MQTTAddress(text) == nil)
    }

    @Test func aConfigurationNeedsAUserForAPasswordAndTLSForItsFiles() throws {
        let plain = try #require(MQTTAddress("mqtt://broker"))
        let secure = try #require(MQTTAddress("mqtts://broker"))
        let files = MQTTConfiguration.TLS(authorities: "ca.pem")
        #expect(throws: MQTTClientError.self) {
            try MQTTConfiguration([plain], clientIdentifier: "c", password: MQTTConfiguration.Secret("x"))
        }
        #expect(throws: MQTTClientError.self) { try MQTTConfiguration([plain], clientIdentifier: "c", tls: files) }
        #expect(throws: MQTTClientError.self) { try MQTTConfiguration([plain, secure], clientIdentifier: "c") }
        #expect(try MQTTConfiguration([plain], clientIdentifier: "c").tls == nil)
        #expect(try MQTTConfiguration([secure], clientIdentifier: "c").tls == MQTTConfiguration.TLS())
        #expect(try MQTTConfiguration([secure], clientIdentifier: "c", tls: files).tls == files)
    }
}
