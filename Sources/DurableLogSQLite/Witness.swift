/// Something that is in the file exactly if one transaction is.
enum Witness: Sendable {
    /// An event that it appended.
    case event(position: Int64, digest: [UInt8])
    /// The number that it left in this process's row.
    case count(Int64)
}
