/// A phone that does nothing by itself.
final class PhoneProgram: RoomProgram {
    func start() {}
}

extension RoomProgramKind {
    static let phone = RoomProgramKind("phone", kind: .phone, defaultName: "Phone") { _ in PhoneProgram() }
}
