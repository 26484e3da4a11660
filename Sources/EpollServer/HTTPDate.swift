/// The date of an HTTP message (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// The calendar is counted in years that start in March, so that the leap day comes last.
    static func text(secondsSince1970 seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let day = Int(seconds / 86_400)
        let second = Int(seconds % 86_400)
        let marchDay = day + 719_468
        let era = marchDay / 146_097
        let dayOfEra = marchDay % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = (marchMonth + 2) % 12
        let year = yearOfEra + era * 400 + (month < 2 ? 1 : 0)
        return """
            \(days[(day + 4) % 7]), \(padded(dayOfMonth)) \(months[month]) \(year) \
            \(padded(second / 3_600)):\(padded(second / 60 % 60)):\(padded(second % 60)) GMT
            """
    }

    private static func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
