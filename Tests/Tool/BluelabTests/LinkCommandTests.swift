import DeviceLink
import Foundation
import Testing

@testable import bluelab

/// Arguments and secrets of `bluelab link` and `bluelab provision`.
struct LinkCommandTests {
    @Test func addressesHaveAHostAndAPort() {
        #expect(LinkServerAddress(argument: "192.0.2.7:7000").map { "\($0.host) \($0.port)" } == "192.0.2.7 7000")
        #expect(LinkServerAddress(argument: "[fe80::1]:1").map { "\($0.host) \($0.port)" } == "fe80::1 1")
        #expect(LinkServerAddress(argument: "lamp.local:80")?.host == "lamp.local")
        for text in ["", ":", ":1", "a", "a:", "a:x", "a:65536", "fe80::1:1", "[]:1"] {
            #expect(LinkServerAddress(argument: text) == nil, "\(text)")
        }
    }

    @Test func argumentsAreJSON() throws {
        #expect(try LinkAskCommand.value(of: nil) == .null)
        #expect(try LinkAskCommand.value(of: #"{"on":true}"#) == ["on": true])
        #expect(throws: ToolError.self) { try LinkAskCommand.value(of: "{on}") }
    }

    @Test func theKeyComesFromTheEnvironmentOrAPrivateFile() throws {
        let key = LinkKey.random()
        let options = try LinkOptions.parse(["lamp"])
        #expect(try options.key(environment: ["BLUETOOTH_LINK_KEY": key.base64Text]) == key)
        #expect(throws: ToolError.self) { try options.key(environment: [:]) }
        #expect(throws: ToolError.self) { try options.key(environment: ["BLUETOOTH_LINK_KEY": "short"]) }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "key").path
        #expect(
            FileManager.default.createFile(
                atPath: file, contents: Data(key.base64Text.utf8), attributes: [.posixPermissions: 0o644]))
        #expect(throws: ToolError.self) { try LinkOptions.parse(["lamp", "--key-file", file]).key(environment: [:]) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(try LinkOptions.parse(["lamp", "--key-file", file]).key(environment: [:]) == key)
    }

    @Test func aKeyOfZerosIsRefused() throws {
        let zeros = String(repeating: "A", count: 43) + "="
        do {
            _ = try LinkOptions.parse(["lamp"]).key(environment: ["BLUETOOTH_LINK_KEY": zeros])
            Issue.record("the key was taken")
        } catch let failure as ToolError {
            #expect(failure.kind == .usage)
            #expect(failure.lines.first == "BLUETOOTH_LINK_KEY is a key of zeros, which protects nothing.")
        }
        #expect(throws: ToolError.self) {
            try GatewayKeyFile.key(path: nil, environment: [GatewayKeyFile.variable: zeros])
        }
        #expect((try? LinkKey(base64: zeros)) == nil)
    }

    @Test(arguments: [
        (["--way", "direct", "--at", "192.0.2.7:7000"], "--direct for the way direct"),
        (["--way", "network", "--direct", "192.0.2.7:7000"], "--at for the way network"),
        (["--way", "bluetooth", "--http", "192.0.2.7:7000"], "not chosen."),
    ])
    func anAddressForAWayThatIsNotChosenIsRefused(options: [String], hint: String) {
        for command in [["link", "ask", "lamp", "get"], ["link", "watch", "lamp"]] {
            do {
                _ = try Bluelab.parseAsRoot(command + options)
                Issue.record("\(options) were taken")
            } catch {
                #expect(Bluelab.sentence(for: error).contains(hint), "\(Bluelab.sentence(for: error))")
            }
        }
        #expect(throws: Never.self) {
            try Bluelab.parseAsRoot(["link", "ask", "lamp", "get", "--way", "direct", "--direct", "192.0.2.7:7000"])
        }
    }

    @Test func aPasswordComesFromAFileOrTheEnvironment() throws {
        let input = SecretInput(name: "password", variable: "BLUETOOTH_WIFI_PASSWORD", option: "--password-file")
        #expect(try input.read(file: nil, environment: ["BLUETOOTH_WIFI_PASSWORD": "correct horse"]) == "correct horse")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: file) }
        func write(_ octets: [UInt8], permissions: Int = 0o600) {
            #expect(
                FileManager.default.createFile(
                    atPath: file, contents: Data(octets), attributes: [.posixPermissions: permissions]))
        }
        write(Array("correct horse\n".utf8))
        #expect(try input.read(file: file, environment: [:]) == "correct horse")
        write(Array("correct horse\r\n".utf8))
        #expect(try input.read(file: file, environment: [:]) == "correct horse")
        write(Array("correct horse\n".utf8), permissions: 0o644)
        #expect(throws: ToolError.self) { try input.read(file: file, environment: [:]) }
        write([])
        #expect(try input.read(file: file, environment: [:]) == "")
        write([0xFF])
        #expect(throws: ToolError.self) { try input.read(file: file, environment: [:]) }
        write([UInt8](repeating: 0x78, count: 300))
        #expect(throws: ToolError.self) { try input.read(file: file, environment: [:]) }
        #expect(throws: ToolError.self) { try input.read(file: "/nowhere/file", environment: [:]) }
    }

    @Test func noCommandTakesASecretAsAnArgument() {
        for help in [ProvisionCommand.helpMessage(columns: 400), LinkAskCommand.helpMessage(columns: 400)] {
            #expect(!help.contains("--password ") && !help.contains("--key "))
        }
    }
}
