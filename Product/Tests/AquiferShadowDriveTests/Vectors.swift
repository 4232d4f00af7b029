import Foundation
import Testing

@testable import AquiferShadowDrive

/// The golden vectors: made with two independent encoders and two implementations of ed25519.
struct Vectors: Decodable {
    struct Inputs: Decodable {
        let owner_seed_hex, owner_secret_key_64_base58, owner_pubkey, blockhash_base58, name: String
        let size_bytes, additional_storage, remove_storage, storage_used, top_up_amount: UInt64
        let compute_units: UInt32
        let compute_price_micro_lamports: UInt64
    }
    struct Derived: Decodable {
        let address, hex, program: String
        let bump: UInt8
        let bumps_rejected_on_curve: [UInt8]
        let seeds: [String]
    }
    struct Account: Decodable {
        let role, pubkey: String
        let isSigner, isWritable: Bool
    }
    struct Compiled: Decodable {
        struct Header: Decodable {
            let numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts: UInt8
        }
        struct Instruction: Decodable {
            let programIdIndex: UInt8
            let accounts: [UInt8]
            let data_hex: String
        }
        let header: Header
        let account_keys, missing_signers: [String]
        let message_base64, message_hex, owner_signature_base58, owner_signature_hex, transaction_base64: String
        let message_length, transaction_length: Int
        let compiled_instructions: [Instruction]
    }
    struct Order: Decodable {
        let no_compute_budget, with_compute_budget: Compiled
    }
    struct Transaction: Decodable {
        let route, program, instruction_data_hex: String
        let discriminator_hex: String?
        let accounts: [Account]
        let rust_order, web3js_order: Order
    }
    struct Signed: Decodable {
        let message, message_hex, signature_base58, signature_hex: String
        let message_length: Int
        let names: [String]?
        let fileNames_field, fileNames_sha256_hex, file_name, new_content_utf8, new_content_sha256_hex: String?
        let url_field, location: String?
    }
    struct Layout: Decodable {
        let discriminator_hex, data_base64: String
    }
    struct Primitives: Decodable {
        struct Text: Decodable { let hex, text: String }
        struct Number: Decodable {
            let value: UInt16
            let hex: String
        }
        struct Point: Decodable {
            let hex: String
            let on_curve: Bool
        }
        let base58: [Text]
        let compact_u16: [Number]
        let on_curve: [Point]
        let size_text: [String: UInt64?]
    }

    let inputs: Inputs
    let constants: [String: String]
    let pdas: [String: Derived]
    let transactions: [String: Transaction]
    let signed_messages: [String: Signed]
    let accounts: [String: Layout]
    let primitives: Primitives

    static let all: Vectors = {
        let url = Bundle.module.url(forResource: "shadow-drive-vectors", withExtension: "json")!
        return must { try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url)) }
    }()

    // The inputs as values of this library.
    static let program = ShadowDriveProgram.v1
    static let owner = must { try Keypair(seed: hex(all.inputs.owner_seed_hex)) }
    static let blockhash = must { try Blockhash(all.inputs.blockhash_base58) }
    static let account = program.storageAccount(of: owner.publicKey, counter: 0)
    static let budget = ComputeBudget(
        units: all.inputs.compute_units, price: all.inputs.compute_price_micro_lamports)

    /// The instruction of each transaction, from its inputs.
    static func instruction(_ name: String) -> StorageInstruction? {
        let inputs = all.inputs
        return switch name {
        case "initialize_account2": .create(name: inputs.name, bytes: inputs.size_bytes)
        case "increase_storage2": .increase(bytes: inputs.additional_storage)
        case "increase_immutable_storage2": .increaseImmutable(bytes: inputs.additional_storage)
        case "decrease_storage2": .decrease(bytes: inputs.remove_storage, used: inputs.storage_used)
        case "make_account_immutable2": .makeImmutable(used: inputs.storage_used)
        case "request_delete_account2": .requestDeletion
        case "unmark_delete_account2": .cancelDeletion
        case "claim_stake2": .claimStake
        case "refresh_stake2": .refreshStake
        case "update_account2": .rename("renamed")
        default: nil
        }
    }
}

/// A value that a test cannot begin without. An error ends the process.
func must<Value>(_ work: () throws -> Value) -> Value {
    do { return try work() } catch { fatalError("\(error)") }
}

func hex(_ text: String) -> Data {
    let digits = Array(text)
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! })
}
