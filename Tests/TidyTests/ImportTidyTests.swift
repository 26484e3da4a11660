import Foundation
import Testing

/// What `docs/architecture.md` says of the modules, held against `Package.swift` and each import.
@Suite("Imports between modules")
struct ImportTidyTests {
    /// The modules from the foundations up: one may import only what stands above it.
    static let order = [
        "CSQLite", "COpenSSL", "CLinux", "LinuxPlatform", "OpenSSLCrypto", "OrderedJSON",
        "JSONSchema", "EpollServer", "MCPProtocol", "MCPServer", "MCPClient", "DurableLog",
        "DurableLogSQLite", "DurableSecurity", "DurableEngine", "Audit", "DurableMCP",
        "DurableTesting", "durable-mcp", "mcp-fixture", "Benchmarks",
    ]

    private static let protocolModules: Set = ["MCPProtocol", "MCPServer", "MCPClient"]
    private static let transports: Set = ["EpollServer", "LinuxPlatform"]
    private static let engine: Set = ["DurableEngine", "DurableLog", "DurableLogSQLite", "Audit"]

    /// What a module may not know, beyond the order.
    static let strangers: [String: Set<String>] = [
        "OrderedJSON": Set(order),
        "JSONSchema": Set(order).subtracting(["OrderedJSON"]),
        "EpollServer": ["OrderedJSON", "JSONSchema"],
        "MCPProtocol": Set(order).subtracting(["OrderedJSON"]),
        "MCPServer": engine,
        "MCPClient": engine,
        "DurableLog": Set(order),
        "DurableLogSQLite": protocolModules.union(["EpollServer", "DurableEngine"]),
        "DurableSecurity": protocolModules,
        "DurableEngine": protocolModules.union(transports).union(["DurableLogSQLite"]),
        "Audit": protocolModules.union(["DurableLogSQLite"]),
        "DurableMCP": ["DurableLogSQLite"],
    ]

    /// The one module that imports each C library.
    static let importers = [
        "CSQLite": "DurableLogSQLite", "COpenSSL": "OpenSSLCrypto", "CLinux": "LinuxPlatform",
    ]

    /// System libraries, and the modules of ours that may import them; absent: every module.
    static let restricted: [String: Set<String>] = [
        "Glibc": [], "Foundation": [], "FoundationNetworking": [],
        "Dispatch": ["LinuxPlatform", "DurableLogSQLite", "EpollServer"],
    ]

    struct Import: CustomStringConvertible {
        let module: String
        let imported: String
        let place: String
        var description: String { "\(place): \(module) imports \(imported)" }
    }

    static let imports: [Import] = Repository.swift.flatMap { file -> [Import] in
        let parts = file.path.split(separator: "/").map(String.init)
        guard parts.count > 2, parts[0] == "Sources" else { return [] }
        return file.code.enumerated().compactMap { index, line in
            // Regexes are slow where they are not optimized, so most lines do not get that far.
            guard line.contains("import ") else { return nil }
            let pattern =
                #/
                ^\s* (?:@\S+\s+)* (?:(?:public|package|internal|private|fileprivate)\s+)?
                import\s+ (?:(?:struct|class|enum|func|protocol|let|var|typealias)\s+)? (\w+)
                /#
            guard let match = line.firstMatch(of: pattern) else { return nil }
            return Import(
                module: parts[1], imported: String(match.output.1),
                place: "\(file.path):\(index + 1)")
        }
    }

    @Test("every module has its place in the order")
    func places() {
        for module in Set(Self.imports.map(\.module)) {
            #expect(Self.order.contains(module), "Give '\(module)' a place in the order.")
        }
        #expect(Self.imports.count > 20)
    }

    @Test("an import points to a module that stands above")
    func direction() {
        for one in Self.imports {
            guard let target = Self.order.firstIndex(of: one.imported),
                let source = Self.order.firstIndex(of: one.module)
            else { continue }
            #expect(target < source, "\(one)")
        }
    }

    @Test("no module knows what it may not know")
    func strangers() {
        for one in Self.imports {
            let unknown = Self.strangers[one.module, default: []].contains(one.imported)
            #expect(!unknown, "\(one)")
        }
    }

    @Test("each C library has one importer")
    func libraries() {
        for one in Self.imports where Self.importers.keys.contains(one.imported) {
            #expect(Self.importers[one.imported] == one.module, "\(one)")
        }
    }

    @Test("no header changes the C library's structures, which Swift knows by another module")
    func headers() {
        for file in Repository.written where file.path.hasSuffix(".h") {
            let isDefined = file.lines.contains { $0.hasPrefix("#define _GNU_SOURCE") }
            #expect(!isDefined, "\(file.path): write the function in a .c file.")
        }
    }

    @Test("system libraries are imported where they belong")
    func system() {
        let values: Set = ["OrderedJSON", "MCPProtocol", "DurableLog"]
        for one in Self.imports where !Self.order.contains(one.imported) {
            if let allowed = Self.restricted[one.imported] {
                #expect(allowed.contains(one.module), "\(one)")
            }
            if values.contains(one.module) {
                #expect(
                    ["Synchronization", "FoundationEssentials"].contains(one.imported), "\(one)")
            }
        }
    }
}
