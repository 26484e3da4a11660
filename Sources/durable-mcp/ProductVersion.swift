/// What this program is called and which version it is.
enum ProductVersion {
    /// Semantic.
    static let text = "0.1.0"
}
