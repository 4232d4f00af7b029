"""A request of a client, passed on to a server by a proxy of the lab."""

import http.client

#: Fields that are between a client and the proxy, or between the proxy and the server.
HOP = {"connection", "expect", "transfer-encoding", "content-length", "keep-alive"}


def forward(handler, body, host, port, path):
    """The server's answer: status, fields, content. The server's own addresses in it are those of the proxy, if the names agree.

    Raises ``OSError`` or ``http.client.HTTPException`` if there was none.
    """
    connection = http.client.HTTPConnection(host, port, timeout=30)
    try:
        connection.putrequest(handler.command, path, skip_host=True, skip_accept_encoding=True)
        for name, value in handler.headers.items():
            if name.lower() not in ("connection", "expect"):
                connection.putheader(name, value)
        connection.endheaders(body or None)
        response = connection.getresponse()
        content = response.read()
        return response.status, {name: value for name, value in response.getheaders() if name.lower() not in HOP}, content
    finally:
        connection.close()
