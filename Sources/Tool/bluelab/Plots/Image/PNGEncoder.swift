/// Writes PNG files (ISO/IEC 15948) with a palette.
enum PNGEncoder {
    /// - Parameters:
    ///   - palette: Red, green and blue of at most 256 colours.
    ///   - pixels: `width * height` indices of colours, row by row.
    static func encode(width: Int, height: Int, palette: [UInt8], pixels: [UInt8]) -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        // 8 bits a pixel, colour type 3 (palette), no interlacing.
        append("IHDR", bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 3, 0, 0, 0], to: &file)
        append("PLTE", palette, to: &file)
        append("IDAT", Deflater.zlib(filtered(width, height, pixels)), to: &file)
        append("IEND", [], to: &file)
        return file
    }

    /// The rows, each with the filter Up: a row that equals the row above becomes zeros, which compress well.
    private static func filtered(_ width: Int, _ height: Int, _ pixels: [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        rows.reserveCapacity((width + 1) * height)
        for row in 0..<height {
            rows.append(2)
            let start = row * width
            for index in start..<start + width {
                rows.append(row == 0 ? pixels[index] : pixels[index] &- pixels[index - width])
            }
        }
        return rows
    }

    private static func append(_ type: String, _ content: [UInt8], to file: inout [UInt8]) {
        let checked = Array(type.utf8) + content
        file += bigEndian(UInt32(content.count)) + checked + bigEndian(crc(checked))
    }

    fileprivate static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// CRC-32 of ISO 3309, as PNG uses it.
    static func crc(_ octets: [UInt8]) -> UInt32 {
        ~octets.reduce(0xFFFF_FFFF as UInt32) { crc, octet in
            crcTable[Int((crc ^ UInt32(octet)) & 0xFF)] ^ crc >> 8
        }
    }

    private static let crcTable: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
    }
}

/// A compressor for images with large equal areas: one block with the fixed codes of RFC 1951, 3.2.6, whose only references repeat
/// the last octet.
enum Deflater {
    /// A zlib stream (RFC 1950).
    static func zlib(_ octets: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        // The last block, with fixed codes.
        bits.write(0b011, 3)
        var index = 0
        while index < octets.count {
            let octet = octets[index]
            literal(Int(octet), &bits)
            index += 1
            var run = 0
            while index + run < octets.count, octets[index + run] == octet { run += 1 }
            index += run
            while run >= 3 {
                // A rest of one or two octets costs more than a shorter reference before it.
                let length = min(run, 258)
                repetition(length, &bits)
                run -= length
            }
            for _ in 0..<run { literal(Int(octet), &bits) }
        }
        literal(256, &bits)
        return [0x78, 0x01] + bits.octets + PNGEncoder.bigEndian(adler(octets))
    }

    /// A literal or the code of a length.
    private static func literal(_ code: Int, _ bits: inout BitWriter) {
        switch code {
        case ..<144: bits.writeCode(0x30 + code, 8)
        case ..<256: bits.writeCode(0x190 + code - 144, 9)
        case ..<280: bits.writeCode(code - 256, 7)
        default: bits.writeCode(0xC0 + code - 280, 8)
        }
    }

    /// Repeats the last octet 3 to 258 times.
    private static func repetition(_ length: Int, _ bits: inout BitWriter) {
        // Code, number of extra bits and first length (RFC 1951, 3.2.5).
        if length == 258 {
            literal(285, &bits)
        } else if length <= 10 {
            literal(254 + length, &bits)
        } else {
            let extra = (length - 3).bitWidth - (length - 3).leadingZeroBitCount - 3
            let step = (length - 3) >> extra
            literal(257 + extra * 4 + step, &bits)
            bits.write((length - 3) & (1 << extra - 1), extra)
        }
        // The distance 1 has the code 0 of five bits.
        bits.write(0, 5)
    }

    static func adler(_ octets: [UInt8]) -> UInt32 {
        var (low, high) = (1 as UInt32, 0 as UInt32)
        for octet in octets {
            low = (low + UInt32(octet)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}

/// Collects bits, the least significant one first.
private struct BitWriter {
    private var finished: [UInt8] = []
    private var pending: UInt32 = 0
    private var count = 0

    /// The octets; the last one is padded with zeros.
    var octets: [UInt8] { count == 0 ? finished : finished + [UInt8(truncatingIfNeeded: pending)] }

    mutating func write(_ value: Int, _ width: Int) {
        pending |= UInt32(value) << UInt32(count)
        count += width
        while count >= 8 {
            finished.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    /// A Huffman code, whose most significant bit comes first.
    mutating func writeCode(_ code: Int, _ width: Int) {
        write((0..<width).reduce(0) { $0 << 1 | (code >> $1 & 1) }, width)
    }
}
