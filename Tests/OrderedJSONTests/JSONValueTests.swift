import OrderedJSON
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("members keep their order")
    func order() {
        let value: JSONObject = ["b": 1, "a": 2]
        #expect(value.keys == ["b", "a"])
    }
}
