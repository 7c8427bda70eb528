import AppleNames
import Foundation
import Testing

@Suite struct AutoreleasedBytesTests {
    private struct Weak { weak var data: NSData? }

    /// Which objects still exist, in a thread of its own, after each gave its octets in this order.
    private func remaining(lengths: [Int]) async -> [Int] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let objects = lengths.map { length in
                    let data = NSData(data: Data(count: length))
                    _ = data.autoreleasedBytes
                    return Weak(data: data)
                }
                continuation.resume(returning: objects.indices.filter { objects[$0].data != nil })
            }
        }
    }

    @Test(arguments: [0, 1, 14, 15, 141, 4096, 70_000]) func thePointerOutlivesTheObjectOfTheExpression(count: Int) {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) })
        let pointer = (data as NSData).autoreleasedBytes
        // What would reuse the memory of the object.
        let others = (0..<100).map { _ in [UInt8](repeating: 0xEE, count: count) }
        #expect(Data(bytes: pointer, count: count) == data)
        #expect(others.count == 100)
    }

    @Test func aThreadKeepsTheLastSixteen() async {
        #expect(await remaining(lengths: Array(repeating: 8, count: 40)) == Array(24..<40))
    }

    @Test func largeObjectsStayAlone() async {
        let mebibyte = 1 << 20
        #expect(await remaining(lengths: [8, 5 * mebibyte]) == [1])
        #expect(await remaining(lengths: [mebibyte, mebibyte, mebibyte, 2 * mebibyte]) == [1, 2, 3])
        #expect(await remaining(lengths: [5 * mebibyte, 5 * mebibyte, 8]) == [2])
    }
}
