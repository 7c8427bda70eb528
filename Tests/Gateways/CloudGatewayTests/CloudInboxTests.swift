import BLEAdapter
import Foundation
import Testing

@testable import CloudGateway

/// Advertisements wait for others, and everything else wakes the gateway at once.
@Suite struct CloudInboxTests {
    private final class Wakes: @unchecked Sendable {
        // `@unchecked Sendable`: the inbox calls on the thread of the test.
        var isUrgent: [Bool] = []
    }

    private let wakes = Wakes()
    private let inbox: CloudInbox

    init() {
        let wakes = self.wakes
        inbox = CloudInbox { wakes.isUrgent.append($0) }
    }

    @Test func manyAdvertisementsWakeOnceWithoutUrgency() {
        for _ in 0..<100 { inbox.discovered(CloudBench.advertisement()) }
        #expect(wakes.isUrgent == [false])
        #expect(inbox.take().events.count == 100)
        inbox.discovered(CloudBench.advertisement())
        #expect(wakes.isUrgent == [false, false])
    }

    @Test func anUrgentEventDoesNotWaitForAdvertisements() {
        inbox.discovered(CloudBench.advertisement())
        inbox.adapterStateChanged(.poweredOn)
        inbox.discovered(CloudBench.advertisement())
        inbox.adapterStateChanged(.resetting)
        #expect(wakes.isUrgent == [false, true])
        #expect(inbox.take().events.count == 4)
        // The earlier wake without urgency finds nothing.
        #expect(inbox.take().events.isEmpty)
    }

    @Test func advertisementsThatComeTooFastAreCounted() {
        for _ in 0..<3000 { inbox.discovered(CloudBench.advertisement()) }
        let content = inbox.take()
        #expect(content.events.count == 2048)
        #expect(content.droppedAdvertisements == 952)
    }
}
