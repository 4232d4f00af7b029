// libsodium under the name that our sources import on every system. Only the manifest's branch for macOS builds this file.
@_exported import Clibsodium
