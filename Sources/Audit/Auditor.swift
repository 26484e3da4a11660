package import DurableEngine
public import DurableLog
internal import OpenSSLCrypto
internal import Synchronization

/// Proves of one store that its log is as it was written.
///
/// It reads page by page, and so works on a log of any length, while others append to it.
public final class Auditor: Sendable {
    let store: any EventStore
    let keys: StoreKeys
    private let linkLimit: Int
    private let known = Mutex(AuditTip.start)

    /// An auditor of a store with these keys, which remembers up to twice `linkLimit`
    /// conversations while it verifies.
    package init(store: any EventStore, keys: StoreKeys, linkLimit: Int = 20_000) {
        self.store = store
        self.keys = keys
        self.linkLimit = linkLimit
    }

    /// An auditor of an open store.
    ///
    /// - Throws: ``AuditError`` `.storage` where the store's secret cannot be read.
    public static func open(store: any EventStore) async throws(AuditError) -> Auditor {
        do throws(StoreError) {
            return Auditor(store: store, keys: try await Engine.storeKeys(of: store))
        } catch {
            throw .storage(error)
        }
    }

    /// What the log comes to now.
    ///
    /// The first call reads the whole log, later ones only what is new; ``verify(expecting:)``
    /// trusts none of that.
    public func tip() async throws(AuditError) -> AuditTip {
        var tip = known.withLock { $0 }
        var pages = EventPages(store: store, after: tip.position)
        do throws(StoreError) {
            while let page = try await pages.next() {
                for event in page { tip = tip.following(event) }
            }
        } catch {
            throw .storage(error)
        }
        known.withLock { if tip.position > $0.position { $0 = tip } }
        return tip
    }

    /// Checks every event against the chain of digests of its conversation, and the log against a
    /// tip that was noted before.
    ///
    /// It finds a changed byte, a hole in a conversation, events that changed places, and with an
    /// expected tip also a cut end and a log that was written anew. It cannot see what was cut or
    /// written anew after the newest tip that anybody noted elsewhere.
    ///
    /// - Throws: ``AuditError`` `.storage` where the store cannot be read now.
    public func verify(expecting expected: AuditTip? = nil) async throws(AuditError) -> AuditVerdict
    {
        do throws(StoreError) {
            return try await ChainVerifier(
                store: store, keys: keys, expected: expected, linkLimit: linkLimit
            ).verify()
        } catch {
            throw .storage(error)
        }
    }
}

extension Auditor {
    /// Checks that the tables beside the log hold what the log implies: no more, no less.
    ///
    /// - Throws: ``AuditError`` `.storage` where the store cannot be read now.
    public func verifyProjections() async throws(AuditError) -> AuditVerdict {
        do {
            return try await ProjectionCheck(store: store, keys: keys).check()
        } catch {
            throw .wrapping(error)
        }
    }
}
