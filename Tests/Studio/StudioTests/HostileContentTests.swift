import Foundation
import Phrases
import StudioRoom
import Testing

@testable import Studio
@testable import StudioServer

/// A page with the token that sends whatever it likes.
struct HostileContentTests {
    private let studio = Studio()

    /// The code of the failure with which a command is refused; nil if it succeeds.
    private func failure(of command: String, _ arguments: String) async throws -> String? {
        let body = try #require(studio.hub.command(command))
        do {
            _ = try await body(Data(#"{"id":1,"do":"\#(command)","with":\#(arguments)}"#.utf8))
            return nil
        } catch {
            return (error as? PhrasedError)?.code ?? "\(error)"
        }
    }

    private func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test(arguments: [100, 300, 500, 5000, 400_000]) func deepArgumentsAreRefused(depth: Int) async throws {
        let value = nested(depth)
        let add = #"{"program":"beacon","x":0,"y":0,"parameters":\#(value)}"#
        #expect(try await failure(of: "room.add", add) == "arguments")
        #expect(try await failure(of: "room.scene", #"{"scene":"crowd","parameters":\#(value)}"#) == "arguments")
        #expect(try await failure(of: "room.act", #"{"device":"d1","action":"x","with":\#(value)}"#) == "arguments")
        #expect(
            try await failure(of: "explorer.do", #"{"explorer":"d1","action":"x","with":\#(value)}"#) == "arguments")
        // The room still answers.
        #expect(try await failure(of: "time.step", "{}") == nil)
    }

    @Test func argumentsOfOrdinaryDepthAreTaken() async throws {
        let add = #"{"program":"beacon","x":0,"y":0,"parameters":{"a":[[{"b":[1,2,{"c":null}]}]]}}"#
        #expect(try await failure(of: "room.add", add) == nil)
    }

    /// The parser of YAML is recursive, and profiles are read on the room's thread.
    @Test(arguments: ["[", "- ", "{a: ", "? "], [30, 500, 999, 20_000])
    func deepProfilesAreRefused(_ level: String, depth: Int) async throws {
        let profile = String(repeating: level, count: depth)
        let text = try JSONText(encoding: profile).text
        #expect(
            try await failure(of: "room.add", #"{"program":"profile","x":0,"y":0,"profile":\#(text)}"#)
                == "profile-invalid")
        #expect(try await failure(of: "maker.check", #"{"yaml":\#(text)}"#) == nil)
        #expect(try await failure(of: "time.step", "{}") == nil)
    }

    @Test func anExplorerHasTheNameOfItsScene() async throws {
        struct Name: Decodable, Sendable { var id: String, name: String }
        func names() async throws -> [String] {
            studio.hub.touch("explorers")
            return try #require(await studio.hub.value(of: "explorers", as: [Name].self)).map(\.name)
        }
        for name in ["First", "Second"] {
            _ = try await failure(of: "room.scene", #"{"scene":"empty"}"#)
            let add = #"{"program":"explorer","name":"\#(name)","x":0,"y":0}"#
            #expect(try await failure(of: "room.add", add) == nil)
            #expect(try await names() == [name])
        }
    }
}
