/// A phone that does nothing by itself.
final class PhoneProgram: WorldProgram {
    func start() {}
}

extension WorldProgramKind {
    static let phone = WorldProgramKind("phone", kind: .phone, defaultName: "Phone") { _ in PhoneProgram() }
}
