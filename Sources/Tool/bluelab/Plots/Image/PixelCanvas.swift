/// An image whose pixels are an ink and its coverage in 16 steps over a white ground.
struct PixelCanvas {
    enum Ink {
        case grid, axis, label, title
        case series(Int)

        fileprivate var number: UInt8 {
            switch self {
            case .grid: 0
            case .axis: 1
            case .label: 2
            case .title: 3
            case .series(let index): UInt8(4 + index % ChartDrawing.colorCount)
            }
        }
    }

    let width: Int
    let height: Int
    /// Each pixel has the ink in the upper four bits and the coverage in the lower ones.
    private(set) var pixels: [UInt8]

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
        pixels = [UInt8](repeating: 0, count: width * height)
    }

    var png: [UInt8] { PNGEncoder.encode(width: width, height: height, palette: Self.palette, pixels: pixels) }

    /// Draws a path with round ends.
    mutating func line(_ points: [ChartDrawing.Point], width: Double, _ ink: Ink) {
        guard let first = points.first else { return }
        if points.count == 1 { segment(first, first, width / 2, ink.number) }
        for (start, end) in zip(points, points.dropFirst()) { segment(start, end, width / 2, ink.number) }
    }

    private mutating func segment(
        _ start: ChartDrawing.Point, _ end: ChartDrawing.Point, _ radius: Double, _ ink: UInt8
    ) {
        let (dx, dy) = (end.x - start.x, end.y - start.y)
        let square = dx * dx + dy * dy
        let reach = radius + 1
        guard let rows = Self.range(min(start.y, end.y) - reach, max(start.y, end.y) + reach, height) else { return }
        for row in rows {
            let y = Double(row) + 0.5
            // The part of the segment near this row bounds the columns.
            var near = (min(start.x, end.x), max(start.x, end.x))
            if dy != 0 {
                let one = start.x + dx * min(1, max(0, (y - reach - start.y) / dy))
                let other = start.x + dx * min(1, max(0, (y + reach - start.y) / dy))
                near = (min(one, other), max(one, other))
            }
            guard let columns = Self.range(near.0 - reach, near.1 + reach, width) else { continue }
            for column in columns {
                let x = Double(column) + 0.5
                let share = square == 0 ? 0 : min(1, max(0, ((x - start.x) * dx + (y - start.y) * dy) / square))
                let (distanceX, distanceY) = (x - start.x - share * dx, y - start.y - share * dy)
                let distance = (distanceX * distanceX + distanceY * distanceY).squareRoot()
                let coverage = min(1, radius + 0.5 - distance)
                if coverage > 0 { paint(row, column, ink, UInt8((coverage * 15).rounded())) }
            }
        }
    }

    /// The pixels between two positions that are inside the image.
    private static func range(_ low: Double, _ high: Double, _ count: Int) -> ClosedRange<Int>? {
        guard high >= 0, low < Double(count) else { return nil }
        return Int(max(0, low))...Int(min(Double(count - 1), high))
    }

    private mutating func paint(_ row: Int, _ column: Int, _ ink: UInt8, _ coverage: UInt8) {
        let index = row * width + column
        let (oldInk, oldCoverage) = (pixels[index] >> 4, pixels[index] & 15)
        let isStronger = oldInk == ink ? coverage > oldCoverage : coverage >= 8 || coverage >= oldCoverage
        if coverage > 0, isStronger { pixels[index] = ink << 4 | coverage }
    }

    /// Draws text with the middle of its height at `point`. Titles are bold.
    mutating func text(
        _ text: String, at point: ChartDrawing.Point, _ anchor: ChartDrawing.Anchor, scale: Int, _ ink: Ink
    ) {
        let isBold = ink.number == Ink.title.number
        let letters = text.prefix(1000)
        let length = letters.count * PixelFont.advance * scale
        let offset =
            switch anchor {
            case .start: 0
            case .middle: length / 2
            case .end: length - scale
            }
        // A label near the edge moves inside the image.
        let limit = max(0, width - length)
        var left = min(limit, max(0, Int(point.x.rounded()) - offset))
        let top = Int(point.y.rounded()) - PixelFont.height * scale / 2
        for letter in letters {
            for (row, bits) in PixelFont.rows(letter).enumerated() {
                for column in 0..<PixelFont.width where bits >> UInt8(PixelFont.width - 1 - column) & 1 == 1 {
                    fill(left + column * scale, top + row * scale, scale + (isBold ? 1 : 0), scale, ink.number)
                }
            }
            left += PixelFont.advance * scale
        }
    }

    private mutating func fill(_ left: Int, _ top: Int, _ columns: Int, _ rows: Int, _ ink: UInt8) {
        for row in max(0, top)..<max(0, min(height, top + rows), top) where row < height {
            for column in max(0, left)..<max(0, left, left + columns) where column < width {
                paint(row, column, ink, 15)
            }
        }
    }

    /// The colours of all pixels: 16 shades of 16 inks on white.
    private static let palette: [UInt8] = {
        let inks = ["#dedede", "#767676", "#4d4d4d", "#1a1a1a"] + ChartColors.light
        return (0..<16).flatMap { ink -> [UInt8] in
            let digits = ink < inks.count ? inks[ink].dropFirst() : "ffffff"
            let color = UInt32(digits, radix: 16) ?? 0xFFFFFF
            return (0..<16).flatMap { coverage in
                [16, 8, 0].map { shift in
                    let channel = Int(color >> UInt32(shift) & 0xFF)
                    return UInt8(255 + (channel - 255) * coverage / 15)
                }
            }
        }
    }()
}
