internal import FoundationEssentials
internal import LinuxPlatform
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// A folder for the files of one run of the benchmarks, and the programs that they start.
struct Workbench {
    /// The folder, on the disk that is measured.
    let folder: String
    /// Where the built programs are: beside this one.
    let programs: String

    /// Makes the folder beside the programs, so that it is on a disk and not in memory.
    init() throws {
        let program = try FileSystem.canonicalPath("/proc/self/exe")
        programs = String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex))
        folder = programs + "/benchmarks-\(CurrentProcess.identifier)"
        try FileSystem.makePrivateFolder(folder)
    }

    /// The path of a built program.
    func program(_ name: String) -> String { programs + "/" + name }

    /// The path of a file in the folder.
    func file(_ name: String) -> String { folder + "/" + name }

    /// A client of a program that is started as a server.
    func client(of program: String, _ arguments: [String] = []) -> UpstreamClient {
        UpstreamClient(
            UpstreamConfiguration(
                name: program, clientInfo: Implementation(name: "benchmarks", version: "1")),
            running: StdioServerCommand(
                command: program, arguments: arguments, guardPath: self.program("durable-mcp")))
    }

    /// A client of a server of ours that has every ``EchoServer`` behind it.
    func server(onStore store: String, _ more: [String] = []) throws -> UpstreamClient {
        let servers = EchoServer.all.map { ($0.name, $0.entry(self)) }
        let config: JSONValue = ["mcpServers": .object(JSONObject(servers))]
        let path = file(store + ".json")
        if !FileManager.default.fileExists(atPath: path) {
            try AppendFile(path: path).append(config.serialized(pretty: true))
        }
        let arguments = ["serve", "--stdio", "--config", path, "--store", "sqlite:" + file(store)]
        return client(of: program("durable-mcp"), arguments + more)
    }

    /// Removes the folder.
    func remove() {
        // What cannot be removed stays beside the programs, in the build folder.
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// Why there are no figures.
struct BenchmarkError: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
}
