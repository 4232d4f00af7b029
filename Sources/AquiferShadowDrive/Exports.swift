// Keys, transactions and amounts are part of this library's interface. An app imports AquiferShadowDrive alone.
@_exported import AquiferSolana
