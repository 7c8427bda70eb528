import DeviceFiles
import Testing

private let first = CharacteristicIndex(service: 0, characteristic: 0)
private let second = CharacteristicIndex(service: 0, characteristic: 1)

private func served(_ first: String, _ second: String = "properties: [read, notify], format: u8") throws -> ProfileState
{
    let text =
        "services:\n  - uuid: FFE0\n    characteristics:\n      - {uuid: FFE1, \(first)}\n      - {uuid: FFE2, \(second)}\n"
    return ProfileState(try DeviceProfile(text: text, file: "p"))
}

private func time(_ seconds: Double, local: Double = 0) -> ProfileTime {
    ProfileTime(elapsed: .milliseconds(Int(seconds * 1000)), localSeconds: local)
}

extension ProfileState {
    fileprivate mutating func values(_ times: [Double]) -> [[UInt8]] { times.map { value(of: first, at: time($0)) } }

    fileprivate mutating func write(_ octets: [UInt8], _ index: CharacteristicIndex = first) -> Result<
        [Update], AttributeAccessError
    > {
        write([(index, 0, octets)])
    }
}

@Suite struct ProfileStateTests {
    @Test func aCounterStartsAgain() throws {
        var up = try served("properties: [read], format: u8, value: {counter: {minimum: 1, maximum: 3, every: 100 ms}}")
        #expect(up.values([0, 0.1, 0.2, 0.3, 0.45]) == [[1], [2], [3], [1], [2]])
        var down = try served("properties: [read], format: u8, value: {counter: {minimum: 0, maximum: 10, step: -5}}")
        #expect(down.values([0, 1, 2, 3]) == [[10], [5], [0], [10]])
    }

    @Test func aSineReachesItsBounds() throws {
        var sine = try served(
            "properties: [read], format: u16be, value: {sine: {minimum: 10, maximum: 20, period: 4 s}, prefix: AA, suffix: BB}"
        )
        #expect(
            sine.values([0, 1, 2, 3]) == [
                [0xAA, 0, 15, 0xBB], [0xAA, 0, 20, 0xBB], [0xAA, 0, 15, 0xBB], [0xAA, 0, 10, 0xBB],
            ])
    }

    @Test func aRandomWalkDependsOnItsSeedOnly() throws {
        func walk(_ seed: Int) throws -> ProfileState {
            try served(
                "properties: [read], format: i16, value: {random-walk: {minimum: -5, maximum: 5, step: 1, seed: \(seed)}, factor: 100}"
            )
        }
        var one = try walk(1)
        var same = try walk(1)
        var other = try walk(2)
        let times = (0..<200).map(Double.init)
        let values = one.values(times)
        #expect(values != other.values(times))
        // Reads at other times do not change the walk.
        #expect(same.values([199]) == [values[199]])
        let numbers = values.map { Int(Int16(bitPattern: UInt16($0[0]) | UInt16($0[1]) << 8)) }
        #expect(numbers.allSatisfy { (-500...500).contains($0) })
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { abs($0 - $1) <= 101 })
        #expect(Set(numbers).count > 50)
    }

    @Test func aReplayEndsOrRepeats() throws {
        var once = try served("properties: [read], value: {replay: {values: ['01', '02'], every: 1 s, repeat: false}}")
        #expect(once.values([0, 1, 2, 9]) == [[1], [2], [2], [2]])
        var loop = try served("properties: [read], value: {replay: {values: ['01', '02'], every: 1 s}}")
        #expect(loop.values([0, 1, 2, 3]) == [[1], [2], [1], [2]])
    }

    @Test func theClockHasTheFormatOfCurrentTime() throws {
        var clock = try served("properties: [read], value: {clock: current-time}")
        // 2024-02-29 13:37:42.5 is a Thursday.
        #expect(
            clock.value(of: first, at: time(0, local: 1_709_213_862.5)) == [0xE8, 0x07, 2, 29, 13, 37, 42, 4, 128, 0])
        #expect(clock.value(of: first, at: time(0, local: 0)) == [0xB2, 0x07, 1, 1, 0, 0, 0, 4, 0, 0])
        #expect(clock.value(of: first, at: time(0, local: -1)) == [0xB1, 0x07, 12, 31, 23, 59, 59, 3, 0, 0])
        var unix = try served("properties: [read], value: {clock: unix}")
        #expect(unix.value(of: first, at: time(0, local: 0x0102_0304)) == [4, 3, 2, 1])
    }

    @Test func readsHaveAnOffsetAndRules() throws {
        var plain = try served("properties: [read], value: 01 02 03")
        #expect(plain.read(first, offset: 1, at: time(0)) == .success([2, 3]))
        #expect(plain.read(first, offset: 3, at: time(0)) == .success([]))
        #expect(plain.read(first, offset: 4, at: time(0)) == .failure(AttributeAccessError(.invalidOffset)))
        var refusing = try served("properties: [read], read: {error: 0x85}")
        #expect(refusing.read(first, offset: 0, at: time(0)) == .failure(AttributeAccessError(ErrorCode(0x85))))
    }

    @Test func aWriteReplacesTheValue() throws {
        var state = try served("properties: [read, write], format: u8, value: {counter: {minimum: 0, maximum: 9}}")
        #expect(state.write([7]) == .success([]))
        #expect(state.values([0, 5]) == [[7], [7]])
    }

    @Test func rulesRefuseValues() throws {
        var length = try served("properties: [write], write: {length: 1-2}")
        #expect(length.write([] as [UInt8]) == .failure(AttributeAccessError(.invalidLength)))
        #expect(length.write([1, 2, 3]) == .failure(AttributeAccessError(.invalidLength)))
        #expect(length.write([1, 2]) == .success([]))
        var range = try served("properties: [read, write], format: i8, value: 3, write: {minimum: -1, maximum: 5}")
        #expect(range.write([0xFE]) == .failure(AttributeAccessError(.outOfRange)))
        #expect(range.write([6]) == .failure(AttributeAccessError(.outOfRange)))
        #expect(range.write([1, 1]) == .failure(AttributeAccessError(.invalidLength)))
        #expect(range.values([0]) == [[3]])
        #expect(range.write([0xFF]) == .success([]))
        var allowed = try served("properties: [write], write: {allowed: ['01', '02 03']}")
        #expect(allowed.write([2]) == .failure(AttributeAccessError(.valueNotAllowed)))
        #expect(allowed.write([2, 3]) == .success([]))
        var custom = try served("properties: [write], write: {allowed: '01', error: 0x80}")
        #expect(custom.write([2]) == .failure(AttributeAccessError(ErrorCode(0x80))))
    }

    @Test func partsOfAWriteSucceedOrFailTogether() throws {
        var state = try served(
            "properties: [read, write], write: {length: 4}", "properties: [read, write], write: {length: 1}")
        #expect(
            state.write([(first, 0, [1, 2]), (first, 2, [3, 4]), (second, 0, [5, 6])])
                == .failure(AttributeAccessError(.invalidLength)))
        #expect(state.values([0]) == [[]])
        #expect(state.write([(first, 0, [1, 2]), (first, 2, [3, 4]), (second, 0, [5])]) == .success([]))
        #expect(state.values([0]) == [[1, 2, 3, 4]])
        #expect(state.write([(first, 0, [1]), (first, 2, [3])]) == .failure(AttributeAccessError(.invalidOffset)))
        #expect(state.write([(first, 1, [1])]) == .failure(AttributeAccessError(.invalidOffset)))
    }

    @Test func aWriteChangesOtherValues() throws {
        var state = try served(
            "properties: [write], format: u8, write: {then: [{characteristic: FFE2, factor: 0.5, offset: 48}, {characteristic: FFE2, echo: true}]}"
        )
        #expect(
            state.write([40])
                == .success([
                    .init(characteristic: second, value: [68], isEcho: false),
                    .init(characteristic: second, value: [40], isEcho: true),
                ]))
        #expect(state.value(of: second, at: time(0)) == [68])
        var fixed = try served("properties: [write], write: {then: [{characteristic: FFE2, value: 9}]}")
        #expect(fixed.write([1]) == .success([.init(characteristic: second, value: [9], isEcho: false)]))
        #expect(fixed.value(of: second, at: time(0)) == [9])
    }

    @Test func aNewVersionKeepsWrittenValuesOfEqualCharacteristics() throws {
        var old = try served("properties: [read, write], value: '01'", "properties: [read, write], value: '02'")
        _ = old.write([(first, 0, [8]), (second, 0, [9])])
        let new = try served("properties: [read, write], value: '01'", "properties: [read, write], value: '03'")
        var merged = ProfileState(new.profile, keeping: old)
        #expect(merged.value(of: first, at: time(0)) == [8])
        #expect(merged.value(of: second, at: time(0)) == [3])
    }
}
