extension LineChart {
    /// The chart as an SVG document. Its colours follow the reader's light or dark colour scheme.
    ///
    /// - Parameters:
    ///   - width: The width in pixels, at least 160.
    ///   - height: The height in pixels, at least 120.
    package func svg(width: Int = 800, height: Int = 400) -> String {
        let (width, height) = (max(160, width), max(120, height))
        let drawing = ChartDrawing(
            self, .init(width: Double(width), height: Double(height), letterWidth: 7, lineHeight: 15))
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(width) \#(height)" width="\#(width)" height="\#(height)" role="img">"#,
            "<title>\(escaped(title))</title>", Self.style,
            #"<rect class="back" width="\#(width)" height="\#(height)"/>"#,
        ]
        lines += drawing.marks.map(element)
        lines.append("</svg>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func element(_ mark: ChartDrawing.Mark) -> String {
        switch mark {
        case .grid(let start, let end): segment("grid", start, end)
        case .axis(let start, let end): segment("axis", start, end)
        case .label(let text, let point, let anchor, let isTitle):
            #"<text class="\#(isTitle ? "title" : "label")" x="\#(number(point.x))" y="\#(number(point.y))" text-anchor="\#(anchor)">\#(escaped(text))</text>"#
        case .path(let points, let index):
            if points.count == 1 {
                #"<circle class="dot c\#(index % ChartDrawing.colorCount)" cx="\#(number(points[0].x))" cy="\#(number(points[0].y))" r="2.5"/>"#
            } else {
                #"<polyline class="line c\#(index % ChartDrawing.colorCount)" points="\#(points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " "))"/>"#
            }
        }
    }

    private func segment(_ style: String, _ start: ChartDrawing.Point, _ end: ChartDrawing.Point) -> String {
        #"<line class="\#(style)" x1="\#(number(start.x))" y1="\#(number(start.y))" x2="\#(number(end.x))" y2="\#(number(end.y))"/>"#
    }

    private func number(_ value: Double) -> String { AxisTicks.decimal(value, decimals: 1) }

    /// Text for XML. Control characters, which XML does not allow, become U+FFFD.
    private func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static let style = """
        <style>
        .back { fill: #ffffff } .grid { stroke: #e3e3e3 } .axis { stroke: #767676 }
        text { font: 12px system-ui, sans-serif; dominant-baseline: middle } .label { fill: #595959 }
        .title { fill: #1a1a1a; font-size: 14px; font-weight: 600 }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
        \(colors(ChartColors.light))
        @media (prefers-color-scheme: dark) {
        .back { fill: #16181c } .grid { stroke: #34373d } .axis { stroke: #8c9099 } .label { fill: #b4b8c0 } .title { fill: #f0f0f0 }
        \(colors(ChartColors.dark))
        }
        </style>
        """

    private static func colors(_ colors: [String]) -> String {
        colors.enumerated().map { ".line.c\($0) { stroke: \($1) } .dot.c\($0) { fill: \($1) }" }.joined(separator: "\n")
    }
}

/// The colours of the series. Neighbours differ in brightness as well, for readers who distinguish few hues.
enum ChartColors {
    static let light = [
        "#0063a8", "#d55e00", "#007a5a", "#b0559a", "#5b4fb5", "#8a6d00", "#c2255c", "#3d3d3d",
    ]
    static let dark = [
        "#56b4e9", "#ff8c42", "#2ecc9b", "#e89ac7", "#a89bff", "#e6c229", "#ff7a9c", "#d0d0d0",
    ]
}
