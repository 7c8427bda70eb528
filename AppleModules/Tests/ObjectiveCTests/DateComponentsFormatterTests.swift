import Foundation
import Testing

import class AppleNames.DateComponentsFormatter

@Suite struct DateComponentsFormatterTests {
    private let formatter = DateComponentsFormatter()

    init() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: "en_US")
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        formatter.calendar = calendar
        formatter.referenceDate = Date(timeIntervalSince1970: 0)
        formatter.allowedUnits = [.year, .month, .day, .hour, .minute, .second]
    }

    @Test(arguments: [
        (DateComponentsFormatter.UnitsStyle.full, "1 hour, 5 minutes", "1 year, 1 month, 4 days"),
        (.spellOut, "1 hour, 5 minutes", "1 year, 1 month, 4 days"), (.short, "1 hr, 5 min", "1 yr, 1 mth, 4 days"),
        (.brief, "1 hr 5 min", "1 yr 1 mth 4 days"), (.abbreviated, "1h 5m", "1y 1mo 4d"),
    ])
    func aStyleNamesTheUnits(style: DateComponentsFormatter.UnitsStyle, short: String, long: String) {
        formatter.unitsStyle = style
        #expect(formatter.string(from: 3900.0) == short)
        #expect(formatter.string(from: 400 * 86400.0) == long)
    }

    @Test func onlyAllowedUnitsAreWritten() {
        formatter.unitsStyle = .short
        formatter.allowedUnits = [.hour, .minute]
        #expect(formatter.string(from: 90061.0) == "25 hr, 1 min")
        #expect(formatter.string(from: 59.0) == "0 min")
        formatter.allowedUnits = [.weekOfMonth, .day]
        #expect(formatter.string(from: 8 * 86400.0) == "1 wk, 1 day")
        formatter.allowedUnits = []
        #expect(formatter.string(from: 90061.0) == "1 day, 1 hr, 1 min, 1 sec")
        formatter.maximumUnitCount = 2
        #expect(formatter.string(from: 90061.0) == "1 day, 1 hr")
    }

    @Test func positionsHaveTwoDigitsAfterTheFirstNumber() {
        formatter.allowedUnits = [.hour, .minute, .second]
        #expect(formatter.string(from: 3900.0) == "1:05:00")
        #expect(formatter.string(from: 61.0) == "1:01")
        #expect(formatter.string(from: 0.0) == "0")
    }

    @Test func timesBeforeTheStartAndNoTimes() {
        formatter.unitsStyle = .short
        #expect(formatter.string(from: -5.0) == "-5 sec")
        #expect(formatter.string(from: -0.4) == "0 sec")
        #expect(formatter.string(from: .nan) == nil)
        #expect(formatter.string(from: .infinity) == nil)
        #expect(formatter.string(from: -1e300) == nil)
        #expect(formatter.string(from: .now, to: Date(timeIntervalSince1970: .infinity)) == nil)
        let start = Date(timeIntervalSince1970: 100)
        #expect(formatter.string(from: start, to: start + 5) == "5 sec")
        #expect(formatter.string(from: start, to: start - 5) == "-5 sec")
        #expect(formatter.string(from: DateComponents(month: 1, day: 2)) == "1 mth, 2 days")
        #expect(formatter.string(for: DateComponents(hour: 1)) == "1 hr")
        #expect(formatter.string(for: "1 hr") == nil)
    }
}
