internal import DurableLog

extension EventStoreContract {
    static func run(
        _ id: String, _ status: String? = nil, created: Int64? = nil, ended: Int64? = nil
    ) -> Row {
        [
            "id": .text(id), "status": status.map { .text($0) } ?? .null,
            "created": created.map { .integer($0) } ?? .null,
            "ended": ended.map { .integer($0) } ?? .null, "body": .null,
        ]
    }

    static let tableWrites: [ContractCase] = [
        ContractCase("rows are put, inserted, updated and deleted, in order") { harness in
            let store = try await harness.open(.one)
            try await store.commit(
                Commit(writes: [
                    .put(table: "runs", row: ["id": .text("a"), "created": .integer(1)]),
                    .insert(table: "runs", row: run("b", "queued", created: 2)),
                    .put(table: "runs", row: run("a", "running")),
                    .update(
                        table: "runs", key: ["id": .text("b")],
                        set: ["ended": .integer(9), "status": .null]),
                    .update(
                        table: "runs", key: ["id": .text("nobody")], set: ["ended": .integer(9)]),
                    .insert(table: "runs", row: run("c")),
                    .delete(table: "runs", key: ["id": .text("c")]),
                    .delete(table: "runs", key: ["id": .text("nobody")]),
                    .put(
                        table: "steps",
                        row: ["run": .text("a"), "index": .integer(0), "order": .text("")]),
                ]))
            try expectEqual(
                try await store.rows(TableQuery("runs")),
                [run("a", "running"), run("b", created: 2, ended: 9)])
            try expectEqual(
                try await store.rows(TableQuery("steps")),
                [["run": .text("a"), "index": .integer(0), "order": .text("")]])
        },
        ContractCase("an insert whose key exists undoes its whole commit") { harness in
            let store = try await harness.open(.one)
            try await store.open(.first, count: 1)
            try await store.commit(Commit(writes: [.insert(table: "runs", row: run("a"))]))
            for writes: [TableWrite] in [
                [.insert(table: "runs", row: run("a", "x"))],
                [
                    .put(table: "runs", row: run("b")),
                    .update(
                        table: "runs", key: ["id": .text("a")], set: ["status": .text("x")]),
                    .insert(table: "runs", row: run("a", "x")),
                ],
                [
                    .insert(table: "runs", row: run("c")), .insert(table: "runs", row: run("c")),
                ],
            ] {
                try await expectFailure(.duplicateKey) { () async throws(StoreError) in
                    try await store.append([1], to: .first, after: 1, writes: writes)
                }
                try expectEqual(try await store.rows(TableQuery("runs")), [run("a")])
            }
            try expectEqual(try await store.numbers(of: .first).count, 1)
            try await store.append([1], to: .first, after: 1)
        },
        ContractCase("of many who insert one key at once, one succeeds") { harness in
            let store = try await harness.open(.one)
            let other = try await harness.open(.two)
            let winners = await withTaskGroup(of: Int.self) { group in
                for index in 0..<20 {
                    let chosen = index % 2 == 0 ? store : other
                    group.addTask {
                        do throws(StoreError) {
                            try await chosen.commit(
                                Commit(writes: [
                                    .put(table: "runs", row: run("own\(index)")),
                                    .insert(table: "runs", row: run("same", "\(index)")),
                                ]))
                            return 1
                        } catch {
                            return error.code == .duplicateKey ? 0 : 1000
                        }
                    }
                }
                return await group.reduce(0, +)
            }
            try expectEqual(winners, 1)
            try expectEqual(try await store.rows(TableQuery("runs")).count, 2)
        },
    ]

    static let queries: [ContractCase] = [
        ContractCase("rows are found by every comparison, and by all of them together") { harness in
            let store = try await filled(harness)
            func ids(_ filters: [String: TableQuery.Comparison]) async throws -> [String] {
                try await EventStoreContract.ids(store, TableQuery("runs", where: filters))
            }
            try expectEqual(try await ids(["id": .equals(.text("c"))]), ["c"])
            try expectEqual(try await ids(["status": .equals(.text("done"))]), ["b", "d"])
            try expectEqual(try await ids(["status": .equals(.null)]), ["e"])
            try expectEqual(
                try await ids(["status": .isAny(of: [.text("done"), .text("new")])]),
                ["a", "b", "d"])
            try expectEqual(try await ids(["created": .less(.integer(3))]), ["a", "b"])
            try expectEqual(try await ids(["created": .greater(.integer(2))]), ["c", "d"])
            try expectEqual(try await ids(["ended": .isNotNull]), ["b", "d"])
            try expectEqual(
                try await ids(["status": .equals(.text("done")), "created": .greater(.integer(2))]),
                ["d"])
            try expectEqual(try await ids(["id": .equals(.text("C"))]), [])
        },
        ContractCase("rows are ordered, with null before any value") { harness in
            let store = try await filled(harness)
            func ids(_ columns: [String], _ descending: Bool) async throws -> [String] {
                try await EventStoreContract.ids(
                    store, TableQuery("runs", orderBy: columns, descending: descending))
            }
            try expectEqual(try await ids([], false), ["a", "b", "c", "d", "e"])
            try expectEqual(try await ids([], true), ["e", "d", "c", "b", "a"])
            try expectEqual(try await ids(["created"], false), ["e", "a", "b", "c", "d"])
            try expectEqual(try await ids(["created"], true), ["d", "c", "b", "a", "e"])
            try expectEqual(try await ids(["status"], false), ["e", "b", "d", "a", "c"])
            try expectEqual(try await ids(["ended", "id"], true), ["d", "b", "e", "c", "a"])
        },
        ContractCase("pages of any order lead through all rows once") { harness in
            let store = try await filled(harness)
            for columns in [
                ["id"], ["created", "id"], ["ended", "id"], ["status", "ended", "id"],
            ] {
                for descending in [false, true] {
                    var query = TableQuery(
                        "runs", orderBy: columns, descending: descending, limit: 100)
                    let whole = try await ids(store, query)
                    query.limit = 2
                    var paged: [String] = []
                    while true {
                        let page = try await store.rows(query)
                        guard let last = page.last else { break }
                        paged += page.map(id)
                        query.after = columns.map { last[$0, default: .null] }
                        try expect(paged.count <= whole.count, "A page repeats rows.")
                    }
                    try expectEqual(paged, whole)
                }
            }
        },
        ContractCase("texts are compared by their bytes") { harness in
            let store = try await harness.open(.one)
            let names = ["", "A", "Z", "a", "e\u{0301}", "z", "\u{e9}", "\u{FF5E}", "\u{1F600}"]
            try await store.commit(
                Commit(writes: names.reversed().map { .insert(table: "runs", row: run($0)) }))
            let found = try await ids(store, TableQuery("runs"))
            try expectEqual(found.map { Array($0.utf8) }, names.map { Array($0.utf8) })
        },
        ContractCase("integers and bytes keep their whole range") { harness in
            let store = try await harness.open(.one)
            var low = run("low", created: .min, ended: .max)
            low["body"] = .blob([0, 255, 0])
            var empty = run("empty", "")
            empty["body"] = .blob([])
            try await store.commit(
                Commit(writes: [
                    .put(table: "runs", row: low), .put(table: "runs", row: empty),
                ]))
            try expectEqual(try await store.rows(TableQuery("runs")), [empty, low])
        },
    ]

    private static func filled(_ harness: any StoreHarness) async throws -> any EventStore {
        let store = try await harness.open(.one)
        let rows = [
            run("a", "new", created: 1), run("b", "done", created: 2, ended: 5),
            run("c", "open", created: 3), run("d", "done", created: 4, ended: 6), run("e"),
        ]
        try await store.commit(Commit(writes: rows.map { .insert(table: "runs", row: $0) }))
        return store
    }

    private static func ids(
        _ store: any EventStore, _ query: TableQuery
    ) async throws -> [String] { try await store.rows(query).map(id) }

    @Sendable private static func id(_ row: Row) -> String {
        if case .text(let id) = row["id"] { id } else { "?" }
    }
}
