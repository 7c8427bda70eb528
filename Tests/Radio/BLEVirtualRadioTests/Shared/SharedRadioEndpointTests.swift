import BLEHostAdapter
import BLERuntime
import BLETransport
import Foundation
import Testing

@testable import BLEVirtualRadio

struct SharedRadioEndpointTests {
    /// Runs `body` with the path of a new folder, which is removed afterwards.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "ocb-endpoint-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func theRuntimeDirectoryIsPreferredToThePrivateTemporaryOne() throws {
        let endpoint = try SharedRadioEndpoint(runtimeDirectory: "/run/user/1000")
        #expect(endpoint.address == .unix(path: "/run/user/1000/opencorebluetooth/radio"))
        #expect(endpoint.controlAddress == .unix(path: "/run/user/1000/opencorebluetooth/radio.control"))
        for useless in [nil, "", "relative"] {
            #expect(
                try SharedRadioEndpoint(runtimeDirectory: useless).address
                    == .unix(path: "/tmp/opencorebluetooth-\(geteuid())/radio"))
        }
        let named = try SharedRadioEndpoint(name: "lab_2", runtimeDirectory: "/run")
        #expect(named.address == .unix(path: "/run/opencorebluetooth/radio-lab_2"))
        #expect(named.command == "bluelab radio --name lab_2")
    }

    @Test(arguments: ["", "a b", "../x", "a/b", "ä", "a.control", String(repeating: "a", count: 33)])
    func anInvalidRadioNameIsRefusedWithAReason(name: String) {
        let failure = #expect(throws: SharedRadioEndpoint.EndpointError.self) { try SharedRadioEndpoint(name: name) }
        #expect(failure?.description.hasSuffix(".") == true)
        guard case .none(let failure) = ControllerChoice("radio:" + name) else {
            Issue.record("taken for a radio")
            return
        }
        #expect(failure.sentence.hasPrefix("radio:\(name): "))
    }

    @Test func theChoiceSelectsTheEndpoint() throws {
        guard case .radio(let endpoint) = ControllerChoice("radio"),
            case .radio(let named) = ControllerChoice("radio:lab")
        else {
            Issue.record("not chosen")
            return
        }
        #expect(try endpoint == SharedRadioEndpoint())
        #expect(try named == SharedRadioEndpoint(name: "lab"))
    }

    @Test func theDirectoryOfTheUserIsMadePrivate() throws {
        try withFolder { folder in
            let endpoint = try SharedRadioEndpoint(runtimeDirectory: folder)
            // Without a directory there is no socket of another user.
            try endpoint.check()
            try endpoint.prepare()
            try endpoint.prepare()
            var status = stat()
            #expect(lstat(endpoint.directory, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o700)
        }
    }

    @Test func aDirectoryThatAnotherUserCanWriteIsRefused() throws {
        try withFolder { folder in
            let manager = FileManager.default
            try manager.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
            let endpoint = try SharedRadioEndpoint(runtimeDirectory: folder)
            func refusal(user: uid_t = geteuid()) -> String? {
                do throws(SharedRadioEndpoint.EndpointError) {
                    try endpoint.check(user: user)
                    return nil
                } catch {
                    return error.description
                }
            }
            try manager.createSymbolicLink(atPath: endpoint.directory, withDestinationPath: folder + "/elsewhere")
            #expect(refusal()?.contains("is no directory") == true)
            try manager.removeItem(atPath: endpoint.directory)
            try manager.createDirectory(atPath: endpoint.directory, withIntermediateDirectories: false)
            chmod(endpoint.directory, 0o777)
            #expect(refusal()?.contains("chmod 700") == true)
            chmod(endpoint.directory, 0o700)
            #expect(refusal() == nil)
            let own = geteuid()
            #expect(refusal(user: own + 1)?.contains("belongs to user \(own), not to user \(own + 1)") == true)
        }
    }

    @Test func aMissingRuntimeDirectoryIsReported() throws {
        let endpoint = try SharedRadioEndpoint(runtimeDirectory: "/no such directory")
        let failure = #expect(throws: SharedRadioEndpoint.EndpointError.self) { try endpoint.prepare() }
        #expect(
            failure?.description.hasPrefix(
                "/no such directory/opencorebluetooth cannot be made (No such file or directory): XDG_RUNTIME_DIR names no"
            ) == true)
    }

    @Test func theReasonForAnUnreachableRadioIsReported() async throws {
        let endpoint = try SharedRadioEndpoint(runtimeDirectory: "/" + String(repeating: "long", count: 30))
        let failure = await #expect(throws: SharedRadioEndpoint.EndpointError.self) {
            try await RadioControlClient.ask("list", at: endpoint)
        }
        #expect(failure?.description.contains("(File name too long)") == true)
    }
}
