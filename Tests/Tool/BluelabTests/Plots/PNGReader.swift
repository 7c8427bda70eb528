@testable import bluelab

/// Reads the files that `PNGEncoder` writes, and checks every checksum.
struct PNGReader {
    enum PNGError: Error { case signature, checksum, ends, code, filter, size }

    let width: Int
    let height: Int
    /// The number of pixels of each colour.
    let colors: [[UInt8]: Int]

    init(_ file: [UInt8]) throws {
        guard file.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] else { throw PNGError.signature }
        var chunks: [String: [UInt8]] = [:]
        var rest = file.dropFirst(8)
        while !rest.isEmpty {
            let length = try Self.number(&rest)
            guard rest.count >= length + 8 else { throw PNGError.ends }
            let checked = Array(rest.prefix(length + 4))
            rest = rest.dropFirst(length + 4)
            guard try Self.number(&rest) == Int(PNGEncoder.crc(checked)) else { throw PNGError.checksum }
            chunks[String(decoding: checked.prefix(4), as: UTF8.self)] = Array(checked.dropFirst(4))
        }
        guard var header = chunks["IHDR"]?[...], let data = chunks["IDAT"], let palette = chunks["PLTE"],
            chunks["IEND"] == []
        else { throw PNGError.ends }
        (width, height) = (try Self.number(&header), try Self.number(&header))
        guard Array(header) == [8, 3, 0, 0, 0] else { throw PNGError.size }
        let rows = try Inflater.zlib(data)
        guard rows.count == (width + 1) * height else { throw PNGError.size }
        var above = [UInt8](repeating: 0, count: width)
        var counts = [Int](repeating: 0, count: 256)
        for row in 0..<height {
            guard rows[row * (width + 1)] == 2 else { throw PNGError.filter }
            for column in 0..<width {
                above[column] &+= rows[row * (width + 1) + 1 + column]
                counts[Int(above[column])] += 1
            }
        }
        var colors: [[UInt8]: Int] = [:]
        for (index, count) in counts.enumerated() where count > 0 {
            colors[Array(palette[index * 3..<index * 3 + 3]), default: 0] += count
        }
        self.colors = colors
    }

    private static func number(_ octets: inout ArraySlice<UInt8>) throws -> Int {
        guard octets.count >= 4 else { throw PNGError.ends }
        defer { octets = octets.dropFirst(4) }
        return octets.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Decompresses blocks with fixed codes (RFC 1951), with every length and with the distance 1.
enum Inflater {
    static func zlib(_ stream: [UInt8]) throws -> [UInt8] {
        guard stream.count > 6, (Int(stream[0]) << 8 | Int(stream[1])) % 31 == 0 else {
            throw PNGReader.PNGError.signature
        }
        var octets: [UInt8] = []
        var position = 16
        func bits(_ count: Int) throws -> Int {
            var value = 0
            for index in 0..<count {
                guard position / 8 < stream.count - 4 else { throw PNGReader.PNGError.ends }
                value |= Int(stream[position / 8] >> UInt8(position % 8) & 1) << index
                position += 1
            }
            return value
        }
        func code() throws -> Int {
            var value = 0
            for count in 1...9 {
                value = value << 1 | (try bits(1))
                switch (count, value) {
                case (7, 0...0b001_0111): return 256 + value
                case (8, 0x30...0xBF): return value - 0x30
                case (8, 0xC0...0xC7): return 280 + value - 0xC0
                case (9, 0x190...0x1FF): return 144 + value - 0x190
                default: continue
                }
            }
            throw PNGReader.PNGError.code
        }
        guard try bits(3) == 0b011 else { throw PNGReader.PNGError.code }
        // First lengths and extra bits, as the table of RFC 1951, 3.2.5, lists them.
        let lengths = [
            3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
            227, 258,
        ]
        let extras = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
        while true {
            let code = try code()
            if code == 256 { break }
            if code < 256 {
                octets.append(UInt8(code))
            } else {
                guard code - 257 < lengths.count, let last = octets.last else { throw PNGReader.PNGError.code }
                let length = lengths[code - 257] + (try bits(extras[code - 257]))
                guard try bits(5) == 0 else { throw PNGReader.PNGError.code }
                octets += [UInt8](repeating: last, count: length)
            }
        }
        let sum = stream.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        guard sum == Deflater.adler(octets) else { throw PNGReader.PNGError.checksum }
        return octets
    }
}
