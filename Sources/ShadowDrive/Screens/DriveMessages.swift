import Aquifer
import Foundation

extension DriveError {
    /// The message for the user: the problem and a remedy. It is empty if the user cancelled.
    public func message(in language: Language) -> String {
        switch self {
        case .outcomeUnknown(.invalidData):
            language.pick(
                "The server’s answer made no sense. It may have happened: look again before you retry.",
                "A resposta do servidor não fez sentido. Pode ter dado certo: confira antes de tentar de novo.")
        case .outcomeUnknown(.cancelled):
            language.pick(
                "It was stopped on its way. It may have happened: look again before you retry.",
                "Foi interrompido no caminho. Pode ter dado certo: confira antes de tentar de novo.")
        case .outcomeUnknown(.refused):
            language.pick(
                "The server did not say whether it was done. It may have happened: look again before you retry.",
                "O servidor não disse se foi feito. Pode ter dado certo: confira antes de tentar de novo.")
        case .outcomeUnknown:
            language.pick(
                "The connection ended before the server answered. It may have happened: look again before you retry.",
                "A conexão caiu antes de o servidor responder. Pode ter dado certo: confira antes de tentar de novo.")
        case .connectivity(let error) where error.kind == .timedOut || error.kind == .interrupted:
            language.pick(
                "The connection ended before the server answered. Nothing was changed: try again.",
                "A conexão caiu antes de o servidor responder. Nada foi alterado: tente de novo.")
        case .connectivity:
            language.pick(
                "You’re offline. Check your connection and try again.",
                "Você está sem conexão. Verifique a conexão e tente de novo.")
        case .invalidData:
            language.pick(
                "The server’s answer made no sense. Nothing was changed: try again in a moment.",
                "A resposta do servidor não fez sentido. Nada foi alterado: tente de novo em instantes.")
        case .refused(let refusal): refusal.message(in: language)
        case .noSuchFile: language.pick("There is no such file.", "Esse arquivo não existe.")
        case .limit(let error): error.message(in: language)
        case .file(let error): error.message(in: language)
        case .transaction(let error):
            language.pick(
                "The transaction isn’t right: \(error.message(in: language)).",
                "A transação não está certa: \(error.message(in: language)).")
        case .noKeypair:
            language.pick(
                "There is no key on this computer. Make one with “aquifer drive keygen”, then start again with --keypair.",
                "Não há chave neste computador. Crie uma com “aquifer drive keygen” e comece de novo com --keypair.")
        case .store:
            language.pick(
                "The saved copy can’t be read or written.", "A cópia salva não pode ser lida nem gravada.")
        case .cancelled: ""
        }
    }
}

extension DriveRefusal {
    /// The message for the user. The server's own words follow if they say more.
    public func message(in language: Language) -> String {
        let words = words.isEmpty ? "" : " (\(words))"
        return switch reason {
        case .notEnoughFunds:
            language.pick(
                "There is too little SOL in the wallet for this. Add some and try again.",
                "Há SOL de menos na carteira para isto. Adicione um pouco e tente de novo.")
        case .staleBlockhash:
            language.pick(
                "It took too long, and Solana no longer takes it. Try again.",
                "Demorou demais, e a Solana não aceita mais. Tente de novo.")
        case .alreadyProcessed:
            language.pick(
                "Solana has processed this transaction before, and it changed nothing.",
                "A Solana já processou esta transação, e ela não mudou nada.")
        case .badSignature:
            language.pick(
                "The server doesn’t take this key’s signature\(words).",
                "O servidor não aceita a assinatura desta chave\(words).")
        case .emptyAccount:
            language.pick(
                "There are no files here yet, or the server failed.",
                "Ainda não há arquivos aqui, ou o servidor falhou.")
        case .serverFailure:
            language.pick(
                "The server failed\(words). Try again in a moment.",
                "O servidor falhou\(words). Tente de novo em instantes.")
        case .other: language.pick("The server refused\(words).", "O servidor recusou\(words).")
        }
    }
}

extension LimitError {
    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .noName: language.pick("Give it a name.", "Dê um nome.")
        case .nameTooLong(let bytes):
            language.pick(
                "The name is too long: \(bytes) bytes, and \(ShadowDriveLimits.nameBytes) are the most.",
                "O nome é longo demais: \(bytes) bytes, e o máximo é \(ShadowDriveLimits.nameBytes).")
        case .size(let error): error.message(in: language)
        case .tooMuch(let free):
            language.pick(
                "Only \(language.storage(free)) are free.", "Só \(language.storage(free)) estão livres.")
        case .immutable:
            language.pick(
                "This account is immutable: its files can’t be replaced or deleted, nor storage given back.",
                "Esta conta é imutável: não dá para substituir nem excluir arquivos, nem devolver espaço.")
        }
    }
}

extension StorageSizeError {
    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .notASize:
            language.pick(
                "Write a number and KB, MB or GB, such as 1.5MB.", "Escreva um número e KB, MB ou GB, como 1,5MB.")
        case .zero: language.pick("Choose more than nothing.", "Escolha mais do que nada.")
        case .outOfRange:
            language.pick("Choose between 1 KB and 1024 GB.", "Escolha entre 1 KB e 1024 GB.")
        }
    }
}

extension FileError {
    /// The message for the user.
    public func message(in language: Language) -> String {
        switch self {
        case .unreadable(let name, _):
            language.pick("\(name) can’t be read.", "\(name) não pode ser lido.")
        case .tooLarge(let name, let bytes):
            language.pick(
                "\(name) has \(bytes) bytes, and \(language.storage(ShadowDriveLimits.fileBytes)) are the most.",
                "\(name) tem \(bytes) bytes, e o máximo é \(language.storage(ShadowDriveLimits.fileBytes)).")
        case .badName(let name, _):
            language.pick("A file can’t be called “\(name)” there.", "Lá, um arquivo não pode se chamar “\(name)”.")
        case .exists(let name):
            language.pick(
                "A file called \(name) is stored already. To take its place, use “Replace”.",
                "Já há um arquivo chamado \(name). Para trocá-lo, use “Substituir”.")
        case .repeated(let name): language.pick("\(name) is there twice.", "\(name) está lá duas vezes.")
        case .changed:
            language.pick(
                "A file changed while it was sent. Try again.",
                "Um arquivo mudou durante o envio. Tente de novo.")
        case .unwritable(let path, _):
            language.pick("\(path) can’t be written.", "\(path) não pode ser gravado.")
        }
    }
}
