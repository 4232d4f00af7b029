import Testing

@testable import AquiferCrypto
