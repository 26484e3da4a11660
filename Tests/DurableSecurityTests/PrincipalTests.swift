import DurableSecurity
import Testing

@Suite("Principal")
struct PrincipalTests {
    @Test("a role stands for itself alone, and admin for all")
    func roles() {
        for held in Role.allCases {
            let principal = Principal(id: "ann", roles: [held], authLevel: .session)
            for asked in Role.allCases {
                #expect(principal.has(asked) == (held == asked || held == .admin))
            }
        }
    }

    @Test("only audit and admin see what others started")
    func sight() {
        for held in Role.allCases {
            let principal = Principal(id: "ann", roles: [held], authLevel: .session)
            #expect(principal.maySee(runsOf: "bob") == (held == .audit || held == .admin))
        }
        let user = Principal(id: "ann", roles: [.use], authLevel: .session)
        #expect(user.maySee(runsOf: "ann"))
    }

    @Test("levels are ordered as the words say")
    func levels() {
        #expect(AuthLevel.allCases == AuthLevel.allCases.sorted())
        #expect(AuthLevel.session < .devicePasscode)
        #expect(!(AuthLevel.biometric < .devicePasscode))
    }
}
