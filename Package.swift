// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is held to.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// For targets that call no C: unsafe code cannot spread into them.
let safe: [SwiftSetting] = strict + [.strictMemorySafety()]

/// A target that may import only the targets named, each of which stands above it.
func module(_ name: String, _ uses: [Target.Dependency] = [], callsC: Bool = false) -> Target {
    .target(name: name, dependencies: uses, swiftSettings: callsC ? strict : safe)
}

func tests(_ name: String, _ uses: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: uses, swiftSettings: strict)
}

let package = Package(
    name: "durable-mcp",
    products: [
        .executable(name: "durable-mcp", targets: ["durable-mcp"]),
        .executable(name: "mcp-fixture", targets: ["mcp-fixture"]),
        .executable(name: "Benchmarks", targets: ["Benchmarks"]),
        .library(name: "DurableTesting", targets: ["DurableTesting"]),
    ],
    targets: [
        // C libraries: a module map each, and a shim only where Swift cannot call.
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),

        // Foundations: no MCP, no engine.
        module("LinuxPlatform", ["CLinux"], callsC: true),
        module("OpenSSLCrypto", ["COpenSSL"], callsC: true),
        module("OrderedJSON"),
        module("JSONSchema", ["OrderedJSON"]),
        module("EpollServer", ["LinuxPlatform"]),

        // The protocol and its two ends: no engine.
        module("MCPProtocol", ["OrderedJSON"]),
        module("MCPServer", ["MCPProtocol", "EpollServer", "LinuxPlatform", "OrderedJSON"]),
        module("MCPClient", ["MCPProtocol", "LinuxPlatform", "OrderedJSON"]),

        // The durable core: no MCP.
        module("DurableLog"),
        module(
            "DurableLogSQLite", ["DurableLog", "CSQLite", "LinuxPlatform"], callsC: true),
        module("DurableSecurity", ["OpenSSLCrypto", "OrderedJSON"]),
        module("DurableEngine", ["DurableLog", "OpenSSLCrypto", "OrderedJSON", "DurableSecurity"]),
        module(
            "Audit",
            ["DurableLog", "DurableSecurity", "DurableEngine", "OpenSSLCrypto", "OrderedJSON"]),

        // Where they meet.
        module(
            "DurableMCP",
            [
                "MCPProtocol", "MCPServer", "MCPClient", "DurableEngine", "DurableLog",
                "DurableSecurity", "Audit", "JSONSchema", "OrderedJSON", "OpenSSLCrypto",
                "EpollServer", "LinuxPlatform",
            ]),
        .target(
            name: "DurableTesting", dependencies: ["DurableLog", "DurableEngine", "OrderedJSON"],
            swiftSettings: safe),
        .executableTarget(
            name: "durable-mcp",
            dependencies: [
                "DurableMCP", "DurableLogSQLite", "DurableLog", "DurableEngine", "DurableSecurity",
                "Audit", "MCPServer", "MCPClient", "MCPProtocol", "EpollServer", "LinuxPlatform",
                "OpenSSLCrypto", "OrderedJSON",
            ],
            swiftSettings: safe),
        .executableTarget(
            name: "mcp-fixture", dependencies: ["MCPProtocol", "OrderedJSON", "LinuxPlatform"],
            swiftSettings: safe),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "OrderedJSON", "LinuxPlatform", "MCPProtocol", "MCPClient", "DurableLog",
                "DurableLogSQLite",
            ],
            swiftSettings: safe),

        tests("OrderedJSONTests", ["OrderedJSON", "DurableTesting"]),
        tests("JSONSchemaTests", ["JSONSchema", "OrderedJSON"]),
        tests("MCPProtocolTests", ["MCPProtocol", "OrderedJSON"]),
        tests(
            "MCPServerTests",
            [
                "MCPServer", "MCPProtocol", "EpollServer", "JSONSchema", "LinuxPlatform",
                "OrderedJSON",
            ]),
        tests("DurableSecurityTests", ["DurableSecurity", "OrderedJSON"]),
        tests(
            "DurableMCPTests",
            [
                "DurableMCP", "DurableSecurity", "DurableEngine", "MCPProtocol", "OrderedJSON",
                "JSONSchema", "MCPServer", "MCPClient", "DurableLog", "DurableTesting",
                "mcp-fixture",
            ]),
        tests(
            "CommandLineTests", ["durable-mcp", "DurableSecurity", "OrderedJSON", "mcp-fixture"]),
        tests(
            "AuditTests",
            [
                "Audit", "DurableEngine", "DurableLog", "DurableLogSQLite", "DurableSecurity",
                "OpenSSLCrypto", "OrderedJSON", "CSQLite",
            ]),
        tests("TidyTests", []),
        tests(
            "EndToEndTests",
            [
                "MCPProtocol", "OrderedJSON", "LinuxPlatform", "CSQLite", "durable-mcp",
                "mcp-fixture", "DurableTesting",
            ]),
        tests("EpollServerTests", ["EpollServer", "LinuxPlatform", "DurableTesting"]),
        tests("OpenSSLCryptoTests", ["OpenSSLCrypto"]),
        tests(
            "DurableLogTests",
            ["DurableLog", "DurableLogSQLite", "DurableTesting", "LinuxPlatform", "CSQLite"]),
        tests("LinuxPlatformTests", ["LinuxPlatform", "mcp-fixture"]),
        tests(
            "MCPClientTests",
            [
                "MCPClient", "MCPProtocol", "OrderedJSON", "LinuxPlatform", "DurableTesting",
                "mcp-fixture",
            ]),
        tests(
            "DurableEngineTests",
            ["DurableEngine", "DurableLog", "DurableTesting", "DurableSecurity", "OrderedJSON"]),
        tests("ReadmeTests", ["durable-mcp", "mcp-fixture"]),
    ]
)
