import BLEWire
import Testing

@testable import BLEController

/// The life of a link (Vol 6, Part B, 4.5.2, 5.1.1 and 5.1.6).
struct LinkStateTests {
    private let early = Instant.zero + .seconds(1)
    private let late = Instant.zero + .seconds(2)

    @Test func theFirstPDUEstablishesTheLink() {
        var state = LinkState.created
        #expect(state.isOpen && !state.isEstablished && state.supervisedFrom == nil && state.ending == nil)
        // Without a PDU of the peer there is neither a supervision timeout to restart nor a peer that ends the link.
        state.restartSupervision(at: late)
        state.end(.remoteUserTerminatedConnection)
        #expect(state == .created)
        let isFirst = state.receive(at: early)
        #expect(isFirst)
        #expect(state == .established(supervisedFrom: early) && state.isOpen && state.isEstablished)
        let isFirstAgain = state.receive(at: late)
        #expect(!isFirstAgain && state.supervisedFrom == late)
    }

    @Test func newParametersNeverShortenTheSupervision() {
        var state = LinkState.established(supervisedFrom: early)
        state.restartSupervision(at: late)
        #expect(state == .established(supervisedFrom: late))
        state.restartSupervision(at: early)
        #expect(state == .established(supervisedFrom: late))
        state = .ending(.connectionTimeout, supervisedFrom: early)
        state.restartSupervision(at: late)
        #expect(state == .ending(.connectionTimeout, supervisedFrom: late))
    }

    @Test func theEndHasTheReasonOfThePeer() {
        var state = LinkState.established(supervisedFrom: early)
        state.end(.remoteUserTerminatedConnection)
        #expect(state == .ending(.remoteUserTerminatedConnection, supervisedFrom: early))
        #expect(state.isOpen && state.isEstablished && state.ending == .remoteUserTerminatedConnection)
        let isFirst = state.receive(at: late)
        #expect(!isFirst)
        #expect(state == .ending(.remoteUserTerminatedConnection, supervisedFrom: late))
    }

    @Test func aClosedLinkStaysClosed() {
        var state = LinkState.closed
        let isFirst = state.receive(at: early)
        #expect(!isFirst)
        state.restartSupervision(at: early)
        state.end(.connectionTimeout)
        #expect(state == .closed && !state.isOpen && !state.isEstablished && state.ending == nil)
    }
}
