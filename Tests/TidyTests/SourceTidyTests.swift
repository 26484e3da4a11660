import Foundation
import Testing

@Suite("Tidiness of the sources")
struct SourceTidyTests {
    @Test("the rules have files to look at")
    func files() {
        #expect(Repository.swift.count > 20)
        #expect(Repository.written.count > Repository.swift.count + 3)
    }

    @Test("a file has at most 600 lines")
    func fileLength() {
        for file in Repository.swift {
            #expect(file.lines.count <= 600, "\(file.path): split it.")
        }
    }

    @Test("a line has at most 100 characters")
    func lineLength() {
        for file in Repository.swift {
            for (index, line) in file.lines.enumerated() where line.count > 100 {
                Issue.record("\(file.path):\(index + 1) has \(line.count) characters.")
            }
        }
    }

    @Test("a function has at most 70 lines")
    func functionLength() {
        for file in Repository.swift {
            for function in SwiftText.functions(in: file.code) {
                let length = function.last - function.first + 1
                #expect(
                    length <= 70, "\(file.path):\(function.first): '\(function.name)': split it.")
            }
        }
    }

    @Test("no name says that nobody knew what belongs there")
    func names() {
        for file in Repository.swift {
            let vague =
                /(Util|Utils|Utility|Utilities|Helper|Helpers|Manager|Misc|Common)(\+.*)?\.swift$/
            #expect(!file.name.contains(vague), "\(file.path): name it after what it holds.")
            for (index, line) in file.code.enumerated()
            where ["Utils", "Helper", "Manager"].contains(where: { line.contains($0) }) {
                let found = line.firstMatch(
                    of: /\b(class|struct|enum|actor|protocol) +\w*(Utils|Helpers?|Manager)\b/)
                #expect(found == nil, "\(file.path):\(index + 1): name it after what it does.")
            }
            #expect(!file.path.contains(" "))
        }
    }

    @Test("nothing is left for later, and no machine's paths are left")
    func leftovers() {
        for file in Repository.written {
            // In pieces, so that this file does not find itself.
            let banned = [
                "TO" + "DO", "FIX" + "ME", "XX" + "X:", "fatalError(\"" + "not", "/ro" + "ot/",
                "/wo" + "rk/", "/opt/" + "swift", "/Use" + "rs/",
            ]
            for (index, line) in file.lines.enumerated() {
                for word in banned where line.contains(word) {
                    Issue.record("\(file.path):\(index + 1) contains '\(word)'.")
                }
            }
        }
    }

    @Test("a 'try?' says why the failure does not matter")
    func ignoredErrors() {
        for file in Repository.swift {
            for (index, line) in file.code.enumerated() where line.contains(/\btry\?/) {
                let isExplained =
                    file.lines[index].contains("//") || (index > 0 && file.isComment(index - 1))
                #expect(isExplained, "\(file.path):\(index + 1): say why, there or a line above.")
            }
        }
    }

    @Test("an unchecked promise to the compiler says who keeps it")
    func uncheckedPromises() {
        for file in Repository.swift {
            for (index, line) in file.code.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let near = max(0, index - 2)...min(file.lines.count - 1, index + 2)
                #expect(
                    near.contains { file.lines[$0].contains("//") },
                    "\(file.path):\(index + 1): name the invariant and who keeps it.")
            }
        }
    }

    @Test("nothing is forced where it could be handled")
    func forced() {
        for file in Repository.swift {
            guard file.path.hasPrefix("Sources/") else { continue }
            for (index, line) in file.code.enumerated() where line.contains("!") {
                #expect(!line.contains(/\btry!|\bas!/), "\(file.path):\(index + 1)")
            }
        }
    }
}

extension Repository.File {
    func isComment(_ index: Int) -> Bool {
        lines[index].trimmingCharacters(in: .whitespaces).hasPrefix("//")
    }
}

@Suite("The reader of Swift text")
struct SwiftTextTests {
    @Test("comments, strings and regexes are no code")
    func code() {
        let lines = [
            #"let a = "try? {" // { try?"#, "/* { /* } */ */ b", ##"c(#"}"x"#)"##, "d(of: /{/) {",
            "e = \"\"\"", "  } try?", "  \"\"\"; f", "g / h { i / j",
        ]
        #expect(
            SwiftText.code(of: lines).map { $0.trimmingPrefix { $0 == " " } } == [
                "let a = \"\" ", "b", "c(\"\")", "d(of: /) {", "e = \"", "", "\"; f",
                "g / h { i / j",
            ])
    }

    @Test("a function ends with its own brace, and a requirement has no body")
    func functions() {
        let lines = [
            "protocol P {", "    func a(x: () -> Void)", "    init()", "}", "struct S: P {",
            "    func b(", "        x: () -> Void = {}", "    ) {", "        if c { d() }", "    }",
            "    init() { self.init(1) }", "    func e<T>() -> T", "    where T: P {", "    }", "}",
        ]
        let found = SwiftText.functions(in: SwiftText.code(of: lines))
        #expect(found.map(\.name) == ["func b", "init", "func e"])
        #expect(found.map(\.first) == [6, 11, 12])
        #expect(found.map(\.last) == [10, 11, 14])
    }
}
