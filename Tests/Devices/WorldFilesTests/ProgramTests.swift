import Testing

@testable import WorldFiles

struct WorldProgramKindTests {
    @Test func eachProgramHasItsOwnName() {
        let names = WorldProgramKind.standard.map(\.id)
        #expect(Set(names).count == names.count)
        #expect(names.contains("walkthrough") && names.contains("wristband"))
    }
}
