internal import DurableLog

extension EventStoreContract {
    static let leases: [ContractCase] = [
        ContractCase("a free lease is granted under a higher epoch, its own again") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            try expectEqual(
                try await store.acquireLease(of: .first, for: .one, takingFrom: nil),
                .granted(epoch: 1))
            try expectEqual(
                try await other.acquireLease(of: .first, for: .two, takingFrom: nil),
                .held(by: .one, epoch: 1))

            let receipt = try await store.append([], to: .first, after: 1, lease: .release)
            try expectEqual(receipt.entries, [.init(lastPosition: 0, released: true)])
            try expectEqual(
                try await other.acquireLease(of: .first, for: .two, takingFrom: nil),
                .granted(epoch: 2))
            try await other.append([1], to: .first, after: 1, epoch: 2)
            try expectEqual(
                try await store.events(of: .first, after: 1, limit: 9).map(\.epoch), [2])
        },
        ContractCase("a dead holder's lease is taken, and its appends fail") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            try expectEqual(
                try await other.acquireLease(of: .first, for: .two, takingFrom: .three),
                .held(by: .one, epoch: 1))
            try expectEqual(
                try await other.acquireLease(of: .first, for: .two, takingFrom: .one),
                .granted(epoch: 2))
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await store.append([1], to: .first, after: 1)
            }
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await store.append([1], to: .first, after: 1, epoch: 2)
            }
        },
        ContractCase("what a process holds is listed, and left to others when it closes") {
            harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            try await store.open(.second, count: 1)
            let held = try await other.leases(heldBy: .one, limit: 9)
            try expectEqual(Set(held.map(\.conversation)), [.first, .second])
            try expectEqual(try await other.leases(heldBy: .one, limit: 1).count, 1)

            await store.close()

            try expectEqual(try await other.leases(heldBy: .one, limit: 9).count, 2)
            try expectEqual(Set(try await other.processes()), [.one, .two])
            try expect(await !other.isAlive(.one), "A closed process seems alive.")
            try expectEqual(
                try await other.acquireLease(of: .first, for: .two, takingFrom: .one),
                .granted(epoch: 2))
        },
    ]

    static let inbox: [ContractCase] = [
        ContractCase("an item waits, and its sender learns who holds the lease") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            let item = InboxItem(
                conversation: .first, sender: .two, time: 5, payload: Array("{}".utf8))
            let (id, lease) = try await other.enqueue(item)
            let (next, nobody) = try await other.enqueue(
                InboxItem(conversation: .second, sender: .two, time: 6, payload: []))
            try expect(next > id && id > 0, "Ids do not rise.")
            try expectEqual(lease, Lease(conversation: .first, holder: .one, epoch: 1))
            try expectEqual(nobody, nil)
            var kept = item
            kept.id = id
            try expectEqual(try await store.inbox(of: .first), [kept])
            try expectEqual(try await store.unownedInboxes(limit: 9), [.second])
        },
        ContractCase("consuming an item and appending are one, and happen once") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 1)
            let (id, _) = try await store.enqueue(
                InboxItem(conversation: .first, sender: .one, time: 5, payload: [1]))
            func consume(after sequence: Int64) async throws(StoreError) -> CommitReceipt {
                try await store.commit(
                    Commit(
                        appends: [
                            Append(
                                conversation: .first, expectedSequence: sequence, epoch: 1,
                                events: [.sample(1)])
                        ], consumedInbox: [id]))
            }
            try await expectFailure(.conflict) { () async throws(StoreError) in
                try await consume(after: 0)
            }
            try expectEqual(try await store.inbox(of: .first).count, 1)
            _ = try await consume(after: 1)
            try expectEqual(try await store.inbox(of: .first), [])
            try await expectFailure(.conflict) { () async throws(StoreError) in
                try await consume(after: 2)
            }
            try expectEqual(try await store.numbers(of: .first).count, 2)
        },
        ContractCase("an item is consumed without events too, by the holder alone") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            let (id, _) = try await store.enqueue(
                InboxItem(conversation: .first, sender: .one, time: 5, payload: [1]))
            let commit = Commit(
                appends: [
                    Append(conversation: .first, expectedSequence: 1, epoch: 1, events: [])
                ], consumedInbox: [id])
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await other.commit(commit)
            }
            try expectEqual(
                try await store.commit(commit).entries, [.init(lastPosition: 0, released: false)])
            try expectEqual(try await store.inbox(of: .first), [])
            try expectEqual(try await store.numbers(of: .first).count, 1)
        },
        ContractCase("a lease is not released past an item that came meanwhile") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            let (id, _) = try await other.enqueue(
                InboxItem(conversation: .first, sender: .two, time: 5, payload: [1]))
            let kept = try await store.append([1], to: .first, after: 1, lease: .release)
            try expectEqual(kept.entries.map(\.released), [false])
            try expectEqual(try await store.lease(of: .first)?.holder, .one)

            let released = try await store.commit(
                Commit(
                    appends: [
                        Append(
                            conversation: .first, expectedSequence: 2, epoch: 1,
                            events: [.sample(2)], lease: .release)
                    ], consumedInbox: [id]))
            try expectEqual(released.entries.map(\.released), [true])
            try expectEqual(try await store.lease(of: .first)?.holder, nil)
        },
        ContractCase("a conversation with items but no events can be opened") { harness in
            let store = try await harness.open(.one)
            _ = try await store.enqueue(
                InboxItem(conversation: .first, sender: .one, time: 5, payload: [1]))
            try expectEqual(try await store.lease(of: .first), nil)
            try await store.open(.first, count: 1)
            try expectEqual(try await store.inbox(of: .first).count, 1)
        },
    ]

    static let processes: [ContractCase] = [
        ContractCase("processes see each other, alive and dead") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try expectEqual(Set(try await store.processes()), [.one, .two])
            try expect(await store.isAlive(.two), "A live process seems dead.")
            try expect(await store.isAlive(.one), "A process seems dead to itself.")
            try expect(await !store.isAlive(.three), "A process that never was seems alive.")
            try await other.open(.first, count: 1)

            try await store.forget(.two)
            try expect(await store.isAlive(.two), "A live process was forgotten.")
            try await harness.kill(other)
            try expect(await !store.isAlive(.two), "A dead process seems alive.")
            try expectEqual(try await store.lease(of: .first)?.holder, .two)
            try await store.forget(.two)
            try expect(
                try await store.processes().contains(.two),
                "A process was forgotten while it holds a lease.")
            _ = try await store.acquireLease(of: .first, for: .one, takingFrom: .two)
            try await store.forget(.two)
            try expectEqual(try await store.processes(), [.one])
        },
        ContractCase("a process that closed is gone") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            await other.close()
            await other.close()
            try expectEqual(try await store.processes(), [.one])
            try expect(await !store.isAlive(.two), "A closed process seems alive.")
            try await expectFailure(.unavailable) { () async throws(StoreError) in
                try await other.open(.first, count: 1)
            }
            try await expectFailure(.unavailable) { () async throws(StoreError) in
                try await other.lease(of: .first)
            }
        },
        ContractCase("a process wakes another, and itself") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            await store.wake(.three)
            await store.wake(.two)
            for await _ in other.wakes { break }
            await store.wake(.one)
            for await _ in store.wakes { break }
        },
    ]

    static let keeping: [ContractCase] = [
        ContractCase("everything is there after the store was opened again") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 3)
            try await store.commit(
                Commit(writes: [
                    .put(table: "runs", row: ["id": .text("r"), "created": .integer(1)])
                ]))
            _ = try await store.enqueue(
                InboxItem(conversation: .second, sender: .one, time: 5, payload: [1]))
            let secret = try await store.setMetadataIfAbsent("secret", [1, 2, 3])
            await store.close()

            let again = try await harness.open(.two)
            try expectEqual(try await again.numbers(of: .first).count, 3)
            try expectEqual(try await again.rows(TableQuery("runs")).count, 1)
            try expectEqual(try await again.inbox(of: .second).count, 1)
            try expectEqual(try await again.metadata("secret"), secret)
            try expectEqual(
                try await again.acquireLease(of: .first, for: .two, takingFrom: .one),
                .granted(epoch: 2))
            try await again.append([3], to: .first, after: 3, epoch: 2)
        },
        ContractCase("the first value of a name is kept") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try expectEqual(try await store.metadata("secret"), nil)
            try expectEqual(try await store.setMetadataIfAbsent("secret", [1]), [1])
            try expectEqual(try await other.setMetadataIfAbsent("secret", [2]), [1])
            try expectEqual(try await other.metadata("secret"), [1])
        },
    ]
}
