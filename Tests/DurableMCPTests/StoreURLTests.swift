import DurableMCP
import Testing

@Suite("Store URL")
struct StoreURLTests {
    @Test(
        "a file or nothing is read",
        arguments: [
            ("memory:", "memory:"), ("sqlite:/a/b", "sqlite:/a/b"), ("sqlite:b", "sqlite:/here/b"),
            ("sqlite:./b", "sqlite:/here/./b"), ("sqlite:~/b", "sqlite:/home/ann/b"),
            ("sqlite:///a/b", "sqlite:/a/b"), ("sqlite:a:b", "sqlite:/here/a:b"),
        ])
    func read(text: String, expected: String) throws {
        let url = try StoreURL(parsing: text, relativeTo: "/here", home: "/home/ann")
        #expect(url.description == expected)
    }

    @Test(
        "anything else is refused with what to write",
        arguments: ["", "sqlite:", "sqlite", "/a/b", "sqlite:a/", "file:/a", "memory:x", "redis:x"])
    func refused(text: String) throws {
        let error = try #require(throws: ConfigError.self) {
            try StoreURL(parsing: text, relativeTo: "/", home: nil)
        }
        #expect(error.message.contains("sqlite:PATH"))
    }

    @Test("the standard store is in the user's data folder")
    func standard() {
        func standard(_ environment: [String: String]) -> String? {
            StoreURL.standard(environment: environment)?.description
        }
        #expect(
            standard(["XDG_DATA_HOME": "/d", "HOME": "/h"])
                == "sqlite:/d/durable-mcp/store.sqlite")
        #expect(
            standard(["XDG_DATA_HOME": "", "HOME": "/h"])
                == "sqlite:/h/.local/share/durable-mcp/store.sqlite")
        #expect(standard([:]) == nil)
    }

    @Test("the command line wins over the config, and each path starts where it was written")
    func chosen() throws {
        func chosen(_ option: String?, _ stored: String?) throws -> String {
            var config = ServerConfig()
            config.store = stored
            config.folder = "/etc/durable"
            return try StoreURL.chosen(
                option: option, config: config, environment: ["HOME": "/home/ann"],
                currentFolder: "/here"
            ).description
        }
        #expect(try chosen("sqlite:a", "sqlite:b") == "sqlite:/here/a")
        #expect(try chosen(nil, "sqlite:b") == "sqlite:/etc/durable/b")
        #expect(
            try chosen(nil, nil) == "sqlite:/home/ann/.local/share/durable-mcp/store.sqlite")
        #expect(throws: ConfigError.self) {
            try StoreURL.chosen(option: nil, config: nil, environment: [:], currentFolder: "/")
        }
    }
}
