import Aquifer
import Foaas
import Foundation

/// The phrase as the page draws it.
@MainActor
final class FoaasScreen: Screen {
    let model: FoaasModel
    private let settings: FoaasSettings

    init(_ service: FoaasService, _ settings: FoaasSettings, center: NotificationCenter) {
        model = FoaasModel(service, center: center)
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let seen = model.lastSeen.map { seen in
            let phrase = settings.shown(seen.phrase)
            return JSONText.object([
                ("id", .string(seen.id)), ("message", .string(phrase.message)), ("subtitle", .string(phrase.subtitle)),
                ("dateText", .string(language.relative(seen.seenAt, now: context.now))),
            ])
        }
        return .object([
            ("title", .string(language.pick("Phrases", "Frases"))),
            ("phase", .string(model.isLoading ? "loading" : model.error != nil ? "failed" : "loaded")),
            ("isLoading", .bool(model.isLoading)),
            ("phrase", .phrase(model.phrase.map(settings.shown))),
            ("isSaved", .bool(model.isSaved)),
            ("notice", model.isSaved ? .string(savedNotice(language)) : .null),
            ("error", context.error(model.error)),
            ("lastSeen", .array(seen)),
            ("palette", .string(settings.palette.rawValue)),
            ("filter", .bool(settings.filters)),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, settings) = (model, settings)
        return switch intent.name {
        case "appear":
            {
                await settings.load()
                await model.appear()
            }
        case "random", "refresh": { await model.random() }
        case "show": { model.show(intent["id"]) }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func savedNotice(_ language: Language) -> String {
        language.pick(
            "You saw this one before. A new one needs a connection.",
            "Esta você já viu. Uma nova precisa de conexão.")
    }
}

/// The operations as the page draws them.
@MainActor
final class FoaasOperationsScreen: Screen {
    let model: FoaasOperationsModel

    init(_ service: FoaasService) {
        model = FoaasOperationsModel(service)
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let operations = model.operations.map { operation in
            let names = operation.placeholders.map { operation.name(of: $0) }
            return JSONText.object([
                ("id", .string(String(operation.id.dropFirst()))), ("name", .string(operation.name)),
                ("fields", .array(names.map { .string($0) })),
                (
                    "fieldsText",
                    .string(
                        names.isEmpty
                            ? language.pick("Nothing to fill in", "Nada a preencher") : names.joined(separator: ", "))
                ),
            ])
        }
        return .object(
            [("title", .string(language.pick("What can be said", "O que se pode dizer")))]
                + context.fields(of: model.list) + [
                    ("query", .string(model.query)),
                    ("operations", .array(operations)),
                    ("total", .int(model.list.value?.operations.count ?? 0)),
                    ("skippedText", skippedText(language)),
                    ("isEmpty", .bool(model.isEmpty)),
                    (
                        "noMatch",
                        model.hasNoMatch
                            ? .string(
                                language.pick(
                                    "Nothing here matches “\(model.query)”.", "Nada aqui combina com “\(model.query)”.")
                            )
                            : .null
                    ),
                ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.list.appear() }
        case "refresh": { await model.list.refresh() }
        case "dismissError": { model.list.dismissError() }
        case "search": { model.search(intent["query"]) }
        default: nil
        }
    }

    private func skippedText(_ language: Language) -> JSONText {
        switch model.skipped {
        case 0: .null
        case 1:
            .string(
                language.pick(
                    "One more could not be read and was left out.", "Mais uma não pôde ser lida e ficou de fora."))
        case let count:
            .string(
                language.pick(
                    "\(count) more could not be read and were left out.",
                    "Mais \(count) não puderam ser lidas e ficaram de fora."))
        }
    }
}

/// The preview of an operation as the page draws it.
@MainActor
final class FoaasPreviewScreen: Screen {
    let model: FoaasPreviewModel
    private let settings: FoaasSettings

    init(_ service: FoaasService, _ settings: FoaasSettings, operation: String, center: NotificationCenter) {
        model = FoaasPreviewModel(service, operation: "/\(operation)", center: center)
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let builder = model.builder
        let fields = (builder?.placeholders ?? []).map { placeholder in
            JSONText.object([
                ("field", .string(placeholder)), ("name", .string(builder?.operation.name(of: placeholder))),
                ("value", .string(builder?[placeholder] ?? "")), ("placeholder", .string(":\(placeholder)")),
            ])
        }
        return .object([
            ("title", .string(builder?.operation.name ?? context.language.pick("Preview", "Prévia"))),
            ("phase", .string(phase)),
            ("isLoading", .bool(model.phase == .loading)),
            ("name", .string(builder?.operation.name)),
            ("fields", .array(fields)),
            ("phrase", .phrase(model.phrase.map(settings.shown))),
            ("path", .string(builder.map { $0.path.removingPercentEncoding ?? $0.path })),
            ("canFinish", .bool(model.canFinish)),
            ("done", .bool(model.isDone)),
            ("message", .string(model.problem.map { FoaasError.path($0).message(in: context.language) })),
            ("error", context.error(failure)),
            ("palette", .string(settings.palette.rawValue)),
            ("filter", .bool(settings.filters)),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, settings) = (model, settings)
        return switch intent.name {
        case "appear":
            {
                await settings.load()
                await model.appear()
            }
        case "edit": { model.edit(intent["field"], intent["value"]) }
        case "finish": { await model.finish() }
        case "retry", "refresh": { await model.retry() }
        case "dismissError": { model.dismissProblem() }
        default: nil
        }
    }

    private var failure: FoaasError? {
        if case .failed(let error) = model.phase { error } else { nil }
    }

    private var phase: String {
        switch model.phase {
        case .loading: "loading"
        case .ready: "ready"
        case .failed: "failed"
        case .missing: "missing"
        }
    }
}

/// The settings of the phrases as the page draws them.
@MainActor
final class FoaasSettingsScreen: Screen {
    private let settings: FoaasSettings

    init(_ settings: FoaasSettings) {
        self.settings = settings
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let example = Foaas(message: "Damn, this is good.", subtitle: "")
        return .object([
            ("title", .string(language.pick("Settings of the phrases", "Ajustes das frases"))),
            ("filter", .bool(settings.filters)),
            ("palette", .string(settings.palette.rawValue)),
            (
                "palettes",
                .array(
                    FoaasPalette.allCases.map { palette in
                        .object([
                            ("name", .string(palette.rawValue)), ("title", .string(palette.title(in: language))),
                            ("isChosen", .bool(palette == settings.palette)),
                        ])
                    })
            ),
            (
                "example",
                .object([
                    ("before", .string(example.message)),
                    ("after", .string(settings.shown(example).message)),
                ])
            ),
            (
                "error",
                settings.error.map { error in
                    .object([("kind", .string("store")), ("message", .string(keepMessage(error, language)))])
                } ?? .null
            ),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let settings = settings
        return switch intent.name {
        case "appear", "refresh": { await settings.load() }
        case "filter": { await settings.setFilters(intent["on"] == "true") }
        case "palette": choose(intent["name"])
        case "dismissError": { settings.dismissError() }
        default: nil
        }
    }

    private func choose(_ name: String) -> ScreenAction? {
        guard let palette = FoaasPalette(rawValue: name) else { return nil }
        let settings = settings
        return { await settings.choose(palette) }
    }

    private func keepMessage(_ error: StoreError, _ language: Language) -> String {
        if case .full = error {
            return language.pick(
                "This could not be kept: there is no room left. It holds until Aquifer ends.",
                "Não deu para guardar: não há espaço. Vale até o Aquifer ser encerrado.")
        }
        return language.pick(
            "This could not be kept. It holds until Aquifer ends.",
            "Não deu para guardar. Vale até o Aquifer ser encerrado.")
    }
}

extension FoaasPalette {
    fileprivate func title(in language: Language) -> String {
        switch self {
        case .ink: language.pick("Ink", "Tinta")
        case .ember: language.pick("Ember", "Brasa")
        case .moss: language.pick("Moss", "Musgo")
        case .tide: language.pick("Tide", "Maré")
        case .plum: language.pick("Plum", "Ameixa")
        case .paper: language.pick("Paper", "Papel")
        }
    }
}

extension ScreenContext {
    fileprivate func error(_ error: FoaasError?) -> JSONText {
        guard let error else { return .null }
        let kind =
            switch error {
            case .path: "path"
            case .load(.connectivity): "connectivity"
            case .load(.invalidData): "invalidData"
            case .load(.store): "store"
            case .load(.cancelled): "cancelled"
            }
        return .object([("kind", .string(kind)), ("message", .string(error.message(in: language)))])
    }
}

extension JSONText {
    /// A phrase as pages draw it, with the text that is shared and copied.
    fileprivate static func phrase(_ phrase: Foaas?) -> JSONText {
        guard let phrase else { return .null }
        return .object([
            ("message", .string(phrase.message)), ("subtitle", .string(phrase.subtitle)),
            ("text", .string(phrase.description)),
        ])
    }
}
