/// How much JSON a parser accepts; everything beyond is a typed ``JSONError``.
public struct JSONLimits: Hashable, Sendable {
    /// How deep arrays and objects may be nested, 0 to ``deepest``: `[]` is one deep.
    public var depth: Int { didSet { depth = min(max(depth, 0), Self.deepest) } }

    /// How many bytes the text may have.
    public var bytes: Int

    /// How many characters one number may have.
    public var numberBytes: Int

    /// How many values there may be: the root, every element and every member.
    public var values: Int

    /// The greatest depth that can be asked for; a value this deep is freed, compared and
    /// written safely on a thread with a stack of 512 KiB.
    public static let deepest = 256

    /// Limits for messages from outside: 128 deep, 64 MiB, numbers of 1,024 characters and
    /// 4,194,304 values.
    public static let `default` = JSONLimits()

    /// Limits; a depth outside 0 to ``deepest`` is taken as the nearest allowed one.
    public init(
        depth: Int = 128, bytes: Int = 64 << 20, numberBytes: Int = 1024, values: Int = 4 << 20
    ) {
        self.depth = min(max(depth, 0), Self.deepest)
        self.bytes = bytes
        self.numberBytes = numberBytes
        self.values = values
    }
}
