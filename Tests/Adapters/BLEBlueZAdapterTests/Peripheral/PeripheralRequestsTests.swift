import BLEAdapter
import BLEWire
import SystemBus
import Testing

@testable import BLEBlueZAdapter

@Suite struct PeripheralRequestsTests {
    private typealias Bench = PeripheralBench

    /// A bench with a lamp and a phone.
    private func bench() -> Bench {
        let bench = Bench()
        bench.connect(Bench.phone)
        bench.addLamp()
        return bench
    }

    @Test func staticValuesAreAnsweredHere() {
        let bench = bench()
        #expect(bench.read("2A02").text == "[1, 2, 3]")
        #expect(bench.read("2A02", offset: 2).text == "[3]")
        #expect(bench.read("2A02", offset: 3).text == "[]")
        #expect(bench.read("2A02", offset: 4).text == "InvalidOffset")
        #expect(bench.write([1], "2A02").text == "NotPermitted")
        #expect(bench.call("ReadValue", "2901", [Bench.options()], BlueZ.descriptor).text == "[76, 97]")
        #expect(bench.call("ReadValue", "2901", [Bench.options(offset: 1)], BlueZ.descriptor).text == "[97]")
        #expect(
            bench.call("WriteValue", "2901", [.octets([1]), Bench.options()], BlueZ.descriptor).text == "NotPermitted")
        #expect(bench.events == [])
    }

    @Test func aReadIsAnsweredByTheProgram() throws {
        let bench = bench()
        let answer = bench.read(offset: 22, mtu: 247)
        #expect(bench.events == ["length 1/244", "1/244 reads 1.0 from 22"])
        #expect(answer.text == "waits")
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [7])
        bench.scheduler.run()
        #expect(answer.text == "[7]")
        // Answered once.
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [8])
        #expect(bench.events == [])
    }

    @Test(
        arguments: [
            (0x02, "NotPermitted", true), (0x03, "NotPermitted", true), (0x05, "Failed", false),
            (0x06, "NotSupported", true),
            (0x07, "InvalidOffset", true), (0x08, "NotAuthorized", true), (0x0D, "InvalidValueLength", true),
            (0x0E, "Failed", true), (0x0F, "Failed", false), (0x11, "Failed", false), (0x80, "Failed 0x80", true),
            (0x9F, "Failed 0x9f", true), (0xA0, "Failed", false), (0xFD, "ImproperlyConfigured", true),
            (0xFE, "InProgress", true),
        ] as [(UInt8, String, Bool)])
    func errorsHaveNames(code: UInt8, expected: String, isExact: Bool) throws {
        let bench = bench()
        let answer = bench.write([1])
        bench.session.respond(to: try #require(bench.observer.request), error: code, value: nil)
        bench.scheduler.run()
        #expect(answer.text == expected)
        #expect(RequestFailure.isExact(code) == isExact)
        // bluetoothd's own Failed would become 0x80: only the codes of applications have that.
        let names = RequestFailure.error(code)
        #expect((names.name == BlueZ.Failure.failed) == (0x80...0x9F).contains(code))
    }

    @Test func writesCarryTheirOffset() throws {
        let bench = bench()
        let answer = bench.write([1, 2], offset: 3)
        #expect(bench.events == ["1/20 writes 1.0 at 3: [1, 2]"])
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: nil)
        bench.scheduler.run()
        #expect(answer.text == "ok")
    }

    @Test func bluetoothdAnswersWritesOfACharacteristicWithCommands() {
        let bench = bench()
        bench.managers.command(bench.path("2A03"), "WriteValue", [.octets([9]), Bench.options()])
        #expect(bench.events == ["1/20 commands 1.2 at 0: [9]"])
    }

    @Test func permissionsAreChecked() {
        let bench = Bench()
        bench.connect(Bench.phone)
        bench.session.add(Bench.service(0xA001, [Bench.characteristic(0x2A01, 0x0A, 0)]), token: 1)
        _ = bench.events
        #expect(bench.read().text == "NotPermitted")
        #expect(bench.write([1]).text == "NotPermitted")
        #expect(bench.events == [])
    }

    @Test func aRequestWaitsAsLongAsBluetoothd() throws {
        let bench = bench()
        let answer = bench.read()
        bench.scheduler.run(for: .milliseconds(4999))
        #expect(answer.text == "waits")
        bench.scheduler.run(for: .milliseconds(1))
        #expect(answer.text == "Failed")
        #expect(bench.log.last?.contains("has not answered a read request") == true)
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [1])
        bench.scheduler.run()
        #expect(answer.text == "Failed")
    }

    @Test func eachRequestHasItsOwnTime() throws {
        let bench = bench()
        let first = bench.read()
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [1])
        bench.scheduler.run(for: .seconds(3))
        let second = bench.read()
        bench.scheduler.run(for: .milliseconds(4999))
        #expect(first.text == "[1]" && second.text == "waits")
        bench.scheduler.run(for: .milliseconds(1))
        #expect(second.text == "Failed")
        // Nothing waited in between.
        bench.scheduler.run(for: .seconds(60))
        #expect(bench.scheduler.waitingCount == 0)
        let third = bench.read()
        bench.scheduler.run(for: .milliseconds(4999))
        #expect(third.text == "waits")
        bench.scheduler.run(for: .milliseconds(1))
        #expect(third.text == "Failed")
    }

    @Test func theEndOfTheAdapterEndsRequests() throws {
        let bench = bench()
        let answer = bench.read()
        bench.role.end(.poweredOff)
        bench.scheduler.run()
        #expect(answer.text == "Failed")
        #expect(bench.role.clients.clients.isEmpty)
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [1])
        bench.scheduler.run(for: .seconds(6))
        #expect(!bench.log.contains { $0.contains("has not answered") })
    }

    @Test func theLogTellsWhichErrorsAreLost() throws {
        let bench = bench()
        for code in [0x05, 0x80] as [UInt8] {
            _ = bench.write([1])
            bench.session.respond(to: try #require(bench.observer.request), error: code, value: nil)
            bench.scheduler.run()
        }
        #expect(bench.log.count == 1 && bench.log[0].contains("Insufficient Authentication"))
    }

    @Test func whatBluetoothdSendsMayBeAnything() {
        let bench = bench()
        let long = [UInt8](repeating: 0, count: 513)
        #expect(bench.write(long).text == "InvalidValueLength")
        #expect(bench.write([1], offset: 512).text == "InvalidValueLength")
        #expect(bench.write([], offset: 513).text == "InvalidOffset")
        #expect(bench.call("WriteValue", "2A01", []).text == "Failed")
        #expect(bench.call("WriteValue", "2A01", [.string("a"), .string("b")]).text == "Failed")
        #expect(bench.call("WriteValue", "2A01", [.octets([1])]).text == "Failed")
        #expect(bench.call("ReadValue", "2A01", []).text == "Failed")
        #expect(bench.call("ReadValue", "2A01", [.properties(["device": .uint32(1)])]).text == "Failed")
        #expect(bench.call("ReadValue", "2A01", [.properties(["device": .path(Bench.tablet)])]).text == "Failed")
        #expect(
            bench.call("AcquireNotify", "2A01", [.properties(["device": .path(Bench.tablet)])]).text == "NotSupported")
        #expect(bench.call("AcquireNotify", "2A01", []).text == "NotSupported")
        #expect(bench.call("AcquireNotify", "2A02", [Bench.options()]).text == "UnknownMethod")
        #expect(bench.events == [])
        // No such ATT_MTU.
        _ = bench.call("ReadValue", "2A01", [Bench.options(mtu: 10)])
        #expect(bench.events == ["1/20 reads 1.0 from 0"])
    }

    @Test func aQuestionAboutAPreparedWriteIsNoWrite() {
        let bench = bench()
        let options = Bench.options(others: ["prepare-authorize": .bool(true)])
        #expect(bench.call("WriteValue", "2A01", [.octets([1]), options]).text == "ok")
        #expect(bench.events == [])
    }

    @Test func theNumberOfRequestsIsBounded() throws {
        let bench = bench()
        var answers: [Bench.Answer] = []
        for _ in 0..<PublishedRequests.limit + 1 { answers.append(bench.read()) }
        #expect(answers.filter { $0.text == "waits" }.count == PublishedRequests.limit)
        #expect(answers.last?.text == "Failed")
        bench.session.respond(to: try #require(bench.observer.request), error: 0, value: [1])
        bench.scheduler.run()
        #expect(bench.read().text == "waits")
    }

    @Test func theEndOfTheSessionRefusesItsRequests() {
        let bench = Bench()
        bench.connect(Bench.phone)
        var session: (any PeripheralSession)? = bench.role.open(observer: bench.observer)
        session?.add(Bench.lamp, token: 1)
        _ = bench.events
        let answer = bench.read()
        withExtendedLifetime(session) {}
        session = nil
        bench.scheduler.run()
        #expect(answer.text == "Failed")
    }
}
