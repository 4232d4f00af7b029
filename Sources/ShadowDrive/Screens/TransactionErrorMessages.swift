import Aquifer

extension TransactionError {
    /// The error in the transaction, as the part of a sentence after a colon. An unexpected transaction has only the
    /// program's own words, in English. The Portuguese text quotes them as a technical detail.
    public func message(in language: Language) -> String {
        language.pick(description, portuguese)
    }

    private var portuguese: String {
        switch self {
        case .tooLarge(let bytes): "ela tem \(bytes) bytes, e o máximo é \(SolanaTransaction.limit)"
        case .tooManyAccounts: "ela tem contas demais"
        case .notBase64: "ela não está em base64"
        case .truncated: "ela termina cedo demais"
        case .malformed: "ela não está escrita como as transações são"
        case .versioned: "ela é de um formato mais novo; só o antigo (“legacy”) é aceito"
        case .wrongHeader: "o cabeçalho não combina com as contas e as assinaturas"
        case .repeatedAccount: "uma conta aparece nela duas vezes"
        case .wrongPlace: "uma instrução cita uma conta que não está na transação"
        case .missingSignature(let key): "falta a assinatura de \(key)"
        case .invalidSignature(let key): "a assinatura de \(key) não é desta transação"
        case .notASigner(let key): "\(key) não tem nada a assinar nesta transação"
        case .unexpected(let reason): "não é o que se espera aqui (detalhe técnico, em inglês: “\(reason)”)"
        }
    }
}
