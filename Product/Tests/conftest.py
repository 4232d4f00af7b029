"""What the suites of pytest share."""

import functools
import signal
import socketserver

# A server of Python looks only twice a second whether it shall end: half a second at the end of each test that has one.
socketserver.BaseServer.serve_forever = functools.partialmethod(socketserver.BaseServer.serve_forever, poll_interval=0.01)

# A shell without job control makes what it starts in the background deaf to Ctrl-C. Programs started here must hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
