import BLEAttribute
import BLEWire
import Testing

@testable import BLEHost

struct EndedLinkTests {
    /// A link that ends, or has ended, takes nothing. Its calls say so, and nothing reaches the controller.
    @Test(arguments: [false, true]) func aLinkThatEndsTakesNothing(hasEnded: Bool) throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let links = try #require(bench.link(central, peripheral))
        bench.run(.seconds(1))
        for host in [central, peripheral] { host.controller.holdsDisconnections = !hasEnded }
        central.host.disconnect(links.0, at: bench.now)
        peripheral.host.disconnect(links.1, at: bench.now)
        bench.settle()
        let now = bench.now
        for (host, link) in [(central, links.0), (peripheral, links.1)] {
            var sent = 0
            host.controller.passesData = { _ in
                sent += 1
                return true
            }
            host.controller.clearLog()
            host.clearEvents()
            #expect(host.host.isEnding(link) && host.host.radioFeatures(of: link) == [])
            #expect((host.host.information(of: link) == nil) == hasEnded)
            #expect((host.host.mtu(of: link) == nil) == hasEnded)
            #expect((host.host.security(of: link) == nil) == hasEnded)
            #expect(host.host.links.map(\.identifier) == (hasEnded ? [] : [link]))
            for peer in [central, peripheral] { #expect(host.host.link(to: peer.controller.address) == nil) }
            #expect(!host.host.takesValues(on: link) && !host.host.takesSeveralValues(on: link))
            let value: [UInt8] = [1]
            let values = [AttributeValue(handle: 3, value: value)]
            let results = [
                host.host.notify(value.span, handle: 3, on: link, at: now),
                host.host.notify(values, on: link, at: now),
                host.host.cancelOperation(1, on: link, at: now),
                host.host.readTransmitPower(link, at: now),
                host.host.readRemoteTransmitPower(link, at: now),
                host.host.reportTransmitPower(link, local: true, remote: true, at: now),
                host.host.reportPathLoss(link, nil, at: now),
            ]
            #expect(!results.contains(true))
            #expect(throws: GATTError.notConnected) {
                _ = try host.host.writeCommand(value.span, handle: 3, on: link, at: now)
            }
            #expect(throws: GATTError.notConnected) {
                _ = try host.host.signedWriteCommand(value.span, handle: 3, on: link, at: now)
            }
            let channel = host.host.connectChannel(spsm: 0x80, on: link, at: now)
            let isSent = host.host.send(value.span, onChannel: 1, of: link, at: now)
            #expect(channel == nil && isSent == .notOpen)
            host.host.indicate(value.span, handle: 3, on: link, at: now)
            host.host.confirmIndication(on: link, at: now)
            host.host.respondToRead(1, value: value.span, on: link, at: now)
            host.host.respondToWrite(1, error: nil, on: link, at: now)
            host.host.submit(.read(handle: 3), id: 1, on: link, at: now)
            host.host.readValues([3], id: 2, on: link, at: now)
            host.host.writeReliably(values, id: 3, on: link, at: now)
            host.host.readDeviceName(id: 4, on: link, at: now)
            host.host.enableServiceChanged(id: 5, on: link, at: now)
            bench.settle()
            #expect(host.completions == Array(1...5))
            for id in 1...5 as ClosedRange<UInt32> { #expect(host.result(id) == .failure(.notConnected)) }
            #expect(sent == 0 && host.controller.log.isEmpty && host.violations.isEmpty)
        }
    }
}
