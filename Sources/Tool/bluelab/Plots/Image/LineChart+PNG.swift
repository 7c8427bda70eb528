extension LineChart {
    /// The chart as a PNG file on white.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, 160 to 8192.
    ///   - height: The height in pixels, 120 to 8192.
    package func png(width: Int = 1200, height: Int = 600) -> [UInt8] {
        let (width, height) = (min(8192, max(160, width)), min(8192, max(120, height)))
        // Small images have small letters.
        let scale = width < 600 ? 1 : 2
        let drawing = ChartDrawing(
            self,
            .init(
                width: Double(width), height: Double(height), letterWidth: Double(scale * PixelFont.advance),
                lineHeight: Double(scale * 10)))
        var canvas = PixelCanvas(width: width, height: height)
        for mark in drawing.marks {
            switch mark {
            case .grid(let start, let end): canvas.line([start, end], width: 1, .grid)
            case .axis(let start, let end): canvas.line([start, end], width: Double(scale), .axis)
            case .path(let points, let index):
                canvas.line(points, width: Double(scale) * (points.count == 1 ? 3 : 1.5), .series(index))
            case .label(let text, let point, let anchor, let isTitle):
                canvas.text(text, at: point, anchor, scale: scale, isTitle ? .title : .label)
            }
        }
        return canvas.png
    }
}
