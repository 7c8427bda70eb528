import ExamplePrograms
import Testing

struct DemoTests {
    @Test func missingDemoStepsAreReported() {
        var state = DemoRecord().current
        #expect(state.missingSteps == Array(1...23))
        state.steps = [Int](repeating: 1, count: 23)
        #expect(state.missingSteps == [23], "the disconnection has not been confirmed")
        state.isFinished = true
        #expect(state.missingSteps == [])
        state.failure = "lost"
        #expect(state.missingSteps == [23])
        state.steps[4] = 0
        #expect(state.missingSteps == [5, 23])
    }
}
