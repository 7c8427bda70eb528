import BLEAdapter
import BLEWire
import Testing

@testable import BLEStore

@Suite struct StoreCodingTests {
    static let content: StoreContent = {
        var content = StoreContent()
        for number in 0..<3 as Range<UInt64> {
            content.meet(
                .init(
                    address: StoreBench.address(number), identifier: PeerIdentifier(high: number, low: 9),
                    deviceName: number == 0 ? nil : "Name \(number)", advertisedName: "Ad", lastMeeting: 0))
        }
        content.managers[.init(role: .central, identifier: "one")] = StoreBench.central.encoded
        content.managers[.init(role: .peripheral, identifier: "one")] = StoreBench.services.encoded
        content.foreign = [.init(kind: 77, octets: [1, 2, 3])]
        return content
    }()

    @Test func theContentIsDecodedAsEncoded() throws {
        #expect(try StoreContent(decoding: Self.content.encoded[...]) == Self.content)
        #expect(try CentralRestoration(decoding: StoreBench.central.encoded[...]) == StoreBench.central)
        let services = try PeripheralRestoration(decoding: StoreBench.services.encoded[...])
        #expect(services == StoreBench.services)
        #expect(services.services[0].definition.uuid.octetCount == 2, "a UUID keeps its form")
    }

    @Test func truncationsAndBitErrorsAreDetected() {
        let file = StoreFile.stateFile.encode(Self.content)
        for count in 0..<file.count {
            #expect(throws: StoreEnvelope.FormatError.self) {
                try StoreFile.stateFile.decode(Array(file.prefix(count)))
            }
        }
        for bit in 0..<8 * file.count {
            var damaged = file
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            do throws(StoreEnvelope.FormatError) {
                _ = try StoreFile.stateFile.decode(damaged)
                Issue.record("bit \(bit) made no difference")
            } catch {
                guard case .corrupt = error else {
                    Issue.record("bit \(bit): \(error)")
                    continue
                }
            }
        }
    }

    @Test func hostileContentWithAValidChecksumDoesNotTrap() {
        var random = SeededRandom(seed: 3)
        let starts = [Self.content.encoded, StoreBench.central.encoded, StoreBench.services.encoded]
        var (decoded, restored) = (0, 0)
        for number in 0..<10_000 {
            var octets = starts[number % 3]
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(max(1, octets.count)))
                switch random.next() % 4 {
                case 0: if !octets.isEmpty { octets[place] = UInt8(truncatingIfNeeded: random.next()) }
                case 1: if !octets.isEmpty { octets[place] = 0xFF }
                case 2: octets.removeSubrange(place...)
                default: octets.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
            }
            if let content = try? StoreContent(decoding: octets[...]) {
                decoded += 1
                #expect((try? StoreContent(decoding: content.encoded[...])) == content)
            }
            _ = try? CentralRestoration(decoding: octets[...])
            if let services = try? PeripheralRestoration(decoding: octets[...]) {
                restored += 1
                #expect((try? PeripheralRestoration(decoding: services.encoded[...])) == services)
            }
            _ = try? StoreFile.stateFile.decode(StoreEnvelope.state.seal(octets))
            _ = try? StoreFile.keyFile.decode(StoreEnvelope.key.seal(octets))
        }
        #expect(decoded > 100 && restored > 50, "some mutations leave something that makes sense")
    }

    @Test func theLeastRecentDevicesAreRemovedFirst() {
        var content = StoreContent()
        for number in 0..<UInt64(StoreContent.peerLimit + 10) {
            content.insert(
                .init(
                    address: StoreBench.address(number), identifier: PeerIdentifier(high: number, low: 0),
                    lastMeeting: number + 1))
        }
        content.meet(.init(address: StoreBench.address(0), identifier: PeerIdentifier(high: 0, low: 0), lastMeeting: 0))
        #expect(content.peers.count == StoreContent.peerLimit)
        #expect(content.peers[StoreBench.address(0)] != nil, "met again")
        #expect(content.peers[StoreBench.address(1)] == nil && content.peers[StoreBench.address(11)] != nil)
    }

    @Test func managersOfOtherProgramsAreRemovedFirst() {
        var content = StoreContent()
        let own = StoreContent.ManagerKey(role: .central, identifier: "a")
        content.managers[own] = [1]
        for number in 0..<StoreContent.managerLimit + 5 {
            content.managers[.init(role: .peripheral, identifier: "manager \(number)")] = [2]
        }
        content.trim(keeping: [own])
        #expect(content.managers.count == StoreContent.managerLimit && content.managers[own] != nil)
    }
}
