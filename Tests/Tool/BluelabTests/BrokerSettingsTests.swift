import Foundation
import MQTTClient
import Testing
import DeviceFiles

@testable import bluelab

/// The settings of `bluelab gateway cloud` and of the way cloud, and secrets in files.
struct BrokerSettingsTests {
    private func cloud(_ text: String) throws -> CloudSettings {
        try CloudSettings(YAMLDocument(text: text, file: "gateway.yaml"))
    }

    private func problems(_ text: String) throws -> String {
        do throws(YAMLError) {
            _ = try CloudSettings(YAMLDocument(text: text, file: "gateway.yaml"))
            return ""
        } catch {
            return error.description
        }
    }

    // MARK: YAML

    @Test func eachSettingIsRead() throws {
        let settings = try cloud(
            """
            broker: mqtts://broker.example:443
            name: hall
            prefix: home/ble
            version: 3.1.1
            user: me
            passwordFile: /etc/secret
            tls: {authorities: ca.pem, certificate: own.pem, key: own.key}
            commands: true
            slots: 3
            advertisements: {interval: 2 s, rate: 5, raw: false, decoded: false}
            queue: {folder: /var/queue, limit: 7}
            homeAssistant: {prefix: ha, devices: ["AC:BC:32:89:0E:A9"]}
            status: tcp:127.0.0.1:9464
            """)
        #expect(settings.broker.addresses == [MQTTAddress("mqtts://broker.example:443")])
        #expect(settings.broker.prefix == "home/ble" && settings.broker.version == .v311)
        #expect(settings.broker.user == "me" && settings.broker.passwordFile == "/etc/secret")
        #expect(
            settings.broker.tls
                == MQTTConfiguration.TLS(authorities: "ca.pem", certificate: "own.pem", key: "own.key"))
        #expect(settings.name == "hall" && settings.allowsCommands && settings.slots == 3)
        #expect(settings.advertisementInterval == .seconds(2) && settings.advertisementRate == 5)
        #expect(!settings.isRaw && !settings.isDecoded)
        #expect(settings.queueFolder == "/var/queue" && settings.queueLimit == 7)
        #expect(settings.homeAssistantPrefix == "ha" && settings.homeAssistantDevices == [0xACBC_3289_0EA9])
        #expect(settings.status == "tcp:127.0.0.1:9464")
    }

    @Test func aFileWithoutASettingKeepsTheUsualOnes() throws {
        #expect(try cloud("name: hall").broker == BrokerSettings())
        #expect(try cloud("{}") == CloudSettings())
        #expect(try cloud("homeAssistant: {}").homeAssistantPrefix == "homeassistant")
    }

    @Test(arguments: [
        ("brokr: mqtt://a", "did you mean \"broker\""), ("broker: a", "mqtts://broker.example:8883"),
        ("broker: mqtt://me:secret@a", "mqtts://broker.example:8883"), ("version: 4", "expected"),
        ("broker: [a]", "gateway.yaml:1:10"), ("broker: []", "1 to 16 brokers"), ("tls: {ca: a}", "authorities"),
        ("tls: x", "the TLS settings"),
        ("password: secret", "passwordFile"), ("slots: 0", "from 1 to 64"), ("slots: many", "from 1 to 64"),
        ("commands: perhaps", "true or false"), ("advertisements: {interval: fast}", "a duration"),
        ("advertisements: {rate: 0}", "from 1 to 100000"), ("queue: {limit: 0}", "a number of MiB"),
        ("homeAssistant: {devices: [x]}", "AC:BC:32:89:0E:A9"), ("", "an empty file"), ("- a", "a list"),
        ("name: a\nname: b", "each key once"), ("name: [", "expected YAML"),
    ]) func aMistakeIsNamedWithItsPlace(text: String, words: String) throws {
        let problems = try problems(text)
        #expect(problems.hasPrefix("gateway.yaml:") && problems.contains(words), "\(problems)")
        #expect(!problems.contains("secret"))
    }

    @Test func allMistakesOfAFileAreNamedAtOnce() throws {
        let lines = try problems("broker: a\nversion: 4\nslots: 0\ntls: {key: []}").split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.map { $0.split(separator: ":")[1] } == ["1", "2", "3", "4"])
    }

    @Test func aFileForALinkHasSettingsOfTheBrokerAlone() throws {
        func read(_ text: String) throws(YAMLError) -> BrokerSettings {
            try BrokerSettings(YAMLDocument(text: text, file: "link.yaml"))
        }
        let settings = try read("broker: mqtt://a\nprefix: home\nversion: 5\nuser: me")
        #expect(settings.addresses.map(\.host) == ["a"] && settings.prefix == "home" && settings.user == "me")
        #expect(throws: YAMLError.self) { try read("broker: mqtt://a\nslots: 3") }
    }

    @Test func aClusterHasAListOfBrokersOfOneKind() throws {
        func read(_ text: String) throws -> MQTTConfiguration {
            try BrokerSettings(YAMLDocument(text: text, file: "cloud.yaml")).configuration(
                clientIdentifier: "c", environment: [:])
        }
        let configuration = try read("broker: ['mqtts://one', 'mqtts://two:8884', 'mqtts://[::1]']")
        #expect(configuration.addresses.map(\.description) == ["one:8883", "two:8884", "[::1]:8883"])
        #expect(configuration.tls != nil)
        #expect(throws: ToolError.self) { try read("broker: ['mqtts://one', 'mqtt://two']") }
        #expect(throws: YAMLError.self) { try read("broker: []") }
        #expect(throws: YAMLError.self) { try read("broker: ['mqtt://one', nonsense]") }
        let many = Array(repeating: "'mqtt://one'", count: 17).joined(separator: ", ")
        #expect(throws: YAMLError.self) { try read("broker: [\(many)]") }
    }

    @Test func severalOptionsNameACluster() throws {
        let options = try BrokerOptions.parse(["--broker", "mqtt://one", "--broker", "mqtt://two"])
        #expect(try options.addresses()?.map(\.host) == ["one", "two"])
    }

    // MARK: Precedence

    private func settings(_ change: (inout BrokerSettings) -> Void) -> BrokerSettings {
        var settings = BrokerSettings()
        settings.addresses = [MQTTAddress("mqtt://127.0.0.1")].compactMap(\.self)
        change(&settings)
        return settings
    }

    @Test func theSettingsComeBeforeTheEnvironment() throws {
        let environment = ["BLUETOOTH_CLOUD_USER": "other", "BLUETOOTH_CLOUD_PASSWORD": "theirs"]
        let plain = try settings { _ in }.configuration(clientIdentifier: "c", environment: environment)
        #expect(plain.user == "other" && plain.password?.text == "theirs" && plain.clientIdentifier == "c")
        try withFile("own\n") { path in
            let own = try settings {
                $0.user = "me"
                $0.passwordFile = path
            }.configuration(clientIdentifier: "c", environment: environment)
            #expect(own.user == "me" && own.password?.text == "own")
        }
        let user = try settings { $0.user = "me" }.configuration(clientIdentifier: "c", environment: environment)
        #expect(user.user == "me" && user.password?.text == "theirs")
        let empty = ["BLUETOOTH_CLOUD_USER": "", "BLUETOOTH_CLOUD_PASSWORD": ""]
        let none = try settings { _ in }.configuration(clientIdentifier: "c", environment: empty)
        #expect(none.user == nil && none.password == nil)
    }

    @Test func settingsThatContradictEachOtherEndTheCommandWithASentence() throws {
        func complaint(_ settings: BrokerSettings, _ environment: [String: String] = [:]) -> ToolError? {
            do {
                _ = try settings.configuration(clientIdentifier: "c", environment: environment)
                return nil
            } catch {
                return error as? ToolError
            }
        }
        #expect(complaint(BrokerSettings())?.lines.first?.contains("the address of the broker is missing") == true)
        let secret = complaint(settings { _ in }, ["BLUETOOTH_CLOUD_PASSWORD": "swordfish"])
        #expect(secret?.kind == .usage && secret?.lines.first?.contains("has no user") == true)
        #expect(secret?.lines.joined().contains("swordfish") == false)
        #expect(
            complaint(settings { $0.tls.authorities = "ca.pem" })?.lines.first?.contains("an address with mqtts")
                == true)
        let absent = complaint(
            settings {
                $0.user = "me"
                $0.passwordFile = "/absent/file"
            })
        #expect(absent?.lines.first?.contains("the password cannot be read: /absent/file") == true)
    }

    @Test func optionsComeBeforeTheFile() throws {
        try withFile("broker: mqtt://file\nprefix: home\n") { path in
            let options = try BrokerOptions.parse(["--broker", "mqtts://option", "--config", path])
            #expect(try options.addresses()?.map(\.host) == ["option"])
            #expect(try options.settings(BrokerSettings.init(_:))?.addresses.map(\.host) == ["file"])
            #expect(!options.isEmpty)
        }
        let none = try BrokerOptions.parse([])
        #expect(try none.isEmpty && none.addresses() == nil && none.settings(BrokerSettings.init(_:)) == nil)
        #expect(throws: ToolError.self) { try BrokerOptions.parse(["--broker", "mqtt://a:b@c"]).addresses() }
        #expect(throws: ToolError.self) {
            try BrokerOptions.parse(["--config", "/absent"]).settings(BrokerSettings.init(_:))
        }
    }

    @Test func theWayCloudAndItsBrokerBelongTogether() throws {
        #expect(try LinkOptions.parse(["lamp"]).chosenWays == [.network, .bluetooth])
        let broker = ["--broker", "mqtt://127.0.0.1"]
        #expect(try LinkOptions.parse(["lamp"] + broker).chosenWays == [.network, .bluetooth, .cloud])
        #expect(try LinkOptions.parse(["lamp", "--way", "cloud"] + broker).chosenWays == [.cloud])
        #expect(throws: (any Error).self) { try LinkOptions.parse(["lamp", "--way", "cloud"]) }
        #expect(throws: (any Error).self) { try LinkOptions.parse(["lamp", "--way", "network"] + broker) }
        let queue = DispatchQueue(label: "test")
        #expect(try LinkOptions.parse(["lamp"]).bus(queue: queue) == nil)
        try withFile("prefix: a/b/c/d/e\nbroker: mqtt://127.0.0.1\n") { path in
            #expect(throws: ToolError.self) {
                try LinkOptions.parse(["lamp", "--way", "cloud", "--config", path]).bus(queue: queue)
            }
        }
    }

    // MARK: Files with secrets

    private func withFile(
        _ text: String, permissions: Int = 0o600, _ body: (String) throws -> Void
    ) throws {
        try withFile(Array(text.utf8), permissions: permissions, body)
    }

    private func withFile(_ octets: [UInt8], permissions: Int = 0o600, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(octets), attributes: [.posixPermissions: permissions]))
        try body(path)
    }

    private func complaint(_ path: String, limit: Int = 1024) -> ToolError? {
        do {
            _ = try SecretFile.read(path, "the password", limit: limit)
            return nil
        } catch {
            return error as? ToolError
        }
    }

    @Test func aSecretIsTheTextOfItsFileWithoutTheLineBreak() throws {
        let secrets = [("a", "a"), ("a\n", "a"), ("a\r\n", "a"), (" a b ", " a b "), ("a\n\n", "a\n"), ("灯", "灯")]
        for (text, secret) in secrets {
            try withFile(text) { path in
                let read = try SecretFile.read(path, "the password")
                #expect(read == secret)
            }
        }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o660, 0o610]) func othersMayNotReadASecret(permissions: Int) throws {
        try withFile("swordfish", permissions: permissions) { path in
            let failure = complaint(path)
            #expect(failure?.kind == .security && failure?.lines.last?.contains("chmod 600") == true)
            #expect(failure?.lines.joined().contains("swordfish") == false)
        }
        try withFile("swordfish", permissions: 0o400) { path in
            let read = try SecretFile.read(path, "it")
            #expect(read == "swordfish")
        }
    }

    @Test func aFileWithoutASecretIsNamed() throws {
        let octets: [[UInt8]] = [
            [], [0x0A], [0x61, 0, 0x62], [0xFF, 0xFE], [UInt8](repeating: 0x61, count: 9),
            [UInt8](repeating: 0x61, count: 4096),
        ]
        for content in octets {
            try withFile(content) { path in
                let failure = complaint(path, limit: 8)
                #expect(failure?.lines.first?.contains("1 to 8 octets of UTF-8") == true, "\(content.count)")
            }
        }
        try withFile([UInt8](repeating: 0x61, count: 8)) { path in #expect(complaint(path, limit: 8) == nil) }
        try withFile("") { path in
            let read = try SecretFile.read(path, "it", mayBeEmpty: true)
            #expect(read == "")
        }
    }

    /// A pipe without a writer must not stop the command.
    @Test func whatIsNoFileIsRefused() throws {
        #expect(complaint("/absent/file")?.lines.first?.contains("No such file") == true)
        #expect(complaint("/tmp")?.lines.first?.contains("is no file") == true)
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        #expect(complaint(path)?.lines.first?.contains("is no file") == true)
        #expect(complaint("/dev/null")?.lines.first?.contains("is no file") == true)
    }
}
