"""Ctrl-C does here and in what the tests start what it does in a terminal, even where SIGINT is ignored."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
