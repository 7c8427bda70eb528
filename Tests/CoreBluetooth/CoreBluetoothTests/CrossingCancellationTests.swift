import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// A cancellation that crosses the loss of its link, of which the adapter reports that it reconnects.
@Suite struct CrossingCancellationTests {
    @Test func aCancelledConnectionDoesNotReconnect() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        for round in 0..<3 {
            // The loss alone.
            bench.emit { $0.disconnected(CentralBench.peer, .failed(.supervisionTimeout), isReconnecting: true) }
            #expect(bench.newEvents() == ["disconnect 1 reconnecting CBErrorDomain 6"], "round \(round)")
            bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
            #expect(bench.newEvents() == ["connect 2"] && peripheral.state == .connected)
            // The loss after the call, before the adapter knows of the call.
            bench.manager.cancelPeripheralConnection(peripheral)
            bench.emit { $0.disconnected(CentralBench.peer, .failed(.supervisionTimeout), isReconnecting: true) }
            #expect(bench.newEvents() == ["disconnect 0"], "round \(round)")
            #expect(peripheral.state == .disconnected)
            bench.emit { $0.disconnected(CentralBench.peer, .cancelled, isReconnecting: false) }
            #expect(bench.newEvents().isEmpty)
            bench.manager.connect(peripheral)
            bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
            #expect(bench.newEvents() == ["connect 2"], "round \(round)")
        }
    }

    @Test func aRequestAfterTheCancellationIsNoReconnection() {
        let bench = CentralBench()
        let peripheral = bench.connectedPeripheral()
        for round in 0..<3 {
            bench.manager.cancelPeripheralConnection(peripheral)
            bench.manager.connect(peripheral)
            bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: true) }
            #expect(bench.newEvents() == ["disconnect 1"], "round \(round)")
            #expect(peripheral.state == .connecting)
            bench.emit { $0.connected(PeerRecord(identifier: CentralBench.peer, name: nil)) }
            #expect(bench.newEvents() == ["connect 2"], "round \(round)")
        }
    }
}
