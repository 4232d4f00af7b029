import Aquifer

extension StorageTransaction {
    /// The effect of the transaction in a sentence, for the user to read before sending.
    public func message(in language: Language) -> String {
        func size(_ bytes: UInt64) -> String { language.storage(bytes) }
        return switch instruction {
        case .create(let name, let bytes):
            language.pick(
                "Makes a storage account “\(name)” of \(size(bytes)).",
                "Cria uma conta de armazenamento “\(name)” de \(size(bytes)).")
        case .increase(let bytes), .increaseImmutable(let bytes):
            language.pick(
                "Adds \(size(bytes)) to a storage account.",
                "Adiciona \(size(bytes)) a uma conta de armazenamento.")
        case .decrease(let bytes, _):
            language.pick(
                "Gives \(size(bytes)) of a storage account back.",
                "Devolve \(size(bytes)) de uma conta de armazenamento.")
        case .makeImmutable:
            language.pick(
                "Makes a storage account immutable, for ever.",
                "Torna uma conta de armazenamento imutável, para sempre.")
        case .requestDeletion:
            language.pick(
                "Asks for a storage account to be deleted, with its files.",
                "Pede a exclusão de uma conta de armazenamento, com seus arquivos.")
        case .cancelDeletion:
            language.pick(
                "Keeps a storage account that was to be deleted.",
                "Mantém uma conta de armazenamento que seria excluída.")
        case .claimStake:
            language.pick(
                "Claims the tokens of storage that was given back.",
                "Resgata os tokens do espaço que foi devolvido.")
        case .refreshStake:
            language.pick(
                "Makes up for the fees of a storage account.",
                "Repõe as taxas de uma conta de armazenamento.")
        case .rename(let name):
            language.pick(
                "Renames a storage account to “\(name ?? "")”.",
                "Muda o nome de uma conta de armazenamento para “\(name ?? "")”.")
        }
    }
}
