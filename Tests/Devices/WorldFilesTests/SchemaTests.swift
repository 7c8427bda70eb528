import BLESimulator
import Foundation
import TestConditions
import Testing

@testable import WorldFiles

/// The schema in the documentation has the keys that the reader takes.
struct SchemaTests {
    private let schema: [String: Any]

    init() throws {
        let path = projectRoot.appending(path: "Documentation/Schemas/Worlds/world-file.json")
        schema = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    }

    private func properties(_ schema: [String: Any]?) -> [String: Any] {
        schema?["properties"] as? [String: Any] ?? [:]
    }

    /// The schema of the elements of a list at the top.
    private func elements(_ name: String) throws -> [String: Any] {
        let list = try #require(properties(schema)[name] as? [String: Any])
        return try #require(list["items"] as? [String: Any])
    }

    @Test func eachKeyOfTheReaderIsInTheSchema() throws {
        #expect(Set(properties(schema).keys) == Set(WorldFileReader.keys))
        let devices = properties(try elements("devices"))
        #expect(Set(devices.keys) == Set(WorldFileReader.deviceKeys))
        let beacon = properties(devices["beacon"] as? [String: Any])
        #expect(Set(beacon.keys) == Set(WorldFileReader.beaconKeys))
        #expect(
            Set(properties(beacon["extended"] as? [String: Any]).keys) == Set(WorldFileReader.extendedKeys))
        #expect(Set(properties(try elements("expect")).keys) == Set(WorldFileReader.expectationKeys))
        let events = try #require(try elements("events")["anyOf"] as? [[String: Any]])
        #expect(
            Set(events.map { Set(properties($0).keys) })
                == Set(WorldFileReader.eventKeys.map { Set(["at", $0.kind] + $0.others) }))
    }

    @Test func theSchemaHasTheNamesOfFaultsAndPlatforms() throws {
        func names(_ schema: Any?) -> Set<String> { Set((schema as? [String: Any])?["enum"] as? [String] ?? []) }
        let events = try #require(try elements("events")["anyOf"] as? [[String: Any]]).map { properties($0) }
        let fault = try #require(events.first { $0["fault"] != nil })
        #expect(names(fault["kind"]) == Set(Fault.Kind.allCases.map(\.rawValue)))
        let platform = try #require(events.first { $0["platform"] != nil })
        #expect(names(platform["is"]) == Set(Platform.presets.keys).union(["none"]))
        #expect(names(properties(try elements("devices"))["platform"]) == Set(Platform.presets.keys))
    }

    @Test func theSchemaIsOfThisVersion() throws {
        let version = try #require(properties(schema)["world"] as? [String: Any])
        #expect(version["const"] as? Int == WorldFile.version)
    }
}
