import Aquifer
import AquiferCrypto
import CryptoKit
import Network
import ShadowDrive
import SwiftUI

// Our names beside Apple's, in one file: none is ambiguous.

/// A key of ours, which seals what is kept.
func makeSealingKey() throws(CryptoError) -> SealingKey { try SealingKey() }

/// A key of Apple's.
func makeSymmetricKey() -> SymmetricKey { SymmetricKey(size: .bits256) }

/// The size of a hash, ours and Apple's.
let hashLengths = (SHA256Hash.length, SHA256.byteCount)

/// A transaction of Solana's.
func understood(_ text: String) throws(TransactionError) -> SolanaTransaction { try SolanaTransaction(base64: text) }

/// A transaction of SwiftUI's, which animates a change.
func withoutAnimation(_ change: () -> Void) {
    var transaction = Transaction()
    transaction.disablesAnimations = true
    withTransaction(transaction, change)
}

/// The state of the network, which the system knows before a request fails.
func isConnected(_ path: NWPath) -> Bool { path.status == .satisfied }
