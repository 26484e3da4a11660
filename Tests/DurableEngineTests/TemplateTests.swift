import DurableEngine
import DurableTesting
import OrderedJSON
import Testing

@Suite("Templates in arguments", .timeLimit(.minutes(5)))
struct TemplateTests {
    private let bench = EngineBench()
    private let echo = ScriptedTool(ToolFacts(name: "echo", effect: .pure)) { invocation in
        .result(.object(invocation.arguments), isError: false)
    }

    @Test("a direct call's arguments are no templates")
    func directCall() async throws {
        let process = try await bench.process("p1", ScriptedTools([echo]), seed: 1)
        let snapshot = try await bench.running([process.engine]) {
            try await process.engine.call(
                .call("echo", ["text": "${steps.0.output} and ${steps.oops"]), by: .alice)
        }
        #expect(snapshot.status == .completed)
        #expect(echo.invocations.first?.arguments == ["text": "${steps.0.output} and ${steps.oops"])
    }

    @Test(
        "a run whose arguments grow from step to step fails before they are too large",
        arguments: [
            #"{"a": "${steps.N.output}", "b": "${steps.N.output}"}"#,
            #"{"a": "${steps.N.output#/a}${steps.N.output#/a}"}"#,
            #"{"a": "${steps.N.output}"}"#,
        ])
    func growth(arguments: String) async throws {
        let process = try await bench.process("p1", ScriptedTools([echo]), seed: 1)
        let text = String(repeating: "\\u0001", count: 100)
        let steps = (0..<160).map { step in
            let template = arguments.replacing("steps.N", with: "steps.\(step)")
            return #"{"tool": "echo", "arguments": \#(template)}"#
        }
        let request = try RunRequest.script(
            #"{"steps": [{"tool": "echo", "arguments": {"a": "\#(text)"}}, "#
                + steps.joined(separator: ", ") + "]}")
        let snapshot = try await bench.running([process.engine]) {
            let id = try await process.engine.submit(request, by: .alice)
            return try await process.engine.wait(
                for: id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(snapshot.status == .failed)
        #expect(snapshot.error?.contains("arguments") == true)
        let sizes = echo.invocations.map { JSONValue.object($0.arguments).serialized().count }
        #expect(sizes.allSatisfy { $0 <= 4 << 20 })
        #expect((12..<160).contains(sizes.count))
    }
}
