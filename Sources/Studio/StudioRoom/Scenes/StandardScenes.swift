extension RoomScene {
    /// The scenes of the room itself. The first one is the room at the start.
    package static let standard: [RoomScene] = [.pair, .empty, .crowd]

    /// A phone and a wristband, two metres apart.
    static let pair = RoomScene("pair") { _ in
        WorldFile(devices: [
            WorldFile.Device(running: "walkthrough", x: -1, y: 0), WorldFile.Device(running: "wristband", x: 1, y: 0),
        ])
    }

    static let empty = RoomScene("empty") { _ in WorldFile() }

    /// Many advertisers around a phone that searches. The parameter is `count`, at most 400.
    static let crowd = RoomScene("crowd") { parameters in
        let count = min(max(parameters["count"]?.integer ?? 200, 1), 400)
        let columns = Int(Double(count).squareRoot().rounded(.up))
        let spacing = 1.5
        let middle = Double(columns - 1) * spacing / 2
        let crowd = (0..<count).map { index in
            WorldFile.Device(
                running: "advertiser", name: "Sensor \(index + 1)", x: Double(index % columns) * spacing - middle,
                y: Double(index / columns) * spacing - middle,
                parameters: parameters["interval"].map { ["interval": $0] } ?? .null)
        }
        return WorldFile(
            devices: [
                WorldFile.Device(running: "walkthrough", x: -0.7, y: 0.7),
                WorldFile.Device(running: "wristband", x: 0.7, y: 0.7),
            ] + crowd)
    }
}
