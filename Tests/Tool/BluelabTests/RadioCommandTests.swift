import ArgumentParser
import Foundation
import Testing

@testable import bluelab

struct RadioCommandTests {
    private func parse(_ line: String) throws -> any ParsableCommand {
        try Bluelab.parseAsRoot(Bluelab.completed(line.split(separator: " ").map(String.init)))
    }

    @Test func withoutACommandItServes() throws {
        #expect(try parse("radio") is RadioServeCommand)
        let named = try #require(try parse("radio --name lab --listen tcp:[::1]:0") as? RadioServeCommand)
        #expect(named.radio.name == "lab")
        #expect(named.listen == ["tcp:[::1]:0"])
        #expect(throws: (any Error).self) { try parse("radio --name a/b") }
    }

    @Test func coordinatesMayBeNegative() throws {
        let move = try #require(try parse("radio move phone -1.5 2 -0.25") as? RadioMoveCommand)
        #expect([move.x, move.y, move.z] == [-1.5, 2, -0.25])
        let named = try #require(try parse("radio move --name lab 3 -1 -2") as? RadioMoveCommand)
        #expect(named.radio.name == "lab")
        #expect(named.device == "3")
        #expect([named.x, named.y, named.z] == [-1, -2, 0])
        let wall = try #require(try parse("radio wall add -1 -1 1 -1 20") as? RadioWallCommand.Add)
        #expect([wall.x1, wall.y1, wall.x2, wall.y2, wall.decibels] == [-1, -1, 1, -1, 20])
    }

    @Test func aBeaconBecomesAControlCommand() throws {
        func line(_ text: String) throws -> String {
            try #require(try parse("radio beacon add " + text) as? RadioBeaconCommand.Add).line()
        }
        #expect(try line("door") == "beacon add door type=nonconnectable interval=100.0 power=0")
        #expect(
            try line("door --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7 --flags 06 --power -12 --at -1,2")
                .hasSuffix(
                    "power=-12 data=0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000010007C5 at=-1,2"))
        #expect(
            try line("x --type scannable --data 020106 --service-data FEAA:10EB --manufacturer FFFF:01 --response 0201")
                == "beacon add x type=scannable interval=100.0 power=0 data=0201060516AAFE10EB04FFFFFF01 response=0201")
        #expect(try line("x --service 180D --service 180F --local-name ab").hasSuffix("data=05030D180F1803096162"))
        #expect(
            try line("x --type directed --target 02:00:5E:00:00:01 --random-address C0:00:00:00:00:01").hasSuffix(
                "random=C0:00:00:00:00:01 target=02:00:5E:00:00:01"))
        for wrong in [
            "x --flags 1FF", "x --service nothing", "x --service-data FEAA", "x --manufacturer FFFF:0",
            "x --manufacturer 1FFFF:00", "x --ibeacon 1:2:3",
        ] {
            #expect(throws: (any Error).self, "\(wrong)") { try line(wrong) }
        }
        #expect(try parse("radio beacon remove door") is RadioBeaconCommand.Remove)
    }

    @Test func anAddressNeedsAListener() throws {
        let served = try #require(
            try parse("radio --listen unix:x --address 02:00:5E:00:00:01") as? RadioServeCommand)
        #expect(served.address == ["02:00:5E:00:00:01"])
        #expect(throws: (any Error).self) { try parse("radio --address 02:00:5E:00:00:01") }
        #expect(throws: (any Error).self) { try parse("radio --listen unix:x --address nonsense") }
    }

    @Test func aDeviceIsOneWord() throws {
        #expect(try parse("radio drop phone") is RadioDropCommand)
        #expect(throws: (any Error).self) { try Bluelab.parseAsRoot(["radio", "drop", "a\nlist"]) }
        #expect(throws: (any Error).self) { try Bluelab.parseAsRoot(["radio", "loss", "", "3"]) }
    }

    @Test func theListIsATable() throws {
        let answer = """
            {"ok":true,"devices":[{"number":0,"name":"wristband","address":"EE:8C:A1:47:1F:05","x":0,"y":-1.25,"z":0,
            "loss":12.5,"advertising":true,"scanning":false,"connecting":false,"links":2},{"number":12,"name":"phone",
            "x":0,"y":0,"z":0,"loss":0,"advertising":false,"scanning":false,"connecting":false,"links":0}]}
            """
        let decoded = try JSONDecoder().decode(RadioAnswer.self, from: Data(answer.utf8))
        #expect(
            RadioListCommand.table(decoded.devices ?? []) == [
                "    device     address            position   loss    doing",
                " 0  wristband  EE:8C:A1:47:1F:05  0 -1.25 0  12.5 %  advertising, 2 links",
                "12  phone      none               0 0 0      0 %     nothing",
            ])
        #expect(RadioListCommand.table([]) == ["The radio has no devices."])
        // A column for platforms, if there is one.
        var devices = decoded.devices ?? []
        devices[1].platform = "iphone-ios-11"
        #expect(
            RadioListCommand.table(devices) == [
                "    device     address            platform       position   loss    doing",
                " 0  wristband  EE:8C:A1:47:1F:05  none           0 -1.25 0  12.5 %  advertising, 2 links",
                "12  phone      none               iphone-ios-11  0 0 0      0 %     nothing",
            ])
    }
}
