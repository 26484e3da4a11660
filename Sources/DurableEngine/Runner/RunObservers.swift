internal import Synchronization

/// What somebody who watches a run is told.
enum RunNews: Sendable {
    /// A commit has moved it, and this is how it stands.
    case moved(RunSnapshot)
    /// Its owner here has stopped; the store knows more.
    case look
}

/// Who watches which run; told after each commit that moved it.
final class RunObservers: Sendable {
    private struct State {
        var next = 0
        var streams: [RunID: [Int: AsyncStream<RunNews>.Continuation]] = [:]
    }

    private let state = Mutex(State())

    /// The snapshots of one run from now on; a slow reader sees the newest.
    func observe(_ run: RunID) -> AsyncStream<RunNews> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: RunNews.self, bufferingPolicy: .bufferingNewest(1))
        let token = state.withLock { state in
            state.next += 1
            state.streams[run, default: [:]][state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state.streams[run]?[token] = nil
                if state.streams[run]?.isEmpty == true { state.streams[run] = nil }
            }
        }
        return stream
    }

    /// Whether anybody watches this run.
    func isWatched(_ run: RunID) -> Bool { state.withLock { $0.streams[run] != nil } }

    /// Hands news to everybody who watches a run.
    func tell(_ run: RunID, _ news: RunNews) {
        let streams = state.withLock { state in
            state.streams[run].map { Array($0.values) } ?? []
        }
        for stream in streams { stream.yield(news) }
    }
}
