import Foundation

/// Writes a length of time, for example "1 hr, 5 min". Foundation for Linux declares the class and does not have it.
///
/// Weeks and shorter units are in the language of the locale, by `Duration.UnitsFormatStyle`; years and months are in English. The positional style
/// is for hours, minutes and seconds; with longer units, this class writes the short style instead. Apple's class has further properties.
open class DateComponentsFormatter: Formatter {
    /// How long the names of units are.
    public enum UnitsStyle: Int, Sendable {
        /// "1:05:00".
        case positional
        /// "1h 5m".
        case abbreviated
        /// "1 hr, 5 min".
        case short
        /// "1 hour, 5 minutes".
        case full
        /// On Linux, the same as ``full``.
        case spellOut
        /// "1 hr 5 min".
        case brief
    }

    /// How long the names of units are.
    open var unitsStyle = UnitsStyle.positional
    /// The units in a text; an empty set means all from years to seconds.
    open var allowedUnits: NSCalendar.Unit = []
    /// The greatest number of units in a text; 0 for any number. The rest is dropped.
    open var maximumUnitCount = 0
    /// The calendar that knows the lengths of years and months; its locale is that of the text.
    open var calendar: Calendar? = .current
    /// The start of the time, for years and months; nil for now.
    open var referenceDate: Date?

    /// The text of a number of seconds. A negative number has a minus before it.
    open func string(from ti: TimeInterval) -> String? {
        let start = referenceDate ?? Date()
        return string(from: start, to: start + ti)
    }

    /// The text of the time between two dates; nil if it is longer than 30,000 years.
    open func string(from startDate: Date, to endDate: Date) -> String? {
        let seconds = endDate.timeIntervalSince(startDate)
        // A calendar traps for numbers that are none.
        guard seconds.magnitude < 1e12, startDate.timeIntervalSinceReferenceDate.magnitude < 1e12 else { return nil }
        return (seconds <= -1 ? "-" : "") + text(from: min(startDate, endDate), to: max(startDate, endDate))
    }

    /// The text of the time that components make from the reference date on.
    open func string(from components: DateComponents) -> String? {
        let start = referenceDate ?? Date()
        return (calendar ?? .current).date(byAdding: components, to: start).flatMap { string(from: start, to: $0) }
    }

    /// The text of components; nil for anything else.
    open override func string(for obj: Any?) -> String? { (obj as? DateComponents).flatMap(string(from:)) }

    private static let units: [(unit: NSCalendar.Unit, component: Calendar.Component, seconds: Int64)] = [
        (.year, .year, 0), (.month, .month, 0), (.weekOfMonth, .weekOfMonth, 604_800), (.day, .day, 86400),
        (.hour, .hour, 3600), (.minute, .minute, 60), (.second, .second, 1),
    ]

    private func text(from start: Date, to end: Date) -> String {
        let allowed = Self.units.filter { unit in
            allowedUnits.isEmpty ? unit.unit != .weekOfMonth : allowedUnits.contains(unit.unit)
        }
        let calendar = calendar ?? .current
        let values = calendar.dateComponents(Set(allowed.map(\.component)), from: start, to: end)
        var parts = allowed.map { ($0, Int64(values.value(for: $0.component) ?? 0)) }
        if unitsStyle == .positional, allowed.allSatisfy({ (1...3600).contains($0.seconds) }) {
            return positional(parts.map(\.1))
        }
        parts.removeAll { $0.1 == 0 }
        if maximumUnitCount > 0 { parts = Array(parts.prefix(maximumUnitCount)) }
        var texts = parts.filter { $0.0.seconds == 0 }.map { name($0.1, isYear: $0.0.component == .year) }
        let seconds = parts.reduce(0) { $0 + $1.0.seconds * $1.1 }
        if seconds > 0 || texts.isEmpty {
            let units = allowed.compactMap { Self.unit(of: $0.component) }
            let style = Duration.UnitsFormatStyle(allowedUnits: Set(units.isEmpty ? [.seconds] : units), width: width)
            texts.append(Duration.seconds(seconds).formatted(style.locale(calendar.locale ?? .autoupdatingCurrent)))
        }
        return texts.joined(separator: unitsStyle == .abbreviated || unitsStyle == .brief ? " " : ", ")
    }

    /// "1:05:00": two digits for each number after the first that is not 0.
    private func positional(_ values: [Int64]) -> String {
        let shown = values.dropFirst(values.firstIndex { $0 != 0 } ?? values.count - 1)
        return shown.enumerated().map { $0 == 0 ? String($1) : String(format: "%02d", $1) }.joined(separator: ":")
    }

    private var width: Duration.UnitsFormatStyle.UnitWidth {
        switch unitsStyle {
        case .full, .spellOut: .wide
        case .short, .positional: .abbreviated
        case .brief: .condensedAbbreviated
        case .abbreviated: .narrow
        }
    }

    private static func unit(of component: Calendar.Component) -> Duration.UnitsFormatStyle.Unit? {
        switch component {
        case .weekOfMonth: .weeks
        case .day: .days
        case .hour: .hours
        case .minute: .minutes
        case .second: .seconds
        default: nil
        }
    }

    private func name(_ value: Int64, isYear: Bool) -> String {
        let names: (one: String, many: String) =
            switch unitsStyle {
            case .full, .spellOut: isYear ? (" year", " years") : (" month", " months")
            case .short, .positional, .brief: isYear ? (" yr", " yrs") : (" mth", " mths")
            case .abbreviated: isYear ? ("y", "y") : ("mo", "mo")
            }
        return "\(value)\(value == 1 ? names.one : names.many)"
    }
}
