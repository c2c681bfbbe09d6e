"""The tests may run where SIGINT is ignored, in the background of a shell say: Ctrl-C is what it is in a terminal, here and in what they start."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
