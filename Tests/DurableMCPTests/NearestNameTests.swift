import DurableMCP
import Testing

@Suite("Nearest name")
struct NearestNameTests {
    @Test(
        "a slip finds its name, and nonsense finds none",
        arguments: [
            ("stor", "store"), ("soter", "store"), ("STORE", "store"), ("acess", "access"),
            ("xyz", nil), ("", nil), (String(repeating: "store", count: 100), nil),
        ] as [(String, String?)])
    func nearest(typed: String, expected: String?) {
        #expect(NearestName.of(typed, among: ["store", "access", "limits"]) == expected)
    }
}
