import ArgumentParser
import BLEWire
import GatewayFleet
import MQTTClient

struct StormCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storm",
        abstract: "Compute how many gateways return to a broker that was away, in virtual time.",
        discussion: """
            Example: bluelab gateway storm --gateways 10000 --away 30 --admits 500

            Each gateway waits between its attempts as `bluelab gateway cloud` does: 1 s, doubled up to 60 s, with a random half. The broker \
            admits a number of connections in a second and refuses the others. No broker is needed.
            """)

    @Option(shown: "The number of gateways.", valueName: "number", transform: positiveCount)
    var gateways = 10_000

    @Option(shown: "How long the broker is away.", valueName: "seconds", transform: positiveSeconds)
    var away: Duration = .seconds(5)

    @Option(shown: "The connections that the broker admits in a second.", valueName: "number", transform: positiveCount)
    var admits = 500

    @Option(
        shown: "The brokers of the cluster, which are away together. A gateway tries them in turn, with short pauses.",
        valueName: "number", transform: positiveCount)
    var brokers = 1

    @Option(help: ArgumentHelp("The seed of the random pauses.", valueName: "number"))
    var seed: UInt64 = 1

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func validate() throws {
        if gateways > 200_000 { throw ValidationError("at most 200000 gateways.") }
        if away > .seconds(86_400) { throw ValidationError("the broker is away for at most 86400 seconds.") }
    }

    func run() throws {
        let rehearsal = ReconnectionRehearsal(
            gateways: gateways, away: TimeSpan(nanoseconds: Int64(away / .nanoseconds(1))), admitted: admits,
            brokers: brokers, seed: seed
        )
        let record: StormRecord
        do throws(MQTTClientError) {
            record = StormRecord(rehearsal, try rehearsal.run())
        } catch {
            throw ToolError(.failed, error.description)
        }
        if json { return try emit(jsonLine(record, type: "storm")) }
        try emit(
            say(
                "One half of \(gateways) gateways is back after \(number(record.half)) s, 99 in 100 after \(number(record.mostly)) s, all after \(number(record.all)) s."
            ))
        try emit(say("\(record.attempts) attempts to connect, at most \(record.busiestSecond) in a second."))
    }
}

/// The record of `--json`. Times are those since the broker's return.
struct StormRecord: Encodable {
    let gateways: Int
    let away: Double
    let admits: Int
    let brokers: Int
    let half: Double
    let mostly: Double
    let all: Double
    let attempts: Int
    let busiestSecond: Int

    init(_ rehearsal: ReconnectionRehearsal, _ result: ReconnectionRehearsal.Result) {
        (gateways, admits, brokers) = (rehearsal.gateways, rehearsal.admitted, rehearsal.brokers)
        away = FleetText.seconds(rehearsal.away)
        (half, mostly) = (FleetText.seconds(result.half), FleetText.seconds(result.mostly))
        all = FleetText.seconds(result.all)
        (attempts, busiestSecond) = (result.attempts, result.busiestSecond)
    }
}
