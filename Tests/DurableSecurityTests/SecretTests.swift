import DurableSecurity
import Foundation
import Testing

@Suite("Secret text")
struct SecretTests {
    private let source = SecretSource(
        environment: ["TOKEN": "t0ken", "EMPTY": ""], folders: [])

    @Test(
        "references are followed",
        arguments: [
            ("plain", "plain", []),
            ("$5 and $", "$5 and $", []),
            ("Bearer ${TOKEN}", "Bearer t0ken", ["t0ken"]),
            ("${env:TOKEN}${TOKEN}", "t0kent0ken", ["t0ken", "t0ken"]),
            ("${NONE:-a:-b}", "a:-b", []),
            ("${env:NONE:-}", "", []),
            ("${EMPTY:-x}", "x", []), ("${EMPTY}", "", [""]),
        ] as [(String, String, [String])])
    func followed(text: String, value: String, references: [String]) throws {
        let resolved = try source.resolve(SecretText(parsing: text))
        #expect(resolved.value == value)
        #expect(resolved.references == references)
    }

    @Test(
        "what is no reference is refused, and not repeated",
        arguments: [
            "${", "${TOKEN", "${}", "${1A}", "${a b}", "${input:key9}", "${secret:}",
            "${secret:../up}", "${secret:.hidden}", "${secret:a/b}", "${workspace-folder9}",
        ])
    func refused(text: String) throws {
        let error = try #require(throws: SecurityError.self) { try SecretText(parsing: text) }
        #expect(error.code == .malformed)
        #expect(!error.message.contains("9"))
    }

    @Test("an unset variable is named, with the remedy")
    func unset() throws {
        let text = try SecretText(parsing: "${ABSENT}")
        let error = try #require(throws: SecurityError.self) { try source.resolve(text) }
        #expect(error.code == .missing)
        #expect(error.message.contains("'ABSENT' is not set"))
    }

    @Test("a secret file is read from the first folder that has it, without its line break")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "durable-secrets-\(UUID())")
        defer {
            // Only tidying up: what stays behind does no harm.
            try? FileManager.default.removeItem(at: folder)
        }
        let secrets = folder.appending(path: "secrets")
        let credentials = folder.appending(path: "credentials")
        for path in [secrets, credentials] {
            try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        }
        try Data("first\n".utf8).write(to: secrets.appending(path: "both"))
        try Data("second".utf8).write(to: credentials.appending(path: "both"))
        try Data("third".utf8).write(to: credentials.appending(path: "one"))
        try Data([0xFF]).write(to: secrets.appending(path: "binary"))
        try Data("\n".utf8).write(to: secrets.appending(path: "empty"))
        let source = SecretSource(
            environment: ["CREDENTIALS_DIRECTORY": credentials.path()],
            configFolder: folder.path())

        #expect(try source.resolve(SecretText(parsing: "${secret:both}")).value == "first")
        #expect(try source.resolve(SecretText(parsing: "${secret:one}")).value == "third")
        for (name, code) in [
            ("absent", SecurityError.Code.missing), ("binary", .unusable), ("empty", .unusable),
        ] {
            let text = try SecretText(parsing: "${secret:\(name)}")
            let error = try #require(throws: SecurityError.self) { try source.resolve(text) }
            #expect(error.code == code)
            #expect(error.message.contains("'\(name)'"))
        }
    }

    @Test("printing shows no literal and no value")
    func printing() throws {
        let text = try SecretText(parsing: "hunter2")
        #expect(!"\(text)".contains("hunter2"))
        #expect(!"\(try source.resolve(text))".contains("hunter2"))
    }
}
