import Foundation

// NotesServer: a server of notes for Examples/Notes, until its input ends. It prints its address.

let server = try NotesServer()
print(server.address)
while readLine() != nil {}
server.stop()
