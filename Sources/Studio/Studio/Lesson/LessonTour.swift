/// A tour: the steps of one program of a scene, and the packets that belong to each of them.
struct LessonTour: Sendable {
    struct Step: Sendable {
        enum Kind: String, Codable, Sendable { case call, callback }

        var number: Int
        var kind: Kind
        /// Whether the packets of the step are those until the next step. Otherwise they are those since the step before.
        var looksAhead: Bool
        /// Names of packets that belong to the step.
        var packets: [String]

        init(_ number: Int, _ kind: Kind, looksAhead: Bool? = nil, _ packets: [String] = []) {
            self.number = number
            self.kind = kind
            self.looksAhead = looksAhead ?? (kind == .call)
            self.packets = packets
        }
    }

    /// The identifier of the scene.
    let scene: String
    /// The device whose program has the steps.
    let device: String
    let steps: [Step]
    /// How the report begins that ends the last step.
    let lastLine: String
    let sources: [Int: LessonSources.Part]

    static func tour(of scene: String) -> LessonTour? { [central, peripheral].first { $0.scene == scene } }

    static let central = LessonTour(
        scene: "tour-central", device: "d1",
        steps: [
            Step(1, .call), Step(2, .callback),
            Step(3, .call, ["ADV_IND", "SCAN_REQ", "SCAN_RSP"]), Step(4, .callback, ["ADV_IND", "SCAN_RSP"]),
            Step(5, .call, ["CONNECT_IND", "LL_LENGTH_REQ", "LL_PHY_UPDATE_IND", "ATT_EXCHANGE_MTU_REQ"]),
            Step(6, .callback, ["CONNECT_IND", "LL_FEATURE_RSP", "ATT_EXCHANGE_MTU_RSP"]),
            Step(7, .call, ["ATT_READ_BY_GROUP_TYPE_REQ"]),
            Step(8, .callback, ["ATT_READ_BY_GROUP_TYPE_RSP", "ATT_ERROR_RSP"]),
            Step(9, .call, ["ATT_READ_BY_TYPE_REQ"]), Step(10, .callback, ["ATT_READ_BY_TYPE_RSP"]),
            Step(11, .call, ["ATT_READ_REQ"]), Step(12, .callback, ["ATT_READ_RSP"]),
            Step(13, .call, ["ATT_WRITE_REQ"]), Step(14, .callback, ["ATT_WRITE_RSP"]),
            Step(15, .call, ["ATT_FIND_INFORMATION_REQ", "ATT_WRITE_REQ"]), Step(16, .callback, ["ATT_WRITE_RSP"]),
            Step(17, .call, ["ATT_FIND_INFORMATION_REQ"]), Step(18, .callback, ["ATT_FIND_INFORMATION_RSP"]),
            Step(19, .call, ["ATT_READ_REQ"]), Step(20, .callback, ["ATT_READ_RSP"]),
            Step(21, .call, ["ATT_WRITE_REQ"]), Step(22, .callback, ["ATT_ERROR_RSP"]),
            Step(23, .call, ["LL_TERMINATE_IND"]),
        ], lastLine: "disconnected", sources: LessonSources.central)

    static let peripheral = LessonTour(
        scene: "tour-peripheral", device: "d2",
        steps: [
            Step(1, .call), Step(2, .callback), Step(3, .call), Step(4, .callback), Step(5, .call),
            Step(6, .callback, looksAhead: true, ["ADV_IND", "CONNECT_IND"]),
            Step(7, .callback, ["ATT_READ_REQ"]), Step(8, .call, ["ATT_READ_RSP"]),
            Step(9, .callback, ["ATT_WRITE_REQ"]), Step(10, .call, ["ATT_WRITE_RSP"]),
            Step(11, .callback, ["ATT_WRITE_REQ"]), Step(12, .call, ["ATT_HANDLE_VALUE_NTF"]),
            Step(13, .callback, ["ATT_HANDLE_VALUE_NTF"]), Step(14, .callback, ["LL_TERMINATE_IND"]),
        ], lastLine: "a central left", sources: LessonSources.peripheral)
}
