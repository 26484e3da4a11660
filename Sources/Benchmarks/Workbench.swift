internal import FoundationEssentials
internal import LinuxPlatform

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

    /// Removes the folder.
    func remove() {
        // What cannot be removed stays beside the programs, in the build folder.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
