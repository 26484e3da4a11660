public import MCPProtocol

/// What a server says about itself, the same to everyone.
public struct ServerDescription: Sendable {
    /// Its name and version.
    public var implementation: Implementation
    /// What models should know about using it.
    public var instructions: String?
    /// How long clients may keep what `server/discover` says.
    public var discoveryCaching: Caching

    /// A description of these parts.
    public init(
        implementation: Implementation, instructions: String? = nil,
        discoveryCaching: Caching = Caching(timeToLive: .seconds(300), scope: .shared)
    ) {
        self.implementation = implementation
        self.instructions = instructions
        self.discoveryCaching = discoveryCaching
    }

    /// The revisions that work without a handshake, newest first.
    public static let modernVersions: [ProtocolVersion] = ProtocolVersion.modern

    /// The revisions that `initialize` may negotiate, newest first.
    public static let legacyVersions: [ProtocolVersion] = [.v2025_11_25, .v2025_06_18]

    /// What is built, and so advertised, in both eras.
    var capabilities: ServerCapabilities { .tools() }
}
