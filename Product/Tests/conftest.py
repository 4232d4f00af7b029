"""What the suites of pytest share."""

import functools
import socketserver

# A server of Python looks only twice a second whether it shall end: half a second at the end of each test that has one.
socketserver.BaseServer.serve_forever = functools.partialmethod(socketserver.BaseServer.serve_forever, poll_interval=0.01)
