import DurableEngine
import MCPProtocol
import OrderedJSON
import Testing

@testable import DurableMCP

@Suite("How tools are shown")
struct ShownToolTests {
    private static func entry(_ definition: ToolDefinition) -> CatalogueEntry {
        CatalogueEntry(
            upstream: "fix", tool: definition.name, name: "fix__it", position: 0,
            pinned: CatalogueEntry.Pin(definition), pinnedAt: 0)
    }

    private static func shown(
        _ definition: ToolDefinition, effect: EffectKind? = nil
    ) -> ToolDefinition {
        ShownDefinition(entry(definition), effect: effect).definition
    }

    @Test(
        "a name is one that every client accepts",
        arguments: [
            ("git", "git_status", "git__git_status"),
            ("Git-Hub", "listIssues", "git_hub__listissues"),
            ("a", "x.y/z", "a__x_y_z"),
            ("a", "é", "a___"),
        ])
    func names(server: String, tool: String, name: String) {
        #expect(ToolName.plain(server: server, tool: tool) == name)
        #expect(ToolName.looksLike(name, toolOf: server))
    }

    @Test("a long name is short, always the same, and differs where the tool differs")
    func longNames() {
        let server = "a-server-with-quite-a-long-name"
        let tools = ["update_everything_in_this_folder", "update_everything_in_this_folders", ""]
        let names = tools.map { ToolName.plain(server: server, tool: $0) }
        #expect(names == tools.map { ToolName.plain(server: server, tool: $0) })
        #expect(Set(names).count == tools.count)
        for name in names {
            #expect(name.wholeMatch(of: /[a-z0-9_]{1,40}/) != nil)
            #expect(name.hasPrefix("a_server_wit__"))
            #expect(ToolName.looksLike(name, toolOf: server))
        }
    }

    @Test("two tools that want one name get two, the plain one goes to whom it belongs")
    func collisions() {
        let definitions = ["getItem", "getitem", "GETITEM"].map {
            ToolDefinition(name: $0, inputSchema: ["type": "object"])
        }
        var forwards = CatalogueMerge(known: [], upstream: "a", now: 0)
        forwards.take(definitions)
        var backwards = CatalogueMerge(known: [], upstream: "a", now: 0)
        backwards.take(definitions.reversed())
        func names(_ merge: CatalogueMerge) -> [String: String] {
            Dictionary(uniqueKeysWithValues: merge.entries.map { ($0.tool, $0.name) })
        }
        #expect(names(forwards) == names(backwards))
        #expect(names(forwards)["getitem"] == "a__getitem")
        #expect(Set(names(forwards).values).count == 3)
    }

    @Test("hidden characters are taken out, and a long description is cut")
    func texts() {
        let bidi = "Reads\u{202E} a \u{200B}file\u{E0041}.\u{1B}[31m\u{0007}\nNow."
        let tool = Self.shown(
            ToolDefinition(
                name: "it", title: "T\u{0000}itle", description: bidi,
                inputSchema: [
                    "type": "object",
                    "properties": ["a": ["description": "x\u{2066}y", "const": "\u{200B}"]],
                ]))
        #expect(tool.description == "Reads a file.[31m\nNow.")
        #expect(tool.title == "Title")
        let property = tool.inputSchema["properties"]?["a"]
        #expect(property?["description"] == "xy")
        // A value is part of what is checked, and stays.
        #expect(property?["const"] == "\u{200B}")
        let long = Self.shown(
            ToolDefinition(
                name: "it", description: String(repeating: "é", count: 5_000),
                inputSchema: ["type": "object"]))
        #expect(long.description?.count == 1_024)
        #expect(long.description?.hasSuffix("…") == true)
    }

    @Test("all four hints are explicit, and the operator's word outranks the server's")
    func hints() {
        let silent = ToolDefinition(name: "it", inputSchema: ["type": "object"])
        #expect(
            Self.shown(silent).annotations
                == ToolAnnotations(
                    readOnly: false, destructive: true, idempotent: false, openWorld: true))
        #expect(
            Self.shown(silent, effect: .pure).annotations
                == ToolAnnotations(
                    readOnly: true, destructive: false, idempotent: true, openWorld: true))
        let claiming = ToolDefinition(
            name: "it", inputSchema: ["type": "object"],
            annotations: ToolAnnotations(readOnly: true, openWorld: false))
        #expect(
            Self.shown(claiming, effect: .external).annotations
                == ToolAnnotations(
                    readOnly: false, destructive: true, idempotent: false, openWorld: false))
    }

    @Test("references are put in where they stand")
    func references() throws {
        let schema = try JSONValue(
            parsing: """
                {"type": "object", "properties": {
                   "a": {"$ref": "#/$defs/A", "description": "mine"},
                   "$ref": {"type": "string"},
                   "list": {"type": "array", "items": {"$ref": "#/$defs/B"}}},
                 "$defs": {"A": {"type": "string", "description": "theirs"},
                           "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}}}
                """)
        let plain = PlainSchema.input(try #require(schema.objectValue))
        #expect(
            JSONValue.object(plain)
                == (try JSONValue(
                    parsing: """
                        {"type": "object", "properties": {
                           "a": {"type": "string", "description": "mine"},
                           "$ref": {"type": "string"},
                           "list": {"type": "array", "items": {"anyOf": [
                             {"type": "string", "description": "theirs"}, {"type": "null"}]}}}}
                        """)))
    }

    @Test("a schema that refers to itself, or grows too large, is kept as it is")
    func keepsRecursion() throws {
        let recursive: JSONObject = [
            "type": "object", "properties": ["next": ["$ref": "#"]],
        ]
        #expect(PlainSchema.input(recursive) == recursive)
        // Each level doubles: 2^40 copies.
        var definitions: JSONObject = ["d0": ["type": "string"]]
        for level in 1...40 {
            let reference: JSONValue = ["$ref": .string("#/$defs/d\(level - 1)")]
            definitions["d\(level)"] = ["properties": ["a": reference, "b": reference]]
        }
        let bomb: JSONObject = [
            "type": "object", "properties": ["x": ["$ref": "#/$defs/d40"]],
            "$defs": .object(definitions),
        ]
        #expect(PlainSchema.input(bomb) == bomb)
    }

    @Test("the root of a schema is a plain object")
    func roots() {
        let combined = PlainSchema.input([
            "anyOf": [["required": ["a"]], ["required": ["b"]]]
        ])
        #expect(combined == ["type": "object", "properties": [:]])
        #expect(PlainSchema.output(["type": "array"]) == nil)
        #expect(PlainSchema.output(["type": "object", "oneOf": []]) == nil)
    }

    @Test("the digest is over what a model sees, and no more")
    func digests() {
        let tool = ToolDefinition(
            name: "it", description: "a", inputSchema: ["type": "object"],
            meta: ["a": 1])
        var other = tool
        other.meta = ["a": 2]
        #expect(CatalogueEntry.Pin(tool).digest == CatalogueEntry.Pin(other).digest)
        other.description = "b"
        #expect(CatalogueEntry.Pin(tool).digest != CatalogueEntry.Pin(other).digest)
    }
}
