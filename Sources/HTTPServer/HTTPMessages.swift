// Requests and answers are made of these: a user imports HTTPServer alone.
@_exported import HTTPMessages
