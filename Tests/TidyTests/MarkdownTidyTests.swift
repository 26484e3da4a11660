import Foundation
import Testing

@Suite("Tidiness of the documents")
struct MarkdownTidyTests {
    @Test("a document has one title")
    func titles() {
        for file in Repository.markdown {
            let titles = file.prose.filter { $0.text.hasPrefix("# ") }
            #expect(titles.count == 1, "\(file.path)")
        }
    }

    @Test("a relative link leads somewhere")
    func links() {
        for file in Repository.markdown {
            let folder = file.path.split(separator: "/").dropLast().joined(separator: "/")
            for (number, text) in file.prose {
                for match in text.matches(of: /\]\(([^)\s]+)\)/) {
                    let target = String(match.output.1)
                    guard !target.contains(/^[a-z][a-z0-9+.\-]*:/), !target.hasPrefix("#") else {
                        continue
                    }
                    let path = target.prefix { $0 != "#" }
                    let full = folder.isEmpty ? String(path) : "\(folder)/\(path)"
                    #expect(Repository.exists(full), "\(file.path):\(number): '\(target)'")
                }
            }
        }
    }

    @Test("every error code has its cause and remedy in docs/errors.md")
    func errorCodes() throws {
        let document = try #require(Repository.markdown.first { $0.path == "docs/errors.md" })
        var codes: [String: Set<String>] = [:]
        var section = ""
        for (_, text) in document.prose {
            if let match = text.wholeMatch(of: /## `(\w+)`/) {
                section = String(match.output.1)
            } else if text.hasPrefix("## ") {
                section = ""
            } else if let match = text.prefixMatch(of: /\| `(\w+)` \|/) {
                codes[section, default: []].insert(String(match.output.1))
            }
        }
        for file in Repository.swift where file.path.hasPrefix("Sources/") {
            guard let start = file.code.firstIndex(where: { $0.contains("enum Code:") }),
                // Of JSON's own codes, docs/json.md tells.
                !file.path.hasPrefix("Sources/OrderedJSON/")
            else { continue }
            let name = file.name.split(separator: ".").first.map(String.init) ?? ""
            let body = file.code[(start + 1)...].prefix { !$0.hasPrefix("    }") }
            for line in body {
                guard let match = line.firstMatch(of: /case (\w+)/) else { continue }
                #expect(
                    codes[name]?.contains(String(match.output.1)) == true,
                    "\(file.path): '\(match.output.1)' is not in docs/errors.md under '\(name)'.")
            }
        }
    }

    @Test("a code block is closed")
    func fences() {
        for file in Repository.markdown {
            #expect(file.lines.count { $0.hasPrefix("```") }.isMultiple(of: 2), "\(file.path)")
        }
    }
}

extension Repository.File {
    /// The lines outside code blocks, with their numbers from 1.
    var prose: [(number: Int, text: String)] {
        var isCode = false
        return lines.enumerated().compactMap { index, line in
            if line.hasPrefix("```") {
                isCode.toggle()
                return nil
            }
            return isCode ? nil : (index + 1, line)
        }
    }
}
