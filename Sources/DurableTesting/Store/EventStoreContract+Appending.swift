internal import DurableLog

extension EventStoreContract {
    static let appending: [ContractCase] = [
        ContractCase("events come back as they were appended, in order") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 2)
            let receipt = try await store.append([2, 3, 4], to: .first, after: 2)

            let events = try await store.events(of: .first, after: 0, limit: 100)
            try expectEqual(events.map(\.event), (0...4).map { .sample($0) })
            try expectEqual(events.map(\.sequence), [1, 2, 3, 4, 5])
            try expectEqual(events.map(\.epoch), [1, 1, 1, 1, 1])
            try expectEqual(events.last?.position, receipt.entries.first?.lastPosition)
            let middle = try await store.events(of: .first, after: 2, limit: 2)
            try expectEqual(middle.map(\.sequence), [3, 4])
        },
        ContractCase("bytes are kept as they are") { harness in
            let store = try await harness.open(.one)
            var odd = NewEvent.sample(1, type: "ödd.𝕏")
            odd.payload = Array("{\"a\":1.0,\"\\u0000\":\"\u{0301}é\"}".utf8) + [0, 255]
            odd.version = 1_000_000
            var empty = NewEvent.sample(2)
            empty.payload = []
            let append = Append(
                conversation: .first, expectedSequence: 0, epoch: 1, events: [odd, empty],
                lease: .open(.one))
            try await store.commit(Commit(appends: [append]))
            try expectEqual(try await store.numbers(of: .first), [odd, empty])
        },
        ContractCase("a lost race changes nothing") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 3)
            for expected: Int64 in [0, 2, 4] {
                let row: Row = ["id": .text("r")]
                try await expectFailure(.conflict) { () async throws(StoreError) in
                    try await store.append(
                        [9], to: .first, after: expected,
                        writes: [.put(table: "runs", row: row)])
                }
            }
            try expectEqual(try await store.numbers(of: .first).count, 3)
            try expectEqual(try await store.rows(TableQuery("runs")), [])
        },
        ContractCase("another epoch's append fails, whoever makes it") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            for epoch: Int64 in [0, 2] {
                try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                    try await store.append([9], to: .first, after: 1, epoch: epoch)
                }
            }
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await other.append([9], to: .first, after: 1)
            }
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await store.append([9], to: .second, after: 0)
            }
            try expectEqual(try await store.numbers(of: .first).count, 1)
        },
        ContractCase("several conversations are extended together or not at all") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 1)
            try await store.open(.second, count: 1)
            func both(_ second: Int64) async throws(StoreError) -> CommitReceipt {
                try await store.commit(
                    Commit(
                        appends: [
                            Append(
                                conversation: .first, expectedSequence: 1, epoch: 1,
                                events: [.sample(1)]),
                            Append(
                                conversation: .second, expectedSequence: second, epoch: 1,
                                events: [.sample(2), .sample(3)]),
                        ], writes: [.put(table: "runs", row: ["id": .text("both")])]))
            }
            try await expectFailure(.conflict) { () async throws(StoreError) in
                try await both(2)
            }
            try expectEqual(try await store.numbers(of: .first).count, 1)
            try expectEqual(try await store.rows(TableQuery("runs")), [])

            let receipt = try await both(1)
            try expectEqual(try await store.numbers(of: .first).count, 2)
            try expectEqual(try await store.numbers(of: .second).count, 3)
            let all = try await store.events(after: 0, limit: 100)
            try expectEqual(all.last?.position, receipt.entries.last?.lastPosition)
        },
        ContractCase("the whole log is read in the order of its commits") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 2)
            try await store.open(.second, count: 1)
            try await store.append([2], to: .first, after: 2)

            let all = try await store.events(after: 0, limit: 100)
            try expectEqual(all.map(\.conversation), [.first, .first, .second, .first])
            try expectEqual(all.map(\.position), all.map(\.position).sorted())
            let rest = try await store.events(after: all[1].position, limit: 1)
            try expectEqual(rest, [all[2]])
            try expectEqual(try await store.events(after: all[3].position, limit: 9), [])
        },
        ContractCase("a payload beyond the limit is refused, one at the limit is kept") { harness in
            let store = try await harness.open(.one)
            var event = NewEvent.sample(1)
            event.payload = [UInt8](repeating: 32, count: StoreLimits.payloadBytes)
            var append = Append(
                conversation: .first, expectedSequence: 0, epoch: 1, events: [event],
                lease: .open(.one))
            try await store.commit(Commit(appends: [append]))
            event.payload.append(32)
            append.conversation = .second
            append.events = [event]
            let tooLarge = append
            try await expectFailure(.tooLarge) { () async throws(StoreError) in
                try await store.commit(Commit(appends: [tooLarge]))
            }
            try expectEqual(try await store.lease(of: .second), nil)
        },
    ]

    static let opening: [ContractCase] = [
        ContractCase("a conversation is opened once, with its lease") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            try await store.open(.first, count: 1)
            try expectEqual(
                try await other.lease(of: .first),
                Lease(conversation: .first, holder: .one, epoch: 1))
            for again in [store, other] {
                try await expectFailure(.conflict) { () async throws(StoreError) in
                    try await again.open(.first, count: 1)
                }
            }
            try expectEqual(try await store.numbers(of: .first).count, 1)
        },
        ContractCase("a conversation that was only leased cannot be opened") { harness in
            let store = try await harness.open(.one)
            _ = try await store.acquireLease(of: .first, for: .one, takingFrom: nil)
            try await expectFailure(.conflict) { () async throws(StoreError) in
                try await store.open(.first, count: 1)
            }
            try await store.append([0], to: .first, after: 0)
        },
        ContractCase("opened and released at once, it is free, at epoch 1") { harness in
            let store = try await harness.open(.one)
            let receipt = try await store.append(
                [0], to: .first, after: 0, lease: .openAndRelease(.one))
            try expectEqual(receipt.entries.map(\.released), [true])
            try expectEqual(
                try await store.lease(of: .first),
                Lease(conversation: .first, holder: nil, epoch: 1))
            try await expectFailure(.staleEpoch) { () async throws(StoreError) in
                try await store.append([1], to: .first, after: 1)
            }
        },
    ]

    static let batches: [ContractCase] = [
        ContractCase("of many commits at once, each fails or succeeds by itself") { harness in
            let store = try await harness.open(.one)
            let conversations = (0..<60).map { ConversationID(rawValue: "cnv_\($0)") }
            for conversation in conversations { try await store.open(conversation, count: 1) }
            let codes = await withTaskGroup(of: (Int, StoreError.Code?).self) { group in
                for (index, conversation) in conversations.enumerated() {
                    group.addTask {
                        do throws(StoreError) {
                            // Every third is stale by its sequence, every third by its epoch.
                            try await store.append(
                                [index], to: conversation, after: index % 3 == 1 ? 0 : 1,
                                epoch: index % 3 == 2 ? 7 : 1)
                            return (index, nil)
                        } catch {
                            return (index, error.code)
                        }
                    }
                }
                var codes: [Int: StoreError.Code?] = [:]
                for await (index, code) in group { codes[index] = code }
                return codes
            }
            for (index, conversation) in conversations.enumerated() {
                let expected: [StoreError.Code?] = [nil, .conflict, .staleEpoch]
                try expectEqual(codes[index], expected[index % 3])
                try expectEqual(
                    try await store.numbers(of: conversation).count, index % 3 == 0 ? 2 : 1)
            }
        },
        ContractCase("of many who want the same place, one gets it") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 1)
            let winners = await withTaskGroup(of: Int.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        do throws(StoreError) {
                            try await store.append([index], to: .first, after: 1)
                            return 1
                        } catch {
                            return error.code == .conflict ? 0 : 1000
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            try expectEqual(winners, 1)
            try expectEqual(try await store.numbers(of: .first).count, 2)
        },
        ContractCase("what many processes write at once is all there, in order") { harness in
            let stores = try await [
                harness.open(.one), harness.open(.two), harness.open(.three),
            ]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, store) in stores.enumerated() {
                    for lane in 0..<4 {
                        let conversation = ConversationID(rawValue: "cnv_\(number)_\(lane)")
                        group.addTask {
                            try await store.open(conversation, count: 1)
                            for index in 1..<15 {
                                try await store.append(
                                    [index], to: conversation, after: Int64(index))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let all = try await stores[0].events(after: 0, limit: 1000)
            try expectEqual(all.count, 3 * 4 * 15)
            for conversation in Set(all.map(\.conversation)) {
                let own = all.filter { $0.conversation == conversation }
                try expectEqual(own.map(\.sequence), (1...15).map { Int64($0) })
            }
        },
    ]
}
