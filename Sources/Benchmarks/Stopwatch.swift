internal import LinuxPlatform

/// Times one thing over and over.
enum Stopwatch {
    /// The median time of `count` runs of `body`, in microseconds.
    ///
    /// `warmUp` runs come before them and do not count.
    static func median(
        _ count: Int, warmUp: Int = 50, _ body: (Int) async throws -> Void
    ) async rethrows -> Double {
        var times: [Int64] = []
        times.reserveCapacity(count)
        for index in 0..<(count + warmUp) {
            let start = SystemClock.monotonicNanoseconds()
            try await body(index)
            if index >= warmUp { times.append(SystemClock.monotonicNanoseconds() - start) }
        }
        times.sort()
        return Double(times[times.count / 2]) / 1000
    }
}

/// The middle one of several figures.
func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
