/// A screen of one tab: a Swift model, its state as its page draws it, and the intents it understands.
///
/// A new screen is a type in its feature's folder and a line in ``Screens/all``.
@MainActor
protocol Screen: AnyObject {
    /// The state that the page draws.
    associatedtype State: ScreenState
    /// The intents that the page sends, beside `refresh`, which every page sends.
    associatedtype Intent: ScreenIntent

    /// The name in addresses: `drive-account` in `/api/screens/drive-account/events`.
    static var name: String { get }
    /// The field of the query that names what the screen shows, such as `account`; `nil` if it always shows the same.
    static var subject: String? { get }

    /// The screen at an address; `nil` if the address names nothing that it can show.
    init?(_ address: ScreenAddress, in hub: ScreenHub)

    /// Finds again what another replica has kept of this screen. It ends before the first state is drawn and the first intent
    /// is carried out, and comes again when a page comes back.
    func prepare() async
    /// The state at this moment, with its texts in the context's language.
    func state(_ context: ScreenContext) -> State
    /// What makes the state of this moment. It reads the models now, and runs elsewhere: others wait for the main actor while a state
    /// of many items is made. A screen of few items makes its state at once.
    func drawing(_ context: ScreenContext) -> @Sendable () -> State
    /// Loads the content again, for the intent `refresh`. A screen without a load does nothing.
    func refresh() async
    /// Loads what is missing for want of a connection, now that there is one again. A screen without a load does nothing.
    func connectionRestored() async
    /// The action for an intent, which returns when it has ended.
    ///
    /// - Throws: ``IntentError`` if a field of the intent is missing, or its value is none that the screen knows.
    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction
}

extension Screen {
    static var subject: String? { nil }

    func prepare() async {}
    func connectionRestored() async {}

    func drawing(_ context: ScreenContext) -> @Sendable () -> State {
        let state = state(context)
        return { state }
    }

    /// What makes the JSON of the state of this moment, beside the main actor.
    func text(_ context: ScreenContext) -> @Sendable () -> String {
        let draw = drawing(context)
        return { WireJSON.text(draw()) }
    }

    /// The action for a message of the page, including `refresh`.
    ///
    /// - Throws: ``IntentError`` if the screen cannot do what the message says.
    func response(to message: IntentMessage) throws(IntentError) -> ScreenAction {
        if message.intent == "refresh" { return { await self.refresh() } }
        guard let intent = Intent(rawValue: message.intent) else {
            throw .unknown(message.intent, known: Intent.allCases.map(\.rawValue) + ["refresh"])
        }
        return try action(for: intent, message.fields.of(intent))
    }
}

/// The state of a screen: everything that its page draws. The names of its properties are the keys that the page reads.
///
/// It can be decoded as well: the pages' types are written from what a decoder asks for (`Scripts/page-types`).
protocol ScreenState: Codable, Sendable {}

/// The intents of a screen, by the names that its page sends.
protocol ScreenIntent: RawRepresentable<String>, CaseIterable, Sendable {
    /// The names of the intent's fields. `"code?"` is a field that the page may leave out.
    ///
    /// The pages' types are written from them, and the screen sees no other fields.
    var fields: [String] { get }
}

extension ScreenIntent {
    var fields: [String] { [] }
}

/// The action for an intent.
typealias ScreenAction = @MainActor @Sendable () async -> Void

/// The address of a screen: its name, its tab, and what it shows.
struct ScreenAddress: Hashable, Sendable {
    let name: String
    let tab: String
    /// The subject of the screen, as its query names it; empty if it always shows the same.
    let subject: String
}

/// Every screen of the product, a line each.
@MainActor
enum Screens {
    static let all: [any Screen.Type] = [
        FeedScreen.self,
        CommentsScreen.self,
        ContactsScreen.self,
        PaymentScreen.self,
        PaymentsScreen.self,
        CardsScreen.self,
        CardFormScreen.self,
        FoaasScreen.self,
        FoaasOperationsScreen.self,
        FoaasPreviewScreen.self,
        FoaasSettingsScreen.self,
        AudioScreen.self,
        AudioComposeScreen.self,
        OutboxScreen.self,
        DriveScreen.self,
        DriveCreateScreen.self,
        DriveAccountScreen.self,
        InspectorScreen.self,
    ]

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// The screen of a name; `nil` if there is none.
    static func named(_ name: String) -> (any Screen.Type)? { byName[name] }
}
