"""Waiting for a change that sends no sign: a file of another process, a setting of a terminal."""

import time

#: The pause between two looks, in seconds.
PAUSE = 0.01


def wait_until(condition, what, seconds=20, process=None):
    """Looks until the condition is true. Fails after the limit, or when the process has ended.

    `what` names the change in the failure: a text, or a function that makes one.
    """
    end = time.monotonic() + seconds
    while not condition():
        is_late, has_ended = time.monotonic() >= end, process is not None and process.poll() is not None
        if is_late or has_ended:
            name = what() if callable(what) else what
            raise AssertionError(f"{'the process ended before' if has_ended else 'never happened'}: {name}")
        time.sleep(PAUSE)
