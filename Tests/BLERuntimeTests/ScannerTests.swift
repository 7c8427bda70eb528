import BLEWire
import Testing

@testable import BLERuntime

struct ScannerTests {
    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(kind: .random, value: UInt64(number)) }

    @Test func whoeverChangesAddressesDoesNotFillTheMemory() {
        var scanner = Scanner()
        scanner.sessions = [.init(number: 1, request: ScanRequest())]
        let peer = PeerIdentifier(high: 0, low: 0)
        for number in 0..<20_000 {
            scanner.remember(Scanner.Advertiser(peer: peer), at: address(number))
            scanner.sessions[0].reported[address(number)] = 1
            // One is heard all the time.
            if number % 100 == 0 { scanner.remember(Scanner.Advertiser(peer: peer), at: address(0)) }
            #expect(scanner.advertisers.count <= Scanner.capacity)
        }
        #expect(scanner.sessions[0].reported.count <= Scanner.capacity + 1)
        #expect(scanner.advertisers[address(0)] != nil)
        #expect(scanner.advertisers[address(19_999)] != nil)
    }
}
