import Foundation

/// The texts of a transfer.
enum TransferText {
    /// One line of progress, at most `columns` wide; the bar takes what the other parts leave.
    static func line(
        _ file: String, arrow: String, _ device: String, _ meter: TransferMeter, at now: Duration, columns: Int,
        isUnicode: Bool
    ) -> String {
        let title = device.isEmpty ? "\(file) \(arrow)" : "\(file) \(arrow) \(device)"
        let percent = padded("\(Int(meter.share * 100)) %", 5)
        var parts = [amounts(meter)]
        if let rate = meter.rate(at: now) { parts.append(padded(self.rate(rate), 9)) }
        if let left = meter.remaining(at: now), meter.stored < meter.size { parts.append(say("\(clock(left)) left")) }
        if meter.reconnects > 0 { parts.append(reconnects(meter.reconnects)) }
        let numbers = parts.joined(separator: "  ")
        let room = columns - 1 - percent.count - TextWidth.of(numbers) - 6
        // A long title shrinks before the bar disappears.
        let shown = TextWidth.of(title) > max(12, room - 10) ? shortened(title, max(12, room - 10), isUnicode) : title
        let width = room - TextWidth.of(shown)
        guard width >= 4 else { return String("\(shown)  \(percent)  \(numbers)".prefix(max(1, columns - 1))) }
        return "\(shown)  \(percent)  \(bar(meter.share, min(width, 40), isUnicode))  \(numbers)"
    }

    static func bar(_ share: Double, _ width: Int, _ isUnicode: Bool) -> String {
        let eighths = Int((min(max(share, 0), 1) * Double(width * 8)).rounded(.down))
        guard isUnicode else { return filled(String(repeating: "#", count: eighths / 8), width) }
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return filled(String(repeating: "█", count: eighths / 8) + parts[eighths % 8], width)
    }

    private static func shortened(_ text: String, _ width: Int, _ isUnicode: Bool) -> String {
        let mark = isUnicode ? "…" : "..."
        var kept = text
        while TextWidth.of(kept) > max(0, width - mark.count) { kept.removeLast() }
        return kept + mark
    }

    private static func amounts(_ meter: TransferMeter) -> String {
        let (divisor, unit) = scale(meter.size)
        return scaled(meter.stored, divisor) + say(" of ") + scaled(meter.size, divisor) + " \(unit)"
    }

    /// "200 KiB".
    static func amount(_ octets: Int) -> String {
        let (divisor, unit) = scale(octets)
        return "\(scaled(octets, divisor)) \(unit)"
    }

    private static func scale(_ octets: Int) -> (divisor: Int, unit: String) {
        switch octets {
        case ..<10_000: (1, "octets")
        case ..<(10 << 20): (1 << 10, "KiB")
        default: (1 << 20, "MiB")
        }
    }

    private static func scaled(_ octets: Int, _ divisor: Int) -> String {
        divisor < 1 << 20
            ? String(octets / divisor) : number((Double(octets) / Double(divisor) * 10).rounded(.down) / 10)
    }

    static func rate(_ octets: Double) -> String {
        octets < 1_000_000
            ? "\(Int((octets / 1000).rounded())) kB/s" : "\(number((octets / 100_000).rounded() / 10)) MB/s"
    }

    /// "0:01", "1:02:03"; seconds are rounded up.
    static func clock(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 360_000 else { return "?" }
        let whole = Int(seconds.rounded(.up))
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let minutes = "\(two(whole % 60))"
        return whole < 3600 ? "\(whole / 60):\(minutes)" : "\(whole / 3600):\(two(whole / 60 % 60)):\(minutes)"
    }

    static func reconnects(_ count: Int) -> String { say(count == 1 ? "1 reconnect" : "\(count) reconnects") }
}
