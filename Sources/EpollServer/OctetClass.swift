/// The classes of octets in HTTP's grammar.
enum OctetClass {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let space = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// Whether an octet may stand in a token (RFC 9110, section 5.6.2).
    static func isToken(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether an octet may stand in a field value (RFC 9110, section 5.5), or as blank in it.
    static func isFieldValue(_ octet: UInt8) -> Bool {
        octet >= 0x20 && octet != 0x7F || octet == tab
    }

    /// Whether an octet may stand in a request target: visible ASCII, and no fragment.
    static func isTarget(_ octet: UInt8) -> Bool {
        octet > 0x20 && octet < 0x7F && octet != UInt8(ascii: "#")
    }

    /// Whether an octet may stand in a host (RFC 3986, section 3.2.2) or its port.
    static func isAuthority(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
            UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    /// The value of a hexadecimal digit.
    static func hexadecimal(_ octet: UInt8) -> Int? {
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(octet) - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(octet) - 0x61 + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(octet) - 0x41 + 10
        default: nil
        }
    }

    static func lowercased(_ octet: UInt8) -> UInt8 {
        octet >= UInt8(ascii: "A") && octet <= UInt8(ascii: "Z") ? octet | 0x20 : octet
    }
}
