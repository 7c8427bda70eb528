import ArgumentParser

struct BeaconCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacon",
        abstract: "Send beacons, and watch those in range.",
        discussion: """
            The formats are iBeacon, Eddystone (UID, URL, TLM, EID) and AltBeacon.

              bluelab beacon send --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7
              bluelab beacon watch --region E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1
            """,
        subcommands: [BeaconSendCommand.self, BeaconWatchCommand.self])
}
