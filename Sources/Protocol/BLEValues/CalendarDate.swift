/// A date of the Gregorian calendar.
struct CalendarDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: Days after 1970-01-01, not negative.
    init(daysSince1970 days: Int) {
        // 400 years have 146,097 days. Counting from 1600 puts the leap century at the start of a cycle.
        var rest = days + 135_140
        var year = 1600 + rest / 146_097 * 400
        rest %= 146_097
        while rest >= Self.daysInYear(year) {
            rest -= Self.daysInYear(year)
            year += 1
        }
        var month = 1
        while rest >= Self.days(in: month, of: year) {
            rest -= Self.days(in: month, of: year)
            month += 1
        }
        self.init(year: year, month: month, day: rest + 1)
    }

    /// Days after 1970-01-01; negative before it.
    var daysSince1970: Int {
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        let months = (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) }
        // 719,162 days lie between 0001-01-01 and 1970-01-01.
        return before * 365 + leapDays + months + day - 1 - 719_162
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && year % 100 != 0 || year % 400 == 0 }
    private static func daysInYear(_ year: Int) -> Int { isLeap(year) ? 366 : 365 }

    static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
