import Foundation
import Testing

@Suite("Tidiness of the documents")
struct MarkdownTidyTests {
    @Test("a document has one title", arguments: Repository.markdown)
    func titles(file: Repository.File) {
        let titles = file.prose.filter { $0.text.hasPrefix("# ") }
        #expect(titles.count == 1, "\(file.path)")
    }

    @Test("a relative link leads somewhere", arguments: Repository.markdown)
    func links(file: Repository.File) {
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

    @Test("a code block is closed", arguments: Repository.markdown)
    func fences(file: Repository.File) {
        #expect(file.lines.count { $0.hasPrefix("```") }.isMultiple(of: 2), "\(file.path)")
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
