// Requests and answers are made of these: a user imports Aquifer alone.
@_exported import HTTPMessages
